"""How long something takes on a machine that has other work."""

from __future__ import annotations

from collections.abc import Callable

_MOST = 3


def quickest(seconds: Callable[[], float], enough: float) -> float:
    """The least of up to three tries; the first that takes less than `enough` ends them."""
    best = seconds()
    for _ in range(1, _MOST):
        if best < enough:
            break
        best = min(best, seconds())
    return best
