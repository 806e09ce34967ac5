"""Superscripts and subscripts as characters: text without them would say 109 where a page says 10 to the power of 9."""

from __future__ import annotations

import re

from dowse.extract.html.render.outline import Outline
from dowse.extract.html.render.pieces import collapsed
from dowse.extract.html.tree.node import Node

# Pages write a minus as a hyphen or a dash, too.
_PLAIN = "0123456789+-−–=()"
_RAISED = dict(zip(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾", strict=True))
_LOWERED = dict(zip(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", strict=True))
# Raised by habit, not for a meaning.
_ORDINALS = frozenset({"st", "nd", "rd", "th", "e", "er", "re", "ère", "ème", "nde", "o", "os", "a", "as", "lle", "me"})
_TRADE_MARKS = frozenset({"tm", "sm", "r", "c"})
_NUMBER = re.compile(r"[\d.]{1,30}")
_IN_BRACKETS = re.compile(r"\([^()]{1,30}\)")
_LIST_OF_NOTES = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){1,20}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,20}\Z")
_LONGEST = 30
_MOST_NODES = 40


def written(outline: Outline, node: Node, before: str) -> str | None:
    """Raised or lowered text with its meaning; `None` for notes, links and what is too long to be either."""
    if outline.characters(node) > 2 * _LONGEST or node.end - node.index > _MOST_NODES:
        return None
    made: dict[int, str] = {}
    # From the end, so that what is inside of another is done before it.
    for each in reversed(outline.nodes[node.index : node.end]):
        if each.tag in ("a", "code", "img", "math"):
            return None
        inner = "".join([made[child.index] for child in each.children]) if each.tag else each.text
        made[each.index] = inner
        if each is not node and each.tag in ("sup", "sub"):
            made[each.index] = _meaning(each.tag, collapsed(inner), _text_before(outline, each, node))
    inner = collapsed(made[node.index])
    if not inner or len(inner) > _LONGEST or inner.startswith("[") or _is_all_of_a_link(outline, node):
        return None
    return _meaning(node.tag, inner, before)


def _meaning(tag: str, inner: str, before: str) -> str:
    return _raised(inner, before) if tag == "sup" else _lowered(inner, before)


def _text_before(outline: Outline, node: Node, within: Node) -> str:
    """The text that stands before a node in the element around it."""
    return "".join([each.text for each in outline.nodes[within.index : node.index]])


def _is_all_of_a_link(outline: Outline, node: Node) -> bool:
    above = next((each for each in node.ancestors() if each.tag == "a"), None)
    return above is not None and outline.characters(above) <= outline.characters(node)


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
