"""Names of persons in declared values and in visible bylines."""

from __future__ import annotations

import re
from itertools import takewhile

from dowse.core.text import without_markup

_MOST_CHARS = 400
_LONGEST_NAME = 60
_LONGEST_HANDLE = 30
_MOST_NAMES = 8
_MOST_WORDS = 5

_BY = (
    r"(?:(?:words|text|story|article|post|posted|written|published|submitted|started|asked|created|authored|edited"
    r"|contributed|review|reviewed|updated|last updated|content|guest post|blog|scritto|escrito|publicado|écrit|publié"
    r"|rédigé|geschrieben|verfasst|veröffentlicht|geschreven|medically reviewed)\s)?"
    r"(?:by|von|par|por|door|da|di|przez)\b"
)
_AUTHOR = r"(?:author|writer|autor|autorin|auteur|autore|автор|作者|著者|文)s?"
# Beginning of a byline, matched in lower case: a pattern that ignores case is slow.
_BYLINE = re.compile(rf"\s{{0,20}}(?:{_BY}|{_AUTHOR}\s?[:：|])[\s:]{{0,20}}")
_LABEL = re.compile(rf"\s{{0,20}}(?:{_BY}|{_AUTHOR}\b)[\s:：|]{{0,20}}", re.I)
# End of the names in a value, and in a line.
_END_OF_VALUE = re.compile(r"\s[|•·—–-]\s|[(\[]|\son\s", re.I)
_END_OF_LINE = re.compile(
    r"\s[—–-]\s|[|•·(\[]|\bon\s(?=\w{3,9}\s\d)|\s(?:updated|published|posted|reviewed)\b|\d{1,2}[./]\d|\b(?:19|20)\d\d\b"
    r"|\s(?:last|medically|fact|edited|read|in|for|at|aktualisiert|illustrated|with)\s|\s\d{1,2}\s",
    re.I,
)
_BETWEEN = re.compile(r"\s?[;,|]\s?|\s/\s|\s(?:and|&|und|et|y|e|en|with|и|og|och)\s|[、，]", re.I)
_ADDRESS = re.compile(r"@\w|https?:|www\.|://|\.(?:com|org|net|io|co|edu|gov)\b", re.I)
_PARTS_OF_HANDLE = re.compile(r"[\s._-]+")
_GENERIC = frozenset(
    "admin administrator staff editor editors editorial team author authors anonymous guest user unknown undefined"
    " null none name webmaster contributor contributors newsroom root test default by owner moderator mod redaktion"
    " rédaction redacción redazione about writer the site editorialteam sponsored marketing blog news share follow me"
    " us".split()
)
_NOT_IN_NAMES = frozenset(
    "min mins minute minutes read comments comment share follow view views home menu search subscribe newsletter posted"
    " published updated the this that these what how why when your our more all click here reading posts articles"
    " ago days hours january february march april may june july august september october november december"
    " product products price shop cart news privacy policy terms cookies login register sign category filed"
    " log in out account contact stock hi hej hello my up us topic owner create edit reply quote checked help request"
    " library".split()
)
_DEGREES = frozenset(
    "md phd dvm vmd rn rd jd esq mba ma ms msc bsc ba bs cpa cfp cfa dds dmd do np pa pharmd mph rdn ldn lcsw psyd edd"
    " jr sr ii iii iv cscs facs faap fnp bc".split()
)
_LONGEST_DEGREE = 8
_POSITION = re.compile(
    r"\b(?:editor|writer|reporter|contributor|director|manager|expert|specialist|ceo|cto|cfo|founder|professor|senior"
    r"|staff|correspondent|columnist|author|dietitian|nutritionist|consultant|analyst|engineer|producer|head of"
    r"|president|contributing|journalist|attorney|team|strategist|coach|magazine|inc|llc|ltd|university|news|today)\b",
    re.I,
)
_PARTICLES = frozenset("van von de der den del della di da dos du la le el al bin ibn ter ten y e mc o".split())
# From here on names are written without blanks.
_FIRST_EAST_ASIAN = "\u2e80"
_LONGEST_EAST_ASIAN = 10
_ALPHANUMERIC = re.compile(r"[^\W_]+")


def compact(text: str) -> str:
    """The letters and digits of a text, for comparison."""
    return "".join(_ALPHANUMERIC.findall(text.casefold()))


def names_in_value(value: str) -> list[str]:
    """Names in a declared author, without generic words and addresses."""
    return list(filter(_is_somebody, _parts(value, _END_OF_VALUE)))[:_MOST_NAMES]


def names_in_element(text: str) -> list[str]:
    """Names in an author element: of persons, or a handle."""
    found = names_in_value(text)
    return found if all(_looks_like_person(name) or _is_handle(name) for name in found) else []


def names_in_line(line: str) -> list[str]:
    """Names at the beginning of a line, as far as they look like names of persons."""
    found = takewhile(_looks_like_person, _parts(line, _END_OF_LINE))
    return list(filter(_is_somebody, found))[:_MOST_NAMES]


def behind_label(line: str) -> str | None:
    """The rest of a byline behind its label; `None` for any other line."""
    # No label has a letter that grows in lower case, so the offsets are equal.
    label = _BYLINE.match(line.lower())
    return line[label.end() :].strip() if label else None


def turn_around(name: str) -> str:
    """`Jane Roe` for `Roe, Jane`."""
    last, _, first = map(str.strip, name.partition(","))
    return f"{first} {last}" if first and "," not in first and not _is_addition(first) else name


def _parts(text: str, end: re.Pattern[str]) -> list[str]:
    """Split a list of names, without its label, degrees and positions."""
    line = without_markup(text, _MOST_CHARS)
    if label := _LABEL.match(line):
        line = line[label.end() :]
    names: list[str] = []
    for part in _BETWEEN.split(end.split(line, maxsplit=1)[0]):
        name = part.strip(" .:-–—*\"'“”()")
        if name and name not in names and not (names and _is_addition(name)):
            names.append(name)
    return names


def _is_addition(part: str) -> bool:
    first = part.lower().replace(".", "").split()[0]
    return first in _DEGREES or (part.isupper() and len(part) <= _LONGEST_DEGREE) or bool(_POSITION.search(part))


def _is_somebody(name: str) -> bool:
    if not 2 <= len(name) <= _LONGEST_NAME or _ADDRESS.search(name) or not any(map(str.isalpha, name)):
        return False
    return not _GENERIC.issuperset(_PARTS_OF_HANDLE.split(name.lower()))


def _is_handle(name: str) -> bool:
    return " " not in name and len(name) <= _LONGEST_HANDLE and name.lower() not in _NOT_IN_NAMES


def _looks_like_person(name: str) -> bool:
    words = name.split()
    if len(words) == 1 and name > _FIRST_EAST_ASIAN:
        return len(name) <= _LONGEST_EAST_ASIAN
    if not 2 <= len(words) <= _MOST_WORDS or any(map(str.isdigit, name)):
        return False
    if not _NOT_IN_NAMES.isdisjoint(map(str.lower, words)):
        return False
    return all(map(_is_part_of_name, words))


def _is_part_of_name(word: str) -> bool:
    return word[0].isupper() or word.lower() in _PARTICLES
