"""The answer of a described API: paths to values, dates of any form, the hits, and a page as text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Found, Hit
from dowse.net.json_fields import (
    SNIPPET_CHARS,
    Json,
    as_mapping,
    elements,
    hit,
    iso_date,
    media,
    objects,
    plain,
)
from dowse.settings.described.model import SEARCH_FIELDS, AnswerShape, JsonPath, Pick

_MOST_RESULTS = 300
_MOST_VALUES = 400
_LONGEST_WORDS = 3000
_PASSAGES_CHARS = 4000
_MEDIA = frozenset({Category.IMAGES, Category.VIDEOS})
_FAR_AWAY_DAYS = 40_000
_AGO = re.compile(r"(?:about |over )?(an?|\d{1,4}) (second|minute|min|hour|day|week|month|year)s? ago", re.IGNORECASE)
_DAYS = {"second": 0, "minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})(?:T?\d{6}Z?)?$")
_YEAR = re.compile(r"(?:19|20)\d{2}$")
_NUMBER = re.compile(r"\d{9,13}(?:\.\d+)?$")
_SLASHES = re.compile(r"^(\d{4})/(\d\d)/(\d\d)")
_MILLISECONDS = 100_000_000_000
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""With its semicolon: in `?a=1&copy=2` there is none."""


def read_hits(provider: str, shape: AnswerShape, listed: Sequence[Json], today: date, category: Category) -> list[Hit]:
    """The valid results of a list. Raises `BadAnswer` if there are results, and none is of the promised shape."""
    made = [(_hit(shape.fields, item, today, category), item) for item in listed]
    hits = [(each, item) for each, item in made if each]
    if listed and not hits:
        raise BadAnswer(provider, "no result has a title and an address where the description looks for them")
    if score := shape.fields.get("score"):
        # The sort is stable: equal scores keep their order.
        hits.sort(key=lambda pair: -_number(score, pair[1]))
    return [each for each, _ in hits]


def read_list(provider: str, shape: AnswerShape, body: object) -> list[Json]:
    """The list of results; raises `BadAnswer` if it is not where the description says."""
    found: object = body
    if shape.results:
        found = next(walk(body, shape.results), None)
    if found is None and shape.is_optional:
        return []
    if not isinstance(found, list):
        where = ".".join(shape.results) or "the answer itself"
        raise BadAnswer(provider, f"the answer has no list at {where!r}")
    return objects(found)[:_MOST_RESULTS]


def read_found(shape: AnswerShape, body: object, hits: tuple[Hit, ...]) -> Found:
    """The hits with the answers and suggestions beside them."""
    answers, suggestions = (_plain_texts(body, paths) for paths in (shape.answers, shape.suggestions))
    return Found(hits, answers, suggestions)


def _plain_texts(body: object, paths: Sequence[JsonPath]) -> tuple[str, ...]:
    return plain(map(decode_entities, _texts_at(body, paths)))


def read_ids(provider: str, body: object, path: JsonPath) -> list[str]:
    """The ids that a second request is for."""
    found = next(walk(body, path), None)
    if not isinstance(found, list):
        raise BadAnswer(provider, f"the answer has no list at {'.'.join(path)!r}")
    return [str(each) for each in found if isinstance(each, str | int)][:_MOST_RESULTS]


def read_by_id(provider: str, shape: AnswerShape, body: object, ids: Sequence[str]) -> list[Json]:
    """The results of an object by id, in the order of the ids; each knows its own."""
    found = next(walk(body, shape.results), None)
    if not isinstance(found, dict):
        raise BadAnswer(provider, f"the answer has no object at {'.'.join(shape.results)!r}")
    return [{"uid": each, **item} for each in ids if isinstance(item := found.get(each), dict)]


def pick_text(pick: Pick | None, item: object) -> str:
    """The first of the values with text; those of a list together."""
    if pick is None:
        return ""
    for path in pick.paths:
        if text := _TRANSFORMS[pick.transform](islice(walk(item, path), _MOST_VALUES)):
            return f"{pick.prefix}{text}"
    return ""


