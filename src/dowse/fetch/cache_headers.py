"""What a server says about copies of its page: whether there may be any, and how to ask later if they still hold."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core.models import Validators

_FORBIDDING = "no-store"


def may_be_kept(cache_control: str) -> bool:
    """Whether a `Cache-Control` header allows a copy; in doubt, such as inside of quotes, it does not.

    `private` does: many sites say so of every page, and what we are sent is nobody's, since we send nothing of anybody.
    """
    directives = (part.partition("=")[0].strip(' \t"').lower() for part in cache_control.split(","))
    return _FORBIDDING not in directives


def validators(headers: Mapping[str, str], known: Validators) -> Validators:
    """Those of an answer; what it does not say about a page that has not changed is `known`."""
    return Validators(headers.get("etag") or known.etag, headers.get("last-modified") or known.last_modified)
