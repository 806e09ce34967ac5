"""Allowances: rates and paces of calls, and budgets of calendar periods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dowse.core.text import count_noun, enclose

_UNITS = {1.0: "second", 60.0: "minute", 3600.0: "hour", 86_400.0: "day"}


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: calls within a sliding window."""

    calls: int
    period_s: float

    def __str__(self) -> str:
        """The form of the settings: `20/10m`."""
        units = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
        unit = next((unit for unit, seconds in units.items() if not self.period_s % seconds), "s")
        amount = self.period_s / units[unit]
        return f"{self.calls}/{int(amount) if amount.is_integer() else amount}{unit}"

    def in_words(self) -> str:
        """The form for sentences: `1 call per second`."""
        calls = count_noun(self.calls, "call")
        unit = _UNITS.get(self.period_s)
        return f"{calls} per {unit}" if unit else f"{calls} in {self.period_s:g} seconds"


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a provider: its rate and its concurrency; `None` for no limit."""

    rate: Rate | None = None
    at_once: int | None = None

    def __str__(self) -> str:
        """The form of the settings: `100/1m, 4 at once`."""
        parts = [enclose("", self.rate), enclose("", self.at_once, " at once")]
        return ", ".join(filter(None, parts)) or "off"

    def in_words(self) -> str:
        """The form for sentences: `1 call per second and 4 at once`."""
        parts = [self.rate.in_words() if self.rate else "", enclose("", self.at_once, " at once")]
        return " and ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Admission:
    """The decision of a limiter: the seconds to wait, 0 for none, and a remark for the caller."""

    wait_s: float = 0.0
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limit of a provider's cost in a calendar period (UTC)."""

    amount: float
    unit: Literal["calls", "usd"]
    period: Literal["day", "month"]

    def __str__(self) -> str:
        amount = f"{self.amount:.6f}".rstrip("0").rstrip(".")
        return f"{amount} {self.unit}/{self.period}"
