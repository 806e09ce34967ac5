"""Fits page texts into a token budget: a fair share for each, cut at the end of a line."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.core.tokens import token_cost
from dowse.document.break_points import last_stop

GAP = "[…]"
"""Stands where something was left out."""


def shares(wanted: Sequence[int], budget: int, weights: Sequence[float] = ()) -> list[int]:
    """Divide a budget so that short texts fit whole and long ones share what is left, by weight if there are any."""
    weights = weights or [1.0] * len(wanted)
    granted = [0] * len(wanted)
    left, weight_left = budget, sum(weights)
    # Those that need least for their weight come first, so that the others share what these leave.
    for index in sorted(range(len(wanted)), key=lambda i: wanted[i] / weights[i]):
        granted[index] = min(wanted[index], int(left * weights[index] / weight_left))
        left -= granted[index]
        weight_left -= weights[index]
    return granted


def cut(text: str, tokens: int) -> str:
    """At most `tokens` tokens of a text, ending where a reader would pause, with the code closed that is open there."""
    stop = last_stop(text, 0, tokens, None)
    if not stop:
        return text
    shown = text[: stop.at].rstrip() + ("\n" + stop.closing.strip("\n") if stop.closing else "")
    return shown if token_cost(shown) <= tokens else ""
