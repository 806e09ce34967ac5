"""What the text of a block gives away by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from dowse.extract.choose import names
from dowse.extract.choose.blocks import Block
from dowse.extract.choose.outline import Numbers

COLUMNS = (
    *("words", "chars", "linked", "links", "strong", "commas", "stops", "digits", "capitals", "common", "long_words"),
    *("ends_sentence", "starts_lower", "is_date", "is_price", "has_mark", "has_mail", "said_again", "in_title"),
    *("is_colon", "is_question", "chars_per_word", "is_numbered"),
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_COMMA = re.compile(r"[,،、，;；]")
# A pattern that begins with certain characters is found much faster than one that begins with a choice or a place.
_STOP = re.compile(r"[.!?。！？…](?:[\s\"”’)]|$|(?<=[。！？]))")
_DIGIT = re.compile(r"\d")
# At the start of a word.
_CAPITAL = re.compile(r"[A-Z](?<!\w[A-Z])")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:/.]\d{1,2}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d"
    r"|\bago\b|\byesterday\b|年\d",
    re.I,
)
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|EUR|USD|kr)\b|\b\d{1,2}%")
_MARK = re.compile(r"[|›»«•·→←▸▼×✕…]|^[^\w]+$")
_WORD = re.compile(r"\w")
_MAIL = re.compile(r"@\w|https?://|www\.")
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "”", ".)")
_COMMON = frozenset(
    "the a an of to and in is it that for on with as was are be this by at from or have has not but they you we he she"
    " his her their i which if when what there can will would could been were also than then more so about into its"
    " der die das und ist nicht ein eine zu den mit von im auf für sich dem des als auch es an werden aus er hat dass"
    " le la les de des et en un une du est que qui dans pour pas sur au par plus ne se avec ce il sont"
    " el los las y que del se por con para una su al lo como más o pero sus"
    " il di che è e per non una del si con le da sono i della come più"
    " o os as do da em um uma para com não por mais dos na no se"
    " het een van en dat niet op te zijn met voor"
    " и в не на что с по это как из у за к".split()
)
_WIDE = re.compile("[\u3040-\u9fff\uac00-\ud7a3]")
_LOOKED_AT = 400
_LOOKED_AT_WORDS = 80
_SHORT = 120
_LONG_WORD = 7


def columns(blocks: Sequence[Block], title: str) -> Numbers:
    """One row for each block, with the numbers of `COLUMNS`."""
    again = Counter(block.text for block in blocks)
    in_title = frozenset(title.lower().split())
    rows = [_row(block, again[block.text], in_title) for block in blocks]
    return np.fromiter(chain.from_iterable(rows), np.float32, len(rows) * len(COLUMNS)).reshape(len(rows), -1)


def marks(blocks: Sequence[Block]) -> Numbers:
    """The groups of `names.TEXT_GROUPS` that each block belongs to; only what is short may."""
    return np.array([names.of_text(block.text[:40]) if len(block.text) < _SHORT else 0 for block in blocks], np.int64)


def heading_level(block: Block) -> int:
    """The level of the heading that a block is, or is in; 0 for others."""
    container = block.container
    level = _HEADINGS.get(container.tag, 0)
    if not level and container.parent is not None and len(container.parent.children) < 4:
        level = _HEADINGS.get(container.parent.tag, 0)
    return level


def _row(block: Block, again: int, in_title: frozenset[str]) -> tuple[float, ...]:
    text = block.text
    size, is_ascii = len(text), text.isascii()
    looked_at = text if size <= _LOOKED_AT else text[:_LOOKED_AT]
    lower = text.lower().split()
    # Letters other than those of ASCII may be more than one in lower case.
    words = lower if is_ascii else text.split()
    first, first_lower = words[:_LOOKED_AT_WORDS], lower[:_LOOKED_AT_WORDS]
    count = len(first)
    is_short = size < _SHORT
    digits = len(_DIGIT.findall(looked_at))
    return (
        len(words) if is_ascii else max(len(words), _wide_words(text)),
        size,
        min(block.linked / size, 1.0),
        block.links,
        min(block.strong / size, 1.0),
        text.count(",") + text.count(";") if is_ascii else len(_COMMA.findall(text)),
        len(_STOP.findall(text)),
        digits / len(looked_at),
        len(_CAPITAL.findall(looked_at)) / count,
        sum(map(_COMMON.__contains__, first_lower)) / count,
        sum(map(_LONG_WORD.__lt__, map(len, first))) / count,
        text.endswith(_ENDS),
        text[0].islower(),
        is_short and digits and _DATE.search(text) is not None,
        is_short and digits and _PRICE.search(text) is not None,
        is_short and _has_mark(text, is_ascii=is_ascii),
        _may_have_mail(looked_at) and _MAIL.search(looked_at) is not None,
        again,
        sum(map(in_title.__contains__, first_lower)) / count,
        text.endswith(":"),
        text.endswith("?"),
        min(size / len(words), 50.0),
        text[0].isdigit(),
    )


def _has_mark(text: str, *, is_ascii: bool) -> bool:
    if not is_ascii:
        return _MARK.search(text) is not None
    return "|" in text or not (text[0].isalnum() or _WORD.search(text))


def _may_have_mail(text: str) -> bool:
    return "@" in text or "://" in text or "www." in text


def _wide_words(text: str) -> int:
    """How many words it would be, where words are not divided by blanks."""
    return len(_WIDE.findall(text)) // 2
