"""Wikipedia: articles and disambiguation pages in every language, and a search over them."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Deadline, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.text import enclose, find_or_end, one_line
from dowse.core.urls import Url
from dowse.document.clean import to_plain_text
from dowse.document.markdown import scan_lines
from dowse.sites.compose import Part, PartList, compose_page, fact, label, shift_headings, title
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, request_deadline
from dowse.sites.wikipedia.api import NAME, PageAddress, PageInfo, WikipediaApi, WikipediaSearch, find_address

_VARIABLE = "WIKIPEDIA_MAX_CHARS"
_MOST_MEANINGS = 40
# Selectors of everything around an article: editing, maintenance, navigation. Most languages share the names.
_WITHOUT = (
    "sup.reference, .reflist, .references, .mw-references-wrap, .mw-cite-backlink, .Z3988",
    ".mw-editsection, .mw-empty-elt, .shortdescription, .noprint, .toc, #toc, .catlinks, .printfooter",
    ".navbox, .navbox-styles, .vertical-navbox, .sidebar, .NavFrame, .bandeau-portail, [role=navigation]",
    ".ambox, .mbox-small, .metadata, .sistersitebox, .portalbox, .portal-bar, .authority-control, .stub",
    ".gallery, .infobox-image, .infobox-caption, .locmap, .mw-kartographer-container, .ext-phonos-attribution",
    ".geo-nondefault, .geo-multi-punct, audio, .mw-tmh-player",
)
_TAG = re.compile(r"<(table|div)\b([^<>]{0,500})>")
_INFOBOX = re.compile(r'class="[^"]*\b(?:infobox|sinottico|taxobox)')
_LINK = re.compile(r"(<li>(?:<[bi]>)?)?<a ([^<>]{1,3000})>")
_INNER = re.compile(r'href="(?:/(?!/)|\./|(?:https:)?//geohack)')
_PICTURE = re.compile(r"<img\b[^<>]{0,4000}>")
_LINE_END = re.compile(r"<br\s{0,9}/?>|</li>")
_HEADING = re.compile(r"(#{1,6}) (.+)")
_CELL_END = re.compile(r"(?<!\\)\|")
_HIDDEN_FORMULA = re.compile(r'(<span class="mwe-math-mathml-[^"<>]{1,80}") style="display: none;"')
_ITEM = re.compile(r"\s*- ")
_MOST_ROWS = 200
# Headings searched for the anchor of a URL; more than any article has.
_MOST_ANCHORS = 2000


class WikipediaLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = WikipediaApi(kit.settings, kit.api(NAME))
        self._extractor = kit.extractor
        self._max_chars = kit.settings.wikipedia_max_chars

    def accepts(self, url: Url) -> bool:
        return find_address(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        address = find_address(urls.parse(url))
        if address is None:
            raise PageUnreadable(Status.ERROR, "not an article of Wikipedia")
        requests = request_deadline(deadline)
        page = await self._api.find(address, requests)
        html = await self._api.fetch_html(address, page, requests)
        # In a thread: some articles have megabytes.
        prepared = await asyncio.to_thread(_prepare, html, keeps_links=page.is_disambiguation)
        link = _link(address, page)
        article, *infoboxes = await self._extractor.render(
            [prepared.article, *prepared.infoboxes],
            url=link,
            timeout_s=deadline.remaining_s(),
            without=_WITHOUT,
        )
        if not article.strip():
            raise PageUnreadable(Status.ERROR, reason=FailureReason.NO_READABLE_CONTENT)
        if page.is_disambiguation:
            return self._compose_meanings(address, page, article)
        anchor = unquote(url.partition("#")[2]) or page.section
        boxes = [_list_infobox(box, page.title) for box in infoboxes]
        arranged = await asyncio.to_thread(_arrange, article, anchor.replace(" ", "_"))
        return self._compose_article(address, page, arranged, boxes)

    def _compose_article(self, address: PageAddress, page: PageInfo, arranged: _Arranged, infoboxes: list[str]) -> Text:
        facts = [*_facts(address, page), "References and navigation boxes are left out"]
        if arranged.named:
            section = label(arranged.named_title)
            facts.append(f"The section {section}, to which the address leads, follows the introduction")
        box = "\n".join(filter(None, infoboxes))
        return compose_page(
            _link(address, page),
            page.title,
            [
                Part(f"# {title(page.title)}", facts, arranged.lead),
                arranged.named,
                Part("## Infobox", body=box) if box else "",
            ],
            max_chars=self._max_chars,
            variable=_VARIABLE,
            listed=PartList("sections", arranged.sections, len(arranged.sections)),
        )

    def _compose_meanings(self, address: PageAddress, page: PageInfo, article: str) -> Text:
        shown, total = _cut_items(article, _MOST_MEANINGS)
        link = _link(address, page)
        return compose_page(
            link,
            page.title,
            [
                Part(f"# {title(page.title)}", [*_facts(address, page), "Disambiguation page"]),
                Part("## Meanings", body=shift_headings(shown, 1)),
            ],
            max_chars=self._max_chars,
            variable=_VARIABLE,
            rest=f"{_MOST_MEANINGS} of {total} meanings are shown; all are at {link}" if total > _MOST_MEANINGS else "",
        )


def _link(address: PageAddress, page: PageInfo) -> str:
    """The canonical URL of the page, or of its old version."""
    if page.is_current:
        return _current_link(address, page)
    query = f"title={_quote_title(page.title)}&oldid={page.revision}"
    return f"https://{address.language}.wikipedia.org/w/index.php?{query}"


def _current_link(address: PageAddress, page: PageInfo) -> str:
    return f"https://{address.language}.wikipedia.org/{address.variant or 'wiki'}/{_quote_title(page.title)}"


def _quote_title(name: str) -> str:
    return quote(name.replace(" ", "_"), safe="/:,;@!*~$-._()")


def _facts(address: PageAddress, page: PageInfo) -> list[str]:
    when = "Last change:" if page.is_current else "Old version of"
    return [
        f"Link: {_link(address, page)}",
        f"Language: {address.variant or address.language}",
        enclose(f"{when} ", page.changed),
        "" if page.is_current else f"Current version: {_current_link(address, page)}",
        fact("Redirected from", label(page.redirected_from)),
        fact("About", label(page.about, 200)),
    ]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """HTML of an article for the worker, with the infoboxes at its head taken out."""

    article: str
    infoboxes: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Arranged:
    """Markdown in the order of the page; `named` is the section of the anchor."""

    lead: str
    named: str
    named_title: str
    sections: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Section:
    level: int
    title: str
    body: str

    def __str__(self) -> str:
        return "\n\n".join(filter(None, [f"{'#' * self.level} {self.title}", self.body]))


def _prepare(html: str, *, keeps_links: bool = False) -> _Prepared:
    """HTML with visible formulas and marked captions, and without most of the links."""
    html = _HIDDEN_FORMULA.sub(r"\1", html)
    html = html.replace("<figcaption>", "<figcaption>Image: ")
    article, infoboxes = _take_infoboxes(html)
    strip = _strip_picture_target if keeps_links else _strip_target
    return _Prepared(_LINK.sub(strip, article), [_join_lines(_LINK.sub(r"\1<a>", box)) for box in infoboxes])


def _list_infobox(infobox: str, title: str) -> str:
    """An infobox as a list, which is shorter than its table of two columns."""
    rows = [line for line in infobox.split("\n") if line.strip("|-: ")]
    lines = [item for row in rows[:_MOST_ROWS] if (item := _list_row(row, title))]
    if len(rows) > _MOST_ROWS:
        lines.append(f"- … ({_MOST_ROWS} of {len(rows)} rows)")
    return "\n".join(lines)


def _list_row(row: str, title: str) -> str:
    """A row as an item; empty for one that only repeats the title."""
    cells = list(map(_clean_cell, _CELL_END.split(row))) if row.startswith("|") else [row.strip()]
    cells = [cell for cell in cells if cell.strip("-: ")]
    if len(cells) > 1:
        return f"- **{cells[0].strip('*:： ')}:** {', '.join(cells[1:])}"
    return f"- {cells[0]}" if cells and to_plain_text(cells[0]) != title else ""


def _arrange(markdown: str, anchor: str) -> _Arranged:
    """The introduction and the sections; those without text are left out."""
    lead, sections = _split_sections(markdown)
    target = _find_section(sections, anchor)
    sections = _drop_empty(sections)
    if target is None or target not in sections:
        return _Arranged(lead, "", "", _group(sections))
    start = sections.index(target)
    end = start + 1
    while end < len(sections) and sections[end].level > sections[start].level:
        end += 1
    named = "\n\n".join(map(str, sections[start:end]))
    others = _drop_empty(sections[:start] + sections[end:])
    return _Arranged(lead, named, to_plain_text(sections[start].title), _group(others))


def _cut_items(markdown: str, most: int) -> tuple[str, int]:
    """The text up to a number of list items, and the number of all items."""
    lines = markdown.split("\n")
    items = [index for index, line in enumerate(lines) if _ITEM.match(line)]
    kept = lines[: items[most]] if len(items) > most else lines
    while kept and (not kept[-1].strip() or _HEADING.match(kept[-1])):
        kept.pop()
    return "\n".join(kept), len(items)


def _take_infoboxes(html: str) -> tuple[str, list[str]]:
    pieces: list[str] = []
    boxes: list[str] = []
    position = 0
    for found in _TAG.finditer(html, 0, find_or_end(html, "<h2")):
        if found.start() < position or not _INFOBOX.search(found[2]):
            continue
        end = _find_end(html, found.start(), found[1])
        pieces.append(html[position : found.start()])
        boxes.append(html[found.start() : end])
        position = end
    return "".join(pieces) + html[position:], boxes


def _find_end(html: str, start: int, tag: str) -> int:
    """The end of an element; an unclosed one takes the rest."""
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b[^<>]{{0,4000}}>").finditer(html, start):
        depth += -1 if found[1] else 1
        if not depth:
            return found.end()
    return len(html)


def _join_lines(infobox: str) -> str:
    """An infobox without line breaks and list items, which table cells cannot hold."""
    return _LINE_END.sub(r"; \g<0>", _PICTURE.sub("", infobox))


def _clean_cell(text: str) -> str:
    text = re.sub(r"\s*;(?:\s*;)*\s*", "; ", text).strip("; ")
    return text.replace("; (", " (")


def _strip_target(link: re.Match[str]) -> str:
    """A link to another article without its target, except at the start of a list item."""
    if link[1] and "redlink=1" not in link[2]:
        return _strip_picture_target(link)
    return f"{link[1] or ''}<a>" if _INNER.search(link[2]) else link[0]


def _strip_picture_target(link: re.Match[str]) -> str:
    is_picture = "mw-file-description" in link[2] or 'class="image"' in link[2] or "redlink=1" in link[2]
    return f"{link[1] or ''}<a>" if is_picture else link[0]


def _split_sections(markdown: str) -> tuple[str, list[_Section]]:
    """The introduction and the sections."""
    heads: list[tuple[int, str]] = []
    bodies: list[list[str]] = [[]]
    for line in scan_lines(markdown):
        heading = _HEADING.match(line.text) if line.fence is None else None
        if heading:
            # The first level is for the title of the page.
            heads.append((max(2, len(heading[1])), heading[2]))
            bodies.append([])
        else:
            bodies[-1].append(line.text)
    lead, *rest = ("\n".join(lines).strip("\n") for lines in bodies)
    return lead, [_Section(level, title, body) for (level, title), body in zip(heads, rest, strict=True)]


def _find_section(sections: Sequence[_Section], anchor: str) -> _Section | None:
    """The section of an anchor: its words with underscores, numbered from the second of a name on."""
    seen: Counter[str] = Counter()
    for section in sections[:_MOST_ANCHORS] if anchor else ():
        words = one_line(to_plain_text(section.title)).replace(" ", "_")
        seen[words] += 1
        if anchor == (words if seen[words] == 1 else f"{words}_{seen[words]}"):
            return section
    return None


def _drop_empty(sections: Sequence[_Section]) -> list[_Section]:
    kept: list[_Section] = []
    for section in reversed(sections):
        if section.body.strip() or (kept and kept[-1].level > section.level):
            kept.append(section)
    return kept[::-1]


def _group(sections: Sequence[_Section]) -> list[str]:
    """Each section of the second level with its subsections."""
    groups: list[list[str]] = []
    for section in sections:
        if section.level <= 2 or not groups:
            groups.append([])
        groups[-1].append(str(section))
    return list(map("\n\n".join, groups))


SITE = Site(loader=WikipediaLoader, search=WikipediaSearch)
