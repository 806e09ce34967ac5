"""Articles of Wikipedia: HTML prepared for the worker, then Markdown arranged for the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dowse.core.text import one_line
from dowse.document.clean import to_plain_text
from dowse.document.markdown import scan_lines

# Selectors of everything around an article: editing, maintenance, navigation. Most languages share the names.
WITHOUT = (
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """HTML of an article for the worker, with the infoboxes at its head taken out."""

    article: str
    infoboxes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Arranged:
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


def prepare(html: str, *, keeps_links: bool = False) -> Prepared:
    """HTML with visible formulas and marked captions, and without most of the links."""
    html = _HIDDEN_FORMULA.sub(r"\1", html)
    html = html.replace("<figcaption>", "<figcaption>Image: ")
    article, infoboxes = _take_infoboxes(html)
    strip = _strip_picture_target if keeps_links else _strip_target
    return Prepared(_LINK.sub(strip, article), [_join_lines(_LINK.sub(r"\1<a>", box)) for box in infoboxes])


def list_infobox(infobox: str, title: str) -> str:
    """An infobox as a list, which is shorter than its table of two columns."""
    rows = [line for line in infobox.split("\n") if line.strip("|-: ")]
    lines = [item for row in rows[:_MOST_ROWS] if (item := _list_row(row, title))]
    if len(rows) > _MOST_ROWS:
        lines.append(f"- … ({_MOST_ROWS} of {len(rows)} rows)")
    return "\n".join(lines)


def _list_row(row: str, title: str) -> str:
    """A row as an item; empty for one that only repeats the title."""
    cells = [_clean_cell(cell) for cell in _CELL_END.split(row)] if row.startswith("|") else [row.strip()]
    cells = [cell for cell in cells if cell.strip("-: ")]
    if len(cells) > 1:
        return f"- **{cells[0].strip('*:： ')}:** {', '.join(cells[1:])}"
    return f"- {cells[0]}" if cells and to_plain_text(cells[0]) != title else ""


def arrange(markdown: str, anchor: str) -> Arranged:
    """The introduction and the sections; those without text are left out."""
    lead, sections = _split_sections(markdown)
    target = _find_section(sections, anchor)
    sections = _drop_empty(sections)
    if target is None or target not in sections:
        return Arranged(lead, "", "", _group(sections))
    start = sections.index(target)
    end = start + 1
    while end < len(sections) and sections[end].level > sections[start].level:
        end += 1
    named = "\n\n".join(map(str, sections[start:end]))
    others = _drop_empty(sections[:start] + sections[end:])
    return Arranged(lead, named, to_plain_text(sections[start].title), _group(others))


def cut_items(markdown: str, most: int) -> tuple[str, int]:
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
    position, first_heading = 0, html.find("<h2")
    for found in _TAG.finditer(html, 0, first_heading if first_heading >= 0 else len(html)):
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
    return ["\n\n".join(group) for group in groups]
