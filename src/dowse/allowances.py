"""How much is allowed: calls within a stretch of time, and what may be spent in a calendar period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rate:
    """How often: so many calls within any stretch of time as long as this."""

    calls: int
    period_s: float

    def __str__(self) -> str:
        """As people write it: `20/10m`."""
        units = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
        unit = next((unit for unit, seconds in units.items() if not self.period_s % seconds), "s")
        amount = self.period_s / units[unit]
        return f"{self.calls}/{int(amount) if amount.is_integer() else amount}{unit}"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a provider may cost in a calendar period (UTC)."""

    amount: float
    unit: Literal["calls", "usd"]
    period: Literal["day", "month"]

    def __str__(self) -> str:
        amount = f"{self.amount:.6f}".rstrip("0").rstrip(".")
        return f"{amount} {self.unit}/{self.period}"