def decode_entities(text: str) -> str:
    """A text without its character references; what they stand for is text, too, and is not decoded again."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


def walk(value: object, path: JsonPath) -> Iterator[object]:
    """The values at the end of a path: one, or each of a list."""
    if not path:
        yield value
        return
    for inner in _step(value, path[0]):
        yield from walk(inner, path[1:])


def _step(value: object, step: str) -> Sequence[object]:
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    items = elements(value)
    return items if step == "[]" else _item(items, step)


def _item(items: list[object], step: str) -> list[object]:
    at = int(step) if step.isdecimal() else len(items)
    return items[at : at + 1]


def read_date(value: str, today: date) -> str:
    """A date as 2026-10-02: of a Unix time, of `3 days ago`, of compact forms; a year stays one."""
    text = value.strip()
    for read in (_read_ago, _read_year, _read_compact, _read_unix):
        try:
            return read(text, today)
        except (ValueError, OverflowError, OSError):
            continue
    return iso_date(_SLASHES.sub(r"\1-\2-\3", text))


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.match(text)
    if not found:
        raise ValueError
    return found


def _read_ago(text: str, today: date) -> str:
    found = _match(_AGO, text)
    count = int(found[1]) if found[1].isdecimal() else 1
    return (today - timedelta(days=min(count * _DAYS[found[2].lower()], _FAR_AWAY_DAYS))).isoformat()


def _read_year(text: str, _today: date) -> str:
    return _match(_YEAR, text)[0]


def _read_compact(text: str, _today: date) -> str:
    found = _match(_COMPACT, text)
    return date(int(found[1]), int(found[2]), int(found[3])).isoformat()


def _read_unix(text: str, _today: date) -> str:
    seconds = float(_match(_NUMBER, text)[0])
    return datetime.fromtimestamp(seconds / (1000 if seconds >= _MILLISECONDS else 1), UTC).date().isoformat()


def _hit(fields: Mapping[str, Pick], item: Json, today: date, category: Category) -> Hit | None:
    texts = {name: pick_text(fields.get(name), item) for name in SEARCH_FIELDS}
    published, passages = read_date(texts["date"], today), texts["passages"]
    most = _PASSAGES_CHARS if passages else SNIPPET_CHARS
    made = {"engine": texts["engine"], "published": published}
    # Decoded before markup is removed, so that no tag or invisible character hides in references.
    title, snippet = map(decode_entities, (texts["title"], passages or texts["snippet"]))
    found = hit(title, texts["url"], snippet, **made, snippet_chars=most)
    if category not in _MEDIA:
        return found
    return media(found, image_url=texts["image"], thumbnail=texts["thumbnail"], duration=texts["duration"])


def _number(pick: Pick, item: Json) -> float:
    try:
        return float(pick_text(pick, item) or 0)
    except ValueError:
        return 0.0


def _texts_at(body: object, paths: Sequence[JsonPath]) -> list[str]:
    return [text for path in paths for value in islice(walk(body, path), 20) if (text := _scalar(value))]


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _flatten(values: Iterator[object]) -> list[object]:
    """The values; a list at the end of a path counts as its items."""
    return [item for value in values for item in (value if isinstance(value, list) else [value])][:_MOST_VALUES]


def _join_texts(values: Iterator[object]) -> str:
    return " … ".join(filter(None, (_scalar(each).strip() for each in _flatten(values))))


def _joined_parts(values: Iterator[object]) -> str:
    """A text in parts, some of them highlighted: `[{"value": "a "}, {"value": "b", "is_bold": true}]`."""
    return "".join(_scalar(as_mapping(part).get("value", part)) for part in _flatten(values)).strip()


def _inverted_abstract(values: Iterator[object]) -> str:
    """A text as the places of each of its words: `{"of": [1, 4], "History": [0]}`."""
    index = as_mapping(next(values, None))
    placed = dict(_place_words(islice(index.items(), _LONGEST_WORDS)))
    return " ".join(placed[place] for place in sorted(placed))


def _place_words(index: Iterable[tuple[str, object]]) -> Iterator[tuple[int, str]]:
    for word, places in index:
        yield from ((place, word) for place in elements(places) if type(place) is int and 0 <= place < _LONGEST_WORDS)


_TRANSFORMS: Mapping[str, Callable[[Iterator[object]], str]] = {
    "": _join_texts,
    "joined_parts": _joined_parts,
    "inverted_abstract": _inverted_abstract,
}
