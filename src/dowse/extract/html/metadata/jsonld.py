"""JSON-LD: tolerant parsing of its scripts, and selection of the page's main object."""

from __future__ import annotations

import html
import json
import re
from collections import deque
from collections.abc import Iterable, Sequence
from functools import lru_cache

from dowse.core import urls

Thing = dict[str, object]

_MOST_CHARS = 400_000
_MOST_THINGS = 200
_BROKEN_CHARS = 100_000
# A headline of so many letters at the beginning of a title is no coincidence.
_DISTINCT = 15
_WRAPPING = re.compile(
    r"/\*\s{0,9}<!\[CDATA\[\s{0,9}\*/|(?://\s{0,9})?(?:<!\[CDATA\[|\]\]>)|/\*\s{0,9}\]\]>\s{0,9}\*/|<!--|-->"
)
_COMMENT = re.compile(r"/\*[^*]{0,300}\*/|^[ \t]{0,99}//[^\n]{0,300}$", re.M)
_TRAILING_COMMA = re.compile(r",(?=\s{0,200}[}\]])")
_BETWEEN = re.compile(r"[\s,;]*")
_PAIR = re.compile(r'"(headline|datePublished|dateModified|dateCreated)"\s{0,9}:\s{0,9}"((?:[^"\\\n]|\\.){1,400})"')
_DECODER = json.JSONDecoder(strict=False)
# Properties that hold the page or its subject; not articles in a list, comments or answers.
_FOLLOWED = ("@graph", "mainEntity", "mainEntityOfPage")

_WRITTEN = frozenset(
    "article newsarticle blogposting techarticle scholarlyarticle report analysisnewsarticle opinionnewsarticle"
    " reportagenewsarticle reviewnewsarticle backgroundnewsarticle askpublicnewsarticle advertisercontentarticle"
    " satiricalarticle medicalscholarlyarticle liveblogposting socialmediaposting discussionforumposting question"
    " review criticreview recipe howto learningresource apireference chapter book thesis legislation"
    " medicalwebpage podcastepisode".split()
)
_SHOWN = frozenset("product productgroup softwareapplication videoobject event course jobposting service".split())
_PAGES = frozenset("webpage collectionpage itempage faqpage qapage aboutpage profilepage contactpage".split())


def things(scripts: Iterable[str]) -> tuple[Thing, ...]:
    """All objects about the page, in document order. They are shared: do not modify them."""
    return _things(tuple(scripts))


# Called twice for each page: for its content, and for its metadata.
@lru_cache(maxsize=1)
def _things(scripts: tuple[str, ...]) -> tuple[Thing, ...]:
    found: list[Thing] = []
    left = _MOST_CHARS
    for script in scripts:
        left -= len(script)
        if left < 0:
            break
        _collect(_parse_script(script), found)
    return tuple(found)


def names_of(value: object, by_id: dict[str, Thing]) -> list[str]:
    """Names in a value: a text, an object with a name, a reference, or a list of these."""
    names = [_name_of(each, by_id) for each in (value if isinstance(value, list) else [value])]
    return [plain(name) for name in names if isinstance(name, str) and name.strip()]


def _name_of(value: object, by_id: dict[str, Thing]) -> object:
    if not isinstance(value, dict):
        return value
    named = value if "name" in value else by_id.get(str(value.get("@id")), value)
    return _first(named.get("name"))


def _first(value: object) -> object:
    """The first item of a list, or a value that is none."""
    return next(iter(value), "") if isinstance(value, list) else value


def text_of(thing: Thing, *keys: str) -> str:
    """The first text among these properties."""
    for key in keys:
        value = _first(thing.get(key))
        if isinstance(value, dict):
            value = value.get("@value") or value.get("name")
        if isinstance(value, str) and value.strip():
            return plain(value)
    return ""


def plain(value: str) -> str:
    """Decode entities, which are a mistake of the site inside scripts."""
    return html.unescape(html.unescape(value)) if "&" in value else value


