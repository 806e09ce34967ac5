"""Bylines and dates in the visible text near the headline, found in one pass over the first part of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import lru_cache
from math import inf

from dowse.extract.html.metadata.names import behind_label
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node, Tree
from dowse.language import dates
from dowse.language.dates import Moment

NEAR = 1500
"""Longest distance of a byline or date from the headline, in characters; not for author properties."""
# Shorter pages are read to the end; of longer ones this share, and the nodes near the headline.
_SHORT_PAGE = 600
_READ_SHARE = 0.4
_NEAR_NODES = 300
_MOST_NODES = 20_000
_MOST_MARKS = 60
_LONGEST_LINE = 160
_LONGEST_DATE_LINE = 60
_LONGEST_LABEL = 40
_LONGEST_LINK = 300
_LARGEST_BYLINE = 60
# An article's date may be in a small `footer` or `aside`.
_SMALL_ASIDE = 30
_ASIDES = frozenset({"footer", "aside", "nav"})
_AUTHOR_PROPERTIES = frozenset({"author", "creator"})
_AUTHOR_LINK = re.compile(
    r"/(?:authors?|contributors?|writers?|columnists?|by|profiles?|people|staff|members?|users?|u|team|experts?)/[^/]",
    re.I,
)
_LONGEST_CLASS = 200
# `PostUser-name` and `post_user__name` both consist of `post`, `user` and `name`.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ASIDE = frozenset(
    "comment comments commentlist related recommend recommended recommendations sidebar footer popular trending latest"
    " newsletter promo advert advertisement ad ads cookie cookies breadcrumb breadcrumbs upcoming teaser teasers"
    " carousel card cards review reviews suggested readmore".split()
)
_AUTHOR = frozenset(
    "author authors byline bylines byauthor writer writers contributor contributors vcard creator attribution"
    " postauthor entryauthor articleauthor".split()
)
_LOGINS = frozenset({"username", "fn"})
_NAMES = frozenset({"name", "link", "title"})
_WHOSE = frozenset({"author", "creator", "user"})
_MODIFIED = frozenset({"updated", "update", "modified", "revised", "lastmod", "lastupdate"})
_PUBLISHED = frozenset({"published", "publish", "publishdate", "pubdate", "posted", "publication", "postdate"})
_WRITINGS = frozenset({"entry", "post", "article", "created", "story", "blog"})
_DATE = frozenset({"date", "dates", "datetime", "time", "timestamp", "dateline"})
# Classes without one of these words, most of them, have no role.
_TELLING = _ASIDE | _AUTHOR | _WHOSE | _MODIFIED | _PUBLISHED | _DATE | _LOGINS | {"by"}

_SAYS_MODIFIED = re.compile(
    r"updat|modif|revis|last (?:edit|review|chang)|reviewed|aktualisiert|geändert|stand:|mise? à jour|actualizad"
    r"|aggiorna|atualizad|bijgewerkt|gewijzigd|zaktualiz|обновлен|更新|수정",
    re.I,
)
_SAYS_PUBLISHED = re.compile(
    r"publish|posted|written|asked|created|started|veröffentlicht|erschienen|publié|publicad|pubblicat|geplaatst"
    r"|gepubliceerd|opublikowan|опубликован|发布|發布|公開|投稿|발행|등록",
    re.I,
)
_SAYS_OTHER = re.compile(
    r"©|copyright|\(c\)|expire|until|deadline|joined|since|registered|born|event|valid|founded|starts|ends|comment"
    r"|repl(?:y|ied)",
    re.I,
)


class Role(Enum):
    """Role of an element: teaser of another page, author, or a kind of date."""

    NONE = 0
    ASIDE = 1
    AUTHOR = 2
    AUTHOR_NAME = 3
    PUBLISHED = 4
    MODIFIED = 5
    DATE = 6


_KINDS_OF_DATE = frozenset({Role.PUBLISHED, Role.MODIFIED})
_DATE_PROPERTIES = {
    "datePublished": Role.PUBLISHED,
    "dateCreated": Role.PUBLISHED,
    "uploadDate": Role.PUBLISHED,
    "dateModified": Role.MODIFIED,
}


class Reason(IntEnum):
    """Evidence that a line names the author, the best first."""

    PROPERTY = 0
    RELATION = 1
    NAME_CLASS = 2
    BYLINE = 3
    LINK = 4


@dataclass(frozen=True, slots=True)
class AuthorMark:
    """A candidate for the author; `at` is its offset in the text."""

    text: str
    reason: Reason
    at: int


@dataclass(frozen=True, slots=True)
class DateMark:
    """A date and its role; declared if it comes from a property."""

    moment: Moment
    role: Role
    is_declared: bool
    at: int


@dataclass(slots=True)
class BylineMarks:
    """Candidates in document order; `headline_at` is the offset of the end of the headline."""

    authors: list[AuthorMark] = field(default_factory=list)
    dates: list[DateMark] = field(default_factory=list)
    headline_at: int = 0


def find_marks(tree: Tree, headline: Node | None, language: str) -> BylineMarks:
    """Find candidates for author and dates, without those of comments and teasers."""
    return _Reader(tree, headline, language).read()


class _Reader:
    def __init__(self, tree: Tree, headline: Node | None, language: str) -> None:
        self._tree = tree
        self._headline = headline
        self._language = language
        self._found = BylineMarks()
        self._seen = 0
        self._before = ""

    def read(self) -> BylineMarks:
        nodes, headline = self._tree.nodes, self._headline
        headline_end = headline.end if headline is not None else 0
        index, last = 1, self._last(len(nodes))
        far = NEAR if headline is None else inf
        while index < last:
            node = nodes[index]
            index += 1
            if not node.tag:
                self._take_text(node)
            elif node.attributes or node.tag in _ASIDES or node.tag == "time":
                index = self._take_element(node)
            if index == headline_end:
                self._found.headline_at = self._seen
                far = self._seen + NEAR
            if self._seen >= far:
                # Far from the headline only the author as a property counts.
                last, far = self._end_of_properties(index, last), inf
        return self._found

    def _last(self, total: int) -> int:
        near = self._headline.end + _NEAR_NODES if self._headline is not None else 0
        return min(total, _MOST_NODES, max(_SHORT_PAGE, int(_READ_SHARE * total), near))

    def _end_of_properties(self, start: int, end: int) -> int:
        """Index behind the last author property between two indices."""
        rest = reversed(self._tree.nodes[start:end])
        return next((each.index + 1 for each in rest if each.attributes.get("itemprop") in _AUTHOR_PROPERTIES), start)

    def _take_element(self, node: Node) -> int:
        """Take an element; returns the index of the next node, behind it for an aside without the headline."""
        role = role_of_class(node.attributes.get("class"))
        is_aside = role is Role.ASIDE or (node.tag in _ASIDES and node.end - node.index > _SMALL_ASIDE)
        if not is_aside:
            self._take_fact(node, role)
        elif self._headline is None or not node.holds(self._headline):
            return node.end
        return node.index + 1

    def _take_fact(self, node: Node, role: Role) -> None:
        attributes = node.attributes
        if "itemprop" in attributes:
            self._take_property(node, attributes["itemprop"] or "")
        elif node.tag == "time":
            self._take_time(node, role)
        elif node.tag == "a" and "href" in attributes:
            self._take_link(node, role)
        elif role is Role.AUTHOR_NAME:
            self._add_author(node, Reason.NAME_CLASS)
        elif role is Role.AUTHOR:
            self._add_author(node, Reason.BYLINE)

    def _take_property(self, node: Node, name: str) -> None:
        if name in _AUTHOR_PROPERTIES:
            self._add_author(node, Reason.PROPERTY)
        elif name in _DATE_PROPERTIES:
            value = node.get("content") or node.get("datetime") or self._words(node)
            self._add_date(value, _DATE_PROPERTIES[name], is_declared=True)

    def _take_time(self, node: Node, role: Role) -> None:
        words = self._words(node)
        value = node.get("datetime") or words or node.get("title")
        role = Role.PUBLISHED if "pubdate" in node.attributes else role
        self._add_date_by_label(node, role, words, value)

    def _take_link(self, node: Node, role: Role) -> None:
        if "author" in node.get("rel").split():
            self._add_author(node, Reason.RELATION)
        elif role in (Role.AUTHOR, Role.AUTHOR_NAME):
            self._add_author(node, Reason.NAME_CLASS)
        elif _AUTHOR_LINK.search(node.get("href")[:_LONGEST_LINK]):
            self._add_author(node, Reason.LINK)

    def _take_text(self, node: Node) -> None:
        text = node.text
        if text.isspace():
            return
        if len(text) > _LONGEST_LINE:
            self._before = ""
        else:
            if _has_year(text):
                self._take_dates(node, text)
            name = behind_label(text)
            if name is not None:
                self._add_author_line(name or self._text_behind(node), Reason.BYLINE)
            self._before = text
        self._seen += len(text)

    def _take_dates(self, node: Node, text: str) -> None:
        parent = node.parent
        if parent is None or parent.tag == "time":
            return
        role = role_of_class(parent.get("class"))
        for part in split_labels(text):
            self._add_date_by_label(parent, role, part, part)

    def _text_behind(self, node: Node) -> str:
        following = self._tree.nodes[node.end : node.end + 12]
        return next((each.text for each in following if each.text and not each.text.isspace()), "")

    def _add_author(self, node: Node, reason: Reason) -> None:
        if node.end - node.index <= _LARGEST_BYLINE:
            self._add_author_line(node.get("content") or self._line(node), reason)

    def _add_author_line(self, line: str, reason: Reason) -> None:
        if line and len(line) <= 2 * _LONGEST_LINE and len(self._found.authors) < _MOST_MARKS:
            self._found.authors.append(AuthorMark(line, reason, self._seen))

    def _words(self, node: Node) -> str:
        """The text of a small element; an unclosed one would hold the rest of the page."""
        return self._tree.words_of(node)[:_LONGEST_LINE] if node.end - node.index <= _LARGEST_BYLINE else ""

    def _line(self, node: Node) -> str:
        """The text of an element, with a bar between lines."""
        inside = self._tree.nodes[node.index + 1 : node.end]
        if "itemprop" in node.attributes:
            named = next((each for each in inside if each.get("itemprop") == "name"), None)
            inside = self._tree.nodes[named.index + 1 : named.end] if named is not None else inside
        return " ".join("".join(map(_piece, inside)).split()).strip(" |")

    def _add_date_by_label(self, node: Node, role: Role, line: str, value: str) -> None:
        """Add a date with the role of its class, its label, or the parent's class, in this order."""
        said = role_of_label(line)
        if said is Role.NONE and len(self._before) <= _LONGEST_LABEL and not _has_year(self._before):
            said = role_of_label(self._before)
        if said is None:
            return
        above = role_of_class(node.parent.get("class")) if node.parent is not None else Role.NONE
        kind = next((each for each in (role, said, above) if each in _KINDS_OF_DATE), Role.DATE)
        if kind is not Role.DATE or len(value.strip()) <= _LONGEST_DATE_LINE:
            self._add_date(value, kind)

    def _add_date(self, value: str, role: Role, *, is_declared: bool = False) -> None:
        if len(self._found.dates) < _MOST_MARKS and (moment := dates.find(value, self._language)):
            self._found.dates.append(DateMark(moment, role, is_declared, self._seen))


