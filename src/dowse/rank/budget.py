"""Fits page texts into a token budget: a fair share for each, cut at the end of a line."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.text import cut_at_word, estimate_tokens

_FENCE = "```"
_CLOSING_TOKENS = estimate_tokens("\n" + _FENCE)


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
    left, fenced = tokens, False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(_FENCE)
        # A fence that is open after this line has to be closed within the budget as well.
        room = left - (_CLOSING_TOKENS if fenced ^ is_fence else 0)
        cost = estimate_tokens(line + "\n")
        if cost > room:
            # Pages without line breaks exist: a long line is cut rather than lost.
            if room > tokens // 3 and not is_fence:
                kept.append(_cut_line(line, room - 1))
            break
        left -= cost
        fenced ^= is_fence
        kept.append(line)
    return "\n".join(kept).rstrip() + ("\n" + _FENCE if fenced else "")


def _cut_line(line: str, tokens: int) -> str:
    chars = tokens * 3
    while chars and estimate_tokens(line[:chars]) > tokens:
        chars = chars * 3 // 4
    return cut_at_word(line, chars)
