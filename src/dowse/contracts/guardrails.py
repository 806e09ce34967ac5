"""Questions that another tool answers better are refused, with the name of that tool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from dowse.core.errors import InvalidRequest
from dowse.settings.guardrails import Rule, parts_of, words_of

_SHORTEST_PLURAL = 4


class Guardrails:
    """Rules that a question is held against before anybody is asked."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    def check(self, text: str) -> None:
        """Raise `InvalidRequest` with the message of the first rule that the text falls under."""
        words = [_readings(word) for word in words_of(text)]
        for check in self._checks:
            if check.refuses(words):
                raise InvalidRequest(check.message)

    @cached_property
    def _checks(self) -> tuple[_Check, ...]:
        # At the first question: thousands of phrases would make every start slower.
        return tuple(map(_Check, self._rules))


class _Check:
    """A rule whose phrases can be looked up."""

    def __init__(self, rule: Rule) -> None:
        self.message = rule.message
        patterns: list[Sequence[Sequence[str]]] = [[rule.phrases], *map(parts_of, rule.patterns)]
        self._patterns = [[_Phrases(part) for part in pattern] for pattern in patterns]
        self._unless = _Phrases(rule.unless)

    def refuses(self, words: Sequence[frozenset[str]]) -> bool:
        fits = any(all(part.are_in(words) for part in pattern) for pattern in self._patterns)
        return fits and not self._unless.are_in(words)


class _Phrases:
    """Phrases by their first words: a text takes as long as it is, whoever wrote it."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: defaultdict[str, list[list[str]]] = defaultdict(list)
        for phrase in phrases:
            first, *further = words_of(phrase)
            self._by_first[first].append(further)

    def are_in(self, words: Sequence[frozenset[str]]) -> bool:
        """Whether one of them is."""
        return any(
            _follow(further, words, at)
            for at, readings in enumerate(words, start=1)
            for reading in readings & self._by_first.keys()
            for further in self._by_first[reading]
        )


def _follow(further: Sequence[str], words: Sequence[frozenset[str]], at: int) -> bool:
    found = words[at : at + len(further)]
    return len(found) == len(further) and all(map(frozenset.__contains__, found, further))


def _readings(word: str) -> frozenset[str]:
    """The word, and what it may be the plural of."""
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s"):
        return frozenset((word,))
    if word.endswith("ies"):
        return frozenset((word, word[:-1], f"{word[:-3]}y"))
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return frozenset((word, word[:-1], word[:-2]))
    return frozenset((word, word[:-1]))