def _piece(node: Node) -> str:
    """The text of a node; a blank or a bar for an element, which parts texts."""
    if not node.tag:
        return node.text
    return " " if node.tag in INLINE else " | "


def _has_year(line: str) -> bool:
    return "20" in line or "19" in line


def role_of_class(names: str | None) -> Role:
    """The role of an element by its class."""
    return _role(names[:_LONGEST_CLASS]) if names else Role.NONE


def role_of_label(label: str) -> Role | None:
    """The role of a date by its label; `None` for the date of something else."""
    if _SAYS_OTHER.search(label):
        return None
    if _SAYS_MODIFIED.search(label):
        return Role.MODIFIED
    return Role.PUBLISHED if _SAYS_PUBLISHED.search(label) else Role.NONE


def split_labels(line: str) -> list[str]:
    """Split `Published 5 March, updated 1 April` in two; any other line stays whole."""
    modified = _SAYS_MODIFIED.search(line)
    published = _SAYS_PUBLISHED.search(line) if modified else None
    if modified is None or published is None:
        return [line]
    second = max(modified.start(), published.start())
    return [line[:second], line[second:]]


# Classes repeat within a page and across the pages of a site.
@lru_cache(maxsize=4096)
def _role(names: str) -> Role:
    words = set(map(str.lower, _WORD.findall(names)))
    if words.isdisjoint(_TELLING):
        return Role.NONE
    if not words.isdisjoint(_ASIDE):
        return Role.ASIDE
    if words & _LOGINS or (words & _NAMES and words & _WHOSE):
        return Role.AUTHOR_NAME
    if not words.isdisjoint(_AUTHOR) or ("by" in words and words & {"posted", "written", "line"}):
        return Role.AUTHOR
    return _kind_of_date(words)


def _kind_of_date(words: set[str]) -> Role:
    if not words.isdisjoint(_MODIFIED):
        return Role.MODIFIED
    is_date = not words.isdisjoint(_DATE)
    if not words.isdisjoint(_PUBLISHED) or (is_date and words & _WRITINGS):
        return Role.PUBLISHED
    return Role.DATE if is_date else Role.NONE
