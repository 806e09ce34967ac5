"""Metadata of a page, combined from declared and visible sources."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import chain
from math import inf

from dowse.core import urls
from dowse.core.text import inert, one_line, without_markup
from dowse.core.urls import Url
from dowse.extract.html.metadata.bylines import NEAR, BylineMarks, DateMark, Reason, Role, find_marks
from dowse.extract.html.metadata.declared import DATED, MODIFIED, PUBLISHED, TITLES, Declared, Head, first_attribute
from dowse.extract.html.metadata.names import compact, names_in_element, names_in_line
from dowse.extract.html.tree.node import Node, Tree
from dowse.language import dates
from dowse.language.dates import Moment
from dowse.language.detection import LATIN_TAGS, detect_tag_by_script, detect_tag_by_words

_SITE_CHARS = 100
_DESCRIPTION_CHARS = 500
_MOST_HEADINGS = 8
# Longest distance of an unlabelled date from the headline, in characters.
_CLOSE = 600
# So many different days near a headline are those of a list.
_MANY_DAYS = 4
# So many different bylines near a headline are those of a list.
_MANY_BYLINES = 4
_TITLE_CHARS = 300
# Common words of heading and declared title, as a share of the shorter one.
_AGREEMENT = 0.5
_SEPARATOR = re.compile(r"\s{1,9}(?:::|[-|–—·•»«⋅:/\\<>›‹])\s{1,9}|\s{0,9}[|»«›]\s{0,9}|(?<=\w):\s{1,9}")
# Separators before a site or section; a dash and a colon also occur in titles.
_STRONG = re.compile(r"[|»«•·⋅›‹]|::")
_WORD = re.compile(r"[^\W_]+")
_ANCHOR = re.compile(r"\s{0,9}[¶§🔗]\s{0,9}\Z|\s{1,9}#\s{0,9}\Z")
_URL_CHARS = 2000
_FRONT_PAGE = ("/", "")
# Evidence in elements that hold names only.
_NAMED = (Reason.PROPERTY, Reason.RELATION, Reason.NAME_CLASS)
_MOST_LINKS = 5
_REPEATED = frozenset({"www", "m", "mobile", "amp"})
_TAG = re.compile(r"([a-z]{2,3})(?:[-_](?:[a-z]{4}[-_])?([a-z]{2}|\d{3}))?(?![a-z])", re.I)
_SAMPLE_CHARS = 1500
_SHORTEST_LINE = 40


class Confidence(StrEnum):
    """Confidence in a date.

    `high`: declared in metadata. `medium`: with a label, or in the address. `low`: near the headline without a label,
    with ambiguous day and month, of a database record, or, for the publication, the date of the last change.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Metadata:
    """Facts about a page; an empty field is unknown.

    Dates are ISO 8601, `2024-03-05` or `2024-03-05T09:30:00+01:00`, as exact as the page is. Authors are joined with
    commas. `language` is a tag such as `de` or `en-GB`. `canonical_url` is on the page's own site.
    """

    title: str = ""
    author: str = ""
    published: str = ""
    published_confidence: Confidence | None = None
    modified: str = ""
    modified_confidence: Confidence | None = None
    language: str = ""
    site: str = ""
    canonical_url: str = ""
    description: str = ""


Dated = tuple[Moment, Confidence]


def read(tree: Tree, url: str) -> Metadata:
    """Read the metadata of the page at this address."""
    head = Head(tree)
    said = Declared(tree, url, head)
    host = _host_of(url)
    sites = [name for each in said.site_names() if (name := without_markup(each, _SITE_CHARS))]
    title, headline = _title(tree, said, [*sites, *_names_of(host)])
    language = _detect_language(tree, head, said.language)
    # The text is searched only for facts that are not declared.
    marks = cache(partial(find_marks, tree, headline, language))
    published, published_confidence = next(_publication_dates(said, marks, url), (None, None))
    modified, modified_confidence = next(_modification_dates(said, marks), (None, None))
    return Metadata(
        title=title,
        author=", ".join(_find_authors(tree, said.authors(), marks, sites)),
        published=published.iso if published else "",
        published_confidence=published_confidence,
        modified=modified.iso if modified else "",
        modified_confidence=modified_confidence,
        language=language,
        site=sites[0] if sites else host,
        canonical_url=_find_canonical(tree, head, url),
        description=without_markup(said.description, _DESCRIPTION_CHARS),
    )


def _title(tree: Tree, said: Declared, sites: list[str]) -> tuple[str, Node | None]:
    """The title, and the heading with it, or else the first heading."""
    # Most pages repeat one title.
    stated = dict.fromkeys((*said.head.each(*TITLES), tree.title, said.headline))
    declared = list(map(_title_line, stated))
    nodes = [tree.nodes[place] for place in tree.places(("h1",))[:_MOST_HEADINGS]]
    headings = [(line, node) for node in nodes if (line := _title_line(tree.words_of(node)))]
    title = _choose_title(list(filter(None, declared)), [line for line, _ in headings], sites)
    same = [node for line, node in headings if compact(title) in compact(line)]
    return title, next(iter(same + [node for _, node in headings]), None)


