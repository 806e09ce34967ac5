"""English words that a page may have instead of those that were asked with; the groups are in `synonyms.txt`."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

from dowse.language.words import load_stemmer

_GROUPS = Path(__file__).with_name("synonyms.txt")


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """For the stem of a word the stems of those that may stand for it."""
    stem = load_stemmer("english")
    related: dict[str, set[str]] = defaultdict(set)
    for line in _GROUPS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            stems = stem(line.split())
            for one in stems:
                related[one].update(stems)
    return {one: frozenset(others - {one}) for one, others in related.items()}
