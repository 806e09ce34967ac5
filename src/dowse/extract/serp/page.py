"""A search engine's page behind selectors: text on one line, absolute links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qs

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.core import urls
from dowse.core.listings import Row
from dowse.core.text import without_markup
from dowse.extract.html.tree.guard import cap_markup

_TITLE_CHARS, _TEXT_CHARS, _LABEL_CHARS, _URL_CHARS = 300, 1000, 60, 2048
# More than any engine shows on a page.
_MOST_ROWS = 100
# Elements may be nested, and each is read with all its descendants.
_MOST_ELEMENTS = 300
_MOST_SIDE_NOTES = 20
_UNSEEN = ["script", "style", "template", "noscript"]


@dataclass(frozen=True, slots=True)
class PageReading:
    """Contents of a result page. It `is_own` if the page has the engine's search form.

    `is_empty` if the engine reports no results. Rows may have any link; `sift` filters them.
    """

    rows: tuple[Row, ...] = ()
    is_own: bool = False
    is_empty: bool = False
    failed_engines: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


class ResultPage:
    """A parsed page and its address, the base of its links."""

    def __init__(self, markup: str, url: str) -> None:
        self._parser = LexborHTMLParser(cap_markup(markup))
        self._parser.strip_tags(_UNSEEN, recursive=True)
        self._url = url

    def all(self, selector: str) -> list[LexborNode]:
        """The first elements that match, in document order."""
        return self._parser.css(selector)[:_MOST_ELEMENTS]

    def has(self, selector: str) -> bool:
        return self._parser.css_first(selector) is not None

    def link(self, node: LexborNode | None, attribute: str = "href") -> str:
        """The absolute link of an element; as written if it does not parse, empty if it is missing."""
        written = attribute_of(node, attribute).strip()[: 2 * _URL_CHARS]
        parsed = urls.parse(written, self._url) if written else None
        return parsed.href if parsed else written


def first(node: LexborNode, selector: str) -> LexborNode | None:
    return node.css_first(selector)


def attribute_of(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node is not None else ""


def title_of(node: LexborNode | None, attribute: str = "") -> str:
    """A title; some pictures have it in an attribute."""
    return without_markup(attribute_of(node, attribute), _TITLE_CHARS) if attribute else _text(node, _TITLE_CHARS)


def text_of(node: LexborNode | None) -> str:
    return _text(node, _TEXT_CHARS)


def label_of(node: LexborNode | None) -> str:
    """A short text, such as the name of an engine."""
    return _text(node, _LABEL_CHARS)


def labels(texts: Iterable[str]) -> tuple[str, ...]:
    """Distinct answers or suggestions, bounded."""
    return tuple(dict.fromkeys(filter(None, texts)))[:_MOST_SIDE_NOTES]


def parameter(url: str, name: str) -> str:
    """A query parameter of an address."""
    parsed = urls.parse(url)
    return next(iter(parse_qs(parsed.query).get(name, ())), "") if parsed else ""


def is_web_address(url: str) -> bool:
    return len(url) <= _URL_CHARS and urls.parse_web(url) is not None


def sift(rows: Iterable[Row]) -> tuple[tuple[Row, ...], int]:
    """Filter rows with a title and an http link; also returns the number of other links."""
    named = [row for row in rows if row.title and row.url]
    good = [row for row in named if is_web_address(row.url)]
    return tuple(good[:_MOST_ROWS]), len(named) - len(good)


def _text(node: LexborNode | None, limit: int) -> str:
    return without_markup(node.text(), limit) if node is not None else ""
