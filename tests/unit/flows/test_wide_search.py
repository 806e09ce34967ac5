"""Several providers at once: what they have together, who agrees, and what becomes of those that fail or are slow."""

import asyncio

import pytest

from dowse.clock import SystemClock
from dowse.errors import AllProvidersFailed, KeyRejected, RateLimited, Unavailable
from dowse.flows import find
from dowse.flows.find import Finder, Findings
from dowse.interfaces import SearchProvider, no_progress
from dowse.models import Deadline, Depth, Found, Query
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import NO_SEARCHES, SEARCHES, remembering
from tests.fakes.scripted import ScriptedProvider, hits

A, B, C = (f"https://example.org/{name}" for name in "abc")
QUERY = Query("what is new", num_results=3)


class Slow(ScriptedProvider):
    async def search(self, query: Query, deadline: Deadline) -> Found:
        await asyncio.Event().wait()
        raise AssertionError


def finder(
    *providers: ScriptedProvider, remembers: bool = False, clock: FakeClock | SystemClock | None = None
) -> Finder:
    clock, observer = clock or FakeClock(), RecordingObserver()
    router = Router[SearchProvider]("search", providers, clock=clock, observer=observer)
    memory = remembering(clock, observer=observer)
    return Finder(router, memory, SEARCHES if remembers else NO_SEARCHES, clock=clock)


async def found(wide: Finder, depth: Depth = Depth.WIDE, deadline_s: float = 50.0) -> Findings:
    deadline = Deadline.after(wide._clock, deadline_s)
    return await wide.find(QUERY, depth, deadline, no_progress)


def provider(name: str, *urls: str) -> ScriptedProvider:
    return ScriptedProvider(hits(*urls), name=name)


async def test_everybody_is_asked_and_answers_under_its_own_name() -> None:
    findings = await found(finder(provider("serper", A, B), provider("tavily", B, C)))

    assert findings.answers == (("serper", hits(A, B)), ("tavily", hits(B, C)))
    assert findings.providers == ("serper", "tavily")
    assert [(attempt.provider, attempt.outcome) for attempt in findings.attempts] == [
        ("serper", "ok"),
        ("tavily", "ok"),
    ]


async def test_the_usual_search_asks_only_the_first() -> None:
    second = provider("tavily", B)
    findings = await found(finder(provider("serper", A), second), Depth.NORMAL)

    assert findings.providers == ("serper",)
    assert not second.asked


async def test_one_that_fails_costs_only_its_part() -> None:
    failing = ScriptedProvider(RateLimited("serper"), name="serper")
    findings = await found(finder(failing, provider("tavily", B)))

    assert findings.providers == ("tavily",)
    assert [(each.provider, each.outcome) for each in findings.attempts] == [
        ("tavily", "ok"),
        ("serper", RateLimited.code),
    ]
    assert findings.warnings == ()


async def test_a_rejected_key_is_told_although_others_answered() -> None:
    refused = ScriptedProvider(KeyRejected("serper"), name="serper")
    findings = await found(finder(refused, provider("tavily", B)))

    assert any("serper" in warning for warning in findings.warnings)


async def test_if_all_fail_the_first_error_comes_first() -> None:
    failing = (ScriptedProvider(Unavailable(name), name=name) for name in ("serper", "tavily"))
    with pytest.raises(AllProvidersFailed) as raised:
        await found(finder(*failing))

    assert [error.provider for error in raised.value.errors] == ["serper", "tavily"]


async def test_a_slow_one_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_PATIENCE_S", 0.01)
    slow = Slow(hits(), name="tavily")
    findings = await found(finder(provider("serper", A), slow, clock=SystemClock()))

    assert findings.providers == ("serper",)
    assert [each.outcome for each in findings.attempts] == ["ok", "timeout"]


async def test_each_answer_is_remembered_for_itself() -> None:
    first, second = provider("serper", A), provider("tavily", B)
    wide = finder(first, second, remembers=True)
    await found(wide)
    await asyncio.sleep(0)
    findings = await found(wide)

    assert findings.providers == ("serper", "tavily")
    assert (len(first.asked), len(second.asked)) == (1, 1)
    assert findings.freshness.state.value == "hit"


async def test_with_one_provider_it_says_what_is_missing() -> None:
    findings = await found(finder(provider("serper", A)))

    assert findings.providers == ("serper",)
    assert "only serper is configured" in findings.warnings[0]
