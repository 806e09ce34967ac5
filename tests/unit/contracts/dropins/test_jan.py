"""The `jan` contract: the shapes its clients read, whether it answers or fails."""

import json

import pytest

from dowse.contracts.dropins.jan import MAX_TEXT_CHARS, NO_SNIPPET
from dowse.core.allowances import Rate
from dowse.core.errors import (
    AllProvidersFailed,
    AllReadersFailed,
    DowseError,
    InvalidRequest,
    LimitReached,
    NoProvider,
    Offline,
    PageUnreadable,
    Unavailable,
)
from dowse.core.models import Attempt, Found, Hit, Query, Status, TimeRange
from dowse.core.reasons import FailureReason
from tests.fakes.bench import ContractBench
from tests.fakes.scripted import hits
from tests.support.tables import each_row

A, B = "https://example.org/a", "https://docs.example.org/b"
NOW = "2026-11-15T12:00:00Z"
FOUND = Found((Hit("One", A, "A snippet.", published="2026-10-02"), Hit("Two", B)))


def jan(found: Found | Exception | None = None, pages: dict[str, str | Exception] | None = None, **environ: str):
    return ContractBench("jan", found, pages, **environ)


def attempt(provider: str, operation: str, outcome: str = "ok", detail: str = "") -> dict[str, object]:
    return {"provider": provider, "operation": operation, "outcome": outcome, "ms": 0, "detail": detail}


async def test_the_whole_answer_of_a_search() -> None:
    bench = jan(FOUND)
    answer = await bench.call("google_search", q="Größe", num=2, gl="US", hl="pt-br", tbs="qdr:w", location="Oslo")
    assert answer.structured == {
        "query": "Größe",
        "engine": "serper",
        "live": True,
        "cache_status": "live",
        "metadata": {"attempts": [attempt("serper", "search")], "warnings": []},
        "results": [
            {
                "position": 1,
                "title": "One",
                "source_url": A,
                "snippet": "A snippet.",
                "cache_status": "live",
                "fetched_at": NOW,
            },
            {
                "position": 2,
                "title": "Two",
                "source_url": B,
                "snippet": NO_SNIPPET,
                "cache_status": "live",
                "fetched_at": NOW,
            },
        ],
        "citations": [A, B],
        "raw": {
            "organic": [
                {"title": "One", "link": A, "position": 1, "snippet": "A snippet.", "date": "2026-10-02"},
                {"title": "Two", "link": B, "position": 2},
            ],
            "searchParameters": {
                "q": "Größe",
                "type": "search",
                "num": 2,
                "page": 1,
                "gl": "us",
                "hl": "pt-br",
                "location": "Oslo",
                "tbs": "qdr:w",
                "autocorrect": True,
                "engine": "serper",
            },
        },
    }
    assert "Größe" in answer.text
    assert json.loads(answer.text) == answer.structured
    assert (answer.engine, answer.is_error) == ("serper", False)


async def test_no_page_is_read_for_a_search() -> None:
    bench = jan(FOUND, {A: "Text."})
    await bench.call("google_search", q="x")
    assert bench.fetcher.asked == []


@each_row(
    ("arguments", "query"),
    [
        ({}, Query("x", 10)),
        ({"num": "7"}, Query("x", 7)),
        ({"gl": "NO", "hl": "EN"}, Query("x", 10, language="en", country="no")),
        ({"gl": "", "hl": "", "tbs": "", "location": ""}, Query("x", 10)),
        ({"location": "Oslo", "location_hint": "Bergen"}, Query("x", 10, location="Oslo")),
        ({"location_hint": "Bergen"}, Query("x", 10, location="Bergen")),
        ({"page": 3, "autocorrect": False}, Query("x", 10, page=3, autocorrect=False)),
        ({"tbs": "qdr:d"}, Query("x", 10, time_range=TimeRange.DAY)),
        ({"tbs": "QDR:Y"}, Query("x", 10, time_range=TimeRange.YEAR)),
        (
            {"domain_allow_list": ["https://www.example.org/path", "pypi.org"]},
            Query("x", 10, include_domains=("example.org", "pypi.org")),
        ),
    ],
)
async def test_arguments_become_a_query(arguments: dict[str, object], query: Query) -> None:
    bench = jan()
    await bench.call("google_search", q="x", **arguments)
    assert bench.provider.asked == [query]


