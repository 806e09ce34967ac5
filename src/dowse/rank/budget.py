"""Fits page texts into a token budget: a fair share for each, cut at the end of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dowse.text import cut_at_word, estimate_tokens

GAP = "[…]"
"""Stands where something was left out."""
# With a backtick behind it, it is inline code.
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")


def shares(wanted: Sequence[int], budget: int) -> list[int]:
    """Divide a budget so that short texts fit whole and long ones share what is left equally."""
    granted = [0] * len(wanted)
    left, waiting = budget, len(wanted)
    for index in sorted(range(len(wanted)), key=lambda i: wanted[i]):
        granted[index] = min(wanted[index], left // waiting)
        left -= granted[index]
        waiting -= 1
    return granted


def cut(text: str, tokens: int) -> str:
    """At most `tokens` tokens of a text, ending with a whole line and a closed code fence."""
    if estimate_tokens(text) <= tokens:
        return text
    kept: list[str] = []
    left, fence = tokens, ""
    # No character costs less than a quarter of a token, so the rest of a long page need not be split.
    for line in text[: tokens * 4].split("\n"):
        after = fence_after(line, fence)
        # A fence that is open after this line has to be closed within the budget as well.
        room = left - (estimate_tokens("\n" + after) if after else 0)
        cost = estimate_tokens(line + "\n")
        if cost > room:
            # Pages without line breaks exist: a long line is cut rather than lost.
            if room > tokens // 3 and after == fence:
                piece = _cut_line(line, room - 1)
                # Half a line may open or close a code block although the whole of it does not.
                kept += [piece] if fence_after(piece, fence) == fence else []
            break
        left -= cost
        fence = after
        kept.append(line)
    return "\n".join(kept).rstrip() + (f"\n{fence}" if fence else "")


def fence_after(line: str, fence: str) -> str:
    """The marker of the code block that is open behind a line; empty outside of code."""
    marker = _FENCE.match(line.lstrip())
    if not fence:
        return marker[0] if marker else ""
    closes = marker is not None and marker[0].startswith(fence) and line.strip() == marker[0]
    return "" if closes else fence


def _cut_line(line: str, tokens: int) -> str:
    chars = tokens * 3
    while chars and estimate_tokens(line[:chars]) > tokens:
        chars = chars * 3 // 4
    return cut_at_word(line, chars)
