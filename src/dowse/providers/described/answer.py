"""The answer of a described API: paths to values, dates of any form, the hits, and a page as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Found, Hit
from dowse.net.json_fields import SNIPPET_CHARS, Json, hit, iso_date, media, objects, plain
from dowse.settings.described.model import AnswerShape, JsonPath, Pick

_MOST_RESULTS = 300
_MOST_VALUES = 400
_LONGEST_WORDS = 3000
_PASSAGES_CHARS = 4000
_AGO = re.compile(r"(?:about |over )?(an?|\d{1,4}) (second|minute|min|hour|day|week|month|year)s? ago", re.IGNORECASE)
_DAYS = {"second": 0, "minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?\d{6}Z?)?")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_MILLISECONDS = 100_000_000_000


def read_hits(provider: str, shape: AnswerShape, listed: Sequence[Json], today: date, category: Category) -> list[Hit]:
    """The valid results of a list. Raises `BadAnswer` if there are results, and none is of the promised shape."""
    made = [_hit(shape.fields, item, today, category) for item in listed]
    hits = [each for each in made if each]
    if listed and not hits:
        raise BadAnswer(provider, "no result has a title and an address where the description looks for them")
    score = shape.fields.get("score")
    if score is None:
        return hits
    scored = [(_number(score, item), each) for item, each in zip(listed, made, strict=True) if each]
    return [each for _, each in sorted(scored, key=lambda pair: -pair[0])]


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
    return Found(hits, plain(_texts_at(body, shape.answers)), plain(_texts_at(body, shape.suggestions)))


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


def walk(value: object, path: JsonPath) -> Iterator[object]:
    """The values at the end of a path: one, or each of a list."""
    if not path:
        yield value
        return
    for item in _step_into(value, path[0]):
        yield from walk(item, path[1:])


def _step_into(value: object, step: str) -> Sequence[object]:
    """The values that one step leads to."""
    if isinstance(value, dict):
        return [value[step]] if step in value and step != "[]" else []
    if not isinstance(value, list) or step == "[]":
        return value if isinstance(value, list) else []
    return value[int(step) : int(step) + 1] if step.isdecimal() else []


def read_date(value: str, today: date) -> str:
    """A date as 2026-10-02: of a Unix time, of `3 days ago`, of compact forms; a year stays one."""
    text = value.strip()
    if match := _AGO.match(text):
        return (today - _age(match)).isoformat()
    if _YEAR.fullmatch(text):
        return text
    try:
        if match := _COMPACT.fullmatch(text):
            return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
        if text.replace(".", "", 1).isdecimal():
            return _from_unix(float(text))
    except (ValueError, OverflowError, OSError):
        return ""
    return iso_date(text.replace("/", "-") if re.match(r"\d{4}/\d\d/\d\d", text) else text)


def _age(match: re.Match[str]) -> timedelta:
    count = int(match[1]) if match[1].isdecimal() else 1
    return timedelta(days=min(count * _DAYS[match[2].lower()], 40_000))


def _from_unix(seconds: float) -> str:
    seconds = seconds / 1000 if seconds >= _MILLISECONDS else seconds
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _hit(fields: Mapping[str, Pick], item: Json, today: date, category: Category) -> Hit | None:
    texts = {name: pick_text(pick, item) for name, pick in fields.items()}
    published = read_date(texts["date"], today) if texts.get("date") else ""
    snippet, passages = texts.get("snippet", ""), texts.get("passages", "")
    most = _PASSAGES_CHARS if passages else SNIPPET_CHARS
    made = {"engine": texts.get("engine", ""), "published": published}
    found = hit(texts["title"], texts["url"], passages or snippet, **made, snippet_chars=most)
    if category not in (Category.IMAGES, Category.VIDEOS):
        return found
    image, small = texts.get("image", ""), texts.get("thumbnail", "")
    return media(found, image_url=image, thumbnail=small, duration=texts.get("duration", ""))


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


def _join_texts(values: Iterator[object]) -> str:
    """The texts, each on its own; a list at the end of a path counts as its items."""
    flat = _flatten(values)
    return " … ".join(text for each in flat[:_MOST_VALUES] if (text := _scalar(each).strip()))


def _flatten(values: Iterator[object]) -> list[object]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _first_line(values: Iterator[object]) -> str:
    return _join_texts(values).strip().partition("\n")[0]


def _joined_parts(values: Iterator[object]) -> str:
    """A text in parts, some of them highlighted: `[{"value": "a "}, {"value": "b", "is_bold": true}]`."""
    parts = _flatten(values)
    return "".join(_scalar(part.get("value")) if isinstance(part, dict) else _scalar(part) for part in parts).strip()


def _inverted_abstract(values: Iterator[object]) -> str:
    """A text as the places of each of its words: `{"of": [1, 4], "History": [0]}`."""
    index = next(values, None)
    if not isinstance(index, dict):
        return ""
    placed: dict[int, str] = {}
    for word, places in islice(index.items(), _LONGEST_WORDS):
        for place in places if isinstance(places, list) else ():
            if type(place) is int and 0 <= place < _LONGEST_WORDS:
                placed[place] = word
    return " ".join(placed[place] for place in sorted(placed))


_TRANSFORMS: Mapping[str, Callable[[Iterator[object]], str]] = {
    "": _join_texts,
    "first_line": _first_line,
    "joined_parts": _joined_parts,
    "inverted_abstract": _inverted_abstract,
}
