"""MDN: reference pages with examples, specifications and browser support, without navigation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from dowse.core import urls
from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.text import enclose, without_markup
from dowse.core.urls import Url
from dowse.net.json_fields import Json, items, mapping, objects, string
from dowse.sites.compose import Part, bullets, compose_page, day, fact, label, link, title
from dowse.sites.markup import nest_headings
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, path_segments, request_deadline, translate_missing

NAME = "mdn"
_HOME = "https://developer.mozilla.org"
_HOST = "developer.mozilla.org"
_LOCALE = re.compile(r"[a-z]{2,3}(?:-[A-Z]{2})?")
_WITHOUT = (".example-header, .sample-code-frame, .bc-table, .visually-hidden, .hidden, .sidebar, .metadata",)
_DIVISION = re.compile(r"<div\b([^<>]{0,500})>|</div\s{0,3}>", re.I)
_NOTE = re.compile(r"""\bclass\s{0,3}=\s{0,3}["'][^"']{0,200}\bnotecard\b""")
# The section keeps the converter from joining the note with its neighbours.
_NOTE_START, _NOTE_END = "<section><blockquote>", "</blockquote></section>"
_MAX_CHARS = 50_000
_MOST_SECTIONS = 200
_MOST_SPECIFICATIONS = 20
_LONGEST_TITLE = 2000
_BASELINE = {
    "high": "widely available, in all major browsers since {date}",
    "low": "newly available, in the latest versions of all major browsers since {date}; older ones may lack it",
}
_LIMITED = "limited availability, not in all major browsers"


class MdnLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = kit.api(NAME)
        self._extractor = kit.extractor
        self._base = kit.settings.mdn_url.rstrip("/")

    def accepts(self, url: Url) -> bool:
        match path_segments(url, _HOST):
            case [locale, "docs", slug, *_] if slug and _LOCALE.fullmatch(locale):
                return "//" not in url.path and not url.path.endswith("/index.json")
        return False

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        path = parsed.path.rstrip("/") if parsed else ""
        document = await self._get_document(path, request_deadline(deadline))
        sections = items(NAME, document, "body")
        shown = sections[:_MOST_SECTIONS]
        html = [_quote_notes(string(mapping(section, "value"), "content")) for section in shown]
        address = _HOME + path
        texts = await self._extractor.render(html, url=address, timeout_s=deadline.remaining_s(), without=_WITHOUT)
        if not any(texts):
            raise PageUnreadable(Status.ERROR, reason=FailureReason.NO_READABLE_CONTENT)
        parts = [_part(*each, document, address) for each in zip(shown, texts, strict=True)]
        return _compose(document, address, parts, len(sections))

    async def _get_document(self, path: str, deadline: Deadline) -> Json:
        try:
            answer = await self._api.get(f"{self._base}{path}/index.json", deadline, headers={}, params={})
        except ProviderError as error:
            raise translate_missing(error, "page on MDN") from error
        document = mapping(answer, "doc")
        if not string(document, "title"):
            raise BadAnswer(NAME, "the answer holds no document")
        return document


def _compose(document: Json, address: str, parts: Sequence[Part | str], total: int) -> Text:
    name = string(document, "title")
    above = [string(parent, "title") for parent in objects(document.get("parents"))]
    source = label(string(mapping(document, "source"), "github_url"), 300)
    facts = [
        fact("Link", address),
        fact("Last change", day(document.get("modified"))),
        fact("In", label(" / ".join(above[:-1]), 200)),
        fact("Source", source),
    ]
    return compose_page(
        address,
        name,
        [Part(f"# {title(name)}", facts), *parts],
        max_chars=_MAX_CHARS,
        rest=f"…({len(parts)} of {total} sections are shown; the whole is at {address})" if total > len(parts) else "",
    )


def _part(section: Json, text: str, document: Json, address: str) -> Part | str:
    """One section: prose, specifications or browser support."""
    value = mapping(section, "value")
    heading = _heading(value)
    match string(section, "type"):
        case "prose":
            return Part(heading, body=nest_headings(text, 4)) if heading or text else ""
        case "specifications":
            return bullets(heading, _specifications(value), _MOST_SPECIFICATIONS)
        case "browser_compatibility":
            return Part(heading, body=_compatibility(document, f"{address}#{string(value, 'id')}"))
    return ""


def _heading(value: Json) -> str:
    # The title of a section is HTML, unlike that of the page.
    name = title(string(value, "titleAsText") or unescape(without_markup(string(value, "title")[:_LONGEST_TITLE])))
    return enclose("### " if value.get("isH3") is True else "## ", name)


def _specifications(value: Json) -> list[str]:
    return [
        link(string(item, "title") or "Specification", string(item, "bcdSpecificationURL"))
        for item in objects(value.get("specifications"))
        if string(item, "bcdSpecificationURL")
    ]


def _compatibility(document: Json, table: str) -> str:
    """The summary of browser support and a link to the table, which the API does not include."""
    baseline = mapping(document, "baseline")
    level = baseline.get("baseline")
    lines = []
    if level is False:
        lines.append(f"Baseline: {_LIMITED}.")
    elif isinstance(level, str) and level in _BASELINE:
        lines.append(f"Baseline: {_BASELINE[level].format(date=label(string(baseline, 'baseline_low_date')))}.")
    support = [f"{name.replace('_', ' ')} {version}" for name, version in mapping(baseline, "support").items()]
    if support:
        lines.append(f"Supported since: {label(', '.join(support), 300)}.")
    return "\n\n".join([*lines, f"The table of browsers is at {table}"])


def _quote_notes(html: str) -> str:
    """HTML with notes and warnings as quotations, which keeps them apart from the text."""
    open_notes: list[bool] = []
    return _DIVISION.sub(lambda tag: _quote_tag(tag, open_notes), html)


def _quote_tag(tag: re.Match[str], open_notes: list[bool]) -> str:
    if tag[1] is not None:
        open_notes.append(bool(_NOTE.search(tag[1])))
        return _NOTE_START if open_notes[-1] else tag[0]
    return _NOTE_END if open_notes and open_notes.pop() else tag[0]


SITE = Site(loader=MdnLoader)
