"""All facts about a page, from all places that state them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from dowse.core.text import without_markup
from dowse.extract.html.tree.node import Node, Tree
from dowse.extract.metadata import addresses, dates, people, titles
from dowse.extract.metadata.body import NEAR, DateMark, Marks, marks_of
from dowse.extract.metadata.dates import Moment
from dowse.extract.metadata.declared import Declared
from dowse.extract.metadata.head import DATED, MODIFIED, PUBLISHED, TITLES, Head
from dowse.extract.metadata.languages import language_of
from dowse.extract.metadata.model import Confidence, Metadata
from dowse.extract.metadata.roles import Role

_SITE_CHARS = 100
_DESCRIPTION_CHARS = 500
_MOST_HEADINGS = 8
# So many characters from the headline a date without a label may stand.
_CLOSE = 600
# So many different days near a headline are the dates of what the page lists.
_MANY_DAYS = 4

Dated = tuple[Moment, Confidence]


def read(tree: Tree, url: str) -> Metadata:
    """The facts about the page at this address."""
    head = Head(tree)
    said = Declared(tree, url, head)
    host = addresses.host_of(url)
    sites = [name for each in said.site_names() if (name := without_markup(each, _SITE_CHARS))]
    title, headline = _title(tree, said, [*sites, *_names_of(host)])
    language = language_of(tree, head, said.language)
    # Pages that declare all that is asked for are not read.
    marks = cache(partial(marks_of, tree, headline, language))
    published, published_confidence = next(_published(said, marks, url), (None, None))
    modified, modified_confidence = next(_modified(said, marks), (None, None))
    return Metadata(
        title=title,
        author=", ".join(people.authors(tree, said.authors(), marks, sites)),
        published=published.iso if published else "",
        published_confidence=published_confidence,
        modified=modified.iso if modified else "",
        modified_confidence=modified_confidence,
        language=language,
        site=sites[0] if sites else host,
        canonical_url=addresses.canonical(tree, head, url),
        description=without_markup(said.description, _DESCRIPTION_CHARS),
    )


def _title(tree: Tree, said: Declared, sites: list[str]) -> tuple[str, Node | None]:
    """The title, and the heading that says it; failing that, the first heading."""
    # Most pages declare one title several times.
    stated = dict.fromkeys((*said.head.each(*TITLES), tree.title, said.headline))
    declared = list(map(titles.line, stated))
    nodes = [tree.nodes[place] for place in tree.places(("h1",))[:_MOST_HEADINGS]]
    headings = [(line, node) for node in nodes if (line := titles.line(tree.words_of(node)))]
    title = titles.chosen([each for each in declared if each], [line for line, _ in headings], sites)
    same = [node for line, node in headings if titles.compact(title) in titles.compact(line)]
    return title, next(iter(same + [node for _, node in headings]), None)


def _names_of(host: str) -> list[str]:
    """What a site may be called by its host: `docs.example.org` is `example`, or `example.org`."""
    labels = host.split(".")
    return [host, *labels[-2:-1], ".".join(labels[-2:])]


def _published(said: Declared, marks: Callable[[], Marks], url: str) -> Iterator[Dated]:
    yield from _stated(said.head.each(*PUBLISHED), Confidence.HIGH)
    yield from _stated(said.dates_of_thing("datePublished", "dateCreated", "uploadDate"), Confidence.HIGH)
    near = _near(marks(), Role.PUBLISHED, NEAR)
    yield from _judged((mark.moment for mark in near if mark.is_declared), Confidence.HIGH)
    yield from _judged(filter(None, [dates.in_address(url)]), Confidence.MEDIUM)
    yield from _judged((mark.moment for mark in near), Confidence.MEDIUM)
    yield from _stated(said.head.each(*DATED), Confidence.MEDIUM)
    yield from _judged((mark.moment for mark in _near(marks(), Role.DATE, _CLOSE)), Confidence.LOW)
    # What is left is the date of a record in some database, and that of the last change.
    yield from _stated(said.dates_of_page("datePublished"), Confidence.LOW)
    yield from _judged((mark.moment for mark in _near(marks(), Role.MODIFIED, NEAR)), Confidence.LOW)


def _modified(said: Declared, marks: Callable[[], Marks]) -> Iterator[Dated]:
    yield from _stated(said.head.each(*MODIFIED), Confidence.HIGH)
    yield from _stated(said.dates_of_thing("dateModified"), Confidence.HIGH)
    yield from _stated(said.dates_of_page("dateModified"), Confidence.HIGH)
    near = _near(marks(), Role.MODIFIED, NEAR)
    yield from _judged((mark.moment for mark in near if mark.is_declared), Confidence.HIGH)
    yield from _judged((mark.moment for mark in near), Confidence.MEDIUM)


def _near(marks: Marks, role: Role, distance: int) -> list[DateMark]:
    """The dates of a kind around the headline, those below it first; none of those in a list."""
    near = [mark for mark in marks.dates if mark.role is role and abs(mark.at - marks.headline_at) < distance]
    if len({mark.moment.day for mark in near if not mark.is_declared}) >= _MANY_DAYS:
        near = [mark for mark in near if mark.is_declared]
    return sorted(near, key=lambda mark: mark.at < marks.headline_at)


def _stated(texts: Iterable[str], confidence: Confidence) -> Iterator[Dated]:
    return _judged((moment for text in texts if (moment := dates.find(text))), confidence)


def _judged(moments: Iterable[Moment], confidence: Confidence) -> Iterator[Dated]:
    for moment in moments:
        yield moment, confidence if moment.is_certain else Confidence.LOW
