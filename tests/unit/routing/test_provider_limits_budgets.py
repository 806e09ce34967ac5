"""Budgets: counted before the call, never exceeded, warned about once, new with each period."""

import asyncio
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from dowse.core.allowances import Budget
from dowse.core.errors import BudgetSpent, NetworkFailed, Unavailable
from dowse.core.protocols import Charge, Spent
from dowse.core.runtime import record_sending
from dowse.routing.provider_limits import Account, Prices
from dowse.stores import open_store
from dowse.stores.ledger import Ledger, MemoryLedger
from dowse.telemetry.log import LOGGER
from tests.fakes import FakeClock, RecordingObserver
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("budget")

PRICES = {"serper": {"search": 0.001, "read": 0.002}, "tavily": {"search": 0.008}}


class Bench:
    """An account with a moved clock and a remembering observer."""

    def __init__(
        self,
        ledger: Ledger | None = None,
        clock: FakeClock | None = None,
        prices: Prices = PRICES,
        **budgets: Budget,
    ) -> None:
        self.clock = clock or FakeClock()
        self.observer = RecordingObserver()
        ledger = ledger or MemoryLedger()
        self.account = Account(budgets, prices, ledger, clock=self.clock, observer=self.observer)

    async def charge(self, times: int, provider: str = "serper") -> None:
        for _ in range(times):
            await self.pay(provider, "search")

    async def pay(self, provider: str, operation: str) -> None:
        """A call that was made."""
        async with self.account.charge(provider, operation):
            return

    async def fail(self, error: BaseException, *, sends: bool, provider: str = "serper") -> None:
        """A call that fails, before or after its request was sent."""
        with suppress(type(error)):
            async with self.account.charge(provider, "search"):
                if sends:
                    record_sending()
                raise error

    async def admits(self, provider: str = "serper") -> bool:
        try:
            await self.pay(provider, "search")
        except BudgetSpent:
            return False
        return True


async def test_a_spent_budget_says_what_it_was_and_until_when() -> None:
    bench = Bench(serper=Budget(3, "calls", "month"))
    await bench.charge(3)
    with pytest.raises(BudgetSpent) as caught:
        await bench.charge(1)
    assert caught.value.code == "quota_spent"
    assert caught.value.detail == "its budget of 3 calls/month is spent until 2026-12-01"
    assert str(caught.value) == "serper was not asked: its budget of 3 calls/month is spent until 2026-12-01"


@pytest.mark.parametrize(("period", "hours"), [("day", 12), ("month", 15 * 24 + 12)])
async def test_a_spent_budget_says_in_how_many_seconds_there_is_a_new_one(period: str, hours: int) -> None:
    """It is noon of the 15th of November."""
    bench = Bench(serper=Budget(1, "calls", "month" if period == "month" else "day"))
    await bench.charge(1)
    with pytest.raises(BudgetSpent) as caught:
        await bench.charge(1)
    assert caught.value.retry_after_s == hours * 3600


async def test_a_provider_without_a_budget_is_counted_all_the_same() -> None:
    bench = Bench(exa=Budget(1, "calls", "day"))
    await bench.charge(2)
    assert bench.observer.charges == [Charge("serper", "search", 0.001)] * 2
    assert bench.observer.spent == []
    assert await bench.account.spent("serper") is None


async def test_a_refused_call_is_neither_charged_nor_counted() -> None:
    bench = Bench(serper=Budget(1, "calls", "day"))
    await bench.charge(1)
    assert not await bench.admits()
    assert len(bench.observer.charges) == 1
    assert await bench.account.spent("serper") == Spent("serper", 1, 0.001, share=1.0, fits_a_search=False)


NOTHING_SENT = (NetworkFailed("serper", "no connection"), asyncio.CancelledError())


@pytest.mark.parametrize("error", NOTHING_SENT, ids=lambda error: type(error).__name__)
async def test_a_call_that_sent_nothing_is_given_back(error: BaseException) -> None:
    bench = Bench(serper=Budget(1, "calls", "day"))
    for _ in range(3):
        await bench.fail(error, sends=False)
    assert bench.observer.charges == []
    assert bench.observer.spent[-1] == Spent("serper", 0, 0.0, share=0.0)
    assert await bench.admits()
    assert not await bench.admits()


