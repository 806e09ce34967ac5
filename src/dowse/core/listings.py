"""What the page of a search engine says, once somebody has read it: results, or what stands in their place."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a page is; only `RESULTS` has rows, or at least an answer of its own."""

    RESULTS = "results"
    EMPTY = "empty"
    """The engine looked and says that there is nothing."""
    BLOCKED = "blocked"
    """A challenge, a refusal, a wall of consent: the engine did not look."""
    UNKNOWN = "unknown"
    """Neither results nor anything that is known to stand in their place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One result as it stands on the page: texts without markup, addresses absolute."""

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
    """A page of results. `detail` says what stands in their place, such as the vendor of a challenge.

    `failed_engines` are those of a metasearch engine, each with its reason; an empty page with some is doubtful.
    `odd_links` counts results that were left out because they do not lead to the web.
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
    """What was encoded; raises `ValueError` for anything of another shape."""
    from pydantic import TypeAdapter  # Workers do without it.

    return TypeAdapter(Listing).validate_json(text, strict=True)
