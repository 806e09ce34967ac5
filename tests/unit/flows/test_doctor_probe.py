"""The probe by itself: how long providers get, what is counted, and a remedy for every failure there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from dowse.core import errors
from dowse.core.errors import NoBrowser, ProviderError, QuotaSpent
from dowse.core.models import Deadline, Found, Query
from dowse.core.runtime import no_progress
from dowse.flows.doctor.check import OFF, OK, PROBLEM, WARNING, Check, Diagnosis
from dowse.flows.doctor.probe import QUERY, Probe
from dowse.settings.sources import load
from tests.fakes import FakeClock
from tests.fakes.scripted import ScriptedProvider, hits
from tests.support.tables import each_row

SETTINGS = load({}, {"SERPER_API_KEY": "a-key-for-serper", "SEARXNG_URL": "https://search.example"}).settings
FAILURES = [
    kind
    for kind in vars(errors).values()
    # `Unread` is what becomes of pages; no search ends like that.
    if isinstance(kind, type) and issubclass(kind, ProviderError) and kind is not errors.Unread
]


@dataclass
class Purse:
    """Pays for everybody but the poor, and keeps the receipts."""

    poor: str = ""
    paid: list[tuple[str, str]] = field(default_factory=list)

    @asynccontextmanager
    async def charge(self, provider: str, operation: str, caller: str = "local") -> AsyncIterator[None]:
        if provider == self.poor:
            raise QuotaSpent(provider, "nothing is left")
        self.paid.append((provider, operation))
        yield


@dataclass
class SlowProvider(ScriptedProvider):
    """Takes its time, on a clock that only it moves."""

    clock: FakeClock = field(default_factory=FakeClock)

    async def search(self, query: Query, deadline: Deadline) -> Found:
        self.clock.advance(1.25)
        return await super().search(query, deadline)


def probe(*providers: ScriptedProvider, purse: Purse | None = None, clock: FakeClock | None = None) -> Probe:
    return Probe(SETTINGS, providers, None, clock=clock or FakeClock(), spending=purse or Purse())


async def test_each_gets_its_own_timeout_and_the_same_small_question() -> None:
    quick, patient = ScriptedProvider(hits("https://a.example/1")), ScriptedProvider(hits("https://a.example/1"), "exa")
    quick.timeout_s, patient.timeout_s = 0.5, 40.0
    found = await probe(quick, patient).run(no_progress)
    assert [check.name for check in found] == ["probe.serper", "probe.exa"]
    assert (quick.given_s, patient.given_s) == ([0.5], [40.0])
    assert quick.asked == patient.asked == [Query(QUERY, num_results=1)]


async def test_the_time_it_took_is_told() -> None:
    clock = FakeClock()
    (check,) = await probe(SlowProvider(hits("https://a.example/1"), clock=clock), clock=clock).run(no_progress)
    assert (check.summary, check.details["ms"]) == ("Answered in 1250 ms.", 1250)


async def test_every_question_is_paid_for_before_it_is_asked() -> None:
    purse = Purse(poor="exa")
    rich, poor = ScriptedProvider(hits("https://a.example/1")), ScriptedProvider(hits("https://a.example/1"), "exa")
    first, second = await probe(rich, poor, purse=purse).run(no_progress)
    assert (first.state, second.state) == (OK, PROBLEM)
    assert purse.paid == [("serper", "search")]
    assert poor.asked == []


@each_row("provider", ["serper", "searxng"])
@each_row("failure", FAILURES)
async def test_every_failure_there_is_has_a_remedy(failure: type[ProviderError], provider: str) -> None:
    (check,) = await probe(ScriptedProvider(failure(provider, "a reason"), provider)).run(no_progress)
    assert (check.state, check.details["outcome"]) == (PROBLEM, failure.code)
    assert check.summary.startswith(f"{provider} ")
    assert "a reason" in check.summary
    assert check.fix


async def test_progress_says_who_is_still_waited_for() -> None:
    steps: list[str] = []

    async def note(step: str) -> None:
        steps.append(step)
        await asyncio.sleep(0)

    await probe(*(ScriptedProvider(hits("https://a.example/1"), name) for name in ("serper", "exa"))).run(note)
    assert steps == ["probe: calling serper, exa", "probe: waiting for exa"]


async def test_with_no_provider_to_ask_there_is_nothing_to_say() -> None:
    steps: list[str] = []

    async def note(step: str) -> None:
        steps.append(step)

    assert await probe().run(note) == []
    assert steps == []


def test_a_diagnosis_is_fine_with_warnings_and_not_with_a_problem() -> None:
    checks = [Check(state, "server", state, "x") for state in (OK, OFF, WARNING, WARNING)]
    fine = Diagnosis("1", tuple(checks))
    assert (fine.ok, fine.count(WARNING)) == (True, 2)
    assert not Diagnosis("1", (*checks, Check("y", "server", PROBLEM, "y"))).ok


class ScriptedBrowser:
    """Starts, or cannot."""

    def __init__(self, outcome: str | NoBrowser) -> None:
        self._outcome = outcome

    async def start(self) -> str:
        if isinstance(self._outcome, NoBrowser):
            raise self._outcome
        return self._outcome


async def started(outcome: str | NoBrowser) -> Check:
    browser = ScriptedBrowser(outcome)
    (check,) = await Probe(SETTINGS, (), None, clock=FakeClock(), spending=Purse(), browser=browser).run(no_progress)
    return check


async def test_a_browser_that_starts_is_told_with_its_version() -> None:
    check = await started("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.0.0 Safari/537.36")
    assert (check.name, check.state, check.summary) == (
        "probe.browser",
        OK,
        "Chromium 156.0.0.0 started in 0 ms.",
    )


async def test_a_browser_that_cannot_be_used_is_a_warning_with_the_way_out() -> None:
    check = await started(NoBrowser("browser", "no Chromium was found: install one"))
    assert (check.state, check.summary) == (
        WARNING,
        "It cannot be used: no Chromium was found: install one.",
    )
    assert "DOWSE_BROWSER=off" in check.fix


MEMBER_FAILURES = [kind for kind in FAILURES if kind is not errors.KeyRejected]


@each_row("kind", MEMBER_FAILURES)
async def test_for_a_member_without_a_key_there_is_nothing_to_set_up(kind: type[ProviderError]) -> None:
    for name in ("open", "duckduckgo", "exa_mcp"):
        (check,) = await probe(ScriptedProvider(kind(name, http_status=403), name=name)).run(no_progress)
        assert check.fix
        assert not any(word in check.fix for word in ("SEARXNG_URL", "your SearXNG", "account", "curl -sv wikipedia"))


async def test_a_member_that_fails_is_a_problem_only_if_none_answers() -> None:
    dead, alive = (
        ScriptedProvider(errors.Blocked("mojeek"), name="mojeek"),
        ScriptedProvider(hits("https://a.example/1"), name="open"),
    )
    assert [check.state for check in await probe(dead, alive).run(no_progress)] == [WARNING, OK]
    assert [check.state for check in await probe(dead).run(no_progress)] == [PROBLEM]
