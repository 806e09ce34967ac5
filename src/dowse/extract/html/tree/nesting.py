"""How deep the elements of a page are nested at most, told from the order of its tags.

A parser walks up the open elements for most tags, so that depth times tags is the time it takes. Pages leave end tags
out, and whoever wants to keep a parser busy puts them where they close nothing. So an element counts as open until an
end tag is sure to have closed it: the true depth is never more than what is counted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dowse.extract.html.tree.grammar import BLOCKS, FOREIGN, FORMATTING, MARKERS, NO_DEPTH, TABLE_PARTS

MAX_DEPTH = 300
# `<font color=…>` that is never closed is opened again in each block that follows.
_MAX_REOPENED = 200_000
# To look for what a misplaced tag closes takes time as well.
_MAX_STEPS = 500_000

_IGNORED = frozenset(
    label for name in NO_DEPTH - TABLE_PARTS for label in (name, f"{name}/", f"/{name}", f"{name}<")
) | frozenset(("", "svg/", "math/"))
_TABLE_PARTS = frozenset(label for name in TABLE_PARTS for label in (name, f"{name}/", f"/{name}"))
_FORMATTING = frozenset(f"/{name}" for name in FORMATTING)
_MARKERS = frozenset(f"/{name}" for name in MARKERS)
_TABLE, _TABLE_BARRIERS = "/table", frozenset(("/template",))
_BLOCKS = frozenset(f"/{name}" for name in BLOCKS | {"button", "object"})
# In a drawing or a formula these end it, or they are void where HTML may be in it.
_NEVER_DRAWN = frozenset(f"{name}{slash}" for name in ("br", "embed", "hr", "img", "meta") for slash in ("", "/"))
_HTML = (BLOCKS | FORMATTING | NO_DEPTH | frozenset(("span", "table"))) - {"a", "script", "style", "title"}


def labels(tokens: Iterable[tuple[str, ...]]) -> list[str]:
    """One word for each tag: `div`, `/div`, `path/` if it ends itself, `title<` if its content looks like markup."""
    return [
        name.lower() + slash if name else raw.lower() + "<" if "<" in content else raw.lower()
        for raw, _, name, _, slash, content in tokens
    ]


def is_sane(labels: Sequence[str]) -> bool:
    """Whether a parser gets through tags in this order in reasonable time."""
    nest = _Nest()
    remaining = iter(labels)
    for each in remaining:
        innermost = nest.awaited[-1]
        if each == innermost:
            nest.close()
        elif each in _IGNORED or (innermost == _TABLE and each in _TABLE_PARTS):
            continue
        elif each in FOREIGN:
            if not _is_sane_drawing(each, remaining):
                return False
        elif not nest.take(each):
            return False
    return nest.most_formatting * len(labels) <= _MAX_REOPENED


@dataclass(slots=True)
class _Nest:
    """The end tags that open elements wait for, the innermost last; below them is one that never comes."""

    awaited: list[str] = field(default_factory=lambda: ["-"])
    formatting: int = 0
    most_formatting: int = 0
    steps: int = 0

    def close(self) -> None:
        """The innermost element ends."""
        if self.awaited.pop() in _FORMATTING:
            self.formatting -= 1

    def take(self, label: str) -> bool:
        """The next tag; whether that many are still in order."""
        if label in _TABLE_PARTS:
            self._cut_behind(_TABLE, _TABLE_BARRIERS)
        elif label[0] == "/":
            if label in _BLOCKS and self._cut_behind(label, _MARKERS):
                self.awaited.pop()
        else:
            self._open(label.rstrip("/"))
        return len(self.awaited) <= MAX_DEPTH and self.steps <= _MAX_STEPS

    def _open(self, name: str) -> None:
        self.awaited.append(f"/{name}")
        if name in FORMATTING:
            self.formatting += 1
            self.most_formatting = max(self.most_formatting, self.formatting)

    def _cut_behind(self, end: str, barriers: frozenset[str]) -> bool:
        """Close all that is inside of the element that waits for `end`; what formats text stays in force."""
        for place in range(len(self.awaited) - 1, 0, -1):
            if self.awaited[place] == end:
                del self.awaited[place + 1 :]
                return True
            if self.awaited[place] in barriers:
                break
            self.steps += 1
        return False


def _is_sane_drawing(name: str, remaining: Iterator[str]) -> bool:
    """Go behind the end of a drawing or a formula, where tags may end themselves and hardly any is special."""
    awaited = [f"/{name}"]
    is_pure = True
    for label in remaining:
        if label == awaited[-1]:
            awaited.pop()
            if not awaited:
                return True
        elif label.endswith("<"):
            # A `title` or `style` in a drawing holds elements.
            return False
        elif label and label[0] != "/" and label not in _NEVER_DRAWN and not (is_pure and label[-1] == "/"):
            awaited.append(f"/{label.rstrip('/')}")
            # Most elements of HTML end a drawing.
            is_pure = is_pure and label not in _HTML
            if len(awaited) > MAX_DEPTH:
                return False
    return True
