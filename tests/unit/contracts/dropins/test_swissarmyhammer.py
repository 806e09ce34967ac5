"""The `swissarmyhammer` contract: its schema, its sentence and `metadata`, and every error with its type."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dowse.contracts.dispatch import Answer
from dowse.contracts.dropins.swissarmyhammer import answer, failure
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.render import note
from dowse.core.allowances import Rate
from dowse.core.digests import Digest
from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    BadRequest,
    Blocked,
    BudgetSpent,
    DowseError,
    EnginesFailed,
    InvalidRequest,
    KeyRejected,
    LimitReached,
    NetworkFailed,
    NoProvider,
    Offline,
    PageUnreadable,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Redirected,
    Skipped,
    TimedOut,
    Unavailable,
)
from dowse.core.models import (
    Attempt,
    Category,
    Found,
    Hit,
    Page,
    Query,
    Result,
    SearchOutcome,
    Stats,
    Status,
    TimeRange,
)
from dowse.core.tokens import estimate_tokens
from dowse.settings.sources import load
from tests.fakes.bench import ContractBench
from tests.fakes.scripted import hits
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("names-errors")

A, B = "https://example.org/a", "https://example.org/b"
LEAD = "The harbour bridge carries trams again after three weeks of repairs to its counterweight."
SETTINGS = load({}, {}).settings
CODE = 'He said "use it":\n\n```python\n' + '    call("a", "b")\n' * 400 + "```\n"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def bench(
    found: Found | Exception | None = None, pages: dict[str, str | Exception] | None = None, **environ: str
) -> ContractBench:
    return ContractBench("swissarmyhammer", found, pages, DOWSE_CONTRACT="swissarmyhammer", **environ)


def properties(of: ContractBench) -> dict[str, Any]:
    shown: Any = of.contract.tools[0].input_schema()["properties"]
    return {
        name: {key: value for key, value in schema.items() if key != "description"} for name, schema in shown.items()
    }


def metadata(said: Answer) -> dict[str, Any]:
    """The same twice: as the second block and as the typed object."""
    assert said.structured is not None
    (block,) = said.further
    assert said.structured == {"metadata": json.loads(block)}
    found: dict[str, Any] = json.loads(block)
    return found


def all_failed(*errors: ProviderError) -> AllProvidersFailed:
    attempts = tuple(Attempt(error.provider, "search", error.code, 3, error.detail) for error in errors)
    return AllProvidersFailed(errors, attempts)


def told(error: DowseError, sent: Mapping[str, object] | None = None, **environ: str) -> dict[str, Any]:
    said = failure(load({}, environ).settings, error, {"query": "rust"} if sent is None else sent)
    assert said.is_error
    assert said.text == f"Search failed: {str(error).partition(chr(10))[0]}"
    return metadata(said)


@pytest.mark.promise("case-55")
def test_there_is_one_tool_with_the_parameters_of_the_contract_and_no_declared_output() -> None:
    """Acceptance case 55: the schema."""
    here = bench()
    (tool,) = here.contract.tools
    assert (tool.name, tool.output_schema(), tool.input_schema()["required"]) == ("web_search", None, ["query"])
    assert properties(here) == {
        "query": {"type": "string", "minLength": 1, "maxLength": 500},
        "category": {
            "type": "string",
            "enum": ["general", "images", "videos", "news", "map", "music", "it", "science", "files"],
            "default": "general",
        },
        "language": {"type": "string", "pattern": "^[a-z]{2}(-[A-Z]{2})?$", "default": "en"},
        "results_count": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "fetch_content": {"type": "boolean", "default": True},
        "safe_search": {"type": "integer", "enum": [0, 1, 2], "default": 1},
        "time_range": {"type": "string", "enum": ["", "day", "week", "month", "year"], "default": ""},
    }


@pytest.mark.promise("case-55")
async def test_what_is_left_out_has_the_defaults_of_the_contract() -> None:
    """Acceptance case 55: the defaults 10, true and en."""
    here = bench(hits(A), {A: "text"})
    found = metadata(await here.call("web_search", query="x"))
    assert here.provider.asked == [Query("x", 10, Category.GENERAL, "en", 1, TimeRange.ANY)]
    assert here.fetcher.asked == [A]
    assert (found["category"], found["language"]) == ("general", "en")


async def test_what_is_left_out_comes_from_the_settings_where_they_say_something() -> None:
    here = bench(
        hits(A),
        DOWSE_DEFAULT_RESULTS_COUNT="4",
        DOWSE_MAX_RESULTS_COUNT="20",
        DOWSE_DEFAULT_LANGUAGE="de",
        DOWSE_DEFAULT_CATEGORY="science",
        DOWSE_DEFAULT_SAFE_SEARCH="0",
        DOWSE_FETCH_CONTENT="false",
    )
    await here.call("web_search", query="x")
    assert here.provider.asked == [Query("x", 4, Category.SCIENCE, "de", 0)]
    assert here.fetcher.asked == []
    shown = properties(here)
    assert {name: schema.get("default") for name, schema in shown.items()} == {
        "query": None,
        "category": "science",
        "language": "de",
        "results_count": 4,
        "fetch_content": False,
        "safe_search": 0,
        "time_range": "",
    }
    assert shown["results_count"]["maximum"] == 20


async def test_arguments_become_the_query_also_under_their_other_names() -> None:
    here = bench()
    await here.call(
        "web_search",
        query=" rust\nasync ",
        category="IT",
        language="pt-BR",
        num_results="7",
        safe_search="0",
        time_range="week",
    )
    assert here.provider.asked == [Query("rust async", 7, Category.IT, "pt-BR", 0, TimeRange.WEEK)]


@pytest.mark.promise("case-55")
@each_row(
    ("arguments", "sentence"),
    [
        ({"query": "x" * 501}, "query must have at most 500 characters; it has 501."),
        ({"query": " "}, "query must not be empty."),
        ({"language": "not-a-lang"}, 'language must be like en or pt-BR, not "not-a-lang".'),
        ({"results_count": 0}, "results_count must be a whole number from 1 to 50, not 0."),
        ({"results_count": 51}, "results_count must be a whole number from 1 to 50, not 51."),
        ({"safe_search": 3}, "safe_search must be one of 0, 1, 2, not 3."),
        ({"safe_search": True}, "safe_search must be one of 0, 1, 2, not true."),
        ({"time_range": "era"}, 'time_range must be one of day, week, month, year, not "era".'),
    ],
)
async def test_what_makes_no_sense_is_refused_before_a_provider_is_asked(
    arguments: dict[str, object], sentence: str
) -> None:
    """Acceptance case 55."""
    here = bench(hits(A))
    with pytest.raises(InvalidRequest) as caught:
        await here.call("web_search", **{"query": "x", **arguments})
    assert str(caught.value) == sentence
    assert (here.provider.asked, here.fetcher.asked) == ([], [])


async def test_the_whole_answer_with_pages() -> None:
    found = Found(
        (Hit("A page", A, "A snippet.", "google", "2026-10-02"), Hit("B page", B)), warnings=("serper is in a mood.",)
    )
    here = bench(found, {A: f"# A\n\n{LEAD}", B: PageUnreadable(Status.TIMEOUT)})
    said = await here.call("web_search", query="what is new", extra=1)
    assert (said.text, said.is_error, said.engine) == (
        "Found 2 search results for query 'what is new'",
        False,
        "serper",
    )
    assert metadata(said) == {
        "query": "what is new",
        "category": "general",
        "language": "en",
        "results_count": 2,
        "search_time_ms": 0,
        "instance_used": "serper",
        "untrusted": True,
        "results": [
            {
                "title": "A page",
                "url": A,
                "description": "A snippet.",
                "score": 1.0,
                "engine": "google",
                "content": {
                    "markdown": f"# A\n\n{LEAD}",
                    "word_count": 16,
                    "fetch_time_ms": 0,
                    "summary": LEAD,
                    "status": "ok",
                    "key_points": [LEAD],
                    "code_blocks": [],
                },
            },
            {
                "title": "B page",
                "url": B,
                "description": "",
                "score": 0.909,
                "engine": "serper",
                "content": {
                    "markdown": note(Page(B, Status.TIMEOUT)),
                    "word_count": 0,
                    "fetch_time_ms": 0,
                    "summary": "",
                    "status": "timeout",
                },
            },
        ],
        "total_results": 2,
        "engines_used": ["google", "serper"],
        "warnings": ['unknown argument "extra" was ignored.', "serper is in a mood."],
        "content_fetch_stats": {"attempted": 2, "successful": 1, "failed": 1, "total_time_ms": 0},
    }
    assert here.steps == ["search: asking serper", "read 0 of 2 pages", "read 1 of 2 pages", "read 2 of 2 pages"]


async def test_of_a_long_page_the_passages_about_the_query_are_shown_and_its_code_is_listed() -> None:
    filler = "".join(f"Paragraph {number} says nothing of interest to anybody.\n\n" for number in range(3000))
    code = "```python\notter.weigh()\n```"
    here = bench(hits(A), {A: f"# A\n\n{filler}The otter weighs nine kilograms:\n\n{code}\n\n{filler}"})
    (item,) = metadata(await here.call("web_search", query="otter weight"))["results"]
    shown = item["content"]["markdown"]
    assert "The otter weighs nine kilograms:" in shown
    assert item["content"]["status"] == "truncated"
    assert item["content"]["code_blocks"] == [
        {"language": "python", "code": "otter.weigh()", "start_line": shown.split("\n").index("```python") + 1}
    ]
    assert len(item["content"]["key_points"]) <= 10
    assert len(item["content"]["summary"]) <= 500


@pytest.mark.promise("case-57")
async def test_the_whole_answer_without_pages() -> None:
    """Acceptance case 57."""
    here = bench(hits(A), {A: "text"})
    said = await here.call("web_search", query="x", fetch_content=False)
    assert here.fetcher.asked == []
    assert said.text == "Found 1 search results for query 'x'"
    assert metadata(said) == {
        "query": "x",
        "category": "general",
        "language": "en",
        "results_count": 1,
        "search_time_ms": 0,
        "instance_used": "serper",
        "untrusted": True,
        "results": [
            {"title": "Title of a", "url": A, "description": "A snippet.", "score": 1.0, "engine": "serper"},
        ],
        "total_results": 1,
        "engines_used": ["serper"],
        "fetch_content": False,
    }


async def test_nothing_found_is_an_answer() -> None:
    said = await bench().call("web_search", query="x")
    found = metadata(said)
    assert (said.text, said.is_error) == ("Found 0 search results for query 'x'", False)
    assert (found["results"], found["engines_used"]) == ([], ["serper"])
    assert found["content_fetch_stats"] == {"attempted": 0, "successful": 0, "failed": 0, "total_time_ms": 0}


def test_the_times_of_searching_and_of_reading_are_told_apart() -> None:
    page = Result(Hit("T", A), Page(A, Status.OK, "text", fetch_ms=7), 1.0)
    timed = SearchOutcome(Query("x"), "serper", (page,), (), stats=Stats(120, 500, 1, 0))
    found = metadata(answer(timed, "serper", fetch_content=True))
    assert (found["search_time_ms"], found["content_fetch_stats"]["total_time_ms"]) == (120, 380)
    assert found["results"][0]["content"]["fetch_time_ms"] == 7


@each_row(
    "address",
    [
        "https://search.example.org",
        "https://search.example.org/",
        "https://someone:secret-pass@search.example.org/search",
    ],
)
def test_a_searxng_is_named_by_its_address_without_user_and_password(address: str) -> None:
    error = all_failed(Unavailable("searxng", "HTTP 500"), Unavailable("searxng", "HTTP 500"), TimedOut("exa"))
    assert told(error, SEARXNG_URL=address)["attempted_instances"] == ["https://search.example.org", "exa"]


@given(st.lists(st.sampled_from([CODE, LEAD * 60, "short", "", "雨の日に歩く路地。" * 300, '"\n' * 4000]), max_size=8))
@example([CODE * 4] * 10)
@example(['"\n' * 30_000])
def test_the_whole_answer_stays_within_what_clients_take(texts: list[str]) -> None:
    pages = [Page(f"{A}{number}", Status.OK, text, word_count=9) for number, text in enumerate(texts)]
    hit = Hit("A title of some length", A, LEAD)
    results = tuple(Result(hit, page, 1.0, Digest(page.text, summary=LEAD)) for page in pages)
    said = answer(SearchOutcome(Query("x"), "serper", results, ()), "serper", fetch_content=True)
    assert estimate_tokens(said.further[0]) <= MAX_TOKENS
    for item, text in zip(metadata(said)["results"], texts, strict=True):
        content = item["content"]
        assert content["status"] == ("ok" if content["markdown"] == text else "truncated")
        assert content["markdown"].count("```") % 2 == 0


def test_the_room_for_pages_is_used_and_shared() -> None:
    """Also where passages that fit before are too long for what stands around them."""
    pages = [
        *(Page(f"{A}{number}", Status.OK, f"{LEAD}\n\n" * 110) for number in range(10)),
        Page(B, Status.OK, "short"),
    ]
    results = tuple(Result(Hit("T", page.url, LEAD), page, 1.0, Digest(page.text)) for page in pages)
    said = answer(SearchOutcome(Query("x"), "serper", results, ()), "serper", fetch_content=True)
    *long, short = metadata(said)["results"]
    assert estimate_tokens(said.further[0]) > 0.9 * MAX_TOKENS
    assert short["content"]["markdown"] == "short"
    lengths = [len(item["content"]["markdown"]) for item in long]
    assert max(lengths) < 1.1 * min(lengths)


def test_results_are_kept_although_they_leave_no_room_for_pages() -> None:
    address = "https://example.org/" + "x" * 2000
    results = tuple(
        Result(Hit("T" * 300, f"{address}{n}", "s" * 1000), Page(address, Status.OK, LEAD), 1.0, Digest(LEAD))
        for n in range(50)
    )
    found = metadata(answer(SearchOutcome(Query("x"), "serper", results, ()), "serper", fetch_content=True))
    assert [item["content"]["status"] for item in found["results"]] == ["truncated"] * 50


@each_row(
    ("error", "error_type", "attempted", "retry_after"),
    [
        (InvalidRequest("query is required."), "invalid_parameters", [], None),
        (Offline("search"), "offline", [], None),
        (LimitReached("web_search", Rate(20, 600), 41.2), "rate_limited", [], 42),
        (NoProvider("No search provider is configured."), "no_instances_available", [], None),
        (all_failed(RateLimited("serper", "HTTP 429")), "rate_limited", ["serper"], 30),
        (all_failed(RateLimited("serper", "HTTP 429", retry_after_s=61.5)), "rate_limited", ["serper"], 62),
        (all_failed(QuotaSpent("serper", "HTTP 402")), "rate_limited", ["serper"], 30),
        (all_failed(BudgetSpent("serper", retry_after_s=7200.5)), "rate_limited", [], 7201),
        (all_failed(BudgetSpent("serper", retry_after_s=7200), TimedOut("exa")), "timeout", ["exa"], 30),
        (all_failed(BudgetSpent("serper", retry_after_s=7200), Skipped("exa", retry_after_s=9)), "rate_limited", [], 9),
        (all_failed(TimedOut("serper", "no answer within 1.0 s")), "timeout", ["serper"], 30),
        (all_failed(BadAnswer("serper", "the body is not JSON")), "parse_error", ["serper"], 30),
        (all_failed(KeyRejected("serper", "HTTP 401", retry_after_s=5)), "auth_error", ["serper"], None),
        (all_failed(BadRequest("serper", "HTTP 400")), "invalid_parameters", ["serper"], None),
        (all_failed(Unavailable("serper", "HTTP 500")), "no_instances_available", ["serper"], 30),
        (all_failed(Unavailable("serper", "HTTP 503", retry_after_s=7)), "no_instances_available", ["serper"], 7),
        (all_failed(NetworkFailed("serper")), "no_instances_available", ["serper"], 30),
        (all_failed(Redirected("serper")), "no_instances_available", ["serper"], 30),
        (all_failed(Blocked("serper")), "no_instances_available", ["serper"], 30),
        (all_failed(EnginesFailed("serper")), "no_instances_available", ["serper"], 30),
        (all_failed(Skipped("serper", retry_after_s=17.5)), "no_instances_available", [], 18),
        (all_failed(Skipped("serper"), TimedOut("exa")), "timeout", ["exa"], 30),
        (all_failed(TimedOut("serper"), RateLimited("exa"), Skipped("tavily")), "timeout", ["serper", "exa"], 30),
        (all_failed(Unavailable("serper"), Unavailable("serper")), "no_instances_available", ["serper"], 30),
        (DowseError("Something else."), "no_instances_available", [], None),
    ],
)
def test_an_error_says_what_kind_it_is_who_was_asked_and_when_to_come_back(
    error: DowseError, error_type: str, attempted: list[str], retry_after: int | None
) -> None:
    assert told(error) == {
        "query": "rust",
        "error_type": error_type,
        "error_details": str(error),
        "attempted_instances": attempted,
        "retry_after": retry_after,
    }


def test_the_details_have_a_line_for_each_attempt_and_the_sentence_the_first() -> None:
    details = told(all_failed(Unavailable("serper", "HTTP 500"), TimedOut("exa", "no answer within 1.0 s")))
    assert details["error_details"].splitlines() == [
        "serper is unavailable: HTTP 500",
        "fallback also failed: exa timeout: no answer within 1.0 s",
    ]


def test_when_to_come_back_is_also_told_beside_the_answer_as_in_every_contract() -> None:
    assert failure(SETTINGS, LimitReached("web_search", Rate(1, 60), 3), {}).meta == {"retry_after": 3}


@each_row(
    ("sent", "query"),
    [
        ({"query": " a \n\u200b b\ud800 "}, "a b"),
        ({"query": 42}, "42"),
        ({"query": "x" * 501}, "x" * 499 + "…"),
        ({}, ""),
        ({"query": None}, ""),
        ({"query": ["rust"]}, ""),
        ({"query": 10**5000}, ""),
    ],
)
def test_the_query_is_told_as_it_was_sent_clean_and_bounded(sent: dict[str, object], query: str) -> None:
    assert told(InvalidRequest("No."), sent)["query"] == query


@given(st.dictionaries(st.sampled_from(["query", "results_count", "\ud800"]), JSON))
@example({"query": "[" * 200_000})
@example({"query": float("nan")})
def test_whatever_was_sent_a_failure_can_be_told(sent: dict[str, object]) -> None:
    found = told(InvalidRequest("No."), sent)
    assert len(found["query"]) <= 500
    assert "\n" not in found["query"]


@pytest.mark.promise("case-33")
async def test_offline_mode_is_heard_although_it_is_not_in_the_schema() -> None:
    """Acceptance case 33: an explicit error, and nobody is asked."""
    bench = ContractBench("swissarmyhammer")
    with pytest.raises(Offline):
        await bench.call("web_search", query="x", offline_mode=True)
    assert bench.provider.asked == []


async def test_stale_results_carry_a_warning() -> None:
    bench = ContractBench("swissarmyhammer", hits("https://example.org/a"), is_remembering=True)
    await bench.call("web_search", query="x", fetch_content=False)
    bench.clock.advance(7200)
    bench.provider.found = Unavailable("serper", "HTTP 500")
    structured = await bench.structured("web_search", query="x", fetch_content=False)
    assert structured["metadata"]["warnings"] == ["this is a copy from 2 hours ago"]  # type: ignore[index]
