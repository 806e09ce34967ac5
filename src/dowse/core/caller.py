"""On whose behalf and since when work is done: known to every step of a call, without being handed down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dowse.core.models import LOCAL, Principal

_caller: ContextVar[Principal] = ContextVar("caller", default=LOCAL)
_called_at: ContextVar[float | None] = ContextVar("called_at", default=None)


def current_caller() -> Principal:
    """Who asked for the work at hand; several may share it, then whoever was first."""
    return _caller.get()


def called_at() -> float | None:
    """When the call at hand came in, on the clock of this process: its deadline counts from then."""
    return _called_at.get()


@contextmanager
def on_behalf_of(caller: Principal, since: float | None = None) -> Iterator[None]:
    """Around one call, which came in at that moment."""
    caller_before, called_before = _caller.set(caller), _called_at.set(since)
    try:
        yield
    finally:
        _caller.reset(caller_before)
        _called_at.reset(called_before)
