"""What a page states for machines, in its JSON-LD and in its head."""

from __future__ import annotations

from collections.abc import Iterator

from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata import jsonld, names
from dowse.extract.metadata.head import AUTHORS, LAST_NAME_FIRST, Head

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


class Declared:
    """The statements of a page, best ones first."""

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
        """Lists of names: those of one source belong together."""
        for thing in (self._thing, self._page):
            yield self._people(thing.get("author") or thing.get("creator"))
        for name in AUTHORS:
            values = map(names.turned, self.head.all(name)) if name in LAST_NAME_FIRST else self.head.all(name)
            yield [one for value in values for one in names.declared(value)]
        for number in ("1", "2"):
            if self.head.first(f"twitter:label{number}").lower().strip(" :") in _LABELS_OF_AUTHORS:
                yield names.declared(self.head.first(f"twitter:data{number}"))

    def _people(self, value: object) -> list[str]:
        return [one for name in jsonld.names_of(value, self._by_id) for one in names.declared(name)]

    def dates_of_thing(self, *keys: str) -> list[str]:
        """The dates of what the page shows: the article, the question, the product."""
        return [text for key in keys if (text := jsonld.text_of(self._thing, key))]

    def dates_of_page(self, *keys: str) -> list[str]:
        """The dates of the page itself, which content management systems give to every one."""
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
