"""Which charset bytes without a (true) label are in: the one in which they look most like a text."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from dowse.extract.alphabets import WRITINGS, Script, Writing

_SAMPLE = 32_768
# Words with anything but ASCII in them. They begin at the start of a character in every charset below.
_WORD = re.compile(rb"[\x80-\xff][\x40-\x7e\x80-\xff]*")
_LONGEST_START = 12
_ASCII_START = re.compile(rb"[A-Za-z]{1,12}\Z")
_HIGH = frozenset(range(0x80, 0x100))
# `m³` is no Polish word. So many different bytes that make sense in an alphabet are no accident.
_FEWEST_BYTES = 4
_ESCAPE = re.compile(rb"\x1b\$[@B]")
_HTML_LANGUAGE = re.compile(
    rb"""<html\b[^>]{0,300}?\blang\s{0,9}=\s{0,9}["']?([a-z]{2}(?:-[a-z]{2,4})?)\b""", re.IGNORECASE
)
_HEAD = 2048
_BROKEN_SHARE = 0.1

_WRONG, _STRANGE, _RARE, _CAPITAL, _COMMON = -3.0, -1.0, 0.1, 0.85, 1.0
_MARK = 0.5
_VOTE = 0.25
_LETTER = r"[^\W\d_A-Za-z]"
# How characters stand in texts of a script only if they were read wrongly, and what each of them costs.
_ODD_PLACES = {
    Script.ACCENTED: (
        (re.compile(f"(?<={_LETTER}){_LETTER}(?={_LETTER})"), 1.5),
        (re.compile(r"(?<=[A-Za-z])(?:[¹²³¼½¾]|[^\w\s\x00-\x7f’·])(?=[A-Za-z])"), 2.0),
        # `à`, `ó` and `å` are words, other letters are not.
        (re.compile(r"(?<!\w)(?![àáéèíóúòåöæÀÁÉÈÍÓÚÅÖÆºª])[^\W\d_\x00-\x7f](?!\w)"), 1.0),
    ),
    Script.SOLID: (
        (re.compile(f"{_LETTER}[A-Za-z]|[A-Za-z]{_LETTER}"), 1.5),
        (re.compile("[а-яёіїєґў][А-ЯЁІЇЄҐЎ]"), 2.0),
    ),
    Script.EAST_ASIAN: (),
}
_MARKS = frozenset("‘’“”„«»–—…•©®°§№€£\xa0、。，．・：；！？「」『』（）《》〈〉【】～　０１２３４５６７８９")
# Half-width katakana, box drawings, private use, controls: what wrong guesses are full of.
_UNLIKELY = re.compile("[\x80-\x9f\u2500-\u25a1\ue000-\uf8ff\uff61-\uff9f\U000f0000-\U0010ffff]")

# In the order of the writings: of equal guesses the first one counts.
_BY_CODEC = {
    codec: [writing for writing in WRITINGS if codec in writing.codecs]
    for codec in dict.fromkeys(codec for writing in WRITINGS for codec in writing.codecs)
}

_LANGUAGES = frozenset(language for writing in WRITINGS for language in writing.languages)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a sample looks like in one charset."""

    characters: dict[str, int]
    """How often each character beyond ASCII occurs."""
    oddness: dict[Script, float]


def characters_of_utf8(data: bytes) -> int:
    """How many characters beyond ASCII some UTF-8 has; a body may be cut in the middle of one. 0 if it is none."""
    if data.isascii():
        return 0
    try:
        text, _ = codecs.utf_8_decode(data, "surrogatepass", False)
    except UnicodeDecodeError:
        return 0
    return len(text) - len(text.encode("ascii", "ignore"))


def guessed(data: bytes) -> str | None:
    """The codec that fits best; none where no guess is good."""
    if _ESCAPE.search(data[:_SAMPLE]) and _decodes(data, "iso2022_jp"):
        return "iso2022_jp"
    if data.isascii() or characters_of_utf8(data):
        return "utf-8"
    sample = _sample(data)
    if _is_nearly_utf8(sample):
        return "utf-8"
    language = _language(data)
    if len(_HIGH.intersection(sample)) < _FEWEST_BYTES and not language:
        return None
    best, most = None, 0.0
    for codec, writings in _BY_CODEC.items():
        look = _look(sample.decode(codec, "replace"))
        for writing in writings:
            vote = _VOTE if language in writing.languages else -_VOTE * (not writing.is_frequent)
            likeness = _likeness(look, writing) + vote
            if likeness > most:
                best, most = codec, likeness
    return best


def _sample(data: bytes) -> bytes:
    """The first words that are not ASCII, whole, so that it shows what their letters stand between."""
    words: list[bytes] = []
    size = 0
    for word in _WORD.finditer(data):
        before = _ASCII_START.search(data, max(0, word.start() - _LONGEST_START), word.start())
        words.append(data[before.start() if before else word.start() : word.end()][: _SAMPLE - size])
        size += len(words[-1])
        if size >= _SAMPLE:
            break
    return b" ".join(words)


def _language(data: bytes) -> str:
    found = _HTML_LANGUAGE.search(data[:_HEAD])
    language = found[1].decode("ascii").lower() if found else ""
    return next((said for said in (language, language[:2]) if said in _LANGUAGES), "")


def _is_nearly_utf8(sample: bytes) -> bool:
    """UTF-8 with a few broken characters, as programs make it that cut strings anywhere."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return broken <= _BROKEN_SHARE * (len(text) - len(text.encode("ascii", "ignore")) - broken)


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _look(text: str) -> _Look:
    return _Look(
        {character: count for character, count in Counter(text).items() if character > "\x7f"},
        {script: sum(cost * len(odd.findall(text)) for odd, cost in _ODD_PLACES[script]) for script in Script},
    )


def _likeness(look: _Look, writing: Writing) -> float:
    """About 1 for common letters in their usual places, 0 and less for what makes no sense."""
    score = sum(_weight(character, writing) * count for character, count in look.characters.items())
    return (score - look.oddness[writing.script]) / max(1, sum(look.characters.values()))


def _weight(character: str, writing: Writing) -> float:
    if character == "\ufffd":
        return _WRONG
    if character in writing.common:
        return _COMMON
    if character in _MARKS:
        return _MARK
    if writing.script is Script.SOLID and character.lower() in writing.common:
        return _CAPITAL
    return _STRANGE if _UNLIKELY.match(character) else _RARE
