"""Limits towards a provider: its pace, with a fair queue whose hopeless waits fail at once, and its budget."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType

from dowse.core.allowances import Admission, Budget, Pace, Rate
from dowse.core.errors import BudgetSpent, Busy
from dowse.core.models import LOCAL, Clock
from dowse.core.protocols import Charge, Observer, Spent
from dowse.core.runtime import FairQueue, watch_sending
from dowse.routing.provider_slots import Forecast, ProviderSlots
from dowse.stores.fail_soft import UsageBuffer
from dowse.stores.ledger import UNLIMITED, Days, Ledger, Tally
from dowse.telemetry.log import event

MOST_WAITING = 1000
# Calls sent at exact intervals do not arrive so: the first on a new connection is later by two or three round trips
# than the next one on the same connection, and the provider counts arrivals. The time of a handshake is added to
# every period, so that a provider that refuses a second call after 0.999 s does not refuse ours.
MARGIN_S, MARGIN_SHARE = 0.2, 0.2
# Longer than any configured timeout of a provider. A slot of a killed process is free again after this.
_LONGEST_CALL_S = 120.0


class Pacer:
    """Queues of the providers that have a pace; implements `protocols.Pacing`."""

    def __init__(
        self,
        paces: Mapping[tuple[str, str], Pace],
        slots: ProviderSlots,
        clock: Clock,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`paces` by provider and operation.

        `prepare` runs before the first turn: imports of the first call would delay it within its period.
        """
        self._paces = paces
        self._prepare = prepare
        self._slots = slots
        self._clock = clock
        self._lines: dict[str, _Line] = {}

    def turn(self, provider: str, operation: str, patience_s: float, caller: str) -> AbstractAsyncContextManager[str]:
        pace = self._paces.get((provider, operation), Pace())
        return nullcontext("") if pace == Pace() else self._turn(provider, pace, patience_s, caller)

    def hold(self, provider: str, for_s: float) -> None:
        if provider in self._lines:
            self._lines[provider].hold(for_s)

    @asynccontextmanager
    async def _turn(self, provider: str, pace: Pace, patience_s: float, caller: str) -> AsyncIterator[str]:
        if provider not in self._lines:
            self._prepare()
            self._lines[provider] = _Line(provider, pace, self._slots, self._clock)
        line = self._lines[provider]
        waiter = Waiter(caller, secrets.token_hex(8), self._clock.now() + patience_s)
        try:
            yield await line.enter(waiter)
        finally:
            await line.leave(waiter)


