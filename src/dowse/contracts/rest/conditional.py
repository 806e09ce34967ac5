"""Conditional requests: entity tags of replies to GET, and 304 for a caller that has the same reply already."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from dowse.contracts.endpoint import HttpReply, HttpRequest

_HEADERS = {"Cache-Control": "private", "Vary": "Authorization, X-API-Key, X-Subscription-Token, Accept"}
# Times and ages, which differ although the answer is the same.
_VOLATILE = frozenset({"stats", "attempts", "cache", "cache_age_s", "fetch_time_ms", "respondedAt"})


def revalidate(request: HttpRequest, reply: HttpReply) -> HttpReply:
    """The reply with its entity tag; only that if the caller has the same reply."""
    tag = entity_tag(reply.data)
    headers = {**reply.headers, **_HEADERS, "ETag": tag}
    if _has(request.headers.get("if-none-match", ""), tag):
        return HttpReply(b"", 304, headers, engine=reply.engine)
    return replace(reply, headers=headers)


def entity_tag(data: object) -> str:
    """A weak tag: replies that differ in times and ages alone have the same."""
    stable = json.dumps(_without_volatile(data), sort_keys=True).encode()
    return f'W/"{hashlib.blake2b(stable, digest_size=12).hexdigest()}"'


def _has(sent: str, tag: str) -> bool:
    opaque = tag.removeprefix("W/")
    return sent.strip() == "*" or opaque in (each.strip().removeprefix("W/") for each in sent.split(","))


def _without_volatile(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_volatile(each) for name, each in value.items() if name not in _VOLATILE}
    return list(map(_without_volatile, value)) if isinstance(value, list) else value
