"""The results in what a search tool answers: structured, as JSON in a text, as labelled lines or as links."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from dowse.core.models import Hit
from dowse.net.json_api import Json, hit, objects, string, strings
from dowse.providers.mcp.written import labelled, linked

# Where servers have the list; a few have it inside of something that is called like one.
_LISTS = ("results", "result", "data", "web", "organic", "items")
_DEEPEST = 3
# How servers call the parts of a result, the best one first.
_TITLES = ("title", "name")
_URLS = ("url", "link", "href", "uri")
_SNIPPETS = ("snippet", "description", "highlights", "excerpts", "excerpt", "summary", "content", "text")
_DATES = ("publishedDate", "published_date", "publish_date", "published", "date")
# As much as many results with long texts have, and little enough to be read between two requests.
_MOST_CHARS, _MOST_ROWS = 300_000, 1000
# A text that says so and nothing else is short.
_EXCUSE_CHARS = 1000
_NOTHING = re.compile(r"\bno (?:\w{1,20} ){0,3}results?\b|\bnothing (?:was )?found\b", re.IGNORECASE)


def texts(result: Json) -> list[str]:
    """What a tool says in words."""
    blocks = objects(result.get("content"))
    return [text for block in blocks if block.get("type") == "text" and (text := string(block, "text"))]


def rows(result: Json, path: str = "") -> Sequence[Json] | None:
    """The results as the server has them; `None` where no list can be made out, which is not the same as none.

    `path` is the way to the list in a structured answer, such as `data.web`; without it the list is looked for.
    """
    said = texts(result)
    values = [result.get("structuredContent"), *map(_parsed, said)]
    for value in values:
        if (found := _at(value, path) if path else _looked_for(value)) is not None:
            return found
    # Some servers send a block for each result.
    if alone := _with_address(values):
        return alone
    text = "\n\n".join(said)[:_MOST_CHARS]
    says_nothing_was_found = len(text) <= _EXCUSE_CHARS and _NOTHING.search(text)
    return labelled(text) or linked(text) or ([] if says_nothing_was_found else None)


def to_hit(row: Json) -> Hit | None:
    """A result worth showing; one without a title is known by its address."""
    url = string(row, *_URLS)
    return hit(string(row, *_TITLES) or url, url, _snippet(row), published=string(row, *_DATES))


def _snippet(row: Json) -> str:
    parts = (string(row, name) or " … ".join(strings(row.get(name))) for name in _SNIPPETS)
    return next(filter(None, parts), "")


def _parsed(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _at(value: object, path: str) -> list[Json] | None:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return _as_list(value)


def _looked_for(value: object, depth: int = 0) -> list[Json] | None:
    if isinstance(value, list):
        return _as_list(value)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    if not value and depth:
        # An object of lists, of which there are none.
        return []
    found = (_looked_for(value.get(name), depth + 1) for name in _LISTS)
    return next((each for each in found if each is not None), None)


def _as_list(value: object) -> list[Json] | None:
    """What of a list has an address; a list of anything else is no list of results, and an empty one is."""
    found = _with_address(value)
    return found if found or value == [] else None


def _with_address(value: object) -> list[Json]:
    listed = value[:_MOST_ROWS] if isinstance(value, list) else []
    return [row for row in objects(listed) if string(row, *_URLS)]
