"""Which part of an HTML page is its content."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse import text
from dowse.extract import clutter, codeblocks, literals, references, scripts
from dowse.extract.clutter import weight
from dowse.extract.tidy import TITLE_CHARS

# Below both of these a selection is taken for a mistake (50 words, and a fifth of what can be seen).
_LITTLE = 250
_SMALL_SHARE = 0.2
# A `noscript` shorter than this only asks for JavaScript.
_WORTHWHILE_NOSCRIPT = 150
_DOMINANT = 0.6
_NEARLY_ALL = 0.8
_TABLE_PARTS = frozenset({"table", "tbody", "tr"})
_CONTAINERS = _TABLE_PARTS | frozenset({"div", "section", "td", "center", "form", "span", "font"})


@dataclass(frozen=True, slots=True)
class Selected:
    """The content of a page as HTML, ready to be rendered."""

    html: str
    title: str


def select(markup: str, url: str) -> Selected:
    """Find the content; the markup has passed `tags.is_parseable`."""
    tree = LexborHTMLParser(markup)
    scripts.write_out(tree)
    title = _title(tree)
    base = references.base_of(tree, url)
    body = _visible_body(tree)
    if body is None:
        return Selected("", title)
    seen, everything = weight(body), body.html or ""
    clutter.remove_clutter(body)
    chosen = _main(body)
    if _is_little(weight(chosen), seen):
        chosen = body
    if _is_little(weight(chosen), seen):
        tree = LexborHTMLParser(everything)
        chosen = tree.body or chosen
    codeblocks.normalise(chosen)
    references.write_out_images(chosen)
    references.rewrite_links(chosen, base)
    references.undo_layout_tables(tree, chosen)
    return Selected(literals.inner_html(chosen), title)


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first('meta[property="og:title"], meta[name="og:title"]')
    candidates = [(node.attributes.get("content") or "") if node is not None else ""]
    candidates += [found.text(separator=" ") for name in ("h1", "title") if (found := tree.css_first(name)) is not None]
    # Of parsed markup: tags in it are what the page is about, not how it looks.
    return next(
        (line for each in candidates if (line := text.one_line(text.inert(text.one_line(each, TITLE_CHARS))))), ""
    )


def _visible_body(tree: LexborHTMLParser) -> LexborNode | None:
    """The body without what cannot be seen; `noscript` counts where it says more than the rest."""
    clutter.remove_invisible(tree)
    body = tree.body
    if body is None:
        return None
    asides = body.css("noscript")
    hidden = sum(weight(node) for node in asides)
    if hidden < _WORTHWHILE_NOSCRIPT or hidden < weight(body) - hidden:
        clutter.remove(asides)
    # What is left of them is content, and the converter would drop it by its name.
    body.unwrap_tags(["noscript"])
    return body


def _is_little(kept: int, seen: int) -> bool:
    return kept < _LITTLE and kept < _SMALL_SHARE * seen


def _main(body: LexborNode) -> LexborNode:
    """What the page itself calls its content, unless that is next to nothing; else where the prose is."""
    least = _SMALL_SHARE * weight(body)
    for selector in ("main", "[role=main]"):
        largest = max(body.css(selector), key=weight, default=None)
        if largest is not None and weight(largest) >= least:
            return _article(largest, _DOMINANT * weight(largest)) or largest
    return _article(body, least) or _densest(body)


def _article(within: LexborNode, least: float) -> LexborNode | None:
    """The article that matters, or what holds all of them; nothing when they hold too little."""
    articles = [node for node in within.css("article") if not _has_ancestor(node, "article")]
    largest = max(articles, key=weight, default=None)
    if largest is None or sum(weight(node) for node in articles) < least:
        return None
    if weight(largest) >= _DOMINANT * sum(weight(node) for node in articles):
        return largest if weight(largest) >= least else None
    return _common(articles)


def _common(nodes: list[LexborNode]) -> LexborNode:
    """The innermost element that holds all of these."""
    common = nodes[0]
    for level in zip(*map(_path, nodes), strict=False):
        if any(node.mem_id != level[0].mem_id for node in level):
            break
        common = level[0]
    return common


def _densest(body: LexborNode) -> LexborNode:
    """Go down while one child holds nearly all the text that is not links."""
    node, prose = body, _prose(body)
    while True:
        inside = [(child, _prose(child)) for child in node.iter() if child.tag in _CONTAINERS]
        child, most = max(inside, key=lambda pair: pair[1], default=(node, 0))
        if not most or most < _NEARLY_ALL * prose:
            break
        node, prose = child, most
    # Half a table is no table.
    while node.tag in _TABLE_PARTS and node.parent is not None:
        node = node.parent
    return node


def _prose(node: LexborNode) -> int:
    return weight(node) - sum(weight(link) for link in node.css("a"))


def _path(node: LexborNode) -> list[LexborNode]:
    path = [node]
    while (above := path[-1].parent) is not None:
        path.append(above)
    return path[::-1]


def _has_ancestor(node: LexborNode, tag: str) -> bool:
    return any(above.tag == tag for above in _path(node)[:-1])
