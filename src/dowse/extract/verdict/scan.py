"""What the markup of a page shows besides its text: names, controls, fields, and the marks vendors leave."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from dataclasses import dataclass, field

from dowse.extract.html.tree.grammar import VOID, position_after, scan_tags
from dowse.extract.html.tree.hiding import hides
from dowse.extract.verdict.phrases import normal

# Beyond these, nothing but the length of the text counts: the signs are early, or the page is small.
_MAX_TAGS = 5_000
_MAX_MARKS = 200_000
_MAX_SCRIPT = 20_000
_MAX_TAG = 1_000
_MAX_TEXT = 2_000
_MAX_VISIBLE = 10_000
_COLLECTED = frozenset({"title", "h1", "button", "noscript"})
_KEPT = frozenset({"input", "meta", "script"})
# They name files of others, which are no sign that something is on this page.
_REFERRING = frozenset({"script", "link", "meta", "style", "iframe"})
_VALUE = re.compile(r"""\bvalue\s{0,9}=\s{0,9}(?:"([^"]{1,100})"|'([^']{1,100})')""")
_PRESSED = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?(?:submit|button)""")


@dataclass(frozen=True, slots=True)
class Shape:
    """Lower-case text but for `visible`. `inputs`, `metas` and `scripts` are the attributes of those elements.

    `tags` are the elements a reader could see, `marks` all of them and the scripts; no text of the page is in either.
    `visible` is what there is to read at the beginning of the page as it is written, `text_chars` the length of all.
    """

    title: str = ""
    headings: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    noscript: str = ""
    inputs: tuple[str, ...] = ()
    metas: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    tags: str = ""
    marks: str = ""
    visible: str = ""
    text_chars: int = 0

    @property
    def text(self) -> str:
        """What there is to read at the beginning of the page, delivered or not; few pages are asked for it."""
        return normal(html.unescape(self.visible))


@dataclass(slots=True)
class _Scan:
    """The state of one pass over the tags. `inside` is the collected element that is open, `hidden` the invisible."""

    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    attributes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    tags: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    room: int = _MAX_MARKS
    text_chars: int = 0
    visible: list[str] = field(default_factory=list)
    inside: str = ""
    pieces: list[str] = field(default_factory=list)
    hidden: str = ""
    hidden_depth: int = 0

    def start(self, name: str, attributes: str) -> None:
        """A start tag, its name and attributes in lower case."""
        self._mark(self.others if name in _REFERRING else self.tags, f"<{name}{attributes}>")
        if name in _KEPT:
            self.attributes[name].append(attributes)
        self.hide(name, attributes)
        if self.inside:
            self.pieces.append(" ")
        elif name in _COLLECTED:
            self.inside = name

    def text(self, text: str, raw: str) -> None:
        """The text before a tag; `raw` is the element whose content is no text to read."""
        if raw == "script":
            self._mark(self.others, text[:_MAX_SCRIPT].lower())
        if raw or self.hidden:
            return
        self.text_chars += len(text.strip())
        if self.text_chars <= _MAX_VISIBLE:
            self.visible.append(text)
        if self.inside:
            self.pieces.append(text[:_MAX_TEXT])

    def end(self, name: str) -> None:
        if name == self.hidden:
            self.hidden_depth -= 1
            self.hidden = self.hidden if self.hidden_depth else ""
        if name == self.inside:
            self.close()
        elif self.inside:
            self.pieces.append(" ")

    def close(self) -> None:
        """The end of the collected element, or of the page."""
        text = "".join(self.pieces)[:_MAX_TEXT]
        if self.inside and text.strip():
            self.texts[self.inside].append(normal(html.unescape(text)))
        self.inside, self.pieces = "", []

    def hide(self, name: str, attributes: str) -> None:
        """Note whether what comes behind this start tag can be seen."""
        if self.hidden:
            self.hidden_depth += name == self.hidden
        # Most tags hold neither word, and a look for both is cheaper than the whole test.
        elif ("hidden" in attributes or "style" in attributes or name == "template") and _is_hidden(name, attributes):
            self.hidden, self.hidden_depth = name, 1

    def _mark(self, marks: list[str], text: str) -> None:
        if self.room > 0:
            marks.append(text)
            self.room -= len(text)


def scan(markup: str) -> Shape:
    """One pass, linear in the size of the page."""
    state = _Scan()
    position, raw = 0, ""
    for count, (name, found) in enumerate(scan_tags(markup)):
        # Half of the tags come right behind another, and most of what stands between two is blank.
        if position < found.start() or raw:
            text = markup[position : found.start()]
            if raw or state.inside or not text.isspace():
                state.text(text, raw)
        position, raw = found.end() if name else position_after(found), ""
        slash, attributes = found.group("slash", "attributes")
        is_late = count >= _MAX_TAGS
        if is_late and name and state.inside:
            state.close()
        if slash:
            # Most end tags end nothing that is of interest.
            if state.inside or state.hidden:
                state.end(name)
        elif name:
            raw = name if name in ("script", "style") else ""
            attributes = attributes[:_MAX_TAG].lower()
            if is_late:
                state.hide(name, attributes)
            else:
                state.start(name, attributes)
    state.text(markup[position:], raw)
    state.close()
    return _shape(state)


def _shape(state: _Scan) -> Shape:
    # Every second tag is written like one before it, and marks are looked for many times.
    tags = tuple(dict.fromkeys(state.tags))
    inputs = state.attributes["input"]
    pressed = [found[1] or found[2] for each in inputs if _PRESSED.search(each) and (found := _VALUE.search(each))]
    return Shape(
        title=next(iter(state.texts["title"]), ""),
        headings=tuple(state.texts["h1"]),
        buttons=(*state.texts["button"], *map(normal, map(html.unescape, pressed))),
        noscript=" ".join(state.texts["noscript"]),
        inputs=tuple(inputs),
        metas=tuple(state.attributes["meta"]),
        scripts=tuple(state.attributes["script"]),
        tags="\n".join(tags),
        marks="\n".join((*tags, *state.others)),
        visible=" ".join(state.visible),
        text_chars=state.text_chars,
    )


def _is_hidden(name: str, attributes: str) -> bool:
    return name not in VOID and (name == "template" or hides(attributes))
