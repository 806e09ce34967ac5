"""Where links lead: absolute addresses without tracking, or nowhere that a reader could go."""

from __future__ import annotations

from dowse.core import urls
from dowse.extract.html.tree.node import Node

_ANCHOR_MARKS = frozenset({"", "#", "¶", "§", "link", "anchor", "permalink"})
_ANCHOR_WORDS = ("link to this", "direct link to", "permalink to", "permalink for")
_LONGEST = 4000


class Links:
    """Targets by what stands in the page: the same ones come again and again."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._known: dict[str, str] = {}

    def target(self, node: Node) -> str:
        """What to write for a link's address; empty for one that nobody can follow."""
        href = node.get("href").strip()
        target = self._known.get(href)
        if target is None:
            target = self._known[href] = _target(href, self._base)
        return target


def is_anchor(node: Node, words: str) -> bool:
    """Whether a link is only there to be copied, as the ones beside headings are."""
    href = node.get("href")
    if "#" not in href and href:
        return False
    said = words.lower()
    if said in _ANCHOR_MARKS or said.startswith(_ANCHOR_WORDS):
        return True
    return href.startswith("#") and len(said) <= 2 and not any(sign.isalnum() or sign in "*†‡" for sign in said)


def _target(href: str, base: str) -> str:
    if not href or href.startswith("#") or len(href) > _LONGEST:
        return ""
    if href[:7].lower() == "mailto:":
        return _without_syntax(href)
    return _without_syntax(urls.link(href, base))


def _without_syntax(address: str) -> str:
    """Blanks and brackets would end the address; brackets that are in pairs do not."""
    if ("(" in address or ")" in address) and not _is_balanced(address):
        address = address.replace("(", "%28").replace(")", "%29")
    for sign, code in ((" ", "%20"), ("\n", ""), ("\t", ""), ("<", "%3C"), (">", "%3E"), ("\\", "%5C")):
        address = address.replace(sign, code) if sign in address else address
    return address


def _is_balanced(address: str) -> bool:
    """Whether every bracket has its partner, none of them inside of another."""
    depth = 0
    for sign in address:
        depth += (sign == "(") - (sign == ")")
        if depth not in (0, 1):
            return False
    return not depth
