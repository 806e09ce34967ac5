"""Tells URLs that carry a secret from URLs that only carry an identifier, before they leave the machine.

A model may have been given, or talked into, a URL with somebody's key in it. Whoever is asked for such a page
learns the key; so does a scrape API, and every log on the way.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote_plus

from dowse import urls
from dowse.urls import Url

# Keys that say what they are. Each begins at a boundary, so that a word with such letters inside is none.
_KNOWN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])[\w-]{20,200}    # OpenAI, Anthropic; not `sk-learn-and-friends`
    | sk-or-v1-[a-f0-9]{40,100}
    | [srp]k_(?:live|test)_[A-Za-z0-9]{16,200}                # Stripe
    | gh[pousr]_[A-Za-z0-9]{30,255} | github_pat_[A-Za-z0-9_]{30,255}
    | glpat-[A-Za-z0-9_-]{20,200} | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{50,255}
    | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])                # AWS
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,255} | GOCSPX-[A-Za-z0-9_-]{20,100}   # Google
    | xox[abeoprs]-[A-Za-z0-9-]{10,255} | xapp-[A-Za-z0-9-]{10,255}                        # Slack
    | tvly-[A-Za-z0-9-]{16,200} | hf_[A-Za-z0-9]{30,100} | dop_v1_[a-f0-9]{40,100}
    | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}         # SendGrid
    | eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}            # a JSON Web Token
    | -----BEGIN[ ]
    )""",
    re.VERBOSE,
)
# Webhooks are keys in the shape of a path.
_WEBHOOKS = {
    "hooks.slack.com": re.compile(r"/services/T[A-Z0-9]{4,20}/B[A-Z0-9]{4,20}/[A-Za-z0-9]{16,64}"),
    "discord.com": re.compile(r"/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,100}"),
    "discordapp.com": re.compile(r"/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,100}"),
    "api.telegram.org": re.compile(r"/bot\d{6,12}:[A-Za-z0-9_-]{30,50}"),
}
# Parameters whose value is a secret whatever it looks like; people choose short passwords.
_SECRET_NAMES = frozenset(
    (
        *("access_token", "auth_token", "refresh_token", "id_token", "session_token", "oauth_token", "bearer", "jwt"),
        *("api_key", "apikey", "api-key", "x-api-key", "subscription-key", "ocp-apim-subscription-key"),
        *("secret", "secret_key", "secretkey", "api_secret", "apisecret", "client_secret", "private_key", "privatekey"),
        *("password", "passwd", "pwd", "passphrase", "sessionid", "session_id", "authorization"),
        *("x-amz-signature", "x-amz-security-token", "x-goog-signature"),
    )
)
# Parameters that often hold one and as often something harmless: here the value decides.
_DOUBTFUL_NAMES = frozenset(
    ("token", "key", "auth", "code", "sig", "signature", "credential", "credentials", "access", "sid")
)
_LEAST_PASSWORD = 4
_LEAST_SECRET = 8
_LEAST_RANDOM = 20
_LEAST_ENTROPY = 3.3  # bits a character: words and dates stay below, random letters and digits do not
_PLACEHOLDERS = re.compile(r"[<{\[$%*]|your|example|placeholder|redacted|x{4,}|\.{3}", re.IGNORECASE)


class SecretUrls:
    """Implements `interfaces.Secrecy`. Secrets of the settings are recognised anywhere, and never let out."""

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
            "if it is none, whoever runs this server can set DOWSE_ALLOW_SECRET_URLS=true."
        )


def place_of_secret(url: Url) -> str:
    """Where the URL carries what looks like a secret, in words for its caller; empty if it does not."""
    fragment = url.href.partition("#")[2]
    for name, value in _pairs(url.query) + _pairs(fragment):
        if _is_secret(name.lower(), value):
            return f"the parameter {name[:40]!r}"
    if _KNOWN.search(unquote_plus(url.path)) or _is_webhook(url):
        return "its path"
    return ""


def _pairs(query: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in query.split("&") if part]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]


def _is_secret(name: str, value: str) -> bool:
    if _KNOWN.search(value):
        return True
    if len(value) < _LEAST_PASSWORD or _PLACEHOLDERS.search(value):
        return False
    if name in _SECRET_NAMES:
        return True
    return name in _DOUBTFUL_NAMES and _is_random(value)


def _is_random(value: str) -> bool:
    """Whether a value looks drawn by lot: long, of letters and digits mixed, and without much repetition."""
    if len(value) < _LEAST_RANDOM or not value.isascii() or " " in value:
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return kinds >= 2 and entropy >= _LEAST_ENTROPY


def _is_webhook(url: Url) -> bool:
    pattern = _WEBHOOKS.get(url.name)
    return bool(pattern and pattern.match(url.path))
