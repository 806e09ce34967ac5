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
# Foreign elements have parsing rules of their own. An `object` is not shown either; a formula loses its structure.
_STAND_INS = {"svg": "object", "math": "span"}
# Measured with lexbor: 20,000 attributes on one tag, options in one `select`, or attributes that further `body` tags
# add to the first one take about a second, and twice as many four times as long.
_MAX_PARSED_OPTIONS = 3_000
_MAX_ROOTS = 20
_MAX_TAG_NAMES = 2_000
_MAX_ATTRIBUTE_NAMES = 50_000
# Shorter attribute texts cannot exceed the limits above.
_SHORT = 2 * _MAX_ATTRIBUTES
_LITTLE = 5 * _MAX_ATTRIBUTE_NAMES
_SURROGATES = re.compile("[\ud800-\udfff]")
# An `iframe` without an end tag swallows the rest of the page; browsers skip it inside a `noscript`.
_FRAME = "<iframe"
_OPEN_FRAME = re.compile(rf"{_FRAME}\b[^<>]*>(?=\s*</noscript)")
MAX_DEPTH = 300
# `<font color=…>` that is never closed is opened again in each block that follows.
_MAX_REOPENED = 200_000
# The search for the element that a misplaced end tag closes takes time as well.
_MAX_STEPS = 500_000
_IGNORED = frozenset(
    label for name in NO_DEPTH - TABLE_PARTS for label in (name, f"{name}/", f"/{name}", f"{name}<")
) | frozenset(("", "svg/", "math/"))
_TABLE_PARTS = frozenset(label for name in TABLE_PARTS for label in (name, f"{name}/", f"/{name}"))
_FORMATTING = frozenset(f"/{name}" for name in FORMATTING)
_MARKERS = frozenset(f"/{name}" for name in MARKERS)
_TABLE, _TABLE_BARRIERS = "/table", frozenset(("/template",))
_BLOCKS = frozenset(f"/{name}" for name in BLOCKS | {"button", "object"})
# In a drawing or a formula these end it, or are void.
_NEVER_DRAWN = frozenset(f"{name}{slash}" for name in ("br", "embed", "hr", "img", "meta") for slash in ("", "/"))
_HTML = (BLOCKS | FORMATTING | NO_DEPTH | frozenset(("span", "table"))) - {"a", "script", "style", "title"}


def cap_markup(markup: str) -> str:
    """Bound the parser's work: the markup itself, or a rewritten one with all of its text and fewer tags."""
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
    # Many tags have the same attributes.
    long = {each for each in written if len(each) > _SHORT}
    if any(len(ATTRIBUTE.findall(each)) > _MAX_ATTRIBUTES for each in long):
        return False
    if len("".join(written)) <= _LITTLE:
        return True
    names = {name for attributes in set(written) for name in ATTRIBUTE.findall(attributes)}
    return len(names) <= _MAX_ATTRIBUTE_NAMES


def label_tags(tokens: Iterable[tuple[str, ...]]) -> list[str]:
    """A label for each tag: `div`, `/div`, `path/` if self-closing, `title<` if its raw text looks like markup."""
    return [
        name.lower() + slash if name else raw.lower() + "<" if "<" in content else raw.lower()
        for raw, _, name, _, slash, content in tokens
    ]


def nests_sanely(label_tags: Sequence[str]) -> bool:
    """Whether tags in this order take a parser reasonable time.

    A parser walks up the open elements for most tags, so its time is depth times tags. Pages omit end tags, and
    hostile ones put them where they close nothing. So an element counts as open until an end tag is sure to have
    closed it: the true depth is never more than the depth counted here.
    """
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
    """Stack of the end tags that open elements wait for, above a sentinel that never comes."""

    awaited: list[str] = field(default_factory=lambda: ["-"])
    formatting: int = 0
    most_formatting: int = 0
    steps: int = 0

    def close(self) -> None:
        if self.awaited.pop() in _FORMATTING:
            self.formatting -= 1

    def take(self, label: str) -> bool:
        """Take the next tag; false when the limits are exceeded."""
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
        """Close everything inside the element that waits for `end`; formatting stays in force."""
        for place in range(len(self.awaited) - 1, 0, -1):
            if self.awaited[place] == end:
                del self.awaited[place + 1 :]
                return True
            if self.awaited[place] in barriers:
                break
            self.steps += 1
        return False


def _is_sane_drawing(name: str, remaining: Iterator[str]) -> bool:
    """Consume a drawing or a formula, in which tags may close themselves and hardly any is special."""
    awaited = [f"/{name}"]
    is_pure = True
    for label in remaining:
        if label == awaited[-1]:
            awaited.pop()
            if not awaited:
                return True
        elif label.endswith("<"):
            # In a drawing, `title` and `style` hold elements.
            return False
        elif _opens_in_drawing(label, is_pure=is_pure):
            awaited.append(f"/{label.rstrip('/')}")
            # Most elements of HTML end a drawing.
            is_pure = is_pure and label not in _HTML
            if len(awaited) > MAX_DEPTH:
                return False
    return True


def _opens_in_drawing(label: str, *, is_pure: bool) -> bool:
    if not label or label[0] == "/" or label in _NEVER_DRAWN:
        return False
    return not is_pure or label[-1] != "/"


def rewrite(markup: str) -> str:
    """Write markup anew with all of its text, and as many well-nested tags as the limits allow, without comments.

    Every element that is opened is closed where it ends, so that the parser's tree is the one counted here, whatever
    the rules for misplaced tags are.
    """
    text, *parts = TOKEN.split(markup)
    writer = _Writer([text])
    # Behind the groups of each tag comes the text up to the next one.
    for raw, _, name, attributes, _, content, text in zip(*[iter(parts)] * 7, strict=True):
        if raw:
            writer.write_raw(raw, attributes, content)
        elif name:
            writer.take(name.lower(), attributes)
        writer.pieces.append(text)
    return "".join(writer.pieces)


@dataclass(slots=True)
class _Writer:
    """Writes one tag after the other. `left_out` counts the omitted elements inside of the innermost open one."""

    pieces: list[str]
    open_names: list[str] = field(default_factory=list)
    open_counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    formatting: int = 0
    singles: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)

    def write_raw(self, name: str, attributes: str, content: str) -> None:
        """Write a raw-text element."""
        self._write(name, attributes)
        self.pieces.append(content)

    def take(self, name: str, attributes: str) -> None:
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
        # Formatting may end anywhere: elements that began inside of it go on, and so does it.
        elif self.open_counts[name] and (name not in FORMATTING or self.open_names[-1] == name):
            self._close_inside(name)
            self._close()

    def _is_wanted(self, name: str) -> bool:
        """Whether the limit for this element without depth is not yet reached."""
        if name not in ROOTS and name != "option":
            return True
        self.singles[name] += 1
        return self.singles[name] <= (_MAX_OPTIONS if name == "option" else 1)

    def _has_room_for(self, name: str) -> bool:
        if len(self.open_names) >= MAX_DEPTH or (name in FORMATTING and self.formatting >= _MAX_FORMATTING):
            return False
        return self._is_known(name)

    def _is_known(self, name: str) -> bool:
        """Whether a name occurred before or is one of the first."""
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
