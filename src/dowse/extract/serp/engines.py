"""Parsers of result pages: SearXNG, DuckDuckGo and Mojeek."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from selectolax.lexbor import LexborNode

from dowse.core import urls
from dowse.core.listings import Row
from dowse.extract.serp.page import (
    PageReading,
    ResultPage,
    attribute_of,
    first,
    label_of,
    labels,
    parameter,
    text_of,
    title_of,
)

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
