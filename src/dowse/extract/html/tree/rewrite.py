"""Markup that is too much for a parser, written anew: all of its text, and as many of its tags as are good for it.

Every element that is opened is closed where it ends, so that what a parser makes of it is what was counted here,
whatever the rules for misplaced tags are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dowse.extract.html.tree.elements import INLINE
from dowse.extract.html.tree.grammar import ATTRIBUTE, FORMATTING, NO_DEPTH, ROOTS, TABLE_PARTS, TOKEN
from dowse.extract.html.tree.nesting import MAX_DEPTH

MAX_ATTRIBUTES = 250
_MAX_FORMATTING = 4
_MAX_OPTIONS = 1_000
_MAX_NAMES = 2_000
# These have rules of their own. An `object` is not shown either, and a formula is shown without its structure.
_STAND_INS = {"svg": "object", "math": "span"}


def rewritten(markup: str) -> str:
    """The markup with its tags in order; comments are left out."""
    text, *parts = TOKEN.split(markup)
    writer = _Writer([text])
    # Behind the groups of a tag comes the text up to the next one.
    for raw, _, name, attributes, _, content, text in zip(*[iter(parts)] * 7, strict=True):
        if raw:
            writer.write_raw(raw, attributes, content)
        elif name:
            writer.take(name.lower(), attributes)
        writer.pieces.append(text)
    return "".join(writer.pieces)


@dataclass(slots=True)
class _Writer:
    """Writes one tag after the other. `left_out` counts the elements inside of the innermost one that were not."""

    pieces: list[str]
    open_names: list[str] = field(default_factory=list)
    open_counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    formatting: int = 0
    singles: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)

    def write_raw(self, name: str, attributes: str, content: str) -> None:
        """An element whose content is no markup."""
        self._write(name, attributes)
        self.pieces.append(content)

    def take(self, name: str, attributes: str) -> None:
        """The next tag."""
        if name[0] == "/":
            self._end(_STAND_INS.get(name[1:], name[1:]))
        else:
            self._start(_STAND_INS.get(name, name), attributes)

    def _start(self, name: str, attributes: str) -> None:
        if name in TABLE_PARTS:
            self._close_inside("table")
        if name in NO_DEPTH:
            if self._is_wanted(name):
                self._write(name, attributes)
        elif self._has_room_for(name):
            self.open_names.append(name)
            self.open_counts[name] += 1
            self.formatting += name in FORMATTING
            self._write(name, attributes)
        else:
            self.left_out[name] += 1
            self._keep_apart(name)

    def _end(self, name: str) -> None:
        if name in TABLE_PARTS:
            self._close_inside("table")
        if name in NO_DEPTH:
            self.pieces.append(f"</{name}>")
        elif self.left_out[name]:
            self.left_out[name] -= 1
            self._keep_apart(name)
        # What formats text may end anywhere: elements that began in it go on, and so does it.
        elif self.open_counts[name] and (name not in FORMATTING or self.open_names[-1] == name):
            self._close_inside(name)
            self._close()

    def _is_wanted(self, name: str) -> bool:
        """Whether an element without depth is one of as many as there may be."""
        if name not in ROOTS and name != "option":
            return True
        self.singles[name] += 1
        return self.singles[name] <= (_MAX_OPTIONS if name == "option" else 1)

    def _has_room_for(self, name: str) -> bool:
        if len(self.open_names) >= MAX_DEPTH or (name in FORMATTING and self.formatting >= _MAX_FORMATTING):
            return False
        return self._is_known(name)

    def _is_known(self, name: str) -> bool:
        """Whether a name was there before or is one of the first."""
        if len(self.names) < _MAX_NAMES:
            self.names.add(name)
        return name in self.names

    def _close_inside(self, name: str) -> None:
        if self.open_counts[name]:
            while self.open_names[-1] != name:
                self._close()

    def _close(self) -> None:
        name = self.open_names.pop()
        self.open_counts[name] -= 1
        self.formatting -= name in FORMATTING
        self.left_out.clear()
        self.pieces.append(f"</{name}>")

    def _keep_apart(self, name: str) -> None:
        if name not in INLINE:
            self.pieces.append("\n")

    def _write(self, name: str, attributes: str) -> None:
        if not attributes:
            self.pieces.append(f"<{name}>")
            return
        found = ATTRIBUTE.finditer(attributes)
        kept = [each[0] for each, _ in zip(found, range(MAX_ATTRIBUTES), strict=False) if self._is_known(each[1])]
        self.pieces.append(f"<{' '.join([name, *kept])}>")
