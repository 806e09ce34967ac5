"""What something costs on a machine that has other work."""

from __future__ import annotations

from collections.abc import Callable

_MOST = 3


def least(cost: Callable[[], float], enough: float) -> float:
    """The least of up to three tries; the first that costs no more than `enough` ends them."""
    best = cost()
    for _ in range(1, _MOST):
        if best <= enough:
            break
        best = min(best, cost())
    return best


def ratio(costs: Callable[[], tuple[float, float]], enough: float) -> float:
    """How many times as dear the second is as the first, by the least of each; the first good ratio ends the tries."""
    first, second = costs()
    for _ in range(1, _MOST):
        if second / first <= enough:
            break
        first, second = map(min, zip((first, second), costs(), strict=True))
    return second / first