class _Line:
    """Queue of one provider. Only its head asks for a slot, so that no waiter is overtaken."""

    def __init__(self, provider: str, pace: Pace, slots: ProviderSlots, clock: Clock) -> None:
        self._provider = provider
        self._said = pace
        self._pace = _with_margin(pace)
        self._slots = slots
        self._clock = clock
        self._queue: FairQueue[Waiter] = FairQueue()
        self._forecast = Forecast(self._pace, clock)
        self._pause: asyncio.Task[None] | None = None
        self._held_until = 0.0

    def hold(self, for_s: float) -> None:
        """Delay the next turn; refuse the waiters with an earlier deadline."""
        self._held_until = max(self._held_until, self._clock.now() + for_s)
        self._forecast.hold(self._held_until)
        self._refuse_the_late()

    async def enter(self, waiter: Waiter) -> str:
        """Wait for the turn and return the remark on it, if any. Raises `Busy`."""
        self._queue.add(waiter)
        self._refuse_the_late()
        self._call_the_first()
        try:
            if refusal := await waiter.called:
                raise refusal
            remark = await self._pass(waiter)
            self._queue.serve(waiter)
            return remark
        finally:
            self._queue.drop(waiter)
            self._call_the_first()

    async def leave(self, waiter: Waiter) -> None:
        """Release the slot of a call that has ended or was never made."""
        await self._slots.leave(self._provider, waiter.ticket)
        self._forecast.record_end(waiter.ticket)
        if self._pause and self._pace.at_once:
            self._pause.cancel()

    async def _pass(self, waiter: Waiter) -> str:
        """Ask for a slot until admitted; each refusal updates the forecast for all waiters."""
        while (admission := await self._ask(waiter)).wait_s:
            self._forecast.record_wait(admission.wait_s)
            in_s = self._forecast.outlook()(0)
            if self._clock.now() + in_s > waiter.until:
                raise self._busy(0, in_s)
            self._refuse_the_late()
            await self._sleep(admission.wait_s)
        self._forecast.record_start(waiter.ticket)
        return admission.remark

    async def _ask(self, waiter: Waiter) -> Admission:
        held_s = self._held_until - self._clock.now()
        if held_s > 0:
            return Admission(held_s)
        return await self._slots.enter(self._provider, self._pace, waiter.ticket, _LONGEST_CALL_S)

    async def _sleep(self, seconds: float) -> None:
        """Sleep, or until a slot is released."""
        self._pause = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait([self._pause])
        finally:
            self._pause.cancel()
            self._pause = None

    def _call_the_first(self) -> None:
        if first := self._queue.first():
            first.call()

    def _refuse_the_late(self) -> None:
        """Refuse the waiters that would have their turn after their deadline, except the head of the queue."""
        in_s, now = self._forecast.outlook(), self._clock.now()

        def fits(waiter: Waiter, ahead: int) -> bool:
            return waiter.called.done() or (ahead < MOST_WAITING and now + in_s(ahead) <= waiter.until)

        for waiter, ahead in self._queue.late(fits):
            self._queue.drop(waiter)
            waiter.call(self._busy(ahead, in_s(ahead)))

    def _busy(self, ahead: int, in_s: float) -> Busy:
        waiting = {0: ", all taken for now", 1: ", and 1 is waiting"}.get(ahead, f", and {ahead} are waiting")
        seconds = math.ceil(in_s)
        detail = (
            f"it takes {self._said.in_words()}{waiting}: a turn would come in about {seconds} s, too late for this call"
        )
        return Busy(self._provider, f"{detail}; try again in {seconds} s", retry_after_s=in_s)


def _with_margin(pace: Pace) -> Pace:
    if pace.rate is None:
        return pace
    period_s = pace.rate.period_s
    return Pace(Rate(pace.rate.calls, period_s + min(MARGIN_S, MARGIN_SHARE * period_s)), pace.at_once)


