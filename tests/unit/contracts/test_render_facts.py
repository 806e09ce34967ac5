"""What is known about a page is told where it helps, and only then."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from dowse.contracts import get_content, web_search
from dowse.contracts.dispatch import Answer
from dowse.contracts.output import GetContentOutput, WebSearchOutput, schema_of
from dowse.contracts.render import fact_warnings, facts_line
from dowse.core.digests import Digest
from dowse.core.models import Body, Facts, Found, Hit, Page, Query, Result, SearchOutcome, Status, Text
from dowse.flows.page_view import cut_page
from tests.fakes.bench import ContractBench
from tests.fakes.scripted import PlainExtractor
from tests.support.tables import each_row

URL = "https://example.org/page"
FACTS = Facts(
    "article",
    "Ana Lind",
    "2026-03-02T09:30:00+01:00",
    "high",
    "2026-04-01",
    "low",
    "en",
    "The Otter Post",
    "https://example.org/canonical",
)
PAGE = Page(URL, Status.OK, "Text.", "Title", URL, facts=FACTS)
FACT_FIELDS = (
    *("kind", "author", "published", "published_confidence", "modified", "modified_confidence"),
    *("language", "site", "canonical_url"),
)
WHOLE = "main-content extraction failed, so this is the text of the whole page"


def shown(page: Page) -> Answer:
    return get_content.answer(cut_page(page, 1000))


def facts_of(page: Page) -> dict[str, object]:
    structured = shown(page).structured
    assert structured is not None
    return {name: value for name, value in structured.items() if name in FACT_FIELDS}


def found(page: Page, published: str = "") -> Answer:
    result = Result(Hit("Title", URL, published=published), page, 1.0, Digest(page.text))
    return web_search.answer(SearchOutcome(Query("otters"), "serper", (result,), ()))


def test_get_content_has_a_field_for_everything_that_is_known() -> None:
    structured = shown(PAGE).structured
    assert structured is not None
    jsonschema.validate(structured, schema_of(GetContentOutput))
    assert facts_of(PAGE) == {
        "kind": "article",
        "author": "Ana Lind",
        "published": "2026-03-02T09:30:00+01:00",
        "published_confidence": "high",
        "modified": "2026-04-01",
        "modified_confidence": "low",
        "language": "en",
        "site": "The Otter Post",
        "canonical_url": "https://example.org/canonical",
    }


def test_what_is_not_known_has_no_field() -> None:
    assert facts_of(replace(PAGE, facts=Facts())) == {}
    assert facts_of(replace(PAGE, facts=Facts(canonical_url=URL))) == {}


@each_row(
    ("facts", "line"),
    [
        (FACTS, "By Ana Lind · published 2026-03-02 · modified 2026-04-01 (uncertain) · The Otter Post"),
        (Facts(author="Ana Lind"), "By Ana Lind"),
        (Facts(published="2026-03-02", published_confidence="medium"), "published 2026-03-02"),
        (Facts(kind="forum", site="The Otter Post", language="en"), ""),
        (Facts(), ""),
    ],
)
def test_one_line_says_who_wrote_it_and_when(facts: Facts, line: str) -> None:
    output = shown(replace(PAGE, facts=facts)).output
    assert isinstance(output, GetContentOutput)
    assert facts_line(output) == line


@each_row(
    ("title", "text", "read"),
    [
        ("Title", "Text.", "# Title\n\nBy Ana\n\nText."),
        ("Title", "# Title\n\nText.", "# Title\n\nBy Ana\n\nText."),
        ("Title", "# Other\n\nText.", "# Title\n\nBy Ana\n\n# Other\n\nText."),
        ("", "# Other\n\nText.", "# Other\n\nBy Ana\n\nText."),
        ("", "Text.", "By Ana\n\nText."),
        ("Title", "# Title", "# Title\n\nBy Ana"),
    ],
)
def test_the_line_stands_under_the_title_inside_the_fence(title: str, text: str, read: str) -> None:
    """The page wrote it."""
    page = Page(URL, Status.OK, text, title, URL, facts=Facts(author="Ana"))
    assert f"\n{read}\n>>> end of page" in shown(page).text


def test_the_whole_page_comes_with_a_warning() -> None:
    page = replace(PAGE, facts=Facts(is_whole=True))
    answered = shown(page)
    assert answered.structured is not None
    assert answered.structured["warnings"] == [WHOLE]
    assert answered.text.endswith(f"Note: {WHOLE}")
    assert found(page).text.endswith(f"(Note: {WHOLE}.)")


@each_row(
    ("hidden", "words", "warnings"),
    [
        (1200, 900, ("1,200 words that a reader of the page cannot see were left out",)),
        (1200, 1200, ()),
        (199, 20, ()),
    ],
)
def test_hidden_words_are_mentioned_where_they_outnumber_the_others(
    hidden: int, words: int, warnings: tuple[str, ...]
) -> None:
    assert fact_warnings(replace(PAGE, word_count=words, facts=Facts(hidden_words=hidden))) == warnings


@each_row(
    ("by_provider", "by_page", "confidence", "told"),
    [
        ("2026-01-01", "2026-03-02", "high", ("2026-03-02", "page", "high")),
        ("2026-01-01", "2026-03-02", "medium", ("2026-01-01", "provider", None)),
        ("", "2026-03-02", "high", ("2026-03-02", "page", "high")),
        ("", "2026-03-02", "medium", ("2026-03-02", "page", "medium")),
        ("", "2026-03-02", "low", ("", None, None)),
        ("", "", "", ("", None, None)),
    ],
)
def test_a_result_has_the_date_that_the_page_states_or_else_the_providers(
    by_provider: str, by_page: str, confidence: str, told: tuple[str, str | None, str | None]
) -> None:
    facts = Facts(published=by_page, published_confidence=confidence)
    structured = found(replace(PAGE, facts=facts), by_provider).structured
    assert structured is not None
    results = structured["results"]
    assert isinstance(results, list)
    result = results[0]
    assert (result["published"], result.get("published_from"), result.get("published_confidence")) == told


def test_a_result_tells_the_kind_of_page_where_it_is_known() -> None:
    for page, kind in ((PAGE, "article"), (replace(PAGE, facts=Facts()), None)):
        structured = found(page).structured
        assert structured is not None
        jsonschema.validate(structured, schema_of(WebSearchOutput))
        results = structured["results"]
        assert isinstance(results, list)
        assert results[0].get("kind") == kind
        assert "warnings" not in results[0]


class Knowing(PlainExtractor):
    """Knows everything about every page."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = await super().extract(body, timeout_s=timeout_s)
        return replace(text, facts=replace(FACTS, is_whole=True, hidden_words=5000))


