"""Token estimate for language models, slightly high, without a tokenizer.

A text is split as the tokenizers of large models split it: into words with the space or mark before them, numbers,
marks, and white space. A piece in the public vocabulary o200k costs one token; any other is divided greedily from the
left, which is close to the tokenizer's result. Membership in the vocabulary is tested by an xor filter of a quarter of
a megabyte in place of four. `tools/fit_tokens.py` builds the filter and prints the error of the estimate.
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
"""The factor on the best guess: with less, some of 16,000 texts of 250 tokens were counted low."""

_CAPITALS = "A-ZÀ-ÖØ-Þ"
# Whole alphabets, with their digits and marks: only the ends of words matter.
_LETTERS = (
    "a-zªµºß-öø-\u1fff\u2c00-\u2dff\u3005-\u3007\u3021-\u30fa\u30fc-\ud7ff\uf900-\ufdff\ufe70-\ufefe\uff66-\uffdc"
    "\U00010000-\U0001efff\U00020000-\U0003ffff"
)
# Bounded pieces bound the time and the cache entries of a hostile page.
_PIECE = (
    rf"[^\r\n\d{_CAPITALS}{_LETTERS}]?(?:[{_CAPITALS}]{{0,64}}[{_LETTERS}]{{1,64}}|[{_CAPITALS}]{{1,64}})"
    r"(?:'(?i:[sdmt]|ll|ve|re))?"
    r"|\d{1,3}"
    rf"| ?[^\s\d{_CAPITALS}{_LETTERS}]{{1,64}}[\r\n/]{{0,64}}"
    r"|\s{0,64}[\r\n]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
)
# Other ranges than in `language.scripts`: the estimate was fitted with these.
_CJK = "[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_KANA = "[\u3040-\u30ff]"
# Thai, Lao, Burmese and Khmer: like Chinese and Japanese without spaces between words.
_OTHER_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
# The filter errs in one of 256 cases. So a long token must also consist of two others, as all tokens do.
_LONG = 8
# Corrections of the greedy division: the tokenizer divides a word of several tokens into more at times, and a word of
# many tokens always.
_SEVERAL = 1.05
_MANY, _MORE_THAN = 1.17, 4
# The same for words in other alphabets with spaces, from Greek to Georgian, in Thai, and in Chinese.
_SEVERAL_OTHER, _MANY_OTHER = 1.02, 1.1
_DEAREST_WORD = 8
_CACHED = 32_768
# Beyond any budget; a longer text is sampled.
_COUNTED = 150_000
_SAMPLE = 3_000


class _Division(NamedTuple):
    """Parameters of the greedy division: the longest token, and the misses before giving up on a longer one."""

    longest: int
    misses: int
    has_ends: bool = True
    """Whether the rest of a piece is likely to be a token, as the endings of words are."""


_WORD = _Division(16, 2)
_MARKS = _Division(16, 3)
_THAI = _Division(10, 2, has_ends=False)
# Few tokens are long here, and each lookup may err: the fewer lookups, the better.
_HAN = _Division(4, 0, has_ends=False)


def token_cost(text: str) -> float:
    """The estimated tokens of a text. The costs of its parts add up to no less, except for one token at each joint."""
    if len(text) <= _COUNTED:
        return _cost(text)
    step = len(text) * _SAMPLE // _COUNTED
    samples = [text[at : at + _SAMPLE] for at in range(0, len(text), step)]
    return sum(map(_cost, samples)) * len(text) / sum(map(len, samples))


def estimate_tokens(text: str) -> int:
    """The estimated tokens of a text, rounded up."""
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
    """Where a budget of tokens ends in a text, counted from `start`: behind a word if there are words."""
    left = tokens / MARGIN
    for match in _compile(_PIECE).finditer(text, start):
        piece = match[0]
        cost = _piece_cost(piece)
        if cost > left:
            is_word = cost <= _DEAREST_WORD and not _has(_CJK, piece) and not _has(_OTHER_UNSPACED, piece)
            return match.start() + (0 if is_word else _affordable(piece, left / cost))
        left -= cost
    return len(text)


def membership(data: bytes) -> Callable[[str], bool]:
    """A test for tokens by an xor filter: three bytes at places derived from a checksum make a part of it.

    It has no false negatives, and one false positive in 256.
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
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile on first use: sets of so many characters take milliseconds, which start-up should not pay."""
    return re.compile(pattern)


def _cost(text: str) -> float:
    return MARGIN * sum(map(_piece_cost, _compile(_PIECE).findall(text)))


@lru_cache(_CACHED)
def _piece_cost(piece: str) -> float:
    if _has(_CJK, piece):
        return (1 if _has(_KANA, piece) else _SEVERAL_OTHER) * _tokens_in(piece, _HAN)
    if _has(_OTHER_UNSPACED, piece):
        return _SEVERAL_OTHER * _tokens_in(piece, _THAI)
    if len(piece) > 1 and _is_token(piece):
        return 1
    count = _word_cost(piece)
    several, many = (_SEVERAL_OTHER, _MANY_OTHER) if "\u0370" <= piece[-1] < "\u2000" else (_SEVERAL, _MANY)
    return count * (1 if count <= 1 else several if count <= _MORE_THAN else many)


def _word_cost(piece: str) -> float:
    """The cost of a word or of marks, in a script with spaces."""
    mark, word = piece[0], piece[1:]
    if not piece[-1].isalpha() and piece[-1] < "\u0300":
        return _tokens_in(piece, _MARKS)
    if mark == " " or mark.isalpha() or not word:
        return _tokens_in(piece, _WORD)
    return _marked_cost(piece, mark, word)


def _marked_cost(piece: str, mark: str, word: str) -> float:
    """The cost of a word with a mark before it, which may be a token or part of the first one."""
    if len(word) > 1 and _is_token(word):
        return _character_cost(mark) + 1
    return (_character_cost(mark) + _tokens_in(word, _WORD) + _tokens_in(piece, _WORD)) / 2


def _tokens_in(piece: str, division: _Division) -> float:
    """The tokens of a piece that is none itself: always the longest one from the left."""
    size = len(piece)
    # A space makes one token with the first byte of a character that is no token.
    count, at = 0.0, int(size > 1 and piece[0] == " " and _character_cost(piece[1]) > 1)
    while at < size:
        if at and division.has_ends and size - at > 1 and _is_token(piece[at:]):
            return count + 1
        end = _longest_token(piece, at, division)
        count += 1 if end - at > 1 else _character_cost(piece[at])
        at = end
    return count


def _longest_token(piece: str, at: int, division: _Division) -> int:
    """The end of the longest token at a place; a single character if there is none."""
    is_token = _membership()
    found, misses = at + 1, 0
    for end in range(at + 2, min(len(piece), at + division.longest) + 1):
        if is_token(piece[at:end]):
            found, misses = end, 0
        elif misses == division.misses:
            break
        else:
            misses += 1
    return found


def _is_token(text: str) -> bool:
    is_token = _membership()
    if not is_token(text):
        return False
    return len(text) < _LONG or any(
        (at == 1 or is_token(text[:at])) and (at == len(text) - 1 or is_token(text[at:])) for at in range(1, len(text))
    )


@lru_cache(_CACHED)
def _character_cost(character: str) -> float:
    """The cost of a character; an unknown one is divided into bytes, the first of which make one token."""
    if character.isascii() or _membership()(character):
        return 1
    if character < "\u13a0" or "\u4e00" <= character <= "\ud7a3":
        return 2
    return 3 if character <= "\uffff" or "\U0001f000" <= character <= "\U0001faff" else 4


def _has(characters: str, piece: str) -> bool:
    return not piece.isascii() and _compile(characters).search(piece) is not None


def _affordable(piece: str, share: float) -> int:
    """The number of characters of a piece that cost no more than a share of it."""
    most, size = share * _piece_cost(piece), int(share * len(piece))
    while size and _piece_cost(piece[:size]) > most:
        size -= 1
    return size
