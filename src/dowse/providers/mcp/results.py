"""Results and failures in the answers of search tools: structured, JSON in a text, labelled lines, or links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dowse.core.errors import (
    BadAnswer,
    BadRequest,
    Blocked,
    KeyRejected,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Unavailable,
)
from dowse.core.models import Hit
from dowse.net.json_api import Api, is_about_quota
from dowse.net.json_fields import (
    Json,
    as_mapping,
    first_known,
    hit,
    mapping,
    objects,
    parse_json,
    string,
    strings,
    whole,
)

# Names of the list in known servers; a few nest one of these in another.
_LISTS = ("results", "result", "data", "web", "organic", "items")
_DEEPEST = 3
# Names of the parts of a result, the best first.
_TITLES = ("title", "name")
_URLS = ("url", "link", "href", "uri")
_SNIPPETS = ("snippet", "description", "highlights", "excerpts", "excerpt", "summary", "content", "text")
_DATES = ("publishedDate", "published_date", "publish_date", "published", "date")
# Enough for many results with long texts, and parsed without blocking the event loop for long.
_MOST_CHARS, _MOST_ROWS = 300_000, 1000
# Longest text that is only an explanation of missing results.
_EXCUSE_CHARS = 1000
_NOTHING = re.compile(r"\bno (?:\w{1,20} ){0,3}results?\b|\bnothing (?:was )?found\b", re.IGNORECASE)
# Labels before a colon, and the part of a result that they introduce; empty for skipped ones.
_LABELS = {
    "title": "title",
    **dict.fromkeys(("url", "link"), "url"),
    **dict.fromkeys(("published date", "published", "date"), "published"),
    **dict.fromkeys(("text", "highlights", "summary", "snippet", "description", "content", "excerpts"), "snippet"),
    **dict.fromkeys(("author", "id", "score", "image", "favicon"), ""),
}
_LONGEST_LABEL = 20
_MISSING = ("n/a", "none", "null", "unknown")
# The address of a result is within so many lines below its title.
_HEAD_LINES = 4
_BODY_LINES = 40
_MARKS = " \t#>*-+.)0123456789"
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\((https?://(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000})\)")
_MESSAGE_CHARS = 4096
_SLOW_DOWN = re.compile(
    r"rate.?limit|too many requests|slow down|throttl|\b429\b|\b(daily|hourly) limit", re.IGNORECASE
)
_NO_ACCESS = re.compile(
    r"unauthori[sz]ed|forbidden|\b40[13]\b|api.?key is (required|missing|invalid)|access is (unavailable|denied)",
    re.IGNORECASE,
)
_MISTAKE = re.compile(
    r"unknown tool|tool \S{1,130} (was )?not found|validation error|invalid (arguments?|params|parameters)",
    re.IGNORECASE,
)
_MISTAKE_CODES = frozenset({-32600, -32601, -32602})
_WAITS = ("retry_after_seconds", "retryAfterSeconds", "retry_after", "retryAfter")
_LONGEST_WAIT_S = 31 * 24 * 3600.0


def texts(result: Json) -> list[str]:
    """Text blocks of a result."""
    blocks = objects(result.get("content"))
    return [text for block in blocks if block.get("type") == "text" and (text := string(block, "text"))]


def rows(result: Json, path: str = "") -> Sequence[Json] | None:
    """Find the list of results; `None` where there is no list, which is not the same as an empty one.

    `path` leads to the list in a structured answer, such as `data.web`; without it the list is searched for.
    """
    blocks = texts(result)
    values = [result.get("structuredContent"), *map(_parse, blocks)]
    found = first_known(_at(value, path) if path else _search_list(value) for value in values)
    if found is not None:
        return found
    # Some servers send one block per result.
    if alone := _with_address(values):
        return alone
    text = "\n\n".join(blocks)[:_MOST_CHARS]
    says_nothing_was_found = len(text) <= _EXCUSE_CHARS and _NOTHING.search(text)
    return parse_labelled(text) or parse_linked(text) or ([] if says_nothing_was_found else None)


def to_hit(row: Json) -> Hit | None:
    """Convert a result; its address stands in for a missing title."""
    url = string(row, *_URLS)
    return hit(string(row, *_TITLES) or url, url, _snippet(row), published=string(row, *_DATES))


def _snippet(row: Json) -> str:
    parts = (string(row, name) or " … ".join(strings(row.get(name))) for name in _SNIPPETS)
    return next(filter(None, parts), "")


def _parse(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return parse_json(text)
    except ValueError:
        return None


def _at(value: object, path: str) -> list[Json] | None:
    for name in path.split("."):
        value = as_mapping(value).get(name)
    return _as_list(value)


def _search_list(value: object, depth: int = 0) -> list[Json] | None:
    if isinstance(value, list):
        return _as_list(value)
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    if not value and depth:
        # An object of lists without any.
        return []
    found = (_search_list(value.get(name), depth + 1) for name in _LISTS)
    return first_known(found)


def _as_list(value: object) -> list[Json] | None:
    """The items with an address; `None` for a list of anything else, but not for an empty one."""
    found = _with_address(value)
    return found if found or value == [] else None


def _with_address(value: object) -> list[Json]:
    listed = value[:_MOST_ROWS] if isinstance(value, list) else []
    return [row for row in objects(listed) if string(row, *_URLS)]


def parse_labelled(text: str) -> list[Json]:
    """Parse results such as Exa's: `Title: …`, `URL: …`, `Published: …`, `Highlights:`, then lines of the page."""
    lines = list(map(str.rstrip, text.split("\n")))
    starts = [place for place in range(len(lines)) if _begins(lines, place)]
    return [_row(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def parse_linked(text: str) -> list[Json]:
    """Parse Markdown links at the beginning of lines; the text up to the next one is the snippet."""
    found: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n"):
        if link := _LINK.match(line.lstrip(_MARKS)):
            found.append((link[1], link[2], [link.string[link.end() :].strip(" *:-\u2013\u2014")]))
        elif found and len(found[-1][2]) < _BODY_LINES:
            found[-1][2].append(line)
    return [{"title": title, "url": url, "snippet": " ".join(lines).strip()} for title, url, lines in found]


def _begins(lines: Sequence[str], place: int) -> bool:
    """Whether a result begins here; quoted pages have such lines too, but seldom after a blank line."""
    if _label(lines[place]) != "title" or (place and lines[place - 1].strip(" -=*_")):
        return False
    return "url" in map(_label, lines[place + 1 : place + _HEAD_LINES])


def _label(line: str) -> str | None:
    name, colon, _ = line[:_LONGEST_LABEL].partition(":")
    return _LABELS.get(name.strip(" *#").lower()) if colon else None


def _row(lines: Sequence[str]) -> Json:
    """Take the first value of each part, so that quoted text further down cannot change it."""
    parts: dict[str, str] = {}
    body_starts = len(lines)
    for place, line in enumerate(lines):
        label, value = _label(line), line.partition(":")[2].strip(" *")
        if label is None:
            body_starts = place
            break
        if value and value.lower() not in _MISSING:
            parts.setdefault(label, value)
        if label == "snippet" and not value:
            body_starts = place + 1
            break
    body = [line for line in lines[body_starts : body_starts + _BODY_LINES] if line.strip(" -=*_")]
    return {**parts, "snippet": " ".join([parts.get("snippet", ""), *body]).strip()}


def rpc_failure(api: Api, error: Json) -> ProviderError:
    """Translate a JSON-RPC error: the server did not run the tool."""
    is_mistake = whole(error, "code") in _MISTAKE_CODES
    return _failure(api, string(error, "message"), mapping(error, "data"), is_mistake=is_mistake)


def tool_failure(api: Api, result: Json, words: str) -> ProviderError | None:
    """Translate a tool's own failure; `None` if it succeeded."""
    # Exa reports a spent free tier as an ordinary result with a mark in `_meta`.
    marks = [name.lower() for name, value in mapping(result, "_meta").items() if value is True]
    if any("ratelimited" in name for name in marks):
        return RateLimited(api.provider, "the free tier is used up for now", said=api.clean_message(words))
    if result.get("isError") is not True:
        return None
    return _failure(api, words, mapping(result, "structuredContent"))


def without_results(api: Api, words: str) -> ProviderError:
    """The failure of an answer in which neither results nor a statement of none was found."""
    if len(words) <= _EXCUSE_CHARS and (_SLOW_DOWN.search(words) or is_about_quota(words)):
        return _failure(api, words, {})
    return BadAnswer(api.provider, "the answer has no list of results")


def _failure(api: Api, words: str, details: Json, *, is_mistake: bool = False) -> ProviderError:
    (kind, detail), advice = _classify(words[:_MESSAGE_CHARS], is_mistake=is_mistake), ""
    if kind is KeyRejected:
        # Without a key there is none to check: the server refuses this client.
        checked = (KeyRejected, "", f"check {api.key_variable}")
        kind, detail, advice = checked if api.key_variable else (Blocked, detail, "")
    said, wait_s = api.clean_message(words), _wait_s(details)
    return kind(api.provider, detail, said=said, advice=advice, retry_after_s=wait_s)


def _classify(words: str, *, is_mistake: bool) -> tuple[type[ProviderError], str]:
    if _SLOW_DOWN.search(words):
        return RateLimited, ""
    if is_about_quota(words):
        return QuotaSpent, ""
    if _NO_ACCESS.search(words):
        return KeyRejected, "no access"
    if is_mistake or _MISTAKE.search(words):
        return BadRequest, "its tool is not called like this, or not any more"
    return Unavailable, "its tool failed"


def _wait_s(details: Json) -> float | None:
    waits = map(details.get, _WAITS)
    numbers = (wait for wait in waits if isinstance(wait, int | float) and not isinstance(wait, bool))
    return next((float(wait) for wait in numbers if 0 < wait < _LONGEST_WAIT_S), None)
