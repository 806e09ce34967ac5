"""How words are compared: in lower case, with plain apostrophes and single blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dowse.language.scripts import count_words

_STRAIGHT = (("’", "'"), ("‘", "'"), ("`", ""), ("*", ""))

# What stands between the name of a page and the name of its site.
_SEPARATOR = re.compile(r"\s[|–—‐-]{1,3}\s|\s?[|•·»«›]\s?|\s<\s|｜|[.!]\s")
# Not the question mark: a question is about something, and no name for it.
_EDGES = " \t.,:;!…'\"()[]{}-–—。！：、"
_LONGEST_NAME_WORDS = 14
_LONGEST_NAME = 160
# "Oops! Error 404:" and the like, before and behind what is the matter.
_PREAMBLE = re.compile(
    r"(?:(?:(?:it )?(?:looks like|seems|appears)(?: that)?|unfortunately|o+ps|ups|whoops|oups|hoppla|uh[- ]oh|oh no"
    r"|oh dear|hmm|sorry|we're sorry|we are sorry|lo sentimos|désolé|but|error|http|status|code|fehler|erreur|errore"
    r"|erro|[45]\d\d)(?!\w)[^\w(]{0,4}){1,5}"
)
_TRAILER = re.compile(r"[^\w]{1,4}(?:error )?(?:code )?[45]\d\d[^\w]{0,2}$")


def normal(text: str) -> str:
    # Several times as fast as a table of characters.
    for sign, plain in _STRAIGHT:
        text = text.replace(sign, plain)
    return " ".join(text.split()).lower()


def names(text: str) -> tuple[str, ...]:
    """What a title or heading may be the name of: the whole, and the parts its separators make; nothing wordy."""
    # Some sites come first: "Campus: Log in". What comes behind a subject is mostly longer than a name.
    parts = [text, *_SEPARATOR.split(text), text.rpartition(": ")[2]]
    short = (part.strip(_EDGES) for part in parts if len(part) <= _LONGEST_NAME)
    return tuple(part for part in short if part and count_words(part) <= _LONGEST_NAME_WORDS)


def matter(name: str) -> str:
    """What is the matter, without exclamations and numbers around it."""
    preamble = _PREAMBLE.match(name)
    return _TRAILER.sub("", name[preamble.end() :] if preamble else name).strip(_EDGES)


def either(*patterns: str) -> re.Pattern[str]:
    """One pattern of several; their repetitions are bounded, so that no text is slow to search."""
    return re.compile("|".join(patterns))


def holds(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def agreeing(**signs: bool) -> list[str]:
    """The names of the signs that hold, for a rule to weigh and for the log."""
    return [name.replace("_", " ") for name, is_there in signs.items() if is_there]
