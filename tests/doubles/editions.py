"""Pages that can tell whether they have changed since somebody read them (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from aiohttp import web

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_ABOUT = ("etag", "last-modified", "cache-control")


def validators(body: bytes, edition: int) -> dict[str, str]:
    """The headers of a page that was changed so often: a tag of its content, and a day for each edition."""
    tag = hashlib.blake2b(body, digest_size=8).hexdigest()
    day = format_datetime(_FIRST + timedelta(days=edition), usegmt=True)
    return {"ETag": f'"{tag}"', "Last-Modified": day}


def not_modified(request: web.Request, headers: Mapping[str, str]) -> web.Response | None:
    """The answer to somebody who has this edition of a page already; `None` where the page is the answer."""
    about = {name.lower(): value for name, value in headers.items() if name.lower() in _ABOUT}
    return web.Response(status=304, headers=about) if _is_current(request, about) else None


def _is_current(request: web.Request, about: Mapping[str, str]) -> bool:
    tags, since = request.headers.get("If-None-Match", ""), request.if_modified_since
    if tags:
        # Whoever sends both means the tag; and weak ones are as good as strong ones here.
        return "etag" in about and _opaque(about["etag"]) in map(_opaque, tags.split(","))
    return since is not None and "last-modified" in about and parsedate_to_datetime(about["last-modified"]) <= since


def _opaque(tag: str) -> str:
    return tag.strip().removeprefix("W/")
