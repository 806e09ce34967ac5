"""Parsers of result pages: SearXNG, DuckDuckGo and Mojeek, over selectors that return text on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
_SIMPLE, _OSCAR = "#urls article.result", "#main_results > div.result"
_SEARXNG_FORMS = "form#search input[name='q'], form#search_form input[name='q']"
_ANSWERS = "#answers .answer, #main_results > .result.well"
_SUGGESTIONS = "#suggestions input[type='submit'], #sidebar_results .suggestion_item button"
_SEARXNG_NOTICES = "#urls > .dialog-error-block, #urls > .dialog-error, #main_results > .alert"
_PROXY = "/image_proxy"
_DURATION = re.compile(r"\b\d{1,3}:\d{2}(?::\d{2})?\b")
# Places of `bing (timeout), brave (too many requests)`: one line each, the second line, anywhere.
_FAILED_EACH = "#engines_msg .dialog-error p + p"
_FAILED_TOGETHER = "#urls > .dialog-error, #sidebar > .dialog-error, #main_results > .alert-danger"
_FAILED_BESIDE = "#sidebar_results > .alert-danger"
_FAILURE = re.compile(r"([^(),]{1,60})\(([^()]{1,100})\)")
_LINK, _SNIPPET, _DATE = "result-link", "result-snippet", "timestamp"
_DUCKDUCKGO_PARTS = f"a.{_LINK}, td.{_SNIPPET}, span.{_DATE}"
_DUCKDUCKGO = "duckduckgo.com"
# Text of the cell in place of the results.
_DUCKDUCKGO_NOTHING = ("no more results.", "no results.")
_DUCKDUCKGO_FORM = "form[action*='/lite/'] input[name='q']"
_MOJEEK_RESULTS = "ul.results-standard > li, .news-search-result article"
_MOJEEK_PICTURES = "#results > div.image"
_MOJEEK_FORM = "form[action*='search'] input[name='q']"
_MOJEEK = "mojeek.com"
_MOJEEK_NOTHING = ("no pages found", "no results found", "no news found", "no images found")
_MOJEEK_NOTICES = "p, h1, h2, .no-results"


def read_searxng(page: ResultPage) -> PageReading:
    rows = [_simple(page, item) for item in page.all(_SIMPLE)] + [_oscar(page, item) for item in page.all(_OSCAR)]
    return PageReading(
        rows=tuple(rows),
        is_own=page.has(_SEARXNG_FORMS),
        is_empty=not rows and page.has(_SEARXNG_NOTICES),
        failed_engines=tuple(dict.fromkeys(_failures(page))),
        answers=labels(map(text_of, page.all(_ANSWERS))),
        suggestions=labels(map(_suggestion, page.all(_SUGGESTIONS))),
    )


def _simple(page: ResultPage, item: LexborNode) -> Row:
    if "result-images" in _classes(item):
        return _simple_picture(page, item)
    link = first(item, "h3 a")
    return Row(
        title_of(link),
        page.link(link),
        text_of(first(item, ".content")),
        engine=label_of(first(item, ".engines span")),
        published=_date(first(item, "time")),
        thumbnail=_thumbnail(page, first(item, "img.thumbnail, img.image")) if _is_film(item) else "",
        duration=_duration(item, ".result_length"),
    )


def _simple_picture(page: ResultPage, item: LexborNode) -> Row:
    shown = first(item, "img.image_thumbnail")
    return Row(
        title_of(first(item, ".title")) or title_of(shown, "alt"),
        page.link(first(item, ".result-url a, span.url a")),
        text_of(first(item, ".result-content")),
        engine=_value(first(item, ".result-engine")),
        image_url=page.link(first(item, "a[href]")),
        thumbnail=_thumbnail(page, shown),
    )


def _oscar(page: ResultPage, item: LexborNode) -> Row:
    if "result-images" in _classes(item):
        return _oscar_picture(page, item)
    link = first(item, ".result_header a")
    # A video's description follows its author and length, each with a bold label.
    texts = [text for text in item.css("p.result-content") if first(text, "b") is None]
    return Row(
        title_of(link),
        page.link(link),
        text_of(next(iter(texts), None)),
        engine=label_of(first(item, ".label")),
        published=_date(first(item, "time")),
        thumbnail=_thumbnail(page, first(item, "img.thumbnail")) if _is_film(item) else "",
        duration=_duration(item, "p.result-content"),
    )


def _oscar_picture(page: ResultPage, item: LexborNode) -> Row:
    # Two buttons: the picture, and its page.
    buttons = item.css(".modal-footer a.btn")
    return Row(
        title_of(first(item, ".modal-title")),
        page.link(next(reversed(buttons), None)),
        text_of(first(item, ".result-content")),
        engine=label_of(first(item, ".label")),
        image_url=page.link(first(item, "a[href]")),
        thumbnail=_thumbnail(page, first(item, "img.img-thumbnail")),
    )


def _thumbnail(page: ResultPage, node: LexborNode | None) -> str:
    """Address of a thumbnail; the image proxy of an instance has it as a parameter."""
    link = page.link(node, "src")
    return (parameter(link, "url") or link) if _PROXY in link else link


def _is_film(item: LexborNode) -> bool:
    """Whether a result is a video; an ordinary result may have a thumbnail too."""
    return "result-videos" in _classes(item)


def _duration(item: LexborNode, selector: str) -> str:
    found = (_DURATION.search(label_of(each)) for each in item.css(selector)) if _is_film(item) else ()
    return next((each[0] for each in found if each), "")


def _date(node: LexborNode | None) -> str:
    return (attribute_of(node, "datetime") or label_of(node))[:10]


def _value(node: LexborNode | None) -> str:
    """The value in a line such as `Engine: bing`."""
    return label_of(node).removeprefix(label_of(first(node, "span"))).strip() if node is not None else ""


def _failures(page: ResultPage) -> Iterator[tuple[str, str]]:
    """Failed engines with their reasons."""
    rows = page.all("#engines_msg-table tr")
    pairs = [(label_of(first(row, ".engine-name")), label_of(first(row, ".response-error"))) for row in rows]
    yield from filter(all, pairs)
    lines = list(map(text_of, page.all(_FAILED_EACH)))
    lines += [text_of(line) for notice in page.all(_FAILED_TOGETHER) for line in notice.css("p")[1:2]]
    lines += [text_of(notice).rpartition(":")[2] for notice in page.all(_FAILED_BESIDE)]
    for line in lines:
        yield from ((name.strip(), reason.strip()) for name, reason in _FAILURE.findall(line))


def _suggestion(control: LexborNode) -> str:
    """A suggestion without the bullet of the theme `simple`."""
    return (title_of(control, "value") or label_of(control)).lstrip("• ")


def _classes(item: LexborNode) -> list[str]:
    return attribute_of(item, "class").split()


def read_duckduckgo(page: ResultPage) -> PageReading:
    rows = _duckduckgo_rows(page)
    return PageReading(
        rows=tuple(rows),
        is_own=page.has(_DUCKDUCKGO_FORM),
        is_empty=not rows and (page.has(".no-results") or any(map(_says_nothing, page.all("td, span")))),
    )


def _duckduckgo_rows(page: ResultPage) -> list[Row]:
    """Collect rows: parts belong to the link before them; those of an advertisement are skipped."""
    rows: list[Row] = []
    is_ad = True
    for part in page.all(_DUCKDUCKGO_PARTS):
        kind = attribute_of(part, "class").split()
        if _LINK in kind:
            link = page.link(part)
            is_ad = _is_sponsored(part) or _leads_to(link, "/y.js")
            if not is_ad:
                rows.append(Row(title_of(part), _target(link)))
        elif not is_ad and _SNIPPET in kind:
            rows[-1] = replace(rows[-1], snippet=text_of(part))
        elif not is_ad:
            rows[-1] = replace(rows[-1], published=label_of(part)[:10])
    return rows


def _target(link: str) -> str:
    """Target of a link; some lead through DuckDuckGo's redirect."""
    return (parameter(link, "uddg") or link) if _leads_to(link, "/l/") else link


