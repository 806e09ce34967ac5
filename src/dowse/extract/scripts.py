"""Superscripts and subscripts as characters: text without them would say 109 where a page says 10 to the power of 9."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Pages write a minus as a hyphen or a dash, too.
_PLAIN = "0123456789+-−–=()"
_RAISED = dict(zip(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾", strict=True))
_LOWERED = dict(zip(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", strict=True))
# Raised by habit, not for a meaning.
_ORDINALS = frozenset({"st", "nd", "rd", "th", "e", "er", "re", "ère", "ème", "nde", "o", "os", "a", "as", "lle", "me"})
_TRADE_MARKS = frozenset({"tm", "sm", "r", "c"})
_CODE = frozenset({"code", "pre", "kbd", "samp", "tt"})
_NUMBER = re.compile(r"[\d.]{1,30}")
_IN_BRACKETS = re.compile(r"\([^()]{1,30}\)")
_LIST_OF_NOTES = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){1,20}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,20}\Z")
_LONGEST = 30
_LOOKED_AT = 20


def write_out(tree: LexborHTMLParser | LexborNode) -> None:
    """Give raised and lowered text its meaning back; notes, ordinals and code stay as they are."""
    # From the end, so that what is inside of another is done before it.
    for node in reversed(tree.css("sup, sub")):
        inner = " ".join(node.text().split())
        if inner and len(inner) <= _LONGEST and not _is_reference(node, inner):
            shown = _raised(inner, _before(node)) if node.tag == "sup" else _lowered(inner, _before(node))
            if shown != inner:
                node.replace_with(shown)


def _raised(inner: str, before: str) -> str:
    last = before[-1:]
    if not last.isdigit() and _LIST_OF_NOTES.fullmatch(inner):
        return "".join(_RAISED.get(character, character) for character in inner)
    if all(character in _RAISED for character in inner):
        return "".join(_RAISED[character] for character in inner)
    if inner.lower() in _TRADE_MARKS and last.isalnum() and inner.isupper():
        return inner
    if inner.lower() in _ORDINALS and (last.isdigit() or last.isupper()):
        return inner
    return _marked("^", inner, before)


def _lowered(inner: str, before: str) -> str:
    if before[-1:].strip() and all(character in _LOWERED for character in inner):
        return "".join(_LOWERED[character] for character in inner)
    return _marked("_", inner, before)


def _marked(mark: str, inner: str, before: str) -> str:
    """As in plain-text mathematics. What stands alone, or is words behind a word, is only small print."""
    word = _WORD_BEFORE.search(before)
    is_print = inner.isalpha() and len(inner) > 1 and word is not None and len(word[0]) > 2
    is_sign = not any(character.isalnum() for character in inner)
    if not before[-1:].strip() or " " in inner or is_sign or is_print:
        return inner
    is_one = inner.isalpha() or _NUMBER.fullmatch(inner) or _IN_BRACKETS.fullmatch(inner)
    return mark + (inner if is_one else f"({inner})")


def _before(node: LexborNode) -> str:
    """The last characters before a node."""
    before = node.prev
    if before is None:
        return ""
    return ((before.text_content if before.is_text_node else before.text()) or "")[-_LOOKED_AT:]


def _is_reference(node: LexborNode, inner: str) -> bool:
    """Whether it is code, or a mark that leads to a note."""
    if inner.startswith("[") or node.css_first("a") is not None:
        return True
    above = node.parent
    while above is not None:
        if above.tag in _CODE or (above.tag == "a" and above.text(strip=True) == inner):
            return True
        above = above.parent
    return False
