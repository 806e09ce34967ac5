"""On whose behalf work is done: known to every step of a call, and to what it starts, without being handed down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dowse.models import LOCAL, Principal

_caller: ContextVar[Principal] = ContextVar("caller", default=LOCAL)


def current_caller() -> Principal:
    """Who asked for the work at hand; several may share it, then whoever was first."""
    return _caller.get()


@contextmanager
def on_behalf_of(caller: Principal) -> Iterator[None]:
    """Around one call."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)
