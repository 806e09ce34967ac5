"""Guard in front of the parser: markup that would take it quadratic time is rewritten first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dowse.extract.html.tree.grammar import (
    ATTRIBUTE,
    BLOCKS,
    FOREIGN,
    FORMATTING,
    INLINE,
    MARKERS,
    NO_DEPTH,
    ROOTS,
    TABLE_PARTS,
    TOKEN,
)

_MAX_ATTRIBUTES = 250
_MAX_FORMATTING = 4
_MAX_OPTIONS = 1_000
_MAX_NAMES = 2_000
# These have rules of their own. An `object` is not shown either, and a formula is shown without its structure.
_STAND_INS = {"svg": "object", "math": "span"}
# Measured with lexbor: 20,000 attributes on one tag, options in one `select` or attributes that `body` tags add to the
# first one take about a second, and twice as many four times as long.
_MAX_PARSED_OPTIONS = 3_000
_MAX_ROOTS = 20
_MAX_TAG_NAMES = 2_000
_MAX_ATTRIBUTE_NAMES = 50_000
# Attributes that are shorter cannot be more than a tag may have, or all together have more names than there may be.
_SHORT = 2 * _MAX_ATTRIBUTES
_LITTLE = 5 * _MAX_ATTRIBUTE_NAMES
_SURROGATES = re.compile("[\ud800-\udfff]")
# A frame ends with its end tag only, so one without it is all the rest of the page. Browsers do not read a `noscript`.
_FRAME = "<iframe"
_OPEN_FRAME = re.compile(rf"{_FRAME}\b[^<>]*>(?=\s*</noscript)")
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


def capped(markup: str) -> str:
    """The markup, or one with all of its text whose tags are no more than a parser gets through."""
    if not _is_encodable(markup):
        markup = _SURROGATES.sub("\ufffd", markup)
    if _FRAME in markup:
        markup = _OPEN_FRAME.sub("", markup)
    return markup if _is_tame(markup) else rewrite(markup)


def _is_encodable(markup: str) -> bool:
    if markup.isascii():
        return True
    try:
        markup.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_tame(markup: str) -> bool:
    tokens = TOKEN.findall(markup)
    labels = label_tags(tokens)
    return (
        len(set(labels)) <= _MAX_TAG_NAMES
        and labels.count("option") <= _MAX_PARSED_OPTIONS
        and labels.count("body") + labels.count("html") <= _MAX_ROOTS
        and _has_few_attributes([attributes for _, _, _, attributes, _, _ in tokens])
        and nests_sanely(labels)
    )


def _has_few_attributes(written: list[str]) -> bool:
    # Many tags have the same ones.
    long = {each for each in written if len(each) > _SHORT}
    if any(len(ATTRIBUTE.findall(each)) > _MAX_ATTRIBUTES for each in long):
        return False
    if len("".join(written)) <= _LITTLE:
        return True
    names = {name for attributes in set(written) for name in ATTRIBUTE.findall(attributes)}
    return len(names) <= _MAX_ATTRIBUTE_NAMES


def label_tags(tokens: Iterable[tuple[str, ...]]) -> list[str]:
    """One word for each tag: `div`, `/div`, `path/` if it ends itself, `title<` if its content looks like markup."""
    return [
        name.lower() + slash if name else raw.lower() + "<" if "<" in content else raw.lower()
        for raw, _, name, _, slash, content in tokens
    ]


def nests_sanely(label_tags: Sequence[str]) -> bool:
    """Whether a parser gets through tags in this order in reasonable time."""
    nest = _Nest()
    remaining = iter(label_tags)
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
    return nest.most_formatting * len(label_tags) <= _MAX_REOPENED


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


def rewrite(markup: str) -> str:
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
        kept = [each[0] for each, _ in zip(found, range(_MAX_ATTRIBUTES), strict=False) if self._is_known(each[1])]
        self.pieces.append(f"<{' '.join([name, *kept])}>")