CALLS = [
    ("kindly", "get_content", {"url": URL}),
    ("kindly", "web_search", {"query": "otters"}),
    ("jan", "scrape", {"url": URL}),
    ("jan", "google_search", {"q": "otters", "gl": "us", "hl": "en"}),
    ("swissarmyhammer", "web_search", {"query": "otters"}),
]


@pytest.mark.parametrize(("contract", "tool", "arguments"), CALLS)
async def test_a_drop_in_answers_as_if_nothing_of_this_were_known(
    contract: str, tool: str, arguments: dict[str, object]
) -> None:
    def told(answer: Answer) -> str:
        return json.dumps([answer.text, answer.structured], default=str)

    answers = [
        await ContractBench(contract, Found((Hit("Title", URL),)), {URL: "Otters swim."}, reads_with=extractor).call(
            tool, **arguments
        )
        for extractor in (PlainExtractor(), Knowing())
    ]
    assert told(answers[0]) == told(answers[1])


async def test_what_is_known_comes_again_with_the_next_part_of_a_page() -> None:
    bench = ContractBench(pages={URL: "A line of text.\n\n" * 200}, reads_with=Knowing(), is_remembering=True)
    first = await bench.structured("get_content", url=URL, max_tokens=100)
    second = await bench.call("get_content", url=URL, max_tokens=100, cursor=first["next_cursor"])
    assert second.structured is not None
    assert second.structured["author"] == first["author"] == "Ana Lind"
    assert "By Ana Lind" not in second.text
