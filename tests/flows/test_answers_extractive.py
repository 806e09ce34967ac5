"""`search_web` without a key for a model: pages are quoted, and whatever is quoted stands where it is said to."""

import pytest

from dowse.contracts.output import AnswerQuestionOutput, FailureOutput, schema_of
from tests.conftest import Server
from tests.doubles import Listing, PocketWeb
from tests.flows.test_answers import CONTRACTS, SURFACES, ask, connected, refused, text, typed

OTTER_PAGES = {
    "/weight.txt": "🦦 The otter weighs nine kilograms in winter. It is a mammal of rivers and of the sea.",
    "/japan.txt": "カワウソ (the otter) weighs 九キログラム、 which is nine kilograms. Rivers are its home.",
    "/cafe.txt": "The cafe\u0301 otter weighs ten kilograms\u200d, the keeper of the cafe\u0301 says. Tea is at five.",
}


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("surface", SURFACES)
async def test_without_a_key_every_sentence_is_quoted_from_the_page_that_it_names(
    web: PocketWeb, server: Server, surface: str, contract: str
) -> None:
    for path, page in OTTER_PAGES.items():
        web.pages.serves(path, page.encode(), content_type="text/plain; charset=utf-8")
    web.serper.finds([Listing(f"Page {path}", web.page(path), "") for path in OTTER_PAGES])
    async with connected(server, web.environment("serper"), surface, contract) as client:
        result = await ask(client, query="how many kilograms does the otter weigh")
    found = typed(result)
    assert (found["provider"], "usage" in found) == ("dowse-extractive", False)
    opening, quotes, _sources = found["text"].split("\n\n")
    assert "no model wrote this" in opening
    assert {item["url"] for item in found["citations"]} == {web.page(path) for path in OTTER_PAGES}
    for item in found["citations"]:
        assert found["text"][item["startIndex"] : item["endIndex"]] == item["textSnippet"]
        page = OTTER_PAGES[item["url"].removeprefix(web.page(""))]
        assert item["textSnippet"] in page.replace("\u200d", "")
    start = found["text"].index(quotes)
    for line in quotes.splitlines():
        within = range(start, start + len(line))
        assert any(item["startIndex"] in within and item["endIndex"] in within for item in found["citations"]), line
        start += len(line) + 1


async def test_what_is_quoted_stands_on_the_page_also_where_that_is_html(web: PocketWeb, server: Server) -> None:
    async with connected(server, web.environment("serper"), "http", "dowse") as client:
        found = typed(
            await ask(client, query="what is new in python 3.15", maxResults=3),
            schema_of(AnswerQuestionOutput, FailureOutput),
        )
        assert 1 <= len({item["url"] for item in found["citations"]}) <= 3
        for item in found["citations"]:
            read = await client.call_tool("get_content", {"url": item["url"], "max_tokens": 20_000})
            assert isinstance(read.structured_content, dict)
            assert plain(item["textSnippet"]) in plain(read.structured_content["page_content"])


def plain(text: str) -> str:
    """The letters and digits alone: marks of Markdown and line ends are not quoted."""
    return "".join(filter(str.isalnum, text))


async def test_a_question_that_no_page_answers_is_declined_with_the_nearest_sources(
    web: PocketWeb, server: Server
) -> None:
    """The pages share a word with the question: rules of imports, and a rule on sun cream."""
    async with connected(server, web.environment("serper"), "http", "dowse") as client:
        result = await ask(client, query="What is the rule of twelfths?")
    found = typed(result, schema_of(AnswerQuestionOutput, FailureOutput))
    assert found["text"].startswith("No passage found answers this. Nearest sources:\n\n[1] ")
    assert 1 <= len(found["citations"]) <= 3
    assert '"' not in found["text"]


async def test_without_an_answer_the_sources_are_listed_and_nothing_is_read(web: PocketWeb, server: Server) -> None:
    async with connected(server, web.environment("serper"), "http", "dowse") as client:
        result = await ask(client, query="python release", maxResults=2, includeAnswers=False)
    found = typed(result, schema_of(AnswerQuestionOutput, FailureOutput))
    assert [item["rank"] for item in found["citations"]] == [1, 2]
    assert found["text"].splitlines() == [item["textSnippet"] for item in found["citations"]]
    assert "Sources:" not in text(result)
    assert web.pages.requests == []


async def test_without_a_key_and_without_a_search_provider_it_says_what_to_set(server: Server) -> None:
    async with connected(server, {}, "http") as client:
        code, message = refused(await ask(client))
    assert code == "PROVIDER"
    assert "SERPER_API_KEY" in message
