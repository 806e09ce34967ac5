"""Declared metadata of a page: JSON-LD, `meta` and `link` elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from dowse.extract.html.metadata import jsonld, names
from dowse.extract.html.tree.node import Tree

_LABELS_OF_AUTHORS = (
    "written by",
    "author",
    "by",
    "verfasst von",
    "écrit par",
    "escrito por",
    "scritto da",
    "autor",
    "geschreven door",
    "posted by",
)
_MOST_CHARS = 2000
_MOST_VALUES = 12
_KEYS = ("property", "name", "itemprop", "http-equiv")
TITLES = ("og:title", "citation_title", "dc.title", "dcterms.title", "parsely-title", "sailthru.title", "twitter:title")
AUTHORS = (
    "citation_author",
    "dc.creator",
    "dcterms.creator",
    "dc.contributor.author",
    "parsely-author",
    "sailthru.author",
    "article:author_name",
    "article:author",
    "og:article:author",
    "author",
    "byl",
)
LAST_NAME_FIRST = ("citation_author", "dc.creator", "dcterms.creator")
PUBLISHED = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_online_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date.created",
    "dcterms.created",
    "parsely-pub-date",
    "sailthru.date",
    "og:published_time",
    "publish-date",
    "publish_date",
    "publication_date",
    "pubdate",
    "article.published",
    "published-date",
)
DATED = ("date", "dc.date", "dcterms.date", "citation_date", "datecreated", "created", "cxenseparse:recs:publishtime")
MODIFIED = (
    "article:modified_time",
    "og:article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "lastmod",
    "revised",
)


class Declared:
    """Declared values of a page, the best sources first."""

    def __init__(self, tree: Tree, url: str, head: Head) -> None:
        self.head = head
        found = jsonld.things(tree.scripts)
        self._by_id = jsonld.by_id(found)
        self._sites = [thing for thing in found if "website" in jsonld.types_of(thing)]
        self._thing = jsonld.main_thing(found, url, head.first("og:title") or tree.title) or {}
        self._page = jsonld.page_thing(found, url) or {}

    @property
    def headline(self) -> str:
        return jsonld.text_of(self._thing, "headline", "name")

    def authors(self) -> Iterator[list[str]]:
        """Lists of author names, one for each source."""
        for thing in (self._thing, self._page):
            yield self._people(thing.get("author") or thing.get("creator"))
        for name in AUTHORS:
            values = map(names.turn_around, self.head.all(name)) if name in LAST_NAME_FIRST else self.head.all(name)
            yield list(chain.from_iterable(map(names.names_in_value, values)))
        for number in ("1", "2"):
            if self.head.first(f"twitter:label{number}").lower().strip(" :") in _LABELS_OF_AUTHORS:
                yield names.names_in_value(self.head.first(f"twitter:data{number}"))

    def _people(self, value: object) -> list[str]:
        return list(chain.from_iterable(map(names.names_in_value, jsonld.names_of(value, self._by_id))))

    def dates_of_thing(self, *keys: str) -> list[str]:
        """Dates of the main object: the article, the question, the product."""
        return [text for key in keys if (text := jsonld.text_of(self._thing, key))]

    def dates_of_page(self, *keys: str) -> list[str]:
        """Dates of the page itself, which content management systems set on every page."""
        return [text for key in keys if (text := jsonld.text_of(self._page, key))]

    def site_names(self) -> Iterator[str]:
        yield from self.head.each("og:site_name")
        for thing in (self._thing, self._page):
            yield from jsonld.names_of(thing.get("publisher"), self._by_id)[:1]
        for thing in self._sites:
            yield jsonld.text_of(thing, "name")
        yield from self.head.each("application-name", "apple-mobile-web-app-title")

    @property
    def language(self) -> str:
        return jsonld.text_of(self._thing, "inLanguage") or jsonld.text_of(self._page, "inLanguage")

    @property
    def description(self) -> str:
        said = self.head.first("og:description", "description", "twitter:description", "dc.description")
        return said or jsonld.text_of(self._thing, "description")


def first_attribute(attributes: Mapping[str, str | None], *names: str) -> str:
    """The first of these attributes with a value; empty if none has one."""
    return next(filter(None, map(attributes.get, names)), "")


class Head:
    """`meta` elements by name, in lower case."""

    def __init__(self, tree: Tree) -> None:
        self._values: dict[str, list[str]] = {}
        for attributes in tree.head.get("meta", ()):
            content = first_attribute(attributes, "content", "datetime")
            for name in filter(None, map(attributes.get, _KEYS if content else ())):
                values = self._values.setdefault(name.lower(), [])
                if len(values) < _MOST_VALUES:
                    values.append(content[:_MOST_CHARS])

    def first(self, *names: str) -> str:
        """The first value of these names, in their order."""
        return next(self.each(*names), "")

    def each(self, *names: str) -> Iterator[str]:
        for name in names:
            for value in self._values.get(name, ()):
                if value.strip():
                    yield value

    def all(self, name: str) -> list[str]:
        return self._values.get(name, [])
