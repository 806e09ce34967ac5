"""What a page points to: absolute links without tracking, images as their words, tables that are no tables undone."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse import text, urls

_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "🔗", "link", "permalink"})
_ALT_LIMIT = 300
_HREF_LIMIT = 4000
_FILE_NAME = re.compile(r"^\S*\.(?:jpe?g|png|gif|webp|svg|avif)$", re.I)
_ANCESTORS_ASKED = 4


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """What relative links are relative to."""
    node = tree.css_first("base[href]")
    base = urls.parse(node.attributes.get("href") or "", url) if node is not None else None
    return base.href if base and base.scheme in ("http", "https") else url


def rewrite_links(body: LexborNode, base: str) -> None:
    """Make links absolute; what a reader cannot follow becomes its text."""
    known: dict[str, str] = {}
    for link in body.css("a"):
        href = (link.attributes.get("href") or "").strip()
        if href not in known:
            known[href] = _target(href, base)
        words = link.text(strip=True)
        if not words or (href.startswith("#") and words.lower() in _ANCHOR_MARKS):
            link.decompose()
        elif known[href]:
            _only(link, "href", known[href])
        else:
            link.unwrap()


def write_out_images(body: LexborNode) -> None:
    """An image is its alternative text; nothing in the result makes a reader's program load anything."""
    said = {""}
    for image in body.css("img, image, picture source"):
        words = text.one_line(image.attributes.get("alt") or "", _ALT_LIMIT)
        if words in said or _FILE_NAME.search(words) or _is_described(image):
            image.decompose()
        else:
            said.add(words)
            image.replace_with(f" {words} ")


def undo_layout_tables(tree: LexborHTMLParser, body: LexborNode) -> None:
    """Tables with one cell a row, or with tables or code inside, are layout: their cells become blocks."""
    # The converter writes a column for each unit, however many are claimed.
    for cell in body.css("[colspan], [rowspan]"):
        for name in ("colspan", "rowspan"):
            if name in cell.attrs:
                del cell.attrs[name]
    # From the end, so that a table inside another is done before its copy is taken.
    for table in reversed(body.css("table")):
        rows = [row for row in table.css("tr") if _nearest_table(row) == table.mem_id]
        cells = [[cell for cell in row.iter() if cell.tag in ("td", "th")] for row in rows]
        if _is_layout(table, cells):
            block = tree.create_node("div")
            block.inner_html = "".join(f"<div>{cell.inner_html or ''}</div>" for row in cells for cell in row)
            table.replace_with(block, move=True)


def _is_described(image: LexborNode) -> bool:
    """Whether the link or the figure around an image says in words what it shows."""
    above = image.parent
    for _ in range(_ANCESTORS_ASKED):
        if above is None or (above.tag in ("a", "figure") and above.text(strip=True)):
            return above is not None
        above = above.parent
    return False


def _target(href: str, base: str) -> str:
    if not href or href.startswith("#") or len(href) > _HREF_LIMIT:
        return ""
    if href[:7].lower() == "mailto:":
        return href
    parsed = urls.parse(href, base)
    if parsed is None or parsed.scheme not in ("http", "https"):
        return ""
    return urls.without_tracking(parsed.href)


def _only(node: LexborNode, name: str, value: str) -> None:
    """Drop every other attribute: titles of links are text nobody sees."""
    for other in list(node.attributes):
        del node.attrs[other]
    node.attrs[name] = value


def _is_layout(table: LexborNode, cells: list[list[LexborNode]]) -> bool:
    if table.attributes.get("role") in ("presentation", "none") or all(len(row) <= 1 for row in cells):
        return True
    return any(node.mem_id != table.mem_id for node in table.css("table, pre"))


def _nearest_table(row: LexborNode) -> int:
    above = row.parent
    while above is not None and above.tag != "table":
        above = above.parent
    return above.mem_id if above is not None else 0