@pytest.mark.parametrize("error", [Unavailable("serper"), *NOTHING_SENT], ids=lambda error: type(error).__name__)
async def test_a_call_that_failed_after_its_request_was_sent_is_charged(error: BaseException) -> None:
    bench = Bench(serper=Budget(1, "calls", "day"))
    await bench.fail(error, sends=True)
    assert bench.observer.charges == [Charge("serper", "search", 0.001)]
    assert not await bench.admits()


async def test_a_request_that_another_task_of_the_call_sent_is_charged() -> None:
    bench = Bench(serper=Budget(1, "calls", "day"))

    async def send() -> None:
        record_sending()

    with pytest.raises(NetworkFailed):
        async with bench.account.charge("serper", "search"):
            await asyncio.create_task(send())
            raise NetworkFailed("serper")
    assert not await bench.admits()


async def test_a_call_is_given_back_to_the_day_on_which_it_was_counted() -> None:
    bench = Bench(serper=Budget(2, "calls", "day"))
    with pytest.raises(NetworkFailed):
        async with bench.account.charge("serper", "search"):
            bench.clock.date = date(2026, 11, 16)
            await bench.charge(1)
            raise NetworkFailed("serper")
    assert [await bench.admits() for _ in range(2)] == [True, False]


@pytest.mark.parametrize(("amount", "calls"), [(0.007999, 0), (0.008, 1), (0.024, 3), (0.08, 10), (0.1, 12)])
async def test_money_is_never_exceeded_by_the_call_that_would_cross_the_line(amount: float, calls: int) -> None:
    """Ten calls at 0.008 dollars are 0.08 dollars, which sums of floats do not find."""
    bench = Bench(tavily=Budget(amount, "usd", "month"))
    assert [await bench.admits("tavily") for _ in range(calls + 1)] == [True] * calls + [False]


async def test_operations_have_prices_of_their_own_and_share_the_budget() -> None:
    bench = Bench(serper=Budget(0.003, "usd", "day"))
    await bench.pay("serper", "read")
    await bench.pay("serper", "search")
    assert not await bench.admits()
    assert bench.observer.charges == [Charge("serper", "read", 0.002), Charge("serper", "search", 0.001)]


async def test_what_has_no_price_is_never_too_expensive() -> None:
    bench = Bench(searxng=Budget(0.01, "usd", "day"))
    assert all([await bench.admits("searxng") for _ in range(50)])


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level("WARNING", LOGGER.name)
    return caplog


