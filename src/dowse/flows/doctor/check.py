"""One finding of the doctor, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class CheckState(StrEnum):
    OK = "ok"
    OFF = "off"
    WARNING = "warning"
    PROBLEM = "problem"


OK, OFF, WARNING, PROBLEM = CheckState


@dataclass(frozen=True, slots=True)
class Check:
    """A finding in a sentence; `fix` says what to do unless the state is ok. Several may share a name."""

    name: str
    group: str
    state: CheckState
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
        return not self.count(CheckState.PROBLEM)

    def count(self, state: CheckState) -> int:
        return sum(check.state is state for check in self.checks)