async def test_what_the_contract_has_no_argument_for_comes_from_the_settings() -> None:
    bench = jan(DOWSE_DEFAULT_LANGUAGE="de", DOWSE_DEFAULT_SAFE_SEARCH="2", DOWSE_DEFAULT_RESULTS_COUNT="4")
    await bench.call("google_search", q="x")
    await bench.call("google_search", q="x", hl="fr")
    assert bench.provider.asked == [
        Query("x", 4, language="de", safe_search=2),
        Query("x", 4, language="fr", safe_search=2),
    ]


@each_row(
    ("arguments", "sentence"),
    [
        ({"q": None}, "q is required."),
        ({"q": " "}, "q must not be empty."),
        ({"q": "x" * 501}, "q must have at most 500 characters; it has 501."),
        ({"num": 0}, "num must be a whole number from 1 to 50, not 0."),
        ({"num": 51}, "num must be a whole number from 1 to 50, not 51."),
        ({"page": 11}, "page must be a whole number from 1 to 10, not 11."),
        ({"gl": "usa"}, 'gl must be like us, not "usa".'),
        ({"hl": "english"}, 'hl must be like en or pt-br, not "english".'),
        ({"tbs": "cdr:1"}, 'tbs must be one of qdr:h, qdr:d, qdr:w, qdr:m, qdr:y, not "cdr:1".'),
        ({"domain_allow_list": ["nowhere"]}, "domain_allow_list takes domains such as python.org, not 'nowhere'."),
    ],
)
async def test_what_cannot_be_meant_is_refused_in_one_sentence(arguments: dict[str, object], sentence: str) -> None:
    bench = jan()
    with pytest.raises(InvalidRequest) as caught:
        await bench.call("google_search", **{"q": "x", **arguments})
    assert str(caught.value) == sentence
    assert bench.provider.asked == []


async def test_an_hour_is_widened_to_a_day_aloud() -> None:
    bench = jan()
    answer = await bench.structured("google_search", q="x", tbs="qdr:h")
    assert bench.provider.asked == [Query("x", 10, time_range=TimeRange.DAY)]
    assert answer["metadata"] == {
        "attempts": [attempt("serper", "search")],
        "warnings": ["tbs qdr:h was widened to the last day."],
    }


@pytest.mark.parametrize("tool", ["google_search", "scrape"])
async def test_what_clients_send_for_themselves_is_ignored_silently(tool: str) -> None:
    ours = dict.fromkeys(("tool_call_id", "request_id", "conversation_id", "user_id"), "x")
    bench = jan(FOUND, {A: "Text."})
    given = {"q": "x"} if tool == "google_search" else {"url": A}
    answer = await bench.structured(tool, **given, **ours)
    assert answer["metadata"]["warnings"] == []  # type: ignore[index]
    schema = next(each for each in bench.contract.tools if each.name == tool).input_schema()
    assert not set(ours) & set(schema["properties"])  # type: ignore[call-overload]


async def test_only_allowed_domains_are_cited_whatever_the_provider_finds() -> None:
    found = hits(A, B, "https://evil.example/c", "https://notexample.org/d", "https://example.org.evil.example/")
    answer = await jan(found).structured("google_search", q="x", domain_allow_list="example.org")
    assert answer["citations"] == [A, B]
    assert [item["link"] for item in answer["raw"]["organic"]] == [A, B]  # type: ignore[index]
    assert answer["metadata"]["warnings"] == ["3 results outside of domain_allow_list were left out."]  # type: ignore[index]


