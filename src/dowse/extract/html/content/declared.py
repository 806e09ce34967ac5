"""What a page says of itself for machines: where its visible text repeats that, it is likely to be the content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers
from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata import jsonld

COLUMNS = ("declared", "summarised", "from_declared")
PAGE_COLUMNS = ("declared_words", "summary_words", "declared_share")
_TEXTS = ("articleBody", "text", "description", "reviewBody")
_SUMMARIES = frozenset({"description", "og:description", "twitter:description"})
_WORD = re.compile(r"\w+")
# Most texts are ASCII. In those, what is in no word becomes a blank and all else small, and words are split at once.
_IN_WORDS = re.sub(rb"\W", b" ", bytes(range(256)).lower())
_TAG = re.compile(r"<[^<>]{0,500}>")
_LONGEST = 200_000
_SHORTEST = 40
# Further away than this, distance means nothing.
_FAR = 50.0

_Shingles = frozenset[tuple[str, str, str]]


def texts(tree: Tree) -> list[str]:
    """What the JSON-LD of a page holds of its text, from the longest down."""
    found = {
        _TAG.sub(" ", jsonld.plain(value))
        for thing in jsonld.things(tree.scripts)
        for name in _TEXTS
        if isinstance(value := thing.get(name), str) and len(value) >= _SHORTEST
    }
    return sorted(found, key=len, reverse=True)


def summaries(tree: Tree) -> list[str]:
    """What its head says that it is about, from the longest down."""
    found = {
        attributes.get("content") or ""
        for attributes in tree.head.get("meta", ())
        if (attributes.get("property") or attributes.get("name") or "").lower() in _SUMMARIES
    }
    return sorted(found, key=len, reverse=True)


def measure(tree: Tree, blocks: Sequence[Block]) -> tuple[Numbers, list[float]]:
    """A row for each block with the numbers of `COLUMNS`, and those of `PAGE_COLUMNS`."""
    declared, summarised = _shingles(texts(tree)), _shingles(summaries(tree))
    rows = np.zeros((len(blocks), len(COLUMNS)), np.float32)
    rows[:, 2] = _FAR
    if declared or summarised:
        either = declared | summarised
        # Most texts repeat nothing, not even the longest word of three, and many are on the page more than once.
        longest = {max(shingle, key=len) for shingle in either}
        shares = {
            text: (_share(words, declared), _share(words, summarised))
            for text in {block.text for block in blocks}
            if not longest.isdisjoint(words := _words(text)) and not either.isdisjoint(_in_threes(words))
        }
        for number, block in enumerate(blocks):
            if block.text in shares:
                rows[number, :2] = shares[block.text]
        _measure_distance(rows)
    share = float((rows[:, 0] > 0.5).mean())
    return rows, [float(len(declared)), float(len(summarised)), share]


def _measure_distance(rows: Numbers) -> None:
    places = np.flatnonzero((rows[:, 0] > 0.5) | (rows[:, 1] > 0.5))
    if len(places):
        numbers = np.arange(len(rows))
        after = np.searchsorted(places, numbers)
        before = places[np.maximum(after - 1, 0)]
        behind = places[np.minimum(after, len(places) - 1)]
        rows[:, 2] = np.minimum(np.minimum(abs(numbers - before), abs(numbers - behind)), _FAR)


def _shingles(found: Iterable[str]) -> _Shingles:
    return frozenset(shingle for text in found for shingle in _in_threes(_words(text[:_LONGEST])))


def _share(words: list[str], shingles: _Shingles) -> float:
    return sum(map(shingles.__contains__, _in_threes(words))) / (len(words) - 2)


def _in_threes(words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each word with the two behind it."""
    return zip(words, words[1:], words[2:], strict=False)


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_IN_WORDS).decode().split()
    return _WORD.findall(text.lower())
