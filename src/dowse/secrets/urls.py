"""Detection of secrets in URLs before they are sent anywhere.

Prompt injection may make a model fetch a URL with a key in it. The site would learn the key; so would a scrape API,
and every log on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote_plus

from dowse.core import urls
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

_LEAST_SECRET = 8


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