def _leads_to(link: str, path: str) -> bool:
    parsed = urls.parse(link)
    return parsed is not None and parsed.path == path and urls.is_below(parsed.name, _DUCKDUCKGO)


def _is_sponsored(link: LexborNode) -> bool:
    above = link.parent
    while above is not None and above.tag != "tr":
        above = above.parent
    return "sponsored" in attribute_of(above, "class")


def _says_nothing(cell: LexborNode) -> bool:
    return label_of(cell).lower() in _DUCKDUCKGO_NOTHING


def read_mojeek(page: ResultPage) -> PageReading:
    listed = [_mojeek_row(page, item) for item in page.all(_MOJEEK_RESULTS)]
    listed += [_mojeek_picture(page, item) for item in page.all(_MOJEEK_PICTURES)]
    rows = tuple(row for row in listed if not _is_its_own(row.url))
    notices = (label_of(notice).lower() for notice in page.all(_MOJEEK_NOTICES))
    return PageReading(
        rows=rows,
        is_own=page.has(_MOJEEK_FORM),
        is_empty=not rows and any(notice.startswith(_MOJEEK_NOTHING) for notice in notices),
        suggestions=labels(map(label_of, page.all("p.spell em a"))),
    )


def _mojeek_row(page: ResultPage, item: LexborNode) -> Row:
    title = first(item, "h2 a")
    return Row(title_of(title), page.link(title or first(item, "a.ob")), text_of(first(item, "p.s")))


def _mojeek_picture(page: ResultPage, item: LexborNode) -> Row:
    """A picture and its page; Mojeek shows a copy, and not the address of the original."""
    link = first(item, "a")
    shown = first(item, "img")
    title = title_of(link, "data-title") or title_of(shown, "alt")
    return Row(title, page.link(link), thumbnail=page.link(shown, "src"))


def _is_its_own(url: str) -> bool:
    """Whether it is a link to a further search among the results."""
    parsed = urls.parse(url)
    return parsed is not None and urls.is_below(parsed.name, _MOJEEK)


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
