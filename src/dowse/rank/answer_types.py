"""Types of answers, such as a length, a price or a reason: the type that a question asks for, and texts of a type.

`answer_types.txt` has the patterns, in English, German, French, Spanish and Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("answer_types.txt")
_ASKED, _IMPLIED, _TOLD, _UNITS, _NUMBERS = "asked ", "implied ", "told ", "units ", "numbers"
_WORD = re.compile(r"\w{1,40}")
_HEADER = re.compile(r"\[([\w ]+)\]")
# Han, kana and Hangul have no blanks between words.
_UNSPACED = re.compile("[\u3040-\u9fff\uac00-\ud7af]")
# Longer than any quote.
_TYPED_CHARS = 1000
_DIGIT = re.compile(r"\d")
_DIGITS = r"(?<![\d.,])\d[\d.,\u00a0 ]{0,15}"
# How many things there are: the number stands before the name of the thing, and no other answer will do.
_COUNT_ASKED = re.compile(r"\b(?:how many|wie ?viele|combien d(?:e |[’']))\s?(\w{3,40})|cu[aá]nt[oa]s (\w{3,40})", re.I)
_NUMBER_ASKED = re.compile(
    r"\b(?:when|how (?:many|much|long|old|far|often|large|big|tall|high|deep)|(?:what|which) (?:year|date|day|month|"
    r"century|decade|time|percentage|number|amount|age)|wann|wie ?viele?|quand|combien|cu[aá]ndo|cu[aá]nt[oa]s?|quando|"
    r"quant[oaie]s?|когда|сколько|kiedy|ile|kaç|milloin|montako)\b|いつ|何[年月日時人個]|いくつ|いくら|什么时候|什麼時候|哪年|"
    r"哪一年|多少|几|언제|몇|얼마|เมื่อไ|เท่าไ|กี่|متى|كم|कब|कितन",
    re.IGNORECASE,
)
_PERSON_ASKED = re.compile(
    r"\b(?:who|whom|whose|(?:which|what) (?:company|firm|person|author|artist|team|club|woman|man)|we(?:r|m|n|ssen)|qui"
    r"|qui[eé]n(?:es)?|chi|quem|кто|кого|кому|ποιος|kto|cine|kim|kuka|vem|hvem)\b",
    re.IGNORECASE,
)
_WORD_INSIDE = re.compile(r"(?<=[\w,;:)] )[^\W\d_]\w{1,40}")
_TWO_CAPITALS = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]{1,40} [A-ZÄÖÜ][a-zäöüß]{1,40}")
# Numbers in words, and days: in these languages a text without any of them and without digits tells no number.
_NUMBER_WORDS = {
    "english": frozenset(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
        "million billion dozen half once twice monday tuesday wednesday thursday friday saturday sunday "
        "january february april june july august september october november december".split()
    ),
    "german": frozenset(
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig "
        "hundert tausend million millionen halb hälfte einmal zweimal montag dienstag mittwoch donnerstag "
        "freitag samstag sonntag".split()
    ),
    "french": frozenset(
        "deux trois quatre cinq six sept huit neuf dix onze douze quinze vingt trente quarante cinquante cent "
        "mille million millions demi moitié lundi mardi mercredi jeudi vendredi samedi dimanche".split()
    ),
    "spanish": frozenset(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta cincuenta "
        "cien mil millón millones medio mitad lunes martes miércoles jueves viernes sábado domingo".split()
    ),
}
# Factors of the support of a text without the kind of answer that is asked for, and of one with its type. Fitted on
# SQuAD, XQuAD, JaQuAD and the sets of `tests/eval/answers` except the blind ones.
_HAS_TYPE, _NO_TYPE = 1.1, 0.65
# In scripts without capitals no name is looked for. One word may be a name, or begin a title.
_NO_NAME, _ONE_NAME = 0.6, 0.85
_NO_NUMBER = 0.7


class Asked(NamedTuple):
    """The types of an answer, one of which suffices; the words of the question that name them; the counted thing."""

    types: tuple[str, ...] = ()
    implied: frozenset[str] = frozenset()
    counted: str = ""


class Expectation:
    """The parts that an answer to a question needs: a type, a count, a name or a number."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._asked = find_asked(question)
        self._asks_person = asks_person(question)
        self.asks_number = asks_number(question)

    @property
    def is_amount(self) -> bool:
        """Whether a number alone may be the answer."""
        return self.asks_number or bool(self._asked.types)

    @property
    def has_types(self) -> bool:
        return bool(self._asked.types)

    def has_type(self, text: str) -> bool:
        return has_type(text, self._question, self._asked.types)

    def rate(self, text: str, inside: Mapping[str, float], language: str) -> float:
        """The factor for a text in which these words of the question stand; below 1 for another kind of answer."""
        if self.has_types:
            return _HAS_TYPE if self.has_type(text) else _NO_TYPE
        if self._asked.counted:
            is_told = not lacks_number(text, self._question, language)
            return 1.0 if is_told and inside.get(self._asked.counted, 0.0) > 0.0 else _NO_TYPE
        return self._rate_name(text, language) * self._rate_number(text, language)

    def _rate_name(self, text: str, language: str) -> float:
        if not self._asks_person or has_full_name(text, self._question):
            return 1.0
        return _NO_NAME if lacks_name(text, self._question, language) else _ONE_NAME

    def _rate_number(self, text: str, language: str) -> float:
        return _NO_NUMBER if self.asks_number and lacks_number(text, self._question, language) else 1.0


