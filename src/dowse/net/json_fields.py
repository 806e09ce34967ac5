"""Typed readers of the JSON of an API, and search results made of its fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TypeVar

from dowse.core import urls
from dowse.core.errors import BadAnswer
from dowse.core.models import Hit
from dowse.core.text import one_line, without_markup

T = TypeVar("T")
Json = Mapping[str, object]

_AMERICAN_DATE = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
TITLE_CHARS, SNIPPET_CHARS, _ANSWER_CHARS = 300, 1000, 1000
_URL_CHARS = 2048  # the limit of sitemaps, so search engines list nothing longer
# A part is a string, an opening bracket, a comma or a colon. The objects of an answer take up to 60 bytes for each.
MOST_PARTS = 200_000
DOCUMENT_PARTS = 1_000_000
"""For the documents of large packages and lists; the largest ones have nearly as many."""
_PART = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,:]', re.DOTALL)
_MOST_RESULTS = 300  # no API lists so many, and each one of a huge answer takes time


def items(provider: str, body: Json, name: str) -> list[Json]:
    """The objects of a list in the answer; raises `BadAnswer` without the list."""
    value = body.get(name)
    if not isinstance(value, list):
        raise BadAnswer(provider, f"the answer has no list {name!r}")
    return objects(value)


def results(provider: str, body: Json, name: str) -> list[Json]:
    """The objects of a list of search results; the rest of a huge answer is left out."""
    return items(provider, body, name)[:_MOST_RESULTS]


def parse_json(body: bytes | str, most_parts: int = MOST_PARTS) -> object:
    """Parse the JSON of an answer; raises `ValueError` for any other text, and for JSON made to take much memory."""
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    if _has_more_parts(data, most_parts):
        raise ValueError("too many parts")
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("too deep") from None


def _has_more_parts(data: bytes, most: int) -> bool:
    # Quick, and too many only where there is much text: a quote for half a string.
    if sum(map(data.count, (b"[", b"{", b",", b":"))) + data.count(b'"') // 2 <= most:
        return False
    return next(islice(_PART.finditer(data), most, None), None) is not None


def hit(
    title: str, url: str, snippet: str, *, engine: str = "", published: str = "", snippet_chars: int = SNIPPET_CHARS
) -> Hit | None:
    """A search result; `None` without a title or a web address. The snippet may be empty."""
    title = without_markup(title, TITLE_CHARS)
    if not title or not _web_address(url):
        return None
    snippet = without_markup(snippet, snippet_chars)
    return Hit(title, urls.without_tracking(url), snippet, one_line(engine, 60), iso_date(published))


def media(found: Hit | None, *, image_url: str = "", thumbnail: str = "", duration: str = "") -> Hit | None:
    """The hit with image and video fields; invalid addresses are left out."""
    if found is None:
        return None
    image_url, thumbnail = _web_address(image_url), _web_address(thumbnail)
    return replace(found, image_url=image_url, thumbnail=thumbnail, duration=one_line(duration, 20))


def first_hits(found: Sequence[Hit | None], wanted: int) -> tuple[Hit, ...]:
    """The first valid hits."""
    return tuple(filter(None, found))[:wanted]


def plain(texts: Iterable[str], most: int = 10) -> tuple[str, ...]:
    """The first distinct answers or suggestions as plain text."""
    clean = (without_markup(text, _ANSWER_CHARS) for text in islice(texts, 10 * most))
    return tuple(islice(dict.fromkeys(filter(None, clean)), most))


def iso_date(text: str) -> str:
    """A date as 2026-10-02 from any of the formats that vendors use; other text stays as it is."""
    text = one_line(text, 60)
    for read in (_parse_iso_date, _parse_american_date, _parse_mail_date):
        try:
            return read(text).isoformat()
        except (ValueError, OverflowError):
            continue
    return text


def string(item: Json, *names: str) -> str:
    """The first of these fields with text; APIs send null, numbers and objects now and then."""
    return next((value for name in names if isinstance(value := item.get(name), str) and value.strip()), "")


def whole(item: Json, name: str) -> int:
    """The integer of a field; 0 for anything else."""
    value = item.get(name)
    return value if type(value) is int else 0


def drop_empty(fields: Mapping[str, T]) -> dict[str, T]:
    """The fields with a value, for a request: vendors refuse some empty ones."""
    return {name: value for name, value in fields.items() if value}


def as_mapping(value: object) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def mapping(item: Json, name: str) -> Json:
    """A field that holds an object; an empty one for anything else."""
    return as_mapping(item.get(name))


def required_mapping(provider: str, item: Json, name: str) -> Json:
    """A field that must hold an object. Raises `BadAnswer`."""
    value = item.get(name)
    if not isinstance(value, dict):
        raise BadAnswer(provider, f"the answer has no object {name!r}")
    return value


def elements(value: object) -> list[object]:
    """The items of a list; none if it is no list: APIs send null in its place."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[Json]:
    """The objects of a list, without other items; none if it is no list."""
    return [item for item in elements(value) if isinstance(item, dict)]


def first_object(value: object) -> Json:
    """The first object of a list; an empty one where there is none."""
    return next(iter(objects(value)), {})


def first_known(values: Iterable[T | None]) -> T | None:
    """The first value that is there; it may be zero or empty."""
    return next((value for value in values if value is not None), None)


def strings(value: object) -> list[str]:
    return [item for item in elements(value) if isinstance(item, str)]


def _parse_iso_date(text: str) -> date:
    return date.fromisoformat(text[:10])


def _parse_mail_date(text: str) -> date:
    return parsedate_to_datetime(text).date()


def _parse_american_date(text: str) -> date:
    """`Oct 2, 2026`, in English whatever the locale, and ten times as fast as `strptime`."""
    match = _AMERICAN_DATE.fullmatch(text)
    if not match:
        raise ValueError
    return date(int(match[3]), _MONTHS.index(match[1]) + 1, int(match[2]))


def _web_address(url: str) -> str:
    """The canonical URL, which has no line ends; empty for other schemes than HTTP, and with a user name.

    A user name may imitate another site, as in `https://bank.example@evil.example/`.
    """
    parsed = urls.parse_web(url) if len(url) <= _URL_CHARS else None
    return parsed.href if parsed and not parsed.has_userinfo else ""
