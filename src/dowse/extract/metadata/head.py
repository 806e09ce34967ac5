"""The `meta` and `link` elements of a page by name."""

from __future__ import annotations

from collections.abc import Iterator

from dowse.extract.html.tree.node import Tree

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


class Head:
    """What the head of a page declares; names are in lower case."""

    def __init__(self, tree: Tree) -> None:
        self._values: dict[str, list[str]] = {}
        for attributes in tree.head.get("meta", ()):
            content = attributes.get("content") or attributes.get("datetime")
            if not content:
                continue
            for key in _KEYS:
                if name := attributes.get(key):
                    values = self._values.setdefault(name.lower(), [])
                    if len(values) < _MOST_VALUES:
                        values.append(content[:_MOST_CHARS])

    def first(self, *names: str) -> str:
        """The first value that any of these names has, in their order."""
        return next(self.each(*names), "")

    def each(self, *names: str) -> Iterator[str]:
        for name in names:
            for value in self._values.get(name, ()):
                if value.strip():
                    yield value

    def all(self, name: str) -> list[str]:
        return self._values.get(name, [])