def find_asked(question: str) -> Asked:
    """The types of answer that a question asks for; none if that is not known."""
    words = frozenset(_WORD.findall(question.lower()))
    for types, pattern in _questions():
        if match := pattern.search(question):
            named = frozenset(_WORD.findall(match.group().lower()))
            return Asked(types, named | (words & _find_implied(types)))
    match = _COUNT_ASKED.search(question)
    return Asked(counted=(match[1] or match[2]).lower() if match else "")


def has_type(text: str, question: str, types: Iterable[str]) -> bool:
    """Whether a text has an answer of one of these types that is not in the question."""
    found = (match.group().strip() for each in types for match in _make_pattern(each).finditer(text, 0, _TYPED_CHARS))
    return any(answer not in question for answer in found)


def asks_number(question: str) -> bool:
    """Whether a question asks for a number or a date."""
    return _NUMBER_ASKED.search(question) is not None


def lacks_number(text: str, question: str, language: str) -> bool:
    """Whether a text has no number but those of the question. Numbers in words are known in a few languages only."""
    if language not in _NUMBER_WORDS:
        return False
    new = set(_WORD.findall(text.lower())) - set(_WORD.findall(question.lower()))
    return new.isdisjoint(_NUMBER_WORDS[language]) and not any(map(_DIGIT.search, new))


def asks_person(question: str) -> bool:
    """Whether a question asks for a person, in a language that writes names with a capital letter."""
    return _PERSON_ASKED.search(question) is not None


def lacks_name(text: str, question: str, language: str = "") -> bool:
    """Whether a text has no word with a capital letter but the first one and those of the question.

    In German, where all nouns have one, it takes two such words in a row.
    """
    if language == "german":
        return not has_full_name(text, question)
    return not any(word[0].isupper() and word not in question for word in _WORD_INSIDE.findall(text))


def has_full_name(text: str, question: str) -> bool:
    """Whether a text has two words with a capital letter in a row, such as a first and a last name."""
    return any(name not in question for name in _TWO_CAPITALS.findall(text))


@cache
def _sections() -> dict[str, list[str]]:
    """The lines of the file by their header."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if header := _HEADER.fullmatch(line):
            lines = sections.setdefault(header[1], [])
        elif not line.startswith("#"):
            lines.append(line)
    return sections


@cache
def _questions() -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
    return [
        (tuple(name.removeprefix(_ASKED).split()), re.compile("|".join(map(_whole, lines)), re.IGNORECASE))
        for name, lines in _sections().items()
        if name.startswith(_ASKED)
    ]


def _find_implied(types: Iterable[str]) -> frozenset[str]:
    lines = (line for each in types for line in _sections().get(_IMPLIED + each, ()))
    return frozenset(word for line in lines for word in line.split())


@cache
def _make_pattern(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(_list_patterns(kind)), re.IGNORECASE)


def _list_patterns(kind: str) -> Iterator[str]:
    yield from map(_whole, _sections().get(_TOLD + kind, ()))
    amount = rf"(?:{_DIGITS}|(?:{'|'.join(map(_whole, _sections()[_NUMBERS]))})\s?)"
    for units in _sections().get(_UNITS + kind, ()):
        end = "" if _UNSPACED.search(units) else r"(?!\w)"
        # Such as `three to four hours` or `eight long hours`.
        yield rf"{amount}[\s-]{{0,2}}(?:[^\W\d]{{2,12}} )?(?:{units}){end}"


def _whole(pattern: str) -> str:
    """The pattern of whole words, in scripts with spaces."""
    if _UNSPACED.search(pattern) or pattern.startswith("["):
        return f"(?:{pattern})"
    return rf"(?<!\w)(?:{pattern})(?!\w)"
