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
    """How many times as dear the second is as the first, in the best try; the first good ratio ends the tries.

    Both sides of a ratio are of one try: a machine that was faster for a moment would favour one of them.
    """

    def compare() -> float:
        first, second = costs()
        return second / first

    return least(compare, enough)
