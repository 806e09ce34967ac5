"""Reasons for keeping or dropping a block, in words: the largest parts of its features in the score."""

from __future__ import annotations

import re
from functools import cache

from dowse.extract.html.content import features, rules
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.model import Model, load_shipped
from dowse.extract.html.content.selection import Selection

_MOST = 3
# A smaller part in the score is no reason.
_LEAST = 0.05
# Phrases for a column above zero and, where it differs, for one at zero or below.
_ALONE: dict[str, tuple[str, str] | tuple[str]] = {
    "words": ("its length",),
    "chars": ("its length",),
    "linked": ("how much of it is links", "no links"),
    "links": ("its links", "no links"),
    "strong": ("bold text", "no bold text"),
    "commas": ("its commas", "no commas"),
    "stops": ("its sentences", "no sentence"),
    "common": ("everyday words", "no everyday words"),
    "capitals": ("capital letters", "no capital letters"),
    "digits": ("its digits", "no digits"),
    "long_words": ("long words", "no long words"),
    "chars_per_word": ("the length of its words",),
    "ends_sentence": ("it ends like a sentence", "it does not end like a sentence"),
    "starts_lower": ("it begins with a small letter", "it begins with a large letter"),
    "is_date": ("a date", "no date"),
    "is_price": ("a price", "no price"),
    "is_colon": ("it ends with a colon", "it does not end with a colon"),
    "is_question": ("it is a question", "it is no question"),
    "is_numbered": ("it begins with a number", "it does not begin with a number"),
    "has_mark": ("signs such as » and |", "no signs such as » and |"),
    "has_mail": ("an address", "no address"),
    "said_again": ("how often the page says it",),
    "in_title": ("words of the title", "no words of the title"),
    "declared": ("the page declares it as its text", "outside the text that the page declares"),
    "summarised": ("the page's description says it", "not in the page's description"),
    "from_declared": ("distance from the declared text", "next to the declared text"),
    "tag": ("its element",),
    "nodes": ("its markup",),
    "heading": ("a heading", "no heading"),
    "depth": ("its depth",),
    "level": ("its depth",),
    "same_sign": ("how many elements are like it",),
    "place": ("its place on the page",),
    "words_before": ("its place on the page",),
    "after_h1": ("below the main heading", "above the main heading"),
    "after_title": ("below the title", "above the title"),
    "since_heading": ("distance from its heading",),
    "heading_level": ("its heading", "below no heading"),
    "in_best": ("where most of the prose is", "away from most of the prose"),
    "from_best": ("behind most of the prose", "not behind most of the prose"),
    "best_share": ("how much of the page is prose",),
}
_PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, str] | tuple[str]], ...] = (
    (re.compile(r"around_(\w+)"), ("in <{}>", "not in <{}>")),
    (re.compile(r"(?:near|mid|all)_(\w+)"), ("class or id: {}", "no class or id: {}")),
    (re.compile(r"text_(\w+)"), ("its words: {}", "its words are not: {}")),
    (re.compile(r"section_(?:words|linked|place)()"), ("the section it is in",)),
    (re.compile(r"section_(\w+)"), ("below a heading: {}", "not below a heading: {}")),
    (
        re.compile(r"(?:holder|held)\d()"),
        ("inside an element named as the text", "outside the element named as the text"),
    ),
    (re.compile(r"(?:up|top)\d_like()"), ("elements like the one around it",)),
    (re.compile(r"(?:up|top)\d_linked()"), ("links around it", "no links around it")),
    (re.compile(r"(?:up|top)\d_place()"), ("its place in the element around it",)),
    (re.compile(r"(?:up|top)\d_(images|dates|prices)"), ("{} around it", "no {} around it")),
    (re.compile(r"(?:up|top)\d_again()"), ("repeated texts around it", "no repeated texts around it")),
    (re.compile(r"(?:up|top)\d_\w+()"), ("how much text is around it",)),
    (re.compile(r"best_ratio\d()"), ("prose around it", "no prose around it")),
    (re.compile(r"link_\w+()"), ("where its links lead",)),
    (re.compile(r"\w+[+~-]\d+()"), ("its neighbours",)),
    (re.compile(r"page_\w+()"), ("the page as a whole",)),
    (re.compile(r"kind_\w+()"), ("the kind of page",)),
)


def reasons(selection: Selection, number: int, model: Model | None = None) -> tuple[str, ...]:
    """The strongest reasons for one block: `+` for it, `-` against."""
    if selection.is_whole:
        return ("the whole page was kept",)
    is_kept = bool(selection.are_kept[number])
    if rules.is_tiny_page(selection.rows[:, features.WORDS]):
        return ("the page is small, so all but its frame was kept" if is_kept else "it is in the frame of the page",)
    if not is_kept and selection.scores[number] == 0:
        return ("it is a signature",)
    found = _strongest(selection.rows[number], model or load_shipped())
    if is_kept is bool(selection.scores[number] >= selection.cut):
        return found
    return ("kept with the block it belongs to" if is_kept else "left out with the block around it", *found)


def _strongest(row: Numbers, model: Model) -> tuple[str, ...]:
    sums: dict[str, float] = {}
    for feature, part in model.blocks.contributions(row).items():
        phrases = _phrases()[feature]
        phrase = phrases[0] if row[feature] > 0 else phrases[-1]
        sums[phrase] = sums.get(phrase, 0.0) + part
    strongest = sorted(sums.items(), key=lambda each: -abs(each[1]))[:_MOST]
    return tuple(f"{'+' if part > 0 else '-'} {phrase}" for phrase, part in strongest if abs(part) >= _LEAST)


@cache
def _phrases() -> tuple[tuple[str, ...], ...]:
    """Phrases for each column of the block model."""
    return tuple(map(_describe, features.columns()))


def _describe(column: str) -> tuple[str, ...]:
    if column in _ALONE:
        return _ALONE[column]
    found, phrases = next((found, phrases) for shape, phrases in _PATTERNS if (found := shape.fullmatch(column)))
    return tuple(phrase.format(found[1]) for phrase in phrases)
