"""Outline of a page for its judges: title, headings, lines, controls, and signs in its markup."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.html.tree.grammar import VOID, position_after, scan_tags
from dowse.extract.html.tree.hiding import hides
from dowse.extract.verdict.wording import holds, names, normal, other_words
from dowse.language.scripts import count_words

# A page with more words is content; consent walls are the wordiest of the others.
MANY_WORDS = 450
# The other notices stay below: challenges with an explanation, errors with a trace, teasers of paywalled articles.
NOTICE_WORDS = 300
# A name and a line below it: title and heading suffice as signs of a page without further text.
NAME_ONLY_WORDS = 20
_MANY_CHARACTERS = 20_000
# Most link targets match the first alternative; the second matches these too, but slower.
_LINK = re.compile(
    r"\[([^\[\]]{0,200}+)\]\((?:[^()\s]{0,500}+\)|(?:[^()\s]|\([^()\s]{0,200}\)){0,500}(?:\s[^()]{0,200})?\))"
)
_TARGET = re.compile(r"\((?:https?:)?//[^/()\s]{1,200}([^()\s?#]{0,300})|\((/[^()\s?#]{0,300})")
_HEADING = re.compile(r"^#{1,3} (.{1,300})")
# The name of a page is in its first headings; further down are the names of its parts.
_HEADINGS = 2
_FIRST_LINES = 8
_PROTOCOL = (
    *("status code", "statuscode", "http response", "response code", "http status", "error message that"),
    *("code de statut", "código de estado", "codice di stato", "código de status", "ステータスコード", "状态码"),
)
_SYNTAX = re.compile(r"^[\s>#|-]+|^\s*\d{1,3}[.)]\s|\\(?=[^\w\s])|[|]")
# Beyond these limits only the length of the text counts: signs stand early, or the page is small.
_MAX_TAGS = 2_500
_MAX_MARKS = 200_000
_MAX_SCRIPT = 20_000
_MAX_TAG = 1_000
_MAX_TEXT = 2_000
_MAX_VISIBLE = 10_000
_COLLECTED = frozenset({"title", "h1", "button", "noscript"})
_KEPT = frozenset({"input", "meta", "script"})
# They name files of other sites, which are no sign that something is on this page.
_REFERRING = frozenset({"script", "link", "meta", "style", "iframe"})
_VALUE = re.compile(r"""\bvalue\s{0,9}=\s{0,9}(?:"([^"]{1,100})"|'([^']{1,100})')""")
_PRESSED = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?(?:submit|button)""")


@dataclass(frozen=True)
class PageOutline:
    """Text and signs of a page, in lower case. `lines` are the delivered text without the labels of links."""

    title: str
    lines: tuple[str, ...]
    links: tuple[str, ...]
    headings: tuple[str, ...]
    markup: MarkupSigns
    has_code: bool = False
    targets: tuple[str, ...] = ()
    host: str = ""
    path: str = ""
    query: str = ""

    @cached_property
    def text(self) -> str:
        return " ".join(self.lines)

    @cached_property
    def words(self) -> int:
        return count_words(self.text)

    @cached_property
    def other_words(self) -> int:
        """Number of words below the headings outside the vocabulary of notices."""
        return other_words(" ".join(line for line in self.lines if line not in self.headings))

    @cached_property
    def title_names(self) -> tuple[str, ...]:
        return names(self.title)

    @cached_property
    def heading_names(self) -> tuple[str, ...]:
        """Names in the headings; without headings, those in the first line."""
        return tuple(name for heading in self.headings or self.lines[:1] for name in names(heading))

    @cached_property
    def line_names(self) -> tuple[str, ...]:
        """Names in the first lines below the headings."""
        below = self.lines[0 if self.headings else 1 : _FIRST_LINES]
        return tuple(name for line in below if line not in self.headings for name in names(line))

    @cached_property
    def controls(self) -> tuple[str, ...]:
        return self.links + self.markup.buttons

    @cached_property
    def explains(self) -> bool:
        """Whether the page is about notices rather than one: it mentions the protocol, or shows code."""
        return self.has_code or holds(self.text, _PROTOCOL)

    @cached_property
    def is_unlisted(self) -> bool:
        """Whether it declares `noindex`, as few pages with content do."""
        return any("robots" in meta and "noindex" in meta for meta in self.markup.metas)


def says_much(markdown: str) -> bool:
    """Whether a page is content by its length alone, as most are."""
    if len(markdown) > _MANY_CHARACTERS:
        return True
    # A word of prose takes at least two characters with its blank, so most short pages need no search for links.
    if len(markdown) <= 2 * MANY_WORDS:
        return False
    unlinked = _LINK.sub(" ", _with_plain_images(markdown))
    # Counting blanks is cheaper than looking for scripts without them.
    return len(unlinked.split()) > MANY_WORDS or count_words(unlinked) > MANY_WORDS


def outline_text(markdown: str, title: str = "") -> PageOutline:
    """Outline the delivered text of a page."""
    links: list[str] = []
    targets: list[str] = []
    lines, headings = [], []
    for line in _with_plain_images(markdown).split("\n"):
        if heading := _HEADING.match(line):
            headings.append(normal(_LINK.sub(r"\1", heading[1])))
        words = normal(_SYNTAX.sub("", _LINK.sub(lambda link: _take(link, links, targets), line)))
        if words:
            lines.append(words)
    named = dict.fromkeys(filter(None, headings[:_HEADINGS]))
    parts = tuple(lines), tuple(filter(None, links)), tuple(named)
    return PageOutline(normal(title), *parts, MarkupSigns(), has_code="```" in markdown, targets=tuple(targets))


def _take(link: re.Match[str], links: list[str], targets: list[str]) -> str:
    """Note a link and its target; a blank stands in for it."""
    links.append(normal(link[1]))
    if target := _TARGET.search(link[0], len(link[1])):
        targets.append((target[1] or target[2] or "/").lower())
    return " "


def outline_page(text: PageOutline, markup: str, url: str) -> PageOutline:
    """Complete the outline of a text with the signs in its markup and address."""
    signs = scan(markup)
    headings = dict.fromkeys(filter(None, (*signs.headings[:_HEADINGS], *text.headings)))
    page = replace(text, title=signs.title, headings=tuple(headings), markup=signs)
    address = urls.parse(url)
    if address is None:
        return page
    return replace(page, host=address.name, path=address.path.lower(), query=address.query.lower())


def _with_plain_images(markdown: str) -> str:
    """The text with each `![` as `[`, so that one pattern reads links and images."""
    return markdown.replace("![", "[")


@dataclass(frozen=True, slots=True)
class MarkupSigns:
    """Signs in the markup of a page, in lower case except `visible`.

    `inputs`, `metas` and `scripts` are the attributes of those elements. `tags` are the elements of the body, `marks`
    these and the scripts; neither holds text of the page. `visible` is the beginning of the visible text,
    `text_chars` the length of all of it.
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
        """Beginning of the visible text, delivered or not; computed on demand, as few judges need it."""
        return normal(html.unescape(self.visible))


