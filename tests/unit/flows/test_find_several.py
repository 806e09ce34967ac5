"""Several providers at once: what they have together, who agrees, and what becomes of those that fail or are slow."""

import asyncio

import pytest

from dowse.core.errors import AllProvidersFailed, BadRequest, KeyRejected, ProviderError, RateLimited, Unavailable
from dowse.core.models import Deadline, Depth, Found, Query
from dowse.core.protocols import SearchProvider
from dowse.core.runtime import SystemClock, no_progress
from dowse.flows import find
from dowse.flows.find import Finder, Findings
from dowse.routing.fallback import FallbackPolicy
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
    *providers: ScriptedProvider,
    remembers: bool = False,
    clock: FakeClock | SystemClock | None = None,
    keyless: frozenset[str] = frozenset(),
) -> Finder:
    clock, observer = clock or FakeClock(), RecordingObserver()
    policy = FallbackPolicy(keyless=keyless)
    router = Router[SearchProvider]("search", clock=clock, observer=observer, policy=policy)
    memory = remembering(clock, observer=observer)
    lifetimes = SEARCHES if remembers else NO_SEARCHES
    return Finder(router, providers, memory, lifetimes, clock=clock, keyless=keyless)


async def found(wide: Finder, depth: Depth = Depth.WIDE, deadline_s: float = 50.0) -> Findings:
    deadline = Deadline.after(wide._clock, deadline_s)
    return await wide.find(QUERY, depth, deadline, no_progress)


def provider(name: str, *urls: str) -> ScriptedProvider:
    return ScriptedProvider(hits(*urls), name=name)


async def test_every_provider_is_asked_and_answers_under_its_own_name() -> None:
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


@pytest.mark.parametrize("kind", [KeyRejected, BadRequest])
async def test_a_rejected_key_is_told_although_others_answered(kind: type[ProviderError]) -> None:
    refused = ScriptedProvider(kind("serper"), name="serper")
    findings = await found(finder(refused, provider("tavily", B)))

    assert any("serper" in warning for warning in findings.warnings)
    assert {attempt.provider: attempt.has_warning for attempt in findings.attempts} == {"serper": True, "tavily": False}


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


def failing(*names: str) -> list[ScriptedProvider]:
    return [ScriptedProvider(Unavailable(name), name=name) for name in names]


async def test_if_all_that_were_asked_have_failed_volunteers_step_in_one_after_another() -> None:
    first, second = failing("exa_mcp")[0], provider("open", A)
    wide = finder(*failing("serper", "tavily"), first, second, keyless=frozenset({"exa_mcp", "open"}))
    findings = await found(wide)

    assert findings.answers == (("open", hits(A)),)
    assert [(each.provider, each.outcome) for each in findings.attempts] == [
        ("exa_mcp", Unavailable.code),
        ("open", "ok"),
        ("serper", Unavailable.code),
        ("tavily", Unavailable.code),
    ]


async def test_behind_the_first_volunteers_there_are_others() -> None:
    names = ("tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp")
    refusing = ScriptedProvider(BadRequest("exa_mcp"), name="exa_mcp")
    asked = [refusing if each.name == "exa_mcp" else each for each in failing(*names)]
    findings = await found(finder(*asked, provider("open", A), keyless=frozenset({*names, "open"})))

    assert findings.providers == ("open",)


async def test_a_rejected_key_is_told_before_another_steps_in() -> None:
    volunteer = provider("open", A)
    rejected = ScriptedProvider(KeyRejected("serper"), name="serper")
    with pytest.raises(AllProvidersFailed):
        await found(finder(rejected, *failing("tavily"), volunteer, keyless=frozenset({"open"})))
    assert not volunteer.asked


async def test_if_none_steps_in_the_error_names_all() -> None:
    wide = finder(*failing("serper", "tavily", "open"), keyless=frozenset({"open"}))
    with pytest.raises(AllProvidersFailed) as caught:
        await found(wide)
    assert [error.provider for error in caught.value.errors] == ["serper", "tavily", "open"]


async def test_a_request_that_a_volunteer_does_not_take_hides_no_old_results() -> None:
    clock = FakeClock()
    members = [provider("exa_mcp", A), *failing("open")]
    narrow = finder(*members, remembers=True, clock=clock, keyless=frozenset({"exa_mcp", "open"}))
    await found(narrow, Depth.NORMAL)
    clock.advance(3600)
    members[0].found = BadRequest("exa_mcp")
    assert (await found(narrow, Depth.NORMAL)).answers == (("exa_mcp", hits(A)),)
