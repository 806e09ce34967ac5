"""What providers cost: every call is counted before it is made, and a spent budget stops it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import date, timedelta

from dowse.errors import BudgetSpent
from dowse.interfaces import Charge, Observer, Spent
from dowse.models import Budget, Clock
from dowse.stores.ledger import UNLIMITED, Days, Ledger, Tally
from dowse.telemetry.log import event

Prices = Mapping[str, Mapping[str, float]]
"""Dollars by provider and operation; what is not listed is free."""

_MICRO = 1_000_000


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
        usd = self._prices.get(provider, {}).get(operation, 0.0)
        warning = await self._enter(provider, self._budgets.get(provider), Tally(1, round(usd * _MICRO)))
        self._observer.provider_charged(Charge(provider, operation, usd))
        return warning

    async def spent(self, provider: str) -> Spent | None:
        """What a provider has cost in the current period, by all processes together; `None` without a budget."""
        budget = self._budgets.get(provider)
        if budget is None:
            return None
        return _spent(provider, budget, await self._ledger.total(provider, self._days(budget)))

    async def report(self) -> None:
        """Tell the observer how all budgets stand: other processes spend too, and periods end by themselves."""
        for provider in self._budgets:
            if spent := await self.spent(provider):
                self._observer.budget_charged(spent)

    async def close(self) -> None:
        await self._ledger.close()

    async def _enter(self, provider: str, budget: Budget | None, cost: Tally) -> str:
        if budget is None:
            return ""
        days, cap = self._days(budget), _cap(budget)
        entry = await self._ledger.add(provider, days, cost, cap)
        self._observer.budget_charged(_spent(provider, budget, entry.total))
        if not entry.admitted:
            raise BudgetSpent(provider, f"its budget of {budget} is spent until {_ends(budget, days.first)}")
        # Seen in the total of all processes, so it is said once, by whoever crosses the line.
        if _runs_out(entry.total, cap) and not _runs_out(entry.total - cost, cap):
            return _warn(provider, budget, days)
        return ""

    def _days(self, budget: Budget) -> Days:
        today = self._clock.utc().date()
        return Days(today.replace(day=1) if budget.period == "month" else today, today)


def _cap(budget: Budget) -> Tally:
    if budget.unit == "calls":
        return Tally(int(budget.amount), UNLIMITED.micro_usd)
    return Tally(UNLIMITED.calls, round(budget.amount * _MICRO))


def _ends(budget: Budget, first: date) -> date:
    """The first day on which there is a budget again."""
    if budget.period == "day":
        return first + timedelta(days=1)
    return (first + timedelta(days=31)).replace(day=1)


def _spent(provider: str, budget: Budget, total: Tally) -> Spent:
    usd = total.micro_usd / _MICRO
    return Spent(provider, total.calls, usd, (total.calls if budget.unit == "calls" else usd) / budget.amount)


def _runs_out(total: Tally, cap: Tally) -> bool:
    """Whether 80 % are used, in whole numbers."""
    return total.calls * 5 >= cap.calls * 4 or total.micro_usd * 5 >= cap.micro_usd * 4


def _warn(provider: str, budget: Budget, days: Days) -> str:
    ends = _ends(budget, days.first)
    event(logging.WARNING, "budget runs out", engine=provider, budget=str(budget), until=str(ends))
    return f"{provider} has used 80 % of its budget of {budget}; once it is spent, {provider} is not asked until {ends}"
