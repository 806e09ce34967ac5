"""What searx.space says of public instances, and which of them are good enough to be asked.

The list is data of strangers: every field is optional and may be of any type. What it does not tell counts for an
instance, except its version and its grade. The fields are those of searx.space's generator.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dowse.core import urls
from dowse.providers.instances.instance import TIERS

_MOST_ENTRIES = 2000
_URL_CHARS = 200
_LEAST_UPTIME = 90.0
_LONGEST_RESPONSE_S = 5.0
_GRADES = {"A+": "A+", "A": "A", "A-": "A", "B+": "B", "B": "B", "B-": "B"}
# Of CryptCheck: not valid, not trusted, and for another name.
_BAD_TLS = frozenset("VTM")
# searx.space marks pages that watch their visitors with an eye.
_WATCHED = "\U0001f441"

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Listed:
    """An instance that is good enough, with what the list says of it."""

    url: str
    grade: str = ""
    uptime: float | None = None
    response_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """An instance that is not, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The whole list, judged."""

    usable: tuple[Listed, ...] = ()
    excluded: tuple[Excluded, ...] = ()


def read(body: bytes, allowed: Collection[str] = ()) -> Entries | None:
    """The list as it was published, or `None` for anything else. `allowed` are `host:port` pairs for plain http."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    listed = _fields(_fields(document).get("instances"))
    if not listed:
        return None
    entries = {url: _fields(entry) for url, entry in list(listed.items())[:_MOST_ENTRIES]}
    # Where nobody has a grade, who gives them was out of order, which says nothing about anybody.
    default = "" if any(_text(_fields(entry.get("http")), "grade") for entry in entries.values()) else TIERS[-1]
    judged = [_judged(url, entry, default, allowed) for url, entry in entries.items()]
    return Entries(
        tuple(each for each in judged if isinstance(each, Listed)),
        tuple(each for each in judged if isinstance(each, Excluded)),
    )


def _judged(url: str, entry: Fields, default_grade: str, allowed: Collection[str]) -> Listed | Excluded:
    address = _base(url)
    if address is None:
        return Excluded(ascii(url[:_URL_CHARS])[1:-1][:_URL_CHARS], "its address is not valid")
    http = _fields(entry.get("http"))
    told, uptime, response_s = _text(http, "grade") or default_grade, _uptime(entry), _response_s(entry)
    grade = _GRADES.get(told, "")
    reason = _unsafe(address, allowed) or _unwell(entry, http) or _unfit(grade, told, uptime, response_s)
    base = address.href.rstrip("/")
    if reason:
        return Excluded(base, reason)
    return Listed(base, grade, uptime, None if response_s is None else round(1000 * response_s))


def _base(url: str) -> urls.Url | None:
    """The address of an instance; what has a password or a query is none."""
    address = urls.parse(url) if len(url) <= _URL_CHARS else None
    if address is None or address.scheme not in ("http", "https") or address.has_userinfo:
        return None
    return None if address.query or "#" in address.href else address


def _unsafe(address: urls.Url, allowed: Collection[str]) -> str:
    is_allowed = f"{address.host}:{address.port}" in allowed
    return "" if address.scheme == "https" or is_allowed else "it is not on https"


def _unwell(entry: Fields, http: Fields) -> str:
    """What is wrong with the server itself."""
    tls, html = _fields(entry.get("tls")), _fields(entry.get("html"))
    status = _number(http.get("status_code"))
    network = entry.get("network_type") or "normal"
    marks = set(_text(tls, "grade").replace(",", " ").split())
    problems = {
        "it is not on the ordinary internet": network != "normal",
        "searx.space could not reach it": bool(http.get("error") or entry.get("error")),
        f"it answered with HTTP {status or 0:.0f}": status not in (None, 200.0),
        "its certificate is not good": bool(tls.get("error") or marks & _BAD_TLS),
        "its version is not known": not _text(entry, "version"),
        "it watches its users": bool(entry.get("analytics")) or _WATCHED in _text(html, "grade"),
    }
    return next((problem for problem, holds in problems.items() if holds), "")


def _unfit(grade: str, told: str, uptime: float | None, response_s: float | None) -> str:
    """What it does not do well enough."""
    if not grade:
        return "its grade is below B" if told else "it has no grade"
    if uptime is not None and uptime < _LEAST_UPTIME:
        return f"it is up {uptime:.0f} % of the time"
    if response_s is not None and response_s > _LONGEST_RESPONSE_S:
        return f"it takes {response_s:.1f} s to answer"
    return ""


def _uptime(entry: Fields) -> float | None:
    """In percent, of the last month where that is known."""
    told = _fields(entry.get("uptime"))
    spans = (_number(told.get(name)) for name in ("uptimeMonth", "uptimeWeek", "uptimeDay", "uptimeYear"))
    return next((percent for percent in spans if percent is not None), None)


def _response_s(entry: Fields) -> float | None:
    """How long a search takes, or else the front page."""
    timing = _fields(entry.get("timing"))
    measured = (_fields(_fields(timing.get(name)).get("all")) for name in ("search", "initial"))
    values = (_number(times.get(name)) for times in measured for name in ("median", "mean", "value"))
    return next((seconds for seconds in values if seconds is not None), None)


def _fields(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    """A number that can be compared: `true` is none, and JSON as Python reads it knows infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 and math.isfinite(value) else None
