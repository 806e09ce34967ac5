"""What a routed call came to: the answer, its provider and the attempts it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from dowse.core.models import Attempt

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Routed(Generic[R]):
    """An answer, the provider that gave it, and the attempts that led to it."""

    answer: R
    provider: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...] = ()
