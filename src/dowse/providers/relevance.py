"""Relevance check of scraped results: an engine that suspects a bot answers with plausible but unrelated results.

One word in common, in any result, is enough. Words also match as forms of one stem, parts of compounds or misspellings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from dowse.core import urls
from dowse.core.errors import Irrelevant
from dowse.core.models import Hit
from dowse.language.scripts import AGGLUTINATED, fold
from dowse.language.stopwords import QUERY

_ADVICE = (
    "they were left out; engines send such results to suspected bots: rephrase the query, try again later, or use "
    "another provider"
)
_OPERATOR = re.compile(
    r"(?<!\S)([-+(]{0,2})(site|filetype|ext|lang|language|loc|location|region|before|after|since|(?:all)?in(?:url|title"
    r"|text|anchor|body)|cache|related|feed|date|ip|prefer):(\S{1,300})",
    re.IGNORECASE,
)
_ON_PAGES = re.compile(r"(?:all)?in", re.IGNORECASE)
_EXCLUDED = re.compile(r"(?<!\S)-(?:\"[^\"]{0,300}\"|\S{1,300})")
_UNSPACED = re.compile(f"[{AGGLUTINATED}]+")
_WORD = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W\d_]+")
# Unicode does not decompose letters with a stroke, but people type them without.
_STRUCK = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"})
# More words would not change the result.
_MOST_TERMS, _MOST_CHARS = 40, 20_000
# The least common prefix of two forms of a word, in characters and as a share of the shorter one.
_STEM, _STEM_SHARE = 4, 2 / 3
# Shorter words differ by one letter from unrelated ones, or are part of some by chance; more so across spaces.
_SHORTEST_SLIP, _SHORTEST_PART, _SHORTEST_JOINED = 5, 5, 7


@dataclass(frozen=True, slots=True)
class _ResultText:
    """The folded text of results, its words, and the words joined without spaces."""

    text: str
    words: frozenset[str]
    joined: str


def check_relevance(provider: str, query: str, hits: Sequence[Hit], *, instances: tuple[str, ...] = ()) -> None:
    """Raise `Irrelevant` if no result matches the query."""
    if not is_relevant(query, hits):
        raise Irrelevant(provider, f"no result shares a word with the query, so {_ADVICE}", instances=instances)


def is_relevant(query: str, hits: Sequence[Hit]) -> bool:
    """Whether any result shares a word with the query; always true for a query without words."""
    if not hits or any(_is_on(hit, site) for site in _sites(query) for hit in hits):
        return True
    asked = _fold(_without_operators(query))
    terms, pairs = _choose_terms(_words(asked)), _pairs(asked)
    if not terms and not pairs:
        return True
    results = _read_results(hits)
    return any(pair in results.text for pair in pairs) or any(_occurs(term, results) for term in terms)


def _sites(query: str) -> list[str]:
    named = (match for match in _OPERATOR.finditer(query) if match[2].lower() == "site" and "-" not in match[1])
    return [match[3].strip('()"').lower().removeprefix("www.").partition("/")[0] for match in named]


def _is_on(hit: Hit, site: str) -> bool:
    parsed = urls.parse(hit.url)
    return parsed is not None and urls.is_below(parsed.name, site.partition(":")[0])


def _without_operators(query: str) -> str:
    """The query without operators; of `intitle:word` and the like the word stays."""
    return _EXCLUDED.sub(" ", _OPERATOR.sub(lambda found: f" {found[3]} " if _ON_PAGES.match(found[2]) else " ", query))


def _read_results(hits: Sequence[Hit]) -> _ResultText:
    text = _fold(" ".join(f"{hit.title} {hit.snippet} {unquote(hit.url)}" for hit in hits)[:_MOST_CHARS])
    words = _words(text)
    return _ResultText(text, frozenset(words), "".join(words))


def _fold(text: str) -> str:
    return fold(text).translate(_STRUCK)


def _words(folded: str) -> list[str]:
    return _WORD.findall(folded if folded.isascii() else _UNSPACED.sub(" ", folded))


def _pairs(folded: str) -> set[str]:
    """The bigrams of scripts without spaces; a single character by itself."""
    runs = _UNSPACED.findall(folded)
    return {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}


def _choose_terms(words: Sequence[str]) -> list[str]:
    """The words without stop words; years and short numbers only if there are no others."""
    named = [word for word in dict.fromkeys(words) if len(word) > 1 and word not in QUERY]
    telling = [word for word in named if not _is_vague_number(word)]
    return (telling or named)[:_MOST_TERMS]


def _is_vague_number(word: str) -> bool:
    """Whether a word is a year or a short number."""
    return word.isdigit() and (len(word) <= 2 or _YEAR.fullmatch(word) is not None)


def _occurs(term: str, results: _ResultText) -> bool:
    if term in results.words:
        return True
    if term[0].isdigit():
        return _is_version(term, results)
    return (
        _is_part(term, results)
        or _is_compound(term, results)
        or any(_is_form(term, word) for word in results.words if word[0] == term[0])
    )


def _is_part(term: str, results: _ResultText) -> bool:
    """Whether a term is part of a compound in the results, or written there in two words."""
    return (len(term) >= _SHORTEST_PART and term in results.text) or (
        len(term) >= _SHORTEST_JOINED and term in results.joined
    )


def _is_version(term: str, results: _ResultText) -> bool:
    """Whether a version stands in the results with another precision: 3.15 and 3.15.1."""
    return any(word.startswith(f"{term}.") or term.startswith(f"{word}.") for word in results.words if "." in word)


def _is_compound(term: str, results: _ResultText) -> bool:
    """Whether a term is a compound with a part in the results."""
    parts = {part for part in _LETTERS.findall(term) if part != term and len(part) >= _STEM}
    return not parts.isdisjoint(results.words) or any(
        word in term for word in results.words if len(word) >= _SHORTEST_PART and word not in QUERY
    )


def _is_form(term: str, word: str) -> bool:
    """Whether two words with the same first letter are forms of one word, or differ by a misspelling."""
    shorter = min(len(term), len(word))
    stem = max(_STEM, round(shorter * _STEM_SHARE))
    if shorter >= _STEM and term[:stem] == word[:stem]:
        return True
    if shorter < _SHORTEST_SLIP or abs(len(term) - len(word)) > 1:
        return False
    return not _deletions(term).isdisjoint(_deletions(word))


def _deletions(word: str) -> set[str]:
    """A word and its deletions of one letter: words that differ by one edit share one of them."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
