"""What classes, ids, headings and addresses give away by their words. Each group is one bit of a mark."""

from __future__ import annotations

import re
from functools import lru_cache

from dowse.extract.html.content.vocabulary import CLASS_GROUPS, TEXT_GROUPS, URL_GROUPS

_LONGEST = 400

_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Most names are in small letters: with blanks for all else, they are split much faster.
_SMALL = re.sub(rb"[^a-z]", b" ", bytes(range(256)))
_TEXT = [re.compile(rf"(?:{words})(?:\b|(?<=©))", re.I) for words in TEXT_GROUPS.values()]
# In lower case, which is compared much faster.
_ANY_TEXT = re.compile("|".join(TEXT_GROUPS.values()))
_URL = [re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])", re.I) for words in URL_GROUPS.values()]
# In all the ways in which a word of a name can be written.
_CLASS_BITS: dict[str, int] = {}
for _bit, _words in enumerate(CLASS_GROUPS.values()):
    for _word in f"{_words} {_words.title()} {_words.upper()}".split():
        _CLASS_BITS[_word] = _CLASS_BITS.get(_word, 0) | 1 << _bit


def of_class(names: str) -> int:
    """The groups that the words of class names and ids belong to: `postHeader entry-meta` is four words."""
    names = names[:_LONGEST]
    is_small = names.isascii() and names.islower()
    marks = 0
    for word in names.encode().translate(_SMALL).decode().split() if is_small else _SPLIT.findall(names):
        marks |= _CLASS_BITS.get(word, 0)
    return marks


def words_of(name: str) -> list[str]:
    """The words that a name, or several of them, is made of, in lower case."""
    return [word.lower() for word in _SPLIT.findall(name[:_LONGEST])]


@lru_cache(maxsize=20_000)
def of_text(text: str) -> int:
    """The groups that a short text belongs to by its first words."""
    # Most belong to none. Outside of ASCII letters may have more than one lower case.
    if text.isascii() and not _ANY_TEXT.match(text.lower()):
        return 0
    return sum(1 << bit for bit, pattern in enumerate(_TEXT) if pattern.match(text))


def of_url(path: str) -> int:
    """The groups that the words of a path belong to."""
    return sum(1 << bit for bit, pattern in enumerate(_URL) if pattern.search(path[:_LONGEST]))
