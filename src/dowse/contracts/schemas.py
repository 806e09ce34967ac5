"""Output schemas of the tools that promise one, written by hand: short, because every client pays for them."""

from __future__ import annotations

from typing import Any

from dowse.core.models import CacheState, Status

_TEXT = {"type": "string"}
_INTEGER = {"type": "integer"}
_TEXTS = {"type": "array", "items": _TEXT}
_STATUS = {"type": "string", "enum": [status.value for status in Status]}
_MEMORY = {
    "cache": {"type": "string", "enum": [state.value for state in CacheState]},
    "cache_age_s": _INTEGER,
}


def _objects(**properties: object) -> dict[str, object]:
    """A list of objects that have all of these."""
    item = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "array", "items": item}


_ATTEMPTS = _objects(provider=_TEXT, operation=_TEXT, outcome=_TEXT, ms=_INTEGER, detail=_TEXT)
_OUTLINE = _objects(number=_TEXT, title=_TEXT, level=_INTEGER, tokens=_INTEGER)
# Which blocks are shown of a page that is not shown whole: "3 of 41", and their names.
_SHOWN = {"blocks": _TEXT, "anchors": _TEXTS}
_RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": _TEXT,
        "link": _TEXT,
        "snippet": _TEXT,
        "page_content": _TEXT,
        "status": _STATUS,
        "engine": _TEXT,
        "score": {"type": "number"},
        "published": _TEXT,
        "word_count": _INTEGER,
        "fetch_time_ms": _INTEGER,
        "summary": _TEXT,
        **_MEMORY,
    },
}
_RESULT["required"] = list(_RESULT["properties"])
# Where there is something to say.
_RESULT["properties"] |= {
    "image_url": _TEXT,
    "thumbnail": _TEXT,
    "duration": _TEXT,
    "kind": _TEXT,
    "warnings": _TEXTS,
    "found_by": _TEXTS,
    "duplicates": _TEXTS,
    **_SHOWN,
    "key_points": _objects(text=_TEXT, anchor=_TEXT),
    "code_blocks": _objects(anchor=_TEXT, language=_TEXT, lines=_INTEGER, beginning=_TEXT),
}

WEB_SEARCH_OUTPUT: dict[str, object] = {
    "type": "object",
    "properties": {
        "query": _TEXT,
        "engine": _TEXT,
        "results": {"type": "array", "items": _RESULT},
        "attempts": _ATTEMPTS,
        "warnings": _TEXTS,
        "answers": _TEXTS,
        "suggestions": _TEXTS,
        "providers": _TEXTS,
        "agreement": _INTEGER,
        "stats": {
            "type": "object",
            "properties": {
                "search_ms": _INTEGER,
                "total_ms": _INTEGER,
                "pages_read": _INTEGER,
                "pages_failed": _INTEGER,
            },
        },
        **_MEMORY,
        "untrusted": {"type": "boolean"},
    },
    "required": ["query", "engine", "results", "attempts", "warnings", "stats", *_MEMORY, "untrusted"],
}

GET_CONTENT_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": _TEXT,
        "final_url": _TEXT,
        "title": _TEXT,
        "page_content": _TEXT,
        "status": _STATUS,
        "engine": _TEXT,
        "attempts": _ATTEMPTS,
        "warnings": _TEXTS,
        "total_tokens": _INTEGER,
        "next_cursor": _TEXT,
        **_MEMORY,
        "untrusted": {"type": "boolean"},
    },
}
GET_CONTENT_OUTPUT["required"] = list(GET_CONTENT_OUTPUT["properties"])
GET_CONTENT_OUTPUT["properties"] |= {"outline": _OUTLINE, **_SHOWN}
# Where they are known.
GET_CONTENT_OUTPUT["properties"] |= dict.fromkeys(
    (
        *("kind", "author", "published", "published_confidence", "modified", "modified_confidence"),
        *("language", "site", "canonical_url"),
    ),
    _TEXT,
)

_CITATIONS = _objects(url=_TEXT, title=_TEXT, textSnippet=_TEXT, startIndex=_INTEGER, endIndex=_INTEGER, rank=_INTEGER)
_USAGE = {"type": "object", "properties": {"promptTokens": _INTEGER, "responseTokens": _INTEGER}}
_CODE = {"type": "string", "enum": ["AUTH", "RATE_LIMIT", "PROVIDER", "VALIDATION", "PARSE"]}
_FAILURE = {"type": "object", "properties": {"code": _CODE, "message": _TEXT, "retry_after": _INTEGER}}
_CITED = {"text": _TEXT, "citations": _CITATIONS, "provider": _TEXT, "respondedAt": _TEXT}
_ABOUT = {"attempts": _ATTEMPTS, "warnings": _TEXTS, **_MEMORY, "untrusted": {"type": "boolean"}}


def _cited(**required: object) -> dict[str, object]:
    """Of an answer, or of the failure in its place: some clients hold that against the schema as well."""
    return {
        "type": "object",
        "properties": {**required, "usage": _USAGE, "error": _FAILURE},
        "anyOf": [{"required": list(required)}, {"required": ["error"]}],
    }


SEARCH_WEB_OUTPUT = _cited(**_CITED, **_ABOUT)
ANSWERS_OUTPUT = _cited(**_CITED)
"""Of the contract `answers`, which promises no more."""
