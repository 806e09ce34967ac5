"""Asking for a page only if it has changed since (RFC 9110, section 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dowse.core.models import Validators

_LONGEST_VALUE = 1000
# As a condition it means: whatever you have.
_ANYTHING = "*"


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an address gave before: that address, and none on the way to it, is asked for news only."""

    url: str
    validators: Validators

    def conditions(self, url: str) -> dict[str, str]:
        """The headers for a request to an address; none for any other, or if one of them could do harm."""
        if _document(url) != _document(self.url):
            return {}
        given = {"If-None-Match": self.validators.etag, "If-Modified-Since": self.validators.last_modified}
        conditions = {name: value for name, value in given.items() if value}
        return conditions if all(map(_is_sound, conditions.values())) else {}


def _document(url: str) -> str:
    return url.partition("#")[0]


def _is_sound(value: str) -> bool:
    """Whether a value from the web may be sent back: one short line, which aiohttp will not refuse either."""
    return len(value) <= _LONGEST_VALUE and value.isascii() and value.isprintable() and value != _ANYTHING
