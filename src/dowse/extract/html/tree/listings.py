"""Listings: elements that hold code line by line, although they are no `pre`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dowse.extract.html.tree.node import Node, Tree

_HOSTS = frozenset({"div", "figure", "ol", "p", "section", "table", "ul"})
# Editors and highlighters that need no other sign.
_ROOTS = frozenset({
    "ace_content", "ace_editor", "cm-content", "cm-editor", "codemirror", "crayon-pre", "crayon-syntax",
    "dp-highlighter", "enlighter", "geshi", "monaco-editor", "syntaxhighlighter", "urvanov-syntax-highlighter-syntax",
    "view-lines",
})  # fmt: skip
# The name of a listing has one of these words, and of most elements no name contains any.
_WORDS = frozenset({"code", "codeblock", "highlight", "highlighter", "syntax", "snippet", "listing", "hljs", "prism"})
_SIGN = re.compile("code|highl|syntax|snippet|listing|hljs|prism|geshi|enlighter|ace_|cm-|view-lines|monaco", re.I)
_LETTERS = re.compile("[a-z]+")
_LANGUAGE = re.compile(r"(?<!\S)lang(?:uage)?-\w")
_LANGUAGES = ("data-lang", "data-language", "language")
_LINES = frozenset({"code", "div", "li", "tr"})
# They are no parts of a line.
_NEVER_INSIDE = frozenset(
    "p h1 h2 h3 h4 h5 h6 blockquote img picture figure figcaption math dl details article section nav form".split()
)
# Nothing but a block of code in a shadow root, and a sheet that hides nothing.
_SHADOW = re.compile(
    r"<template\s++shadowrootmode=[^<>]{1,60}+>\s*+(?:<style[^<>]{0,200}+>([^<]{0,20000}+)</style>\s*+)?+"
    r"(<pre(?:(?!</?(?:template|pre|style|script)\b).){1,100000}?</pre>)\s*+</template>",
    re.I | re.S,
)
_HIDES = re.compile(r"display|visib|opacity|clip|color|size|position|indent|transform|height|width|import|url|\\", re.I)
_FEWEST_MARKS = 2
_LONGEST_NAMES = 300
_MOST_NODES = 20_000


def show_shadow_code(markup: str) -> str:
    """The markup with the code that a page puts into shadow roots, which a parser without scripts leaves out."""
    return _SHADOW.sub(_shown, markup) if "shadowrootmode" in markup else markup


def _shown(found: re.Match[str]) -> str:
    is_plain = _HIDES.search(found[1] or "") is None
    return found[2] if is_plain else found[0]


def find_listings(tree: Tree) -> frozenset[int]:
    """Indexes of the outermost listings of a page."""
    if tree.listings is None:
        tree.listings = frozenset(_find(tree))
    return tree.listings


def _find(tree: Tree) -> list[int]:
    found: list[int] = []
    end = 0
    for place in _candidates(tree):
        node = tree.nodes[place]
        if place >= end and (node.tag == "pre" or _is_listing(tree, node)):
            found += [place] if node.tag != "pre" else []
            end = node.end
    return found


def _candidates(tree: Tree) -> list[int]:
    """The places of elements that are named like code, and of each `pre`, in the order of the page."""
    custom = [tag for tag in tree.by_tag() if "-" in tag]
    named = _names_of_code(tree)
    if not named and not any(map(_SIGN.search, custom)):
        return []
    always = {"pre", *custom}
    hosts = (tree.nodes[place] for place in tree.places([*_HOSTS, *always]))
    return [node.index for node in hosts if node.tag in always or node.get("class") in named]


def _names_of_code(tree: Tree) -> set[str]:
    """The class attributes of a page that may be those of code."""
    return set(filter(_SIGN.search, {node.attributes.get("class") or "" for node in tree.nodes if node.attributes}))


def _is_listing(tree: Tree, node: Node) -> bool:
    if node.end - node.index > _MOST_NODES:
        return False
    inside = tree.nodes[node.index + 1 : node.end]
    tags = {each.tag for each in inside}
    names = node.get("class").lower()[:_LONGEST_NAMES]
    if not _NEVER_INSIDE.isdisjoint(tags):
        return False
    if not _ROOTS.isdisjoint(names.split()):
        return "pre" not in tags or "codemirror" in names
    return "pre" not in tags and _is_named(node, names) and _holds_code(node, inside, tags)


def _is_named(node: Node, names: str) -> bool:
    """Whether a class, or the tag of a custom element, has a word for code."""
    return not _WORDS.isdisjoint(_LETTERS.findall(f"{names} {node.tag if '-' in node.tag else ''}"))


def _holds_code(node: Node, inside: Sequence[Node], tags: set[str]) -> bool:
    if "-" in node.tag or node.tag == "p":
        return _is_of_code(node, inside, tags)
    return _is_of_lines(node, inside, tags)


def _is_of_code(node: Node, inside: Sequence[Node], tags: set[str]) -> bool:
    """Whether a custom element or a paragraph stands alone and holds nothing but code."""
    parent = node.parent
    if parent is None or parent.tag in ("p", "span", "a", "li", "td") or _is_amid_text(node, parent):
        return False
    return _all_in_code(inside) or (node.tag != "p" and _has_signs(node, inside, tags))


def _is_amid_text(node: Node, parent: Node) -> bool:
    place = parent.children.index(node)
    beside = parent.children[max(place - 1, 0) : place + 2]
    return any(each.text and not each.text.isspace() for each in beside)


def _all_in_code(inside: Sequence[Node]) -> bool:
    """Whether all text is in `code` elements."""
    end, has_code = 0, False
    for each in inside:
        if each.tag == "code" and each.index >= end:
            end, has_code = each.end, True
        elif each.text and not each.text.isspace() and each.index >= end:
            return False
    return has_code


def _is_of_lines(node: Node, inside: Sequence[Node], tags: set[str]) -> bool:
    """Whether an element has several lines and a sign that they are code."""
    count = sum(each.tag in _LINES or _is_line(each) for each in inside)
    return count >= (1 if _names_language(node) else _FEWEST_MARKS) and (
        _all_in_code(inside) or _has_signs(node, inside, tags)
    )


def _has_signs(node: Node, inside: Sequence[Node], tags: set[str]) -> bool:
    """Whether a language is named, or words are coloured one by one."""
    if _names_language(node):
        return True
    if "a" in tags and not _is_line_number(inside):
        return False
    coloured = sum(map(_is_coloured, inside))
    return coloured >= _FEWEST_MARKS * max(1, sum(each.tag in ("li", "tr") for each in inside)) / 2 and coloured > 1


def _is_coloured(node: Node) -> bool:
    return node.tag == "span" and ("class" in node.attributes or "style" in node.attributes)


def _names_language(node: Node) -> bool:
    return any(name in node.attributes for name in _LANGUAGES) or _LANGUAGE.search(node.get("class")) is not None


def _is_line_number(inside: Sequence[Node]) -> bool:
    """Whether links are on numbers only."""
    links = [each for each in inside if each.tag == "a"]
    return all(child.text.strip().isdigit() or not child.text.strip() for link in links for child in link.children)


def _is_line(node: Node) -> bool:
    return "-" in node.tag and "line" in node.tag
