"""Rules about questions that another tool answers better, and how such rules are written in the settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

from pydantic import BeforeValidator

from dowse.core.text import one_line
from dowse.language.scripts import AGGLUTINATED, fold, separate_characters
from dowse.settings.declare import Takes

_KEYS = frozenset({"message", "phrases", "patterns", "unless"})
_MOST_RULES, _MOST_PHRASES = 50, 500
_LONGEST_NAME, _LONGEST_PHRASE, _LONGEST_PATTERN, _LONGEST_MESSAGE = 64, 200, 4000, 500
# Patterns are no regular expressions: a regular expression is refused, because it would never match.
_REGEX = re.compile(r"[\\()\[\]{}*+?^$]")
_POSSESSIVE = re.compile(r"['’]s\b")
# The vowels of Indian scripts are marks: for `\w` they would end the word.
_WORD = re.compile(r"[^\W_\u0900-\u0dff]+|[\u0900-\u0dff]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions that are refused with `message`, which names the tool to use instead.

    They hold one of the `phrases`, or fit one of the `patterns`, and hold none of `unless`. A phrase is whole words
    that follow each other; `entry` stands for `entries` as well. A pattern is made of phrases: `jira & ticket|sprint`
    takes the first one and either of the others, wherever they stand.
    """

    name: str
    message: str
    phrases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


def words_of(text: str) -> list[str]:
    """The words in lower case and without accents. Marks between them do not count, nor does the `'s` of `today's`."""
    return _WORD.findall(separate_characters(_POSSESSIVE.sub("", fold(text)), AGGLUTINATED))


def parts_of(pattern: str) -> list[list[str]]:
    """The phrases of a pattern: of each part one has to be there."""
    return [part.split("|") for part in f" {pattern} ".split(" & ")]


def read_rules(value: object) -> tuple[Rule, ...]:
    """The rules of a JSON object, or of a table of `dowse.toml`: by their names, each with its parts."""
    given = json.loads(value) if isinstance(value, str) else value
    if isinstance(given, tuple):
        return given
    if not isinstance(given, dict) or len(given) > _MOST_RULES:
        raise ValueError
    return tuple(_rule(name, parts) for name, parts in given.items())


def _rule(name: str, given: object) -> Rule:
    if not isinstance(given, dict) or given.keys() - _KEYS:
        raise ValueError
    message = _text(given.get("message"), _LONGEST_MESSAGE)
    phrases, patterns, unless = (_texts(given, key) for key in ("phrases", "patterns", "unless"))
    if not phrases + patterns or any(map(_REGEX.search, patterns)):
        raise ValueError
    parts = [phrases, unless, *chain.from_iterable(map(parts_of, patterns))]
    # A phrase of marks only never matches.
    if not all(map(words_of, chain.from_iterable(parts))):
        raise ValueError
    return Rule(_text(name, _LONGEST_NAME), message, phrases, patterns, unless)


def _texts(given: Mapping[str, object], key: str) -> tuple[str, ...]:
    texts = given.get(key, [])
    if not isinstance(texts, list) or len(texts) > _MOST_PHRASES:
        raise ValueError
    return tuple(_text(text, _LONGEST_PATTERN if key == "patterns" else _LONGEST_PHRASE) for text in texts)


def _text(given: object, longest: int) -> str:
    text = one_line(given) if isinstance(given, str) else ""
    if not 0 < len(text) <= longest:
        raise ValueError
    return text


GuardrailRules = Annotated[
    tuple[Rule, ...],
    BeforeValidator(read_rules),
    Takes(
        'a JSON object of rules such as {"tickets": {"phrases": ["open tickets"], '
        '"patterns": ["jira & ticket|sprint"], "unless": ["api"], "message": "Use the jira MCP server."}}'
    ),
]
