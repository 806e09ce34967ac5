"""Scrubbing of queries: secrets must not reach search engines, which log their queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from dowse.core.errors import InvalidRequest
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor

if TYPE_CHECKING:
    from dowse.secrets.leaks import Leak

MASK = "…"
"""Punctuation to every engine; brackets and asterisks are operators of some."""

_OWN = "one of this server's own secrets"
_WORDS = re.compile(r"[^\W_]+")
# Names of secrets; without the secret they are no query.
_NAMES = frozenset(
    "api app auth access authorization basic bearer begin client code credential credentials end http https is jwt key "
    "keys my passphrase passwd password private pwd secret session sig signature the this token tokens user".split()
)


class QueryScrubber:
    """Implements `protocols.Scrubber`: masks or refuses queries with a secret; the server's own are always masked."""

    def __init__(self, redactor: Redactor, mode: Literal["mask", "refuse", "off"]) -> None:
        """`redactor` knows the server's own secrets in all spellings."""
        self._redactor = redactor
        self._mode = mode

    def scrub(self, text: str) -> tuple[str, tuple[str, ...]]:
        masked = self._redactor.text(text, mask=MASK)
        kinds = [_OWN] if masked.count(MASK) != text.count(MASK) else []
        found = _leaks(masked) if self._mode != "off" else []
        if not kinds and not found:
            return text, ()
        kinds += dict.fromkeys(leak.kind for leak in found)
        what = " and ".join(kinds)
        if self._mode == "refuse":
            raise InvalidRequest(
                f"The query seems to contain a secret ({what}), so it was not sent anywhere. Ask again without it; "
                "if it is none, the operator of this server can set DOWSE_SCRUB=mask."
            )
        masked = _without(masked, found)
        if not _asks_something(masked):
            raise InvalidRequest(
                f"The query seems to contain only a secret ({what}), so it was not sent anywhere. "
                "Send a query in words instead."
            )
        return masked, (_about(kinds),)


def _leaks(text: str) -> list[Leak]:
    from dowse.secrets import leaks

    return leaks.find(text)


def _without(text: str, found: list[Leak]) -> str:
    for leak in reversed(found):
        text = text[: leak.start] + MASK + text[leak.end :]
    return one_line(text)


def _asks_something(masked: str) -> bool:
    words = [word for word in _WORDS.findall(masked) if len(word) > 1 or not word.isascii()]
    return any(word.casefold() not in _NAMES for word in words)


def _about(kinds: list[str]) -> str:
    said = f"the query seemed to contain {' and '.join(kinds)}, which was masked before it was sent"
    switch = "; DOWSE_SCRUB controls the handling of secrets in queries"
    return said if kinds == [_OWN] else said + switch