@dataclass(eq=False, slots=True)
class Waiter:
    """A waiting call, until it becomes the head of the queue or is refused."""

    caller: str
    ticket: str
    until: float
    called: asyncio.Future[Busy | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def call(self, refusal: Busy | None = None) -> None:
        # A waiter that was cancelled a moment ago may still be queued.
        if not self.called.done():
            self.called.set_result(refusal)


Prices = Mapping[str, Mapping[str, float]]
"""Dollars by provider and operation; free if not listed."""

_MICRO = 1_000_000
# Every provider offers one of these. Reading pages may be cheaper, but a provider left with that is out of quota.
_MAIN = ("search", "answer")


class Account:
    """Keeps providers within the user's budgets. Periods are calendar days and months in UTC."""

    def __init__(
        self,
        budgets: Mapping[str, Budget],
        prices: Prices,
        ledger: Ledger,
        *,
        clock: Clock,
        observer: Observer,
        usage: UsageBuffer | None = None,
        shared: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`shared` names the provider in whose row the calls of another one are counted, too."""
        self._shared = shared
        self._budgets = budgets
        self._prices = prices
        self._ledger = ledger
        self._clock = clock
        self._observer = observer
        self._usage = usage

    @asynccontextmanager
    async def charge(self, provider: str, operation: str, caller: str = LOCAL.name) -> AsyncIterator[None]:
        charge = Charge(provider, operation, self._usd(provider, operation), caller)
        plan = self._plan(provider)
        cost = Tally(1, _micro(charge.usd))
        if plan:
            await self._enter(plan, cost)
        is_sent = False
        with watch_sending() as sending:
            try:
                yield
                # An answer from another attempt's request counts as well.
                is_sent = True
            finally:
                if is_sent or sending.is_begun:
                    self._record(charge, cost)
                elif plan:
                    await self._give_back(plan, cost)

    async def spent(self, provider: str) -> Spent | None:
        """Spending on a provider in the current period, over all processes; `None` without a budget."""
        plan = self._plan(provider)
        return plan.spent(await self._ledger.total(plan.row, plan.days)) if plan else None

    async def report(self) -> None:
        """Tell the observer how all budgets stand: other processes spend too, and periods end by themselves."""
        for provider in self._budgets:
            if spent := await self.spent(provider):
                self._observer.budget_charged(spent)

    async def close(self) -> None:
        await self._ledger.close()

    def _record(self, charge: Charge, cost: Tally) -> None:
        self._observer.provider_charged(charge)
        if self._usage:
            self._usage.add(charge.provider, charge.caller, cost)

    async def _enter(self, plan: _Plan, cost: Tally) -> None:
        entry = await self._ledger.add(plan.row, plan.days, cost, plan.cap)
        self._observer.budget_charged(plan.spent(entry.total))
        if not entry.admitted:
            raise plan.refusal()
        # Compared with the total of all processes, so the warning appears once.
        if plan.runs_out(entry.total) and not plan.runs_out(entry.total - cost):
            plan.warn(entry.total)

    async def _give_back(self, plan: _Plan, cost: Tally) -> None:
        """Take a cost from the day on which it was entered."""
        day = plan.days.today
        await self._ledger.add(plan.row, Days(day, day), Tally() - cost)
        if spent := await self.spent(plan.provider):
            self._observer.budget_charged(spent)

    def _plan(self, provider: str) -> _Plan | None:
        budget = self._budgets.get(provider)
        search = Tally(1, _micro(max(self._usd(provider, operation) for operation in _MAIN)))
        row = self._shared.get(provider, provider)
        return _Plan(provider, row, budget, search, self._clock.utc()) if budget else None

    def _usd(self, provider: str, operation: str) -> float:
        return self._prices.get(provider, {}).get(operation, 0.0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A provider's budget in the current period, the row that counts its calls, and the cost of one search."""

    provider: str
    row: str
    budget: Budget
    search: Tally
    now: datetime

    @property
    def days(self) -> Days:
        today = self.now.date()
        return Days(today.replace(day=1) if self.budget.period == "month" else today, today)

    @property
    def ends(self) -> date:
        """The first day on which there is a budget again."""
        if self.budget.period == "day":
            return self.days.first + timedelta(days=1)
        return (self.days.first + timedelta(days=31)).replace(day=1)

    @property
    def cap(self) -> Tally:
        if self.budget.unit == "calls":
            return Tally(int(self.budget.amount), UNLIMITED.micro_usd)
        return Tally(UNLIMITED.calls, _micro(self.budget.amount))

    def spent(self, total: Tally) -> Spent:
        usd = total.micro_usd / _MICRO
        share = (total.calls if self.budget.unit == "calls" else usd) / self.budget.amount
        return Spent(self.provider, total.calls, usd, share, self._fits_a_search(total))

    def runs_out(self, total: Tally) -> bool:
        """Whether 80 % are used, in whole numbers; or so much that no search fits any more."""
        cap = self.cap
        most = total.calls * 5 >= cap.calls * 4 or total.micro_usd * 5 >= cap.micro_usd * 4
        return most or not self._fits_a_search(total)

    def refusal(self) -> BudgetSpent:
        opens = datetime.combine(self.ends, time(), UTC)
        return BudgetSpent(
            self.provider,
            f"its budget of {self.budget} is spent until {self.ends}",
            retry_after_s=(opens - self.now).total_seconds(),
        )

    def warn(self, total: Tally) -> None:
        """Log that the budget is nearly spent: the operator can change that, the caller cannot."""
        event(
            logging.WARNING,
            "budget runs out",
            engine=self.provider,
            budget=str(self.budget),
            used=f"{self.spent(total).share * 100:.0f} %",
            fits_a_search=self._fits_a_search(total),
            until=str(self.ends),
        )

    def _fits_a_search(self, total: Tally) -> bool:
        return (total + self.search).within(self.cap)


def _micro(usd: float) -> int:
    return round(usd * _MICRO)
