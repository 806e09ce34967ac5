"""Result page of a search engine (SERP), parsed: its results, or the reason why there are none."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The kind of a result page; only `RESULTS` has rows or an instant answer."""

    RESULTS = "results"
    EMPTY = "empty"
    """The engine found nothing."""
    BLOCKED = "blocked"
    """A challenge, a refusal or a consent wall: there was no search."""
    UNKNOWN = "unknown"
    """Neither results nor a known page in their place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One result: texts without markup, absolute URLs."""

    title: str
    url: str
    snippet: str = ""
    engine: str = ""
    published: str = ""
    image_url: str = ""
    thumbnail: str = ""
    duration: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A parsed result page. `detail` describes the page in place of results, such as the vendor of a challenge.

    `failed_engines` of a metasearch engine have a reason each; an empty page with failed engines is doubtful.
    `odd_links` counts results that were dropped because they do not lead to the web.
    """

    outcome: Outcome
    rows: tuple[Row, ...] = ()
    detail: str = ""
    failed_engines: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    odd_links: int = 0


def encode(listing: Listing) -> str:
    return json.dumps(asdict(listing), ensure_ascii=False)


def decode(text: str) -> Listing:
    """Decode a listing; raises `ValueError` for an invalid one."""
    from pydantic import TypeAdapter  # Workers do without it.

    return TypeAdapter(Listing).validate_json(text, strict=True)