def types_of(thing: Thing) -> set[str]:
    value = thing.get("@type")
    kinds = value if isinstance(value, list) else [value]
    return {kind.rpartition("/")[2].rpartition(":")[2].lower() for kind in kinds if isinstance(kind, str)}


def main_thing(found: Sequence[Thing], url: str, title: str) -> Thing | None:
    """The main object of the page: the article, the question, the product.

    Several of one kind are a list of other pages, unless one has the page's address or title.
    """
    for kinds in (_WRITTEN, _SHOWN):
        candidates = [thing for thing in found if kinds & types_of(thing)]
        own = [thing for thing in candidates if _is_page(thing, url, title)]
        if own or len(candidates) in (1, 2):
            return (own or candidates)[0]
    return None


def page_thing(found: Sequence[Thing], url: str) -> Thing | None:
    """The object of the page itself."""
    pages = [thing for thing in found if _PAGES & types_of(thing)]
    return next((thing for thing in pages if _is_page(thing, url, "")), pages[0] if len(pages) == 1 else None)


def by_id(found: Iterable[Thing]) -> dict[str, Thing]:
    """Named objects by their `@id`."""
    return {str(thing["@id"]): thing for thing in found if "@id" in thing and "name" in thing}


def _is_page(thing: Thing, url: str, title: str) -> bool:
    if title and same_text(text_of(thing, "headline", "name"), title):
        return True
    addresses = (_address_of(thing.get(key)) for key in ("url", "@id", "mainEntityOfPage"))
    own = urls.identity(url).partition("#")[0]
    return any(urls.identity(each.partition("#")[0]) == own for each in filter(None, addresses))


def _address_of(value: object) -> str:
    """The address in a property, which may be an object with an identifier."""
    address = value.get("@id") if isinstance(value, dict) else value
    return address if isinstance(address, str) else ""


def same_text(one: str, other: str) -> bool:
    """Whether two texts have the same letters, or the second begins with a long first one."""
    one, other = ("".join(filter(str.isalnum, each.casefold())) for each in (one, other))
    return bool(one) and (one == other or (len(one) >= _DISTINCT and other.startswith(one)))


def _collect(values: Iterable[object], found: list[Thing]) -> None:
    """Collect objects and the objects inside them, breadth first."""
    waiting = deque(values)
    while waiting and len(found) < _MOST_THINGS:
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            found.append(value)
            if "faqpage" not in types_of(value):
                waiting.extend(value[key] for key in _FOLLOWED if isinstance(value.get(key), dict | list))


def _parse_script(script: str) -> list[object]:
    """Parse the values of a script, repairing common defects; at worst, single pairs."""
    text = script.strip()
    if '"' not in text and "&quot;" in text:
        text = html.unescape(text)
    values, rest = _values(text)
    if not rest.strip("; \n\t") or len(text) > _BROKEN_CHARS:
        return values
    repaired, rest = _values(_TRAILING_COMMA.sub("", _COMMENT.sub("", _WRAPPING.sub("", text))).strip())
    if repaired and len(repaired) >= len(values):
        return repaired
    return values or [_pairs(text)]


def _values(text: str) -> tuple[list[object], str]:
    """Consecutive JSON values in a text, and the rest behind them."""
    values: list[object] = []
    at = 0
    while at < len(text) and len(values) < _MOST_THINGS:
        try:
            value, at = _DECODER.raw_decode(text, at)
        # ValueError also for numbers of thousands of digits, RecursionError for deep nesting.
        except (ValueError, RecursionError):
            break
        values.append(value)
        skipped = _BETWEEN.match(text, at)
        at = skipped.end() if skipped else at
    return values, text[at:]


def _pairs(text: str) -> Thing:
    """Properties of an object that does not parse; names are left out, as their owner is unknown."""
    thing: Thing = {"@type": "Article"}
    for key, value in _PAIR.findall(text):
        thing.setdefault(key, value)
    return thing
