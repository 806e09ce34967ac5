"""Whether results have to do with their query: engines that take us for a bot send something plausible instead.

One word in common is enough, in any result. Words count as the same if they differ as stems, compounds and slips do.
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
    "they were left out; engines answer like this when they take us for a robot: ask in other words, or later, or "
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
# Letters with a stroke are letters of their own to Unicode, but not to those whose keyboards lack them.
_STRUCK = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"})
# Beyond these, more words would change nothing.
_MOST_TERMS, _MOST_CHARS = 40, 20_000
# What two words have in common at their beginning, at least, and as a share of the shorter one.
_STEM, _STEM_SHARE = 4, 2 / 3
# Short words become others by one letter, and are in many by accident; the more so across blanks.
_SHORTEST_SLIP, _SHORTEST_PART, _SHORTEST_JOINED = 5, 5, 7


@dataclass(frozen=True, slots=True)
class _Said:
    """What results say: their text, its words, and the same without blanks. All of it is folded."""

    text: str
    words: frozenset[str]
    joined: str


def checked(provider: str, query: str, hits: Sequence[Hit], *, instances: tuple[str, ...] = ()) -> None:
    """Raise `Irrelevant` for results of which none has to do with the query."""
    if not is_relevant(query, hits):
        raise Irrelevant(provider, f"no result shares a word with the query, so {_ADVICE}", instances=instances)


def is_relevant(query: str, hits: Sequence[Hit]) -> bool:
    """Whether any result shares a word with the query; so does every result of a query that has no words."""
    if not hits or any(_is_on(hit, site) for site in _sites(query) for hit in hits):
        return True
    asked = _folded(_without_operators(query))
    terms, pairs = _meaningful(_words(asked)), _pairs(asked)
    if not terms and not pairs:
        return True
    said = _said(hits)
    return any(pair in said.text for pair in pairs) or any(_occurs(term, said) for term in terms)


def _sites(query: str) -> list[str]:
    named = (match for match in _OPERATOR.finditer(query) if match[2].lower() == "site" and "-" not in match[1])
    return [match[3].strip('()"').lower().removeprefix("www.").partition("/")[0] for match in named]


def _is_on(hit: Hit, site: str) -> bool:
    parsed = urls.parse(hit.url)
    return parsed is not None and urls.is_below(parsed.name, site.partition(":")[0])


def _without_operators(query: str) -> str:
    """The text that is searched for; of `intitle:word` and its like that is the word."""
    return _EXCLUDED.sub(" ", _OPERATOR.sub(lambda found: f" {found[3]} " if _ON_PAGES.match(found[2]) else " ", query))


def _said(hits: Sequence[Hit]) -> _Said:
    text = _folded(" ".join(f"{hit.title} {hit.snippet} {unquote(hit.url)}" for hit in hits)[:_MOST_CHARS])
    words = _words(text)
    return _Said(text, frozenset(words), "".join(words))


def _folded(text: str) -> str:
    return fold(text).translate(_STRUCK)


def _words(folded: str) -> list[str]:
    return _WORD.findall(folded if folded.isascii() else _UNSPACED.sub(" ", folded))


def _pairs(folded: str) -> set[str]:
    """Each two characters that stand together where there are no words; one that stands alone."""
    runs = _UNSPACED.findall(folded)
    return {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}


def _meaningful(words: Sequence[str]) -> list[str]:
    """Words that tell what is asked for; years and short numbers only where there is nothing else."""
    named = [word for word in dict.fromkeys(words) if len(word) > 1 and word not in QUERY]
    telling = [word for word in named if not word.isdigit() or (len(word) > 2 and not _YEAR.fullmatch(word))]
    return (telling or named)[:_MOST_TERMS]


def _occurs(term: str, said: _Said) -> bool:
    if term in said.words:
        return True
    if term[0].isdigit():
        # A version of which more or less is told: 3.15 and 3.15.1.
        return any(word.startswith(f"{term}.") or term.startswith(f"{word}.") for word in said.words if "." in word)
    return _is_part(term, said) or any(_is_form(term, word) for word in said.words if word[0] == term[0])


def _is_part(term: str, said: _Said) -> bool:
    """Whether it is in a compound, or was written in two words, or is a compound of which a part is there."""
    letters = [part for part in _LETTERS.findall(term) if part != term and len(part) >= _STEM]
    return (
        any(part in said.words for part in letters)
        or (len(term) >= _SHORTEST_PART and term in said.text)
        or (len(term) >= _SHORTEST_JOINED and term in said.joined)
        or any(word in term for word in said.words if len(word) >= _SHORTEST_PART and word not in QUERY)
    )


def _is_form(term: str, word: str) -> bool:
    """Whether two words that begin alike are forms of one, or one of them is a slip of the pen."""
    shorter = min(len(term), len(word))
    stem = max(_STEM, round(shorter * _STEM_SHARE))
    if shorter >= _STEM and term[:stem] == word[:stem]:
        return True
    if shorter < _SHORTEST_SLIP or abs(len(term) - len(word)) > 1:
        return False
    return not _shortened(term).isdisjoint(_shortened(word))


def _shortened(word: str) -> set[str]:
    """A word and all that it becomes without one of its letters: words with one slip between them meet there."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