def warnings(logged: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    assert {record.getMessage() for record in logged.records} <= {"budget runs out"}
    return [record.__dict__["dowse_fields"] for record in logged.records]


async def test_at_80_percent_there_is_one_warning_in_the_log(logged: pytest.LogCaptureFixture) -> None:
    bench = Bench(serper=Budget(10, "calls", "month"))
    await bench.charge(7)
    assert warnings(logged) == []
    await bench.charge(3)
    assert warnings(logged) == [
        {
            "engine": "serper",
            "provider": "serper",
            "budget": "10 calls/month",
            "used": "80 %",
            "fits_a_search": True,
            "until": "2026-12-01",
        }
    ]


async def test_the_warning_also_comes_when_no_further_search_fits(logged: pytest.LogCaptureFixture) -> None:
    bench = Bench(tavily=Budget(0.012, "usd", "month"))
    await bench.charge(1, "tavily")
    (warning,) = warnings(logged)
    assert (warning["used"], warning["fits_a_search"]) == ("67 %", False)
    assert not await bench.admits("tavily")


async def test_for_a_provider_of_answers_the_next_answer_counts(logged: pytest.LogCaptureFixture) -> None:
    bench = Bench(openai=Budget(0.03, "usd", "month"), prices={"openai": {"answer": 0.02}})
    await bench.pay("openai", "answer")
    (warning,) = warnings(logged)
    assert warning["fits_a_search"] is False
    spent = await bench.account.spent("openai")
    assert spent is not None
    assert not spent.fits_a_search
    with pytest.raises(BudgetSpent):
        await bench.pay("openai", "answer")


@pytest.mark.parametrize(("calls", "fits"), [(0, True), (11, True), (12, False)])
async def test_a_budget_of_money_is_used_up_when_no_further_search_fits(calls: int, fits: bool) -> None:
    """Twelve searches at 0.008 dollars leave 0.004 of 0.1, which is enough for a page."""
    prices = {"tavily": {"search": 0.008, "read": 0.0016}}
    bench = Bench(tavily=Budget(0.1, "usd", "month"), prices=prices)
    await bench.charge(calls, "tavily")
    spent = await bench.account.spent("tavily")
    assert spent is not None
    assert spent.fits_a_search is fits
    assert await bench.admits("tavily") is fits
    await bench.pay("tavily", "read")


async def test_the_warning_comes_again_in_the_next_period(logged: pytest.LogCaptureFixture) -> None:
    bench = Bench(serper=Budget(0.005, "usd", "day"))
    await bench.charge(5)
    assert len(warnings(logged)) == 1
    bench.clock.date = date(2026, 11, 16)
    await bench.charge(3)
    assert len(warnings(logged)) == 1
    await bench.charge(2)
    assert len(warnings(logged)) == 2


async def test_processes_that_share_a_ledger_warn_once_between_them(
    tmp_path: Path, logged: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    ledgers = [open_store(f"sqlite:///{tmp_path}/state.db", clock) for _ in range(2)]
    one, two = (Bench(ledger, clock, serper=Budget(10, "calls", "day")) for ledger in ledgers)
    for _ in range(5):
        await one.charge(1)
        await two.charge(1)
    assert len(warnings(logged)) == 1
    assert not await one.admits()
    assert await two.account.spent("serper") == Spent("serper", 10, 0.01, share=1.0, fits_a_search=False)
    for bench in (one, two):
        await bench.account.close()


@pytest.mark.parametrize(
    ("period", "last", "first"),
    [
        ("month", date(2026, 11, 30), date(2026, 12, 1)),
        ("month", date(2026, 12, 31), date(2027, 1, 1)),
        ("month", date(2028, 2, 29), date(2028, 3, 1)),
        ("day", date(2026, 11, 30), date(2026, 12, 1)),
        ("day", date(2026, 11, 14), date(2026, 11, 15)),
    ],
)
async def test_a_new_period_brings_a_new_budget(tmp_path: Path, period: str, last: date, first: date) -> None:
    budget = Budget(2, "calls", "month" if period == "month" else "day")
    clock = FakeClock()
    bench = Bench(open_store(f"sqlite:///{tmp_path}/state.db", clock), clock, serper=budget)
    clock.date = last
    await bench.charge(2)
    with pytest.raises(BudgetSpent, match=f"until {first}"):
        await bench.charge(1)
    clock.date = first
    assert [await bench.admits() for _ in range(3)] == [True, True, False]
    await bench.account.close()


async def test_a_day_in_the_middle_of_a_month_brings_nothing_to_a_monthly_budget() -> None:
    bench = Bench(serper=Budget(2, "calls", "month"))
    await bench.charge(2)
    bench.clock.date = date(2026, 11, 16)
    assert not await bench.admits()


async def test_a_report_tells_how_all_budgets_stand_now() -> None:
    bench = Bench(serper=Budget(4, "calls", "day"), tavily=Budget(0.08, "usd", "day"))
    await bench.charge(1)
    await bench.charge(2, "tavily")
    bench.observer.spent.clear()
    await bench.account.report()
    assert bench.observer.spent == [Spent("serper", 1, 0.001, 0.25), Spent("tavily", 2, 0.016, 0.2)]
    bench.clock.date = date(2026, 11, 16)
    bench.observer.spent.clear()
    await bench.account.report()
    assert bench.observer.spent == [Spent("serper", 0, 0.0, 0.0), Spent("tavily", 0, 0.0, 0.0)]


@each_row(
    ("budget", "words"),
    [
        (Budget(500.0, "calls", "month"), "500 calls/month"),
        (Budget(1_000_000.0, "calls", "day"), "1000000 calls/day"),
        (Budget(5.0, "usd", "month"), "5 usd/month"),
        (Budget(0.25, "usd", "day"), "0.25 usd/day"),
    ],
)
def test_a_budget_is_told_as_it_is_written(budget: Budget, words: str) -> None:
    assert str(budget) == words