@dataclass(slots=True)
class _Scan:
    """State of one pass over the tags. `inside` is the open collected element, `hidden` the open invisible one."""

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

    def take_tag(self, name: str, slash: str, attributes: str, *, is_late: bool) -> str:
        """Take a tag; returns its name if it opens raw text. Late tags count only for visibility."""
        if is_late and name and self.inside:
            self.close()
        if slash:
            self.end(name)
            return ""
        if not name:
            return ""
        attributes = attributes[:_MAX_TAG].lower()
        if is_late:
            self.hide(name, attributes)
        else:
            self.start(name, attributes)
        return name if name in ("script", "style") else ""

    def start(self, name: str, attributes: str) -> None:
        """Take a start tag, its name and attributes in lower case."""
        self._mark(self.others if name in _REFERRING else self.tags, f"<{name}{attributes}>")
        if name in _KEPT:
            self.attributes[name].append(attributes)
        self.hide(name, attributes)
        if self.inside:
            self.pieces.append(" ")
        elif name in _COLLECTED:
            self.inside = name

    def take_text(self, text: str, raw: str) -> None:
        """Take the text before a tag, unless it is blank, as most is."""
        if raw or self.inside or not text.isspace():
            self.text(text, raw)

    def text(self, text: str, raw: str) -> None:
        """Take the text before a tag; `raw` names an open `script` or `style` with invisible content."""
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
        """End the collected element, or the page."""
        text = "".join(self.pieces)[:_MAX_TEXT]
        if self.inside and text.strip():
            self.texts[self.inside].append(normal(html.unescape(text)))
        self.inside, self.pieces = "", []

    def hide(self, name: str, attributes: str) -> None:
        """Note whether the content behind this start tag is visible."""
        if self.hidden:
            self.hidden_depth += name == self.hidden
        # Most tags hold neither word, and searching both is cheaper than the whole test.
        elif ("hidden" in attributes or "style" in attributes or name == "template") and _is_hidden(name, attributes):
            self.hidden, self.hidden_depth = name, 1

    def _mark(self, marks: list[str], text: str) -> None:
        if self.room > 0:
            marks.append(text)
            self.room -= len(text)


def scan(markup: str) -> MarkupSigns:
    """Scan the tags in one pass, linear in the size of the page."""
    state = _Scan()
    position, raw = 0, ""
    for count, (name, found) in enumerate(scan_tags(markup)):
        # Half of the tags directly follow another.
        if position < found.start() or raw:
            state.take_text(markup[position : found.start()], raw)
        position = found.end() if name else position_after(found)
        # Most end tags close no element of interest.
        if found["slash"] and not (state.inside or state.hidden):
            raw = ""
            continue
        raw = state.take_tag(name, *found.group("slash", "attributes"), is_late=count >= _MAX_TAGS)
    state.text(markup[position:], raw)
    state.close()
    return _sum_up(state)


def _sum_up(state: _Scan) -> MarkupSigns:
    # Every second tag repeats an earlier one, and marks are searched many times.
    tags = tuple(dict.fromkeys(state.tags))
    inputs = state.attributes["input"]
    pressed = [found[1] or found[2] for each in inputs if _PRESSED.search(each) and (found := _VALUE.search(each))]
    return MarkupSigns(
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


def make_verdict(
    status: Status, reason: FailureReason, signs: Iterable[str], onward: Onward | None = None
) -> PageUnreadable:
    """The verdict that a page is an interstitial; its signs are for the log."""
    return PageUnreadable(status, f"{reason} ({', '.join(signs)})", onward, reason=reason)