def _names_of(host: str) -> list[str]:
    """Names of a site by its host: `docs.example.org` is `example`, or `example.org`."""
    labels = host.split(".")
    return [host, *labels[-2:-1], ".".join(labels[-2:])]


def _publication_dates(said: Declared, marks: Callable[[], BylineMarks], url: str) -> Iterator[Dated]:
    yield from _parse_dates(said.head.each(*PUBLISHED), Confidence.HIGH)
    yield from _parse_dates(said.dates_of_thing("datePublished", "dateCreated", "uploadDate"), Confidence.HIGH)
    near = _near(marks(), Role.PUBLISHED, NEAR)
    yield from _rate_dates((mark.moment for mark in near if mark.is_declared), Confidence.HIGH)
    yield from _rate_dates(filter(None, [dates.in_address(url)]), Confidence.MEDIUM)
    yield from _rate_dates((mark.moment for mark in near), Confidence.MEDIUM)
    yield from _parse_dates(said.head.each(*DATED), Confidence.MEDIUM)
    yield from _rate_dates((mark.moment for mark in _near(marks(), Role.DATE, _CLOSE)), Confidence.LOW)
    # The rest are the date of a database record, and of the last change.
    yield from _parse_dates(said.dates_of_page("datePublished"), Confidence.LOW)
    yield from _rate_dates((mark.moment for mark in _near(marks(), Role.MODIFIED, NEAR)), Confidence.LOW)


def _modification_dates(said: Declared, marks: Callable[[], BylineMarks]) -> Iterator[Dated]:
    yield from _parse_dates(said.head.each(*MODIFIED), Confidence.HIGH)
    yield from _parse_dates(said.dates_of_thing("dateModified"), Confidence.HIGH)
    yield from _parse_dates(said.dates_of_page("dateModified"), Confidence.HIGH)
    near = _near(marks(), Role.MODIFIED, NEAR)
    yield from _rate_dates((mark.moment for mark in near if mark.is_declared), Confidence.HIGH)
    yield from _rate_dates((mark.moment for mark in near), Confidence.MEDIUM)


def _near(marks: BylineMarks, role: Role, distance: int) -> list[DateMark]:
    """Dates of a role around the headline, the ones below it first; none from a list."""
    near = [mark for mark in marks.dates if mark.role is role and abs(mark.at - marks.headline_at) < distance]
    if len({mark.moment.day for mark in near if not mark.is_declared}) >= _MANY_DAYS:
        near = [mark for mark in near if mark.is_declared]
    return sorted(near, key=lambda mark: mark.at < marks.headline_at)


def _parse_dates(texts: Iterable[str], confidence: Confidence) -> Iterator[Dated]:
    return _rate_dates((moment for text in texts if (moment := dates.find(text))), confidence)


def _rate_dates(moments: Iterable[Moment], confidence: Confidence) -> Iterator[Dated]:
    for moment in moments:
        yield moment, confidence if moment.is_certain else Confidence.LOW


def _find_authors(
    tree: Tree, declared: Iterable[list[str]], marks: Callable[[], BylineMarks], sites: Sequence[str]
) -> list[str]:
    """Names of the authors. Persons precede the site, and visible names precede logins."""
    own = set(map(compact, sites))
    stated = [list(dict.fromkeys(each)) for each in declared if each]
    best = _first_other(stated, own)
    if best and _shows(tree, best[0]):
        return best
    shown = list(_find_bylines(marks()))
    return _first_other(shown, own) or best or next(iter(stated + shown), [])


def _first_other(groups: Iterable[list[str]], own: set[str]) -> list[str]:
    """The first group with a name other than those of the site."""
    return next((each for each in groups if not own.issuperset(map(compact, each))), [])


def _find_bylines(marks: BylineMarks) -> Iterator[list[str]]:
    """Names in visible bylines, by evidence, and the ones below the headline first."""
    for reason in Reason:
        found = _find_names(marks, reason)
        if reason is Reason.PROPERTY or len(found) < _MANY_BYLINES:
            yield from map(list, sorted(found, key=lambda people: found[people] < marks.headline_at))


def _find_names(marks: BylineMarks, reason: Reason) -> dict[tuple[str, ...], int]:
    """The names of each byline with this evidence, and where they stand first."""
    read = names_in_element if reason in _NAMED else names_in_line
    distance = inf if reason is Reason.PROPERTY else NEAR
    found: dict[tuple[str, ...], int] = {}
    for each in marks.authors:
        if each.reason is reason and abs(each.at - marks.headline_at) < distance:
            found.setdefault(tuple(dict.fromkeys(read(each.text))), each.at)
    found.pop((), None)
    return found


def _shows(tree: Tree, name: str) -> bool:
    return any(name in node.text for node in tree.nodes if node.text)


def _title_line(text: str) -> str:
    """A title on one line. Tags in it are its subject and stay, made inert."""
    text = html.unescape(text[: 20 * _TITLE_CHARS]) if "&" in text else text
    return _ANCHOR.sub("", one_line(inert(one_line(text, _TITLE_CHARS))))


