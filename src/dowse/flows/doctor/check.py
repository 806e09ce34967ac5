"""One finding of the doctor, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    OFF = "off"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """What is so and why, in a sentence; `fix` says what to do where it is not ok. Several may share a name."""

    name: str
    group: str
    state: State
    summary: str
    fix: str = ""
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings. `invalid` is for settings that every other command refuses to start with."""

    version: str
    checks: tuple[Check, ...]
    invalid: bool = False

    @property
    def ok(self) -> bool:
        return not self.count(State.PROBLEM)

    def count(self, state: State) -> int:
        return sum(check.state is state for check in self.checks)
