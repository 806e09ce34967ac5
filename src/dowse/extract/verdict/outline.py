"""A page at a glance: what it calls itself, how much it has to say, and what it offers to press."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from dowse.core import urls
from dowse.extract.verdict.phrases import holds, names, normal
from dowse.extract.verdict.scan import Shape, scan
from dowse.extract.verdict.stock import other_words
from dowse.language.scripts import count_words

# A page that says this much is content, whatever hangs around it; consent pages are the wordiest of the others.
MANY_WORDS = 450
# And the wordiest of those: checks with an explanation, errors with a trace, the beginning of an article for sale.
NOTICE_WORDS = 300
# Enough for a name and a line below it: a page that says no more is what it calls itself, without further signs.
NAME_ONLY_WORDS = 20
_MANY_CHARACTERS = 20_000
# Most targets are written like the first alternative; the second reads these too, but slower.
_LINK = re.compile(
    r"\[([^\[\]]{0,200}+)\]\((?:[^()\s]{0,500}+\)|(?:[^()\s]|\([^()\s]{0,200}\)){0,500}(?:\s[^()]{0,200})?\))"
)
_HEADING = re.compile(r"^#{1,3} (.{1,300})")
# What a page is called stands above the rest; further down are the names of its parts.
_HEADINGS = 2
_FIRST_LINES = 8
_PROTOCOL = (
    *("status code", "statuscode", "http response", "response code", "http status", "error message that"),
    *("code de statut", "código de estado", "codice di stato", "código de status", "ステータスコード", "状态码"),
)
_SYNTAX = re.compile(r"^[\s>#|-]+|^\s*\d{1,3}[.)]\s|\\(?=[^\w\s])|[|]")


@dataclass(frozen=True)
class Outline:
    """All text is in lower case. `lines` are what would be delivered, without the labels of links."""

    title: str
    lines: tuple[str, ...]
    links: tuple[str, ...]
    headings: tuple[str, ...]
    shape: Shape
    has_code: bool = False
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
        """How many words below its headings are none of those that notices consist of."""
        return other_words(" ".join(line for line in self.lines if line not in self.headings))

    @cached_property
    def title_names(self) -> tuple[str, ...]:
        return names(self.title)

    @cached_property
    def heading_names(self) -> tuple[str, ...]:
        """The names in its headings; where it has none, its first words stand for one."""
        return tuple(name for heading in self.headings or self.lines[:1] for name in names(heading))

    @cached_property
    def line_names(self) -> tuple[str, ...]:
        """The names in the first lines below its headings."""
        below = self.lines[0 if self.headings else 1 : _FIRST_LINES]
        return tuple(name for line in below if line not in self.headings for name in names(line))

    @cached_property
    def controls(self) -> tuple[str, ...]:
        return self.links + self.shape.buttons

    @cached_property
    def explains(self) -> bool:
        """Whether it is about such pages rather than one of them: it speaks of the protocol, or shows code."""
        return self.has_code or holds(self.text, _PROTOCOL)

    @cached_property
    def is_unlisted(self) -> bool:
        """Whether it asks search engines not to list it, as few pages with content do."""
        return any("robots" in meta and "noindex" in meta for meta in self.shape.metas)


def says_much(markdown: str) -> bool:
    """Whether a page is content by its length alone, as most are."""
    if len(markdown) > _MANY_CHARACTERS:
        return True
    # Each word of prose has at least two characters with its blank: most short pages need no look at their links.
    if len(markdown) <= 2 * MANY_WORDS:
        return False
    said = _LINK.sub(" ", _with_plain_images(markdown))
    # What has so many blanks needs no look for scripts without them.
    return len(said.split()) > MANY_WORDS or count_words(said) > MANY_WORDS


def outline_of_text(markdown: str, title: str = "") -> Outline:
    """The outline of what would be delivered of a page."""
    links: list[str] = []

    def take(link: re.Match[str]) -> str:
        links.append(normal(link[1]))
        return " "

    lines, headings = [], []
    for line in _with_plain_images(markdown).split("\n"):
        if heading := _HEADING.match(line):
            headings.append(normal(_LINK.sub(r"\1", heading[1])))
        words = normal(_SYNTAX.sub("", _LINK.sub(take, line)))
        if words:
            lines.append(words)
    named = dict.fromkeys(filter(None, headings[:_HEADINGS]))
    said = tuple(lines), tuple(filter(None, links)), tuple(named)
    return Outline(normal(title), *said, Shape(), has_code="```" in markdown)


def with_markup(said: Outline, markup: str, url: str) -> Outline:
    """The outline of a page: its text as it would be delivered, the rest from its markup."""
    shape = scan(markup)
    headings = dict.fromkeys(filter(None, (*shape.headings[:_HEADINGS], *said.headings)))
    page = replace(said, title=shape.title, headings=tuple(headings), shape=shape)
    address = urls.parse(url)
    if address is None:
        return page
    return replace(page, host=address.name, path=address.path.lower(), query=address.query.lower())


def _with_plain_images(markdown: str) -> str:
    """The text with each `![` as `[`, so that one pattern reads links and images."""
    return markdown.replace("![", "[")
