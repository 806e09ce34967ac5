"""A ledger that is down or late: nobody waits for it, no budget opens again, and everything is counted once."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores import fail_soft
from dowse.stores.fail_soft import REST_S, FailSoftLedger, Outage
from dowse.stores.ledger import UNLIMITED, Days, Ledger, LedgerEntry, MemoryLedger, Tally
from tests.fakes import FakeClock

NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL = Tally(1, 300)
THREE_CALLS = Tally(3, 10**12)


async def spend(ledger: Ledger, times: int, days: Days = NOVEMBER, cap: Tally = THREE_CALLS) -> list[LedgerEntry]:
    return [await ledger.add("serper", days, CALL, cap) for _ in range(times)]


class Flaky:
    """A ledger in memory that is down when a test says so."""

    def __init__(self) -> None:
        self.inner = MemoryLedger()
        self.is_down = False
        self.tries = 0

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        self._check()
        return await self.inner.add(provider, days, cost, cap)

    async def total(self, provider: str, days: Days) -> Tally:
        self._check()
        return await self.inner.total(provider, days)

    async def close(self) -> None:
        await self.inner.close()

    def _check(self) -> None:
        self.tries += 1
        if self.is_down:
            raise StoreFailed("disk full")


async def test_what_was_counted_while_the_ledger_was_down_is_handed_in(clock: FakeClock) -> None:
    flaky = Flaky()
    steady = FailSoftLedger(flaky, Outage(clock))
    await spend(steady, 1)
    flaky.is_down = True
    assert [entry.total.calls for entry in await spend(steady, 1)] == [2]
    flaky.is_down = False
    clock.advance(REST_S)
    assert await steady.total("serper", NOVEMBER) == Tally(2, 600)
    assert await flaky.inner.total("serper", NOVEMBER) == Tally(2, 600)
    assert await steady.total("serper", NOVEMBER) == Tally(2, 600), "handed in once"


async def test_a_budget_that_was_seen_to_be_spent_stays_spent_while_the_ledger_is_down(clock: FakeClock) -> None:
    flaky = Flaky()
    await spend(flaky, 3)
    adding, reading, new = (FailSoftLedger(flaky, Outage(clock)) for _ in range(3))
    assert not (await spend(adding, 1))[0].admitted
    assert await reading.total("serper", NOVEMBER) == Tally(3, 900)
    flaky.is_down = True
    tomorrow = replace(NOVEMBER, today=date(2026, 11, 16))
    for days in (NOVEMBER, tomorrow):
        assert [(await spend(steady, 1, days))[0].admitted for steady in (adding, reading, new)] == [False, False, True]
        assert await adding.total("serper", days) == await reading.total("serper", days) == Tally(3, 900)
    december = Days(date(2026, 12, 1), date(2026, 12, 1))
    assert [entry.total.calls for entry in await spend(adding, 2, december)] == [1, 2]


async def test_what_is_owed_is_offered_once_more_at_the_end(clock: FakeClock) -> None:
    flaky = Flaky()
    flaky.is_down = True
    steady = FailSoftLedger(flaky, Outage(clock))
    await spend(steady, 2)
    flaky.is_down = False
    await steady.close()
    assert await flaky.inner.total("serper", NOVEMBER) == Tally(2, 600)


async def test_a_ledger_that_is_down_at_the_end_does_not_keep_the_end_from_coming(clock: FakeClock) -> None:
    flaky = Flaky()
    flaky.is_down = True
    steady = FailSoftLedger(flaky, Outage(clock))
    await spend(steady, 2)
    await steady.close()
    assert flaky.tries == 2


class Late(Flaky):
    """Enters what it is given, and says so when a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = asyncio.Event()
        self.answers = asyncio.Event()
        self.answering: Callable[[], object] = lambda: None

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        entry = await super().add(provider, days, cost, cap)
        self.entered.set()
        await self.answers.wait()
        self.answering()
        return entry


