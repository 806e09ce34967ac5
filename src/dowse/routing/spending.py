"""Budgets of providers: every call is charged before it is made, and a spent budget stops it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from dowse.core.allowances import Budget
from dowse.core.errors import BudgetSpent
from dowse.core.models import Clock
from dowse.core.protocols import Charge, Observer, Spent
from dowse.stores.ledger import UNLIMITED, Days, Ledger, Tally
from dowse.telemetry.log import event

Prices = Mapping[str, Mapping[str, float]]
"""Dollars by provider and operation; free if not listed."""

_MICRO = 1_000_000
# Every provider offers one of these. Reading pages may be cheaper, but a provider left with that is out of quota.
_MAIN = ("search", "answer")


class Account:
    """Keeps providers within the user's budgets. Periods are calendar days and months in UTC."""

    def __init__(
        self, budgets: Mapping[str, Budget], prices: Prices, ledger: Ledger, *, clock: Clock, observer: Observer
    ) -> None:
        self._budgets = budgets
        self._prices = prices
        self._ledger = ledger
        self._clock = clock
        self._observer = observer

    async def charge(self, provider: str, operation: str) -> str:
        usd = self._usd(provider, operation)
        plan = self._plan(provider)
        warning = await self._enter(plan, Tally(1, _micro(usd))) if plan else ""
        self._observer.provider_charged(Charge(provider, operation, usd))
        return warning

    async def spent(self, provider: str) -> Spent | None:
        """Spending on a provider in the current period, over all processes; `None` without a budget."""
        plan = self._plan(provider)
        return plan.spent(await self._ledger.total(provider, plan.days)) if plan else None

    async def report(self) -> None:
        """Tell the observer how all budgets stand: other processes spend too, and periods end by themselves."""
        for provider in self._budgets:
            if spent := await self.spent(provider):
                self._observer.budget_charged(spent)

    async def close(self) -> None:
        await self._ledger.close()

    async def _enter(self, plan: _Plan, cost: Tally) -> str:
        entry = await self._ledger.add(plan.provider, plan.days, cost, plan.cap)
        self._observer.budget_charged(plan.spent(entry.total))
        if not entry.admitted:
            raise plan.refusal()
        # Compared with the total of all processes, so the warning appears once.
        if plan.runs_out(entry.total) and not plan.runs_out(entry.total - cost):
            return plan.warn(entry.total)
        return ""

    def _plan(self, provider: str) -> _Plan | None:
        budget = self._budgets.get(provider)
        search = Tally(1, _micro(max(self._usd(provider, operation) for operation in _MAIN)))
        return _Plan(provider, budget, search, self._clock.utc()) if budget else None

    def _usd(self, provider: str, operation: str) -> float:
        return self._prices.get(provider, {}).get(operation, 0.0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A provider's budget in the current period, and the cost of one search."""

    provider: str
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

    def warn(self, total: Tally) -> str:
        event(logging.WARNING, "budget runs out", engine=self.provider, budget=str(self.budget), until=str(self.ends))
        when = "once it is spent" if self._fits_a_search(total) else "since another search does not fit"
        used = f"{self.spent(total).share * 100:.0f} % of its budget of {self.budget}"
        return f"{self.provider} has used {used}; {when}, {self.provider} is not asked until {self.ends}"

    def _fits_a_search(self, total: Tally) -> bool:
        return (total + self.search).within(self.cap)


def _micro(usd: float) -> int:
    return round(usd * _MICRO)