async def test_a_long_snippet_is_cut_with_an_ellipsis() -> None:
    answer = await jan(Found((Hit("T", A, "x" * 6000),))).structured("google_search", q="x")
    (item,) = answer["results"]  # type: ignore[misc]
    assert item["snippet"] == "x" * 4999 + "…"


async def test_direct_answers_and_suggestions_are_metadata() -> None:
    found = Found((), ("42",), ("why 42",), ("mind",))
    metadata = (await jan(found).structured("google_search", q="x"))["metadata"]
    assert metadata == {
        "attempts": [attempt("serper", "search")],
        "warnings": ["mind"],
        "answers": ["42"],
        "suggestions": ["why 42"],
    }


async def test_the_whole_answer_of_a_scrape() -> None:
    bench = jan(pages={A: "# Größe\n\nSome **bold** [text](https://example.org/)."})
    answer = await bench.call("scrape", url="example.org/a")
    assert answer.structured == {
        "source_url": A,
        "text": "Größe\n\nSome bold text.",
        "text_preview": "Größe\n\nSome bold text.",
        "metadata": {
            "title": "Größe",
            "engine": "direct",
            "status": "ok",
            "final_url": A,
            "attempts": [attempt("direct", "read")],
            "warnings": [],
        },
        "cache_status": "live",
        "fetched_at": NOW,
    }
    assert json.loads(answer.text) == answer.structured
    assert answer.engine == "direct"
    assert bench.steps == [f"reading {A}"]


async def test_markdown_is_kept_on_request() -> None:
    text = "# Title\n\nSome **bold** [text](https://example.org/)."
    answer = await jan(pages={A: text}).structured("scrape", url=A, includeMarkdown="true")
    assert answer["text"] == answer["text_preview"] == text


@pytest.mark.parametrize(("extra", "status"), [(0, "ok"), (1, "truncated"), (9000, "truncated")])
async def test_a_long_page_is_cut_with_an_ellipsis_and_its_preview_is_shorter(extra: int, status: str) -> None:
    text = "é" * (MAX_TEXT_CHARS + extra)
    answer = await jan(pages={A: text}).structured("scrape", url=A)
    assert answer["text"] == (text if not extra else "é" * 49_999 + "…")
    assert answer["text_preview"] == "é" * 4999 + "…"
    assert answer["metadata"]["status"] == status  # type: ignore[index]


@pytest.mark.parametrize(
    ("failure", "status", "said"),
    [
        (PageUnreadable(Status.NOT_FOUND, "HTTP 404"), "not_found", "scrape failed: the page does not exist"),
        (PageUnreadable(Status.DENIED, "address not allowed"), "denied", "scrape failed: the address is not allowed"),
        (
            PageUnreadable(Status.ERROR, reason=FailureReason.NO_READABLE_CONTENT),
            "error",
            "scrape failed: no readable content",
        ),
    ],
)
async def test_an_unreadable_page_is_an_error_with_the_shape_of_an_answer(
    failure: PageUnreadable, status: str, said: str
) -> None:
    bench = jan(pages={A: failure})
    with pytest.raises(AllReadersFailed) as caught:
        await bench.call("scrape", url=A)
    answer = bench.failed("scrape", caught.value, url=A)
    assert (answer.is_error, answer.text, answer.engine) == (True, said, "direct")
    assert answer.structured == {
        "source_url": A,
        "text": "",
        "text_preview": "",
        "metadata": {
            "error": said,
            "title": "",
            "engine": "error",
            "status": status,
            "final_url": A,
            "attempts": [attempt("direct", "read", status, failure.detail)],
            "warnings": [],
        },
        "cache_status": "error",
        "fetched_at": NOW,
    }


ERRORS: list[tuple[DowseError, str]] = [
    (InvalidRequest("q is required."), "error"),
    (NoProvider("None is configured."), "error"),
    (LimitReached("scrape", Rate(1, 60), 5), "error"),
    (Offline("search"), "disabled"),
    (AllProvidersFailed((Unavailable("a"),), (Attempt("a", "search", "unavailable", 3),), ("mind",)), "error"),
]