async def test_callers_that_leave_while_the_debt_is_handed_in_do_not_have_it_counted_again(clock: FakeClock) -> None:
    late = Late()
    late.is_down = True
    steady = FailSoftLedger(late, Outage(clock))
    await spend(steady, 3, cap=UNLIMITED)
    late.is_down = False
    clock.advance(REST_S)
    leaving = asyncio.create_task(spend(steady, 1, cap=UNLIMITED))
    await late.entered.wait()
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    late.answers.set()
    assert (await spend(steady, 1, cap=UNLIMITED))[0].total.calls == 4, "three, and this one"


@pytest.mark.parametrize("when", ["before", "after"])
async def test_the_cost_of_a_caller_that_leaves_while_it_is_entered_is_given_back(clock: FakeClock, when: str) -> None:
    """Its call is not made; it leaves before or after the ledger has answered."""
    late = Late()
    steady = FailSoftLedger(late, Outage(clock))
    leaving = asyncio.create_task(spend(steady, 1))
    await late.entered.wait()
    if when == "before":
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
    late.answering = lambda: asyncio.get_running_loop().call_soon(leaving.cancel)
    late.answers.set()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    late.answering = lambda: None
    assert await steady.total("serper", NOVEMBER) == Tally()
    assert await late.inner.total("serper", NOVEMBER) == Tally()


async def test_what_is_given_back_is_not_owed_and_not_remembered(clock: FakeClock) -> None:
    flaky = Flaky()
    steady = FailSoftLedger(flaky, Outage(clock))
    await spend(steady, 3)
    assert (await steady.add("serper", NOVEMBER, Tally() - CALL)).total == Tally(2, 600)
    flaky.is_down = True
    assert await steady.total("serper", NOVEMBER) == Tally(2, 600)
    assert (await steady.add("serper", NOVEMBER, Tally() - CALL)).total == Tally(1, 300)
    flaky.is_down = False
    clock.advance(REST_S)
    assert await steady.total("serper", NOVEMBER) == await flaky.inner.total("serper", NOVEMBER) == Tally(1, 300)


async def test_a_ledger_that_does_not_answer_is_not_waited_for_and_what_it_entered_is_not_owed(
    clock: FakeClock, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fail_soft, "LEDGER_PATIENCE_S", 0.1)
    late = Late()
    steady = FailSoftLedger(late, Outage(clock))
    entries = [batch[0] for batch in await asyncio.gather(*[spend(steady, 1) for _ in range(4)])]
    assert [entry.admitted for entry in entries] == [True, True, True, False]
    assert [record.getMessage() for record in logged.records] == ["store failed, calls go on without it"]
    assert "no answer within 0.1 s" in str(vars(logged.records[0]))
    assert [(await spend(steady, 1, cap=UNLIMITED))[0].total.calls for _ in range(2)] == [4, 5]
    assert late.tries == 1, "left alone, and not waited for"
    late.answers.set()
    await steady.close()
    assert await late.inner.total("serper", NOVEMBER) == Tally(5, 1500)


async def test_a_ledger_that_is_down_is_left_alone_for_a_while(clock: FakeClock) -> None:
    flaky = Flaky()
    flaky.is_down = True
    steady = FailSoftLedger(flaky, Outage(clock))
    await spend(steady, 3)
    clock.advance(REST_S - 1)
    await spend(steady, 1)
    assert flaky.tries == 1
    clock.advance(1)
    await spend(steady, 1)
    assert flaky.tries == 2


async def test_each_outage_is_told_once(clock: FakeClock, logged: pytest.LogCaptureFixture) -> None:
    flaky = Flaky()
    steady = FailSoftLedger(flaky, Outage(clock))
    for is_down in (True, True, False, True):
        flaky.is_down = is_down
        await spend(steady, 1)
        clock.advance(REST_S)
    assert len(logged.records) == 2
