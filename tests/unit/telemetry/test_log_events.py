"""What the flows report becomes log events; queries and addresses only as hashes unless asked for."""

import io
import json
from collections.abc import Callable

import pytest

from dowse.core.answers import TokenUsage
from dowse.core.models import Attempt, CacheState
from dowse.core.protocols import BreakerChange, Charge, Observer, Spent, ToolCall
from dowse.secrets.redact import Redactor
from dowse.telemetry.log import LogObserver, Observers, configure, fingerprint
from tests.fakes import RecordingObserver

pytestmark = pytest.mark.promise("names-events", "secret-log")

Lines = Callable[[], list[dict[str, object]]]
URL = "https://news.example/secret-story?id=7"


@pytest.fixture
def logged() -> Lines:
    stream = io.StringIO()
    configure("info", Redactor(), stream)

    def lines() -> list[dict[str, object]]:
        entries: list[dict[str, object]] = [json.loads(line) for line in stream.getvalue().splitlines()]
        for entry in entries:
            del entry["time"]
        return entries

    return lines


def test_a_finished_search_is_logged_without_its_words(logged: Lines) -> None:
    LogObserver().search_completed("serper", "quetzal", 3, 12)
    assert logged() == [
        {
            "level": "info",
            "event": "search completed using engine",
            "engine": "serper",
            "provider": "serper",
            "query_hash": fingerprint("quetzal"),
            "result_count": 3,
            "ms": 12,
            "cache": "miss",
        }
    ]


def test_a_read_page_is_logged_by_host_and_hash(logged: Lines) -> None:
    LogObserver().fetch_completed("direct", URL, "ok", 7)
    assert logged() == [
        {
            "level": "info",
            "event": "fetch completed using engine",
            "engine": "direct",
            "provider": "direct",
            "host": "news.example",
            "url_hash": fingerprint(URL),
            "status": "ok",
            "ms": 7,
            "cache": "miss",
        }
    ]


def test_queries_and_addresses_are_logged_when_asked_for(logged: Lines) -> None:
    observer = LogObserver(log_queries=True)
    observer.search_completed("serper", "quetzal", 3, 12)
    observer.fetch_completed("direct", URL, "ok", 7)
    searched, fetched = logged()
    assert (searched["query"], fetched["url"]) == ("quetzal", URL)
    assert (searched["query_hash"], fetched["url_hash"]) == (fingerprint("quetzal"), fingerprint(URL))


def test_an_address_that_is_none_has_no_host(logged: Lines) -> None:
    LogObserver().fetch_completed("direct", "no address", "ok", 7)
    assert logged()[0]["host"] == ""


def test_a_failed_attempt_is_a_warning(logged: Lines) -> None:
    LogObserver().attempt_failed(Attempt("exa", "search", "timeout", 15000, "no answer within 15.0 s"))
    assert logged() == [
        {
            "level": "warning",
            "event": "attempt failed",
            "engine": "exa",
            "provider": "exa",
            "operation": "search",
            "outcome": "timeout",
            "ms": 15000,
            "detail": "no answer within 15.0 s",
        }
    ]


@pytest.mark.parametrize("log_queries", [False, True])
def test_a_page_that_failed_is_logged_by_host_and_hash_unless_asked_for(logged: Lines, log_queries: bool) -> None:
    LogObserver(log_queries=log_queries).attempt_failed(Attempt("direct", "read", "blocked", 7, "HTTP 403"), url=URL)
    assert logged() == [
        {
            "level": "warning",
            "event": "attempt failed",
            "engine": "direct",
            "provider": "direct",
            "operation": "read",
            "outcome": "blocked",
            "ms": 7,
            "detail": "HTTP 403",
            "host": "news.example",
            "url_hash": fingerprint(URL),
            **({"url": URL} if log_queries else {}),
        }
    ]


@pytest.mark.parametrize(
    ("change", "level", "told"),
    [
        (BreakerChange("exa", "search", "open", 29.96), "warning", {"for_s": 30.0}),
        (BreakerChange("exa", "search", "half_open"), "info", {}),
        (BreakerChange("exa", "search", "closed"), "info", {}),
    ],
)
def test_an_opened_breaker_is_a_warning_and_its_recovery_is_not(
    logged: Lines, change: BreakerChange, level: str, told: dict[str, object]
) -> None:
    LogObserver().breaker_changed(change)
    described = {"engine": "exa", "provider": "exa", "operation": "search", "state": change.state}
    assert logged() == [{"level": level, "event": "breaker changed", **described, **told}]


def test_equal_texts_have_equal_fingerprints_that_do_not_tell_the_text() -> None:
    assert fingerprint("quetzal") == fingerprint("quetzal") != fingerprint("Quetzal")
    assert len(fingerprint("\ud800 lone surrogate")) == 16


REPORTS: dict[str, tuple[object, ...]] = {
    "cache_asked": ("search", CacheState.HIT),
    "attempt_failed": (Attempt("exa", "search", "timeout", 1),),
    "attempt_succeeded": (Attempt("exa", "search", "ok", 1),),
    "breaker_changed": (BreakerChange("exa", "search", "open"),),
    "search_completed": ("exa", "quetzal", 1, 1),
    "fetch_completed": ("direct", URL, "ok", 1),
    "page_finished": ("direct", "ok"),
    "tool_called": (ToolCall("web_search", "exa", "ok", 1.0, "alice"),),
    "provider_charged": (Charge("exa", "search", 0.01),),
    "budget_charged": (Spent("exa", 1, 0.01, 0.5),),
    "tokens_used": ("openai", TokenUsage(321, 45)),
    "store_changed": ("down",),
}


def test_several_observers_hear_everything_that_one_would() -> None:
    first, late, alone = RecordingObserver(), RecordingObserver(), RecordingObserver()
    observers = Observers(first)
    observers.add(late)
    assert set(REPORTS) == {name for name in vars(Observer) if not name.startswith("_")}
    for name, report in REPORTS.items():
        getattr(observers, name)(*report)
        getattr(alone, name)(*report)
    assert vars(first) == vars(late) == vars(alone)
    assert all(vars(alone)[kept] for kept in ("failed", "succeeded", "changes", "searches", "fetches", "calls"))


def test_the_page_of_a_failed_attempt_reaches_every_observer() -> None:
    observer = RecordingObserver()
    Observers(observer).attempt_failed(Attempt("direct", "read", "blocked", 1), url=URL)
    assert observer.unread == [URL]


def test_what_is_only_counted_leaves_no_line(logged: Lines) -> None:
    counted = (
        "attempt_succeeded",
        "page_finished",
        "provider_charged",
        "budget_charged",
        "store_changed",
        "cache_asked",
    )
    for name in counted:
        getattr(LogObserver(), name)(*REPORTS[name])
    assert logged() == []


def test_who_called_is_logged_where_there_are_several_callers(logged: Lines) -> None:
    for caller in ("local", "alice"):
        LogObserver().tool_called(ToolCall("web_search", "exa", "ok", 0.0125, caller))
    (line,) = logged()
    told = {"event": "tool called", "tool": "web_search", "caller": "alice", "outcome": "ok", "engine": "exa", "ms": 12}
    assert told.items() <= line.items()
