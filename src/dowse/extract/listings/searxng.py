"""SearXNG's pages: the theme `simple` of today and of searx, and the theme `oscar` of searx.

Shape: the templates of searxng/searxng, and pages of Debian's searx 1.1.0. Instances speak many languages, so nothing
is told by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from dowse.core.listings import Row
from dowse.extract.listings.page import (
    Page,
    Reading,
    attribute_of,
    first,
    label_of,
    labels,
    parameter,
    text_of,
    title_of,
)

_SIMPLE, _OSCAR = "#urls article.result", "#main_results > div.result"
_FORMS = "form#search input[name='q'], form#search_form input[name='q']"
_ANSWERS = "#answers .answer, #main_results > .result.well"
_SUGGESTIONS = "#suggestions input[type='submit'], #sidebar_results .suggestion_item button"
_NOTICES = "#urls > .dialog-error-block, #urls > .dialog-error, #main_results > .alert"
_PROXY = "/image_proxy"
_DURATION = re.compile(r"\b\d{1,3}:\d{2}(?::\d{2})?\b")
# Where it says `bing (timeout), brave (too many requests)`: each in a line of its own, in the second line, anywhere.
_FAILED_EACH = "#engines_msg .dialog-error p + p"
_FAILED_TOGETHER = "#urls > .dialog-error, #sidebar > .dialog-error, #main_results > .alert-danger"
_FAILED_BESIDE = "#sidebar_results > .alert-danger"
_FAILURE = re.compile(r"([^(),]{1,60})\(([^()]{1,100})\)")


def read(page: Page) -> Reading:
    rows = [_simple(page, item) for item in page.all(_SIMPLE)] + [_oscar(page, item) for item in page.all(_OSCAR)]
    return Reading(
        rows=tuple(rows),
        is_own=page.has(_FORMS),
        is_empty=not rows and page.has(_NOTICES),
        failed_engines=tuple(dict.fromkeys(_failures(page))),
        answers=labels(text_of(answer) for answer in page.all(_ANSWERS)),
        suggestions=labels(map(_suggestion, page.all(_SUGGESTIONS))),
    )


def _simple(page: Page, item: LexborNode) -> Row:
    if "result-images" in _classes(item):
        return _simple_picture(page, item)
    link = first(item, "h3 a")
    return Row(
        title_of(link),
        page.link(link),
        text_of(first(item, ".content")),
        engine=label_of(first(item, ".engines span")),
        published=_date(first(item, "time")),
        thumbnail=_picture(page, first(item, "img.thumbnail, img.image")) if _is_film(item) else "",
        duration=_duration(item, ".result_length"),
    )


def _simple_picture(page: Page, item: LexborNode) -> Row:
    shown = first(item, "img.image_thumbnail")
    return Row(
        title_of(first(item, ".title")) or title_of(shown, "alt"),
        page.link(first(item, ".result-url a, span.url a")),
        text_of(first(item, ".result-content")),
        engine=_value(first(item, ".result-engine")),
        image_url=page.link(first(item, "a[href]")),
        thumbnail=_picture(page, shown),
    )


def _oscar(page: Page, item: LexborNode) -> Row:
    if "result-images" in _classes(item):
        return _oscar_picture(page, item)
    link = first(item, ".result_header a")
    # In front of a film's description are its author and length, each with a name in bold.
    texts = [text for text in item.css("p.result-content") if first(text, "b") is None]
    return Row(
        title_of(link),
        page.link(link),
        text_of(texts[0] if texts else None),
        engine=label_of(first(item, ".label")),
        published=_date(first(item, "time")),
        thumbnail=_picture(page, first(item, "img.thumbnail")) if _is_film(item) else "",
        duration=_duration(item, "p.result-content"),
    )


def _oscar_picture(page: Page, item: LexborNode) -> Row:
    # Two buttons: the picture, and the page it is on.
    buttons = item.css(".modal-footer a.btn")
    return Row(
        title_of(first(item, ".modal-title")),
        page.link(buttons[-1] if buttons else None),
        text_of(first(item, ".result-content")),
        engine=label_of(first(item, ".label")),
        image_url=page.link(first(item, "a[href]")),
        thumbnail=_picture(page, first(item, "img.img-thumbnail")),
    )


def _picture(page: Page, node: LexborNode | None) -> str:
    """Where a picture is; instances that fetch pictures for their visitors put the address into their own."""
    link = page.link(node, "src")
    return (parameter(link, "url") or link) if _PROXY in link else link


def _is_film(item: LexborNode) -> bool:
    """A picture beside an ordinary result does not make it one."""
    return "result-videos" in _classes(item)


def _duration(item: LexborNode, selector: str) -> str:
    found = (_DURATION.search(label_of(each)) for each in item.css(selector)) if _is_film(item) else ()
    return next((each[0] for each in found if each), "")


def _date(node: LexborNode | None) -> str:
    return (attribute_of(node, "datetime") or label_of(node))[:10]


def _value(node: LexborNode | None) -> str:
    """What stands behind its name in a line such as `Engine: bing`."""
    return label_of(node).removeprefix(label_of(first(node, "span"))).strip() if node is not None else ""


def _failures(page: Page) -> Iterator[tuple[str, str]]:
    """Engines that gave nothing, each with its reason."""
    for row in page.all("#engines_msg-table tr"):
        name, reason = label_of(first(row, ".engine-name")), label_of(first(row, ".response-error"))
        if name and reason:
            yield name, reason
    lines = [text_of(line) for line in page.all(_FAILED_EACH)]
    lines += [text_of(line) for notice in page.all(_FAILED_TOGETHER) for line in notice.css("p")[1:2]]
    lines += [text_of(notice).rpartition(":")[2] for notice in page.all(_FAILED_BESIDE)]
    for line in lines:
        yield from ((name.strip(), reason.strip()) for name, reason in _FAILURE.findall(line))


def _suggestion(control: LexborNode) -> str:
    """The theme `simple` has a dot in front of them."""
    return (title_of(control, "value") or label_of(control)).lstrip("• ")


def _classes(item: LexborNode) -> list[str]:
    return attribute_of(item, "class").split()
