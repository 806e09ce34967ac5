"""An article of Wikipedia on its way to a reader: HTML made ready for the worker, then Markdown put in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dowse.core.text import one_line
from dowse.document.clean import to_plain_text
from dowse.document.markdown import scan_lines

# What is not the article: how to edit it, how good it is, where else to go. Most languages share the names.
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
# More headings than any article has; only an address that names one of them is looked for.
_MOST_ANCHORS = 2000


@dataclass(frozen=True, slots=True)
class Prepared:
    """HTML for the worker; the infoboxes at the head of the article are apart."""

    article: str
    infoboxes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Markdown in the order in which it is shown; `named` is the section that the address points to."""

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
    """Formulas that are shown, captions that say what they are, and few links: an article has hundreds."""
    html = _HIDDEN_FORMULA.sub(r"\1", html)
    html = html.replace("<figcaption>", "<figcaption>Image: ")
    article, infoboxes = _without_infoboxes(html)
    fewer = _without_picture_target if keeps_links else _without_target
    return Prepared(_LINK.sub(fewer, article), [_in_one_line(_LINK.sub(r"\1<a>", box)) for box in infoboxes])


def list_infobox(infobox: str, title: str) -> str:
    """An infobox as a list: tables of two columns are mostly bars."""
    lines: list[str] = []
    rows = [line for line in infobox.split("\n") if line.strip("|-: ")]
    for line in rows[:_MOST_ROWS]:
        cells = [_cell(cell) for cell in _CELL_END.split(line)] if line.startswith("|") else [line.strip()]
        cells = [cell for cell in cells if cell.strip("-: ")]
        if len(cells) > 1:
            lines.append(f"- **{cells[0].strip('*:： ')}:** {', '.join(cells[1:])}")
        elif cells and to_plain_text(cells[0]) != title:
            lines.append(f"- {cells[0]}")
    if len(rows) > _MOST_ROWS:
        lines.append(f"- … ({_MOST_ROWS} of {len(rows)} rows)")
    return "\n".join(lines)


def arrange(markdown: str, anchor: str) -> Arranged:
    """The introduction and each section; those that are empty without their references are left out."""
    lead, sections = _split(markdown)
    target = _named(sections, anchor)
    sections = _with_text(sections)
    if target is None or target not in sections:
        return Arranged(lead, "", "", _grouped(sections))
    start = sections.index(target)
    end = start + 1
    while end < len(sections) and sections[end].level > sections[start].level:
        end += 1
    named = "\n\n".join(map(str, sections[start:end]))
    others = _with_text(sections[:start] + sections[end:])
    return Arranged(lead, named, to_plain_text(sections[start].title), _grouped(others))


def cut_items(markdown: str, most: int) -> tuple[str, int]:
    """The text up to so many items of its lists, and how many items there are in all."""
    lines = markdown.split("\n")
    items = [index for index, line in enumerate(lines) if _ITEM.match(line)]
    kept = lines[: items[most]] if len(items) > most else lines
    while kept and (not kept[-1].strip() or _HEADING.match(kept[-1])):
        kept.pop()
    return "\n".join(kept), len(items)


def _without_infoboxes(html: str) -> tuple[str, list[str]]:
    pieces: list[str] = []
    boxes: list[str] = []
    position, first_heading = 0, html.find("<h2")
    for found in _TAG.finditer(html, 0, first_heading if first_heading >= 0 else len(html)):
        if found.start() < position or not _INFOBOX.search(found[2]):
            continue
        end = _end_of(html, found.start(), found[1])
        pieces.append(html[position : found.start()])
        boxes.append(html[found.start() : end])
        position = end
    return "".join(pieces) + html[position:], boxes


def _end_of(html: str, start: int, tag: str) -> int:
    """Where the element that starts here ends; one without an end takes the rest."""
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b[^<>]{{0,4000}}>").finditer(html, start):
        depth += -1 if found[1] else 1
        if not depth:
            return found.end()
    return len(html)


def _in_one_line(infobox: str) -> str:
    """Its cells hold lists and line breaks, which a line of text cannot."""
    return _LINE_END.sub(r"; \g<0>", _PICTURE.sub("", infobox))


def _cell(text: str) -> str:
    text = re.sub(r"\s*;(?:\s*;)*\s*", "; ", text).strip("; ")
    return text.replace("; (", " (")


def _without_target(link: re.Match[str]) -> str:
    """Links to other articles are their words; one that begins an item of a list is what the item is about."""
    if link[1] and "redlink=1" not in link[2]:
        return _without_picture_target(link)
    return f"{link[1] or ''}<a>" if _INNER.search(link[2]) else link[0]


def _without_picture_target(link: re.Match[str]) -> str:
    is_picture = "mw-file-description" in link[2] or 'class="image"' in link[2] or "redlink=1" in link[2]
    return f"{link[1] or ''}<a>" if is_picture else link[0]


def _split(markdown: str) -> tuple[str, list[_Section]]:
    """What precedes the first heading, and what follows each of them."""
    heads: list[tuple[int, str]] = []
    bodies: list[list[str]] = [[]]
    for line in scan_lines(markdown):
        heading = _HEADING.match(line.text) if line.fence is None else None
        if heading:
            # The title of the page is ours; no article uses the first level for anything else.
            heads.append((max(2, len(heading[1])), heading[2]))
            bodies.append([])
        else:
            bodies[-1].append(line.text)
    lead, *rest = ("\n".join(lines).strip("\n") for lines in bodies)
    return lead, [_Section(level, title, body) for (level, title), body in zip(heads, rest, strict=True)]


def _named(sections: Sequence[_Section], anchor: str) -> _Section | None:
    """The section with this anchor: its words with underscores, and a number from the second of the same name on."""
    seen: Counter[str] = Counter()
    for section in sections[:_MOST_ANCHORS] if anchor else ():
        words = one_line(to_plain_text(section.title)).replace(" ", "_")
        seen[words] += 1
        if anchor == (words if seen[words] == 1 else f"{words}_{seen[words]}"):
            return section
    return None


def _with_text(sections: Sequence[_Section]) -> list[_Section]:
    kept: list[_Section] = []
    for section in reversed(sections):
        if section.body.strip() or (kept and kept[-1].level > section.level):
            kept.append(section)
    return kept[::-1]


def _grouped(sections: Sequence[_Section]) -> list[str]:
    """Each section of the second level with all that is below it."""
    groups: list[list[str]] = []
    for section in sections:
        if section.level <= 2 or not groups:
            groups.append([])
        groups[-1].append(str(section))
    return ["\n\n".join(group) for group in groups]