def _choose_title(declared: Sequence[str], headings: Iterable[str], sites: Collection[str]) -> str:
    """Choose the title among the declared ones (best first) and the `h1` headings.

    A heading that agrees with a declared title wins. Any other heading is a slogan or the name of the site, and the
    declared title counts.
    """
    cut = [_remove_site_name(each, sites) for each in declared]
    names = set(map(compact, sites)) | {""}
    own = [each for each in headings if compact(each) not in names]
    return next(filter(None, chain(_matching_headings(own, declared, cut), cut, own, declared)), "")


def _matching_headings(headings: Sequence[str], declared: Sequence[str], cut: Sequence[str]) -> Iterator[str]:
    """Headings that equal a declared title, then parts of the first one, then similar ones."""
    whole = set(map(compact, (*declared, *cut)))
    pieces = set(map(compact, _SEPARATOR.split(declared[0]))) if declared else set()
    yield from (each for each in headings if compact(each) in whole)
    yield from sorted((each for each in headings if compact(each) in pieces), key=len, reverse=True)
    yield from (each for each in headings if any(_agree(each, title) for title in cut))


def _remove_site_name(title: str, sites: Collection[str]) -> str:
    """Remove the name of the site before or behind a title."""
    names = set(map(compact, sites)) - {""}
    marks = list(_SEPARATOR.finditer(title))
    while marks and ":" not in marks[-1][0] and _is_site(title[marks[-1].end() :], names):
        title = title[: marks.pop().start()]
    if marks and _is_site(title[: marks[0].start()], names):
        return title[marks[0].end() :]
    strong = next((mark.start() for mark in marks if _STRONG.search(mark[0])), 0)
    return title[:strong] if len(_WORD.findall(title[:strong])) > 1 else title


def _is_site(piece: str, names: Collection[str]) -> bool:
    """Whether a piece of a title is the name of the site, perhaps with a word or two: `Example Forum`."""
    letters = compact(piece)
    return any(
        letters == name or (len(name) > 3 and name in letters and len(letters) < 2 * len(name) + 10) for name in names
    )


def _agree(heading: str, title: str) -> bool:
    one, other = ({*_WORD.findall(each.casefold())} for each in (heading, title))
    common = len(one & other)
    return common > 1 and common >= _AGREEMENT * min(len(one), len(other))


def _find_canonical(tree: Tree, head: Head, url: str) -> str:
    """The canonical URL of the page; empty unless it is on its own site.

    A page cannot speak for another site, and a front page is not canonical for the pages below it.
    """
    links = tree.head.get("link", ())
    said = [
        first_attribute(each, "href") for each in links if "canonical" in first_attribute(each, "rel").lower().split()
    ]
    here = urls.parse(urls.without_tracking(url))
    for text in (*said[:_MOST_LINKS], *head.all("og:url")):
        there = urls.parse(text.strip(), url) if 0 < len(text) <= _URL_CHARS else None
        if there is not None and not there.has_userinfo and _is_sane(there, here):
            return urls.without_tracking(there.href)
    return ""


def _host_of(url: str) -> str:
    """The host without `www.`."""
    parsed = urls.parse(url)
    return parsed.name.removeprefix("www.") if parsed is not None else ""


def _is_sane(there: Url, here: Url | None) -> bool:
    if here is None or not there.is_page:
        return there.is_page
    if (there.path, there.query) == _FRONT_PAGE != (here.path, here.query):
        return False
    one, other = _site_of(there.name), _site_of(here.name)
    return urls.is_below(one, other) or urls.is_below(other, one)


def _site_of(host: str) -> str:
    """The host without the labels of mirrors such as `www` and `m`."""
    return ".".join(label for label in host.split(".") if label not in _REPEATED)


def _detect_language(tree: Tree, head: Head, declared: str = "") -> str:
    """A tag such as `de` or `en-GB`; empty if unknown."""
    html = next(iter(tree.head.get("html", ())), {})
    said = (
        html.get("lang"),
        html.get("xml:lang"),
        *head.each("content-language", "og:locale", "dc.language"),
        declared,
    )
    tag = next(filter(None, map(_parse_tag, filter(None, said))), "")
    # Templates declare `en` on pages in any script; the titles of such pages are not ASCII.
    if tag and (tree.title.isascii() or tag[:2] not in LATIN_TAGS):
        return tag
    sample = _take_sample(tree)
    return detect_tag_by_script(sample) or tag or detect_tag_by_words(sample)


def _parse_tag(text: str) -> str:
    match = _TAG.match(text.strip())
    if match is None:
        return ""
    return match[1].lower() + (f"-{match[2].upper()}" if match[2] else "")


def _take_sample(tree: Tree) -> str:
    """The first sentences; short lines are menus, often in another language."""
    pieces, length = [], 0
    for node in tree.nodes:
        if len(node.text) > _SHORTEST_LINE and not node.text.isspace():
            pieces.append(node.text[:_SAMPLE_CHARS])
            length += len(pieces[-1])
            if length > _SAMPLE_CHARS:
                break
    return " ".join(pieces)[:_SAMPLE_CHARS]