@each_row(("error", "cache_status"), ERRORS)
@each_row("given", [{}, {"q": "x\x1b y", "url": "x\x1b y"}, {"q": ["x"], "url": {"x": 1}}])
def test_an_error_still_has_everything_a_client_reads(
    error: DowseError, cache_status: str, given: dict[str, object]
) -> None:
    bench = jan()
    told = "x y" if given.get("q") == "x\x1b y" else ""
    searched, scraped = bench.failed("google_search", error, **given), bench.failed("scrape", error, **given)
    assert (searched.is_error, searched.text, scraped.text) == (True, str(error), str(error))
    assert searched.structured is not None
    assert scraped.structured is not None
    attempts = [attempt("a", "search", "unavailable") | {"ms": 3}] if isinstance(error, AllProvidersFailed) else []
    warnings = ["mind"] if attempts else []
    assert searched.structured == {
        "query": told,
        "engine": "error",
        "live": False,
        "cache_status": cache_status,
        "metadata": {"error": str(error), "attempts": attempts, "warnings": warnings},
        "results": [],
        "citations": [],
        "raw": {"organic": [], "searchParameters": {"q": told, "type": "search", "engine": "error"}},
    }
    assert (scraped.structured["source_url"], scraped.structured["cache_status"]) == (told, cache_status)
    assert (scraped.structured["text"], scraped.structured["text_preview"]) == ("", "")
    assert (searched.meta == {"retry_after": 5}) is isinstance(error, LimitReached)


@pytest.mark.promise("case-33")
@pytest.mark.parametrize("how", ["argument", "setting"])
async def test_offline_is_an_error_before_anything_else(how: str) -> None:
    """Acceptance case 33."""
    bench = jan(FOUND, {A: "Text."}, **({"DOWSE_OFFLINE": "true"} if how == "setting" else {}))
    flag = {"offline_mode": True} if how == "argument" else {}
    with pytest.raises(Offline, match=r"^search unavailable: offline mode is enabled$"):
        await bench.call("google_search", q="x", **flag)
    with pytest.raises(Offline, match=r"^scrape unavailable: offline mode is enabled$"):
        await bench.call("scrape", url=A, **flag)
    assert (bench.provider.asked, bench.fetcher.asked) == ([], [])


async def test_what_is_no_address_is_refused_in_one_sentence() -> None:
    with pytest.raises(InvalidRequest, match=r"^url must be a web address such as"):
        await jan().call("scrape", url="not an address")


def test_the_instructions_name_the_tools_of_the_contract_and_no_tool_declares_an_output() -> None:
    for name in ("dowse", "kindly", "jan", "swissarmyhammer"):
        contract = ContractBench(name).contract
        assert all(tool.name in contract.instructions for tool in contract.tools)
        others = {"web_search", "get_content", "google_search", "scrape"} - {tool.name for tool in contract.tools}
        assert not any(other in contract.instructions for other in others)
    assert all(tool.output_schema() is None for tool in jan().contract.tools)


async def test_a_copy_is_as_old_as_it_is_and_a_stale_one_is_not_live() -> None:
    bench = ContractBench("jan", hits("https://example.org/a"), {"https://example.org/a": "text"}, is_remembering=True)
    first = await bench.structured("google_search", q="x")
    page = await bench.structured("scrape", url="https://example.org/a")
    bench.clock.advance(7200)
    bench.provider.found = Unavailable("serper", "HTTP 500")
    bench.fetcher.pages = {"https://example.org/a": PageUnreadable(Status.TIMEOUT)}
    again = await bench.structured("google_search", q="x")
    page_again = await bench.structured("scrape", url="https://example.org/a")
    assert (first["live"], first["cache_status"], page["cache_status"]) == (True, "live", "live")
    assert (again["live"], again["cache_status"], page_again["cache_status"]) == (False, "fallback", "fallback")
    assert again["results"] == [{**first["results"][0], "cache_status": "fallback"}]  # type: ignore[index]
    assert page_again["fetched_at"] == page["fetched_at"]
