"""The `kindly` contract: one text block of JSON, whole pages up to a cap, nothing typed."""

import json

import pytest

from dowse.contracts.dropins.kindly import CUT_MARK, MAX_PAGE_CHARS
from dowse.contracts.render import note
from dowse.core.errors import InvalidRequest, Offline, PageUnreadable
from dowse.core.models import Category, Page, Query, Status
from dowse.fetch.direct import DirectFetcher
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.fakes.bench import ContractBench
from tests.fakes.scripted import hits

A, B = "https://example.org/a", "https://example.org/b"


async def test_a_search_is_one_json_text_and_nothing_else() -> None:
    bench = ContractBench("kindly", hits(A, B), {A: "# Größe\n\nText.", B: PageUnreadable(Status.TIMEOUT)})
    answer = await bench.call("web_search", query="x")
    assert answer.structured is None
    assert not answer.is_error
    assert "Größe" in answer.text
    assert json.loads(answer.text) == {
        "results": [
            {"title": "Title of a", "link": A, "snippet": "A snippet.", "page_content": "# Größe\n\nText."},
            {
                "title": "Title of b",
                "link": B,
                "snippet": "A snippet.",
                "page_content": note(Page(B, Status.TIMEOUT)),
            },
        ]
    }


async def test_three_results_are_asked_for_unless_the_caller_says_otherwise() -> None:
    bench = ContractBench("kindly")
    await bench.call("web_search", query="x")
    await bench.call("web_search", query="x", num_results="5")
    assert bench.provider.asked == [Query("x", 3), Query("x", 5)]


async def test_what_the_contract_has_no_argument_for_comes_from_the_settings() -> None:
    bench = ContractBench(
        "kindly",
        DOWSE_DEFAULT_LANGUAGE="de",
        DOWSE_DEFAULT_CATEGORY="science",
        DOWSE_DEFAULT_SAFE_SEARCH="2",
    )
    await bench.call("web_search", query="x")
    assert bench.provider.asked == [Query("x", 3, Category.SCIENCE, "de", 2)]


async def test_a_page_is_one_json_text_and_nothing_else() -> None:
    answer = await ContractBench("kindly", pages={A: "Text."}).call("get_content", url=A)
    assert (json.loads(answer.text), answer.structured) == ({"url": A, "page_content": "Text."}, None)


@pytest.mark.promise("case-46")
async def test_a_page_that_fails_is_a_note_with_its_source() -> None:
    """Acceptance case 46."""
    answer = await ContractBench("kindly").call("get_content", url=A)
    assert json.loads(answer.text) == {"url": A, "page_content": note(Page(A, Status.NOT_FOUND))}


@pytest.mark.parametrize("url", ["not an address", "mailto:a@b.c", "/path", "http://169.254.169.254/"])
async def test_what_is_no_address_is_a_note_too_by_the_word_of_the_guard(url: str) -> None:
    guarded = DirectFetcher(UntrustedClient(Guard(), "dowse/test"), max_bytes=1000)
    answer = await ContractBench("kindly", fetcher=guarded).call("get_content", url=url)
    assert json.loads(answer.text) == {"url": url, "page_content": note(Page(url, Status.DENIED))}


async def test_a_bare_host_is_read_over_https_and_answered_as_it_was_written() -> None:
    bench = ContractBench("kindly", pages={A: "Text."})
    answer = await bench.call("get_content", url="example.org/a")
    assert json.loads(answer.text) == {"url": "example.org/a", "page_content": "Text."}
    assert bench.fetcher.asked == [A]


@pytest.mark.promise("case-40")
@pytest.mark.parametrize("extra", [0, 1, 5000])
async def test_a_page_is_whole_up_to_fifty_thousand_characters_and_marked_when_cut(extra: int) -> None:
    """Acceptance case 40."""
    text = "é" * (50_000 + extra)
    bench = ContractBench("kindly", hits(A), {A: text})
    page = json.loads((await bench.call("get_content", url=A)).text)["page_content"]
    searched = json.loads((await bench.call("web_search", query="x")).text)["results"][0]["page_content"]
    assert page == searched
    assert len(page) == MAX_PAGE_CHARS == 50_000
    assert page == (text if not extra else text[: 50_000 - len(CUT_MARK)] + CUT_MARK)


@pytest.mark.parametrize(("tool", "arguments"), [("web_search", {"query": " "}), ("get_content", {})])
async def test_missing_arguments_are_refused_in_one_sentence(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        await ContractBench("kindly").call(tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("web_search", {"query": "x"}), ("get_content", {"url": A}), ("get_content", {"url": "not an address"})],
)
async def test_offline_is_an_error_before_anything_else(tool: str, arguments: dict[str, object]) -> None:
    bench = ContractBench("kindly", hits(A), {A: "Text."}, DOWSE_OFFLINE="true")
    with pytest.raises(Offline):
        await bench.call(tool, **arguments)
    assert (bench.provider.asked, bench.fetcher.asked) == ([], [])


async def test_progress_is_told() -> None:
    bench = ContractBench("kindly", hits(A), {A: "Text."})
    await bench.call("web_search", query="x")
    await bench.call("get_content", url=A)
    assert bench.steps == ["search: asking serper", "read 0 of 1 pages", "read 1 of 1 pages", f"reading {A}"]


def test_no_tool_declares_an_output() -> None:
    assert [(tool.name, tool.output_schema()) for tool in ContractBench("kindly").contract.tools] == [
        ("web_search", None),
        ("get_content", None),
    ]
