"""How many tokens a text costs a language model: by a little more than it will be, and without a tokenizer.

A text is divided as the tokenizers of large models divide it: into words with the blank or the mark before them,
numbers, marks, and blanks. A piece that is a token of the public vocabulary o200k costs one. Any other costs as many as
there are tokens in it, taken from the left; that is nearly what the tokenizer makes of it. Which pieces are tokens is
told by a filter of a quarter of a megabyte, where the vocabulary is of four. `tools/fit_tokens.py` makes the filter and
prints how far the counts are off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

MARGIN = 1.055
"""So many times the best guess is counted: with less, some of 16,000 texts of 250 tokens were counted low."""

_CAPITALS = "A-ZÀ-ÖØ-Þ"
# Whole alphabets, with their digits and marks: what matters is where words end.
_LETTERS = (
    "a-zªµºß-öø-\u1fff\u2c00-\u2dff\u3005-\u3007\u3021-\u30fa\u30fc-\ud7ff\uf900-\ufdff\ufe70-\ufefe\uff66-\uffdc"
    "\U00010000-\U0001efff\U00020000-\U0003ffff"
)
# Pieces are bounded, so that what a hostile page costs and what is remembered of it are bounded as well.
_PIECE = (
    rf"[^\r\n\d{_CAPITALS}{_LETTERS}]?(?:[{_CAPITALS}]{{0,64}}[{_LETTERS}]{{1,64}}|[{_CAPITALS}]{{1,64}})"
    r"(?:'(?i:[sdmt]|ll|ve|re))?"
    r"|\d{1,3}"
    rf"| ?[^\s\d{_CAPITALS}{_LETTERS}]{{1,64}}[\r\n/]{{0,64}}"
    r"|\s{0,64}[\r\n]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
)
_CJK = "[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]"
# Thai, Lao, Burmese and Khmer: like Chinese and Japanese without blanks between words.
_OTHER_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
# One in 256 is taken for a token that is none. So a long one has to be made of two others, as all tokens are.
_LONG = 8
# The guess is good for words that are tokens. One that breaks into several breaks into more for the tokenizer at times,
# and one that breaks into many always.
_SEVERAL = 1.05
_MANY, _MORE_THAN = 1.17, 4
_DEAREST_WORD = 8
_REMEMBERED = 32_768
# More than fits into any budget: of a longer text a sample is counted.
_COUNTED = 150_000
_SAMPLE = 3_000


class _Manner(NamedTuple):
    """How tokens are looked for from the left: up to what length, and over how many lengths that are none."""

    longest: int
    misses: int
    has_ends: bool = True
    """Whether the rest of a piece is likely to be a token, as the endings of words are."""


_WORD = _Manner(16, 2)
_MARKS = _Manner(16, 3)
_THAI = _Manner(10, 2, has_ends=False)
# Few tokens are long here, and most of what is looked for is none: the less, the fewer mistakes.
_HAN = _Manner(4, 0, has_ends=False)


def token_cost(text: str) -> float:
    """What a text costs. The costs of its parts add up to no less, but for a token where two are joined."""
    if len(text) <= _COUNTED:
        return _cost(text)
    step = len(text) * _SAMPLE // _COUNTED
    samples = [text[at : at + _SAMPLE] for at in range(0, len(text), step)]
    return sum(map(_cost, samples)) * len(text) / sum(map(len, samples))


def estimate_tokens(text: str) -> int:
    """What a text costs, in whole tokens."""
    return math.ceil(token_cost(text))


def divide_budget(wanted: Sequence[int], budget: int, weights: Sequence[float] = ()) -> list[int]:
    """Divide a budget fairly: short texts fit whole, long ones share the rest, by weight if there are weights."""
    weights = weights or [1.0] * len(wanted)
    granted = [0] * len(wanted)
    left, weight_left = budget, sum(weights)
    # In order of need for their weight, so that the later ones share the rest of the earlier ones.
    for index in sorted(range(len(wanted)), key=lambda i: wanted[i] / weights[i]):
        granted[index] = min(wanted[index], int(left * weights[index] / weight_left))
        left -= granted[index]
        weight_left -= weights[index]
    return granted


def reach(text: str, start: int, tokens: float) -> int:
    """Where the text ends that a number of tokens pays for, from a start on: behind a word if there are words."""
    left = tokens / MARGIN
    for match in _compiled(_PIECE).finditer(text, start):
        piece = match[0]
        cost = _piece_cost(piece)
        if cost > left:
            is_word = cost <= _DEAREST_WORD and not _has(_CJK, piece) and not _has(_OTHER_UNSPACED, piece)
            return match.start() + (0 if is_word else _affordable(piece, left / cost))
        left -= cost
    return len(text)


def membership(data: bytes) -> Callable[[str], bool]:
    """Whether a text is a token, by an xor filter: three bytes, found by a check sum, make a part of that sum.

    It knows all tokens, and takes one in 256 of all other texts for one.
    """
    first, second, third = (int.from_bytes(data[at : at + 4], "big") for at in (0, 4, 8))
    table, behind = data[12:], first + second

    def is_token(text: str) -> bool:
        key = crc32(text.encode("utf-8", "surrogatepass"))
        return table[key % first] ^ table[first + key % second] ^ table[behind + key % third] == key >> 24

    return is_token


@cache
def _membership() -> Callable[[str], bool]:
    return membership(Path(__file__).with_name("tokens.bin").read_bytes())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """By need: sets of so many characters take milliseconds, and dowse should start without them."""
    return re.compile(pattern)


def _cost(text: str) -> float:
    return MARGIN * sum(map(_piece_cost, _compiled(_PIECE).findall(text)))


@lru_cache(_REMEMBERED)
def _piece_cost(piece: str) -> float:
    if _has(_CJK, piece):
        return _tokens_in(piece, _HAN)
    if _has(_OTHER_UNSPACED, piece):
        return _SEVERAL * _tokens_in(piece, _THAI)
    if len(piece) > 1 and _is_token(piece):
        return 1
    mark, word = piece[0], piece[1:]
    if not piece[-1].isalpha() and piece[-1] < "\u0300":
        count = _tokens_in(piece, _MARKS)
    elif mark == " " or mark.isalpha() or not word:
        count = _tokens_in(piece, _WORD)
    else:
        count = _marked_cost(piece, mark, word)
    return count * (1 if count <= 1 else _SEVERAL if count <= _MORE_THAN else _MANY)


def _marked_cost(piece: str, mark: str, word: str) -> float:
    """What a word costs with a mark before it, which may stand alone or be one with the beginning of the word."""
    if len(word) > 1 and _is_token(word):
        return _character_cost(mark) + 1
    return (_character_cost(mark) + _tokens_in(word, _WORD) + _tokens_in(piece, _WORD)) / 2


def _tokens_in(piece: str, manner: _Manner) -> float:
    """How many tokens a piece has that is none itself: always the longest, from the left."""
    is_token, size = _membership(), len(piece)
    # A blank is one with the first byte of a character that is no token.
    count, at = 0.0, int(size > 1 and piece[0] == " " and _character_cost(piece[1]) > 1)
    while at < size:
        if at and manner.has_ends and size - at > 1 and _is_token(piece[at:]):
            return count + 1
        found, misses = at + 1, 0
        for end in range(at + 2, min(size, at + manner.longest) + 1):
            if is_token(piece[at:end]):
                found, misses = end, 0
            elif misses == manner.misses:
                break
            else:
                misses += 1
        count += 1 if found - at > 1 else _character_cost(piece[at])
        at = found
    return count


def _is_token(text: str) -> bool:
    is_token = _membership()
    if not is_token(text):
        return False
    return len(text) < _LONG or any(
        (at == 1 or is_token(text[:at])) and (at == len(text) - 1 or is_token(text[at:])) for at in range(1, len(text))
    )


@lru_cache(_REMEMBERED)
def _character_cost(character: str) -> float:
    """What a character costs; one that is no token is divided into bytes, of which the first are one."""
    if character.isascii() or _membership()(character):
        return 1
    if character < "\u13a0" or "\u4e00" <= character <= "\ud7a3":
        return 2
    return 3 if character <= "\uffff" or "\U0001f000" <= character <= "\U0001faff" else 4


def _has(characters: str, piece: str) -> bool:
    return not piece.isascii() and _compiled(characters).search(piece) is not None


def _affordable(piece: str, share: float) -> int:
    """How many characters of a piece cost no more than a share of it."""
    most, size = share * _piece_cost(piece), int(share * len(piece))
    while size and _piece_cost(piece[:size]) > most:
        size -= 1
    return size
