"""Secrets in queries and in URLs: found by their shape, masked or refused before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote_plus

from dowse.core import urls
from dowse.core.errors import InvalidRequest
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.secrets.credentials import (
    BLOCK,
    DOUBTFUL_NAMES,
    JSON_WEB_TOKEN,
    KEY,
    LEAST_PASSWORD,
    SECRET_NAMES,
    WEBHOOKS,
    is_placeholder,
    is_random,
)
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


class SecretUrls:
    """Implements `protocols.Secrecy`. Secrets of the settings are recognised anywhere, and never sent."""

    def __init__(self, own: Iterable[str] = (), *, allowed: bool = False) -> None:
        self._own = tuple(secret for secret in own if len(secret) >= _LEAST_SECRET)
        self._allowed = allowed

    def objection(self, url: str) -> str:
        if any(secret in text for text in (url, unquote_plus(url)) for secret in self._own):
            return "The URL holds one of this server's own secrets, so it was not sent anywhere."
        parsed = urls.parse(url)
        place = place_of_secret(parsed) if parsed and not self._allowed else ""
        if not place:
            return ""
        return (
            f"The URL looks as if it carried a secret ({place}), so it was not sent anywhere. Leave the secret out; "
            "if it is none, the operator of this server can set DOWSE_ALLOW_SECRET_URLS=true."
        )


def place_of_secret(url: Url) -> str:
    """The place of a secret in the URL, in words for the caller; empty without one."""
    fragment = url.href.partition("#")[2]
    for name, value in _pairs(url.query) + _pairs(fragment):
        if _is_secret(name.lower(), value):
            return f"the parameter {name[:40]!r}"
    if _has_known_shape(unquote_plus(url.path)) or _is_webhook(url):
        return "its path"
    return ""


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
    warning = f"the query seemed to contain {' and '.join(kinds)}, which was masked before it was sent"
    switch = "; DOWSE_SCRUB controls the handling of secrets in queries"
    return warning if kinds == [_OWN] else warning + switch


_LEAST_SECRET = 8


def _pairs(query: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in query.split("&") if part]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]


def _is_secret(name: str, value: str) -> bool:
    if _has_known_shape(value):
        return True
    if len(value) < LEAST_PASSWORD or is_placeholder(value):
        return False
    if name in SECRET_NAMES:
        return True
    return name in DOUBTFUL_NAMES and is_random(value)


def _has_known_shape(text: str) -> bool:
    return BLOCK in text or bool(KEY.search(text) or JSON_WEB_TOKEN.search(text))


def _is_webhook(url: Url) -> bool:
    pattern = WEBHOOKS.get(url.name)
    return bool(pattern and pattern.match(url.path))
