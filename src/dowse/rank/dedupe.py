"""Removes results that lead to the same document under another spelling of its address."""

from __future__ import annotations

from collections.abc import Iterable

from dowse import urls
from dowse.models import Hit


def unique(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """The hits in order, without those whose document was already listed."""
    seen: dict[str, Hit] = {}
    for hit in hits:
        seen.setdefault(urls.identity(hit.url), hit)
    return tuple(seen.values())
