"""The one filter in front of everything that leaves: no configured secret passes it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
_SHORT = 6  # Shorter values are masked as whole words only, or they would eat ordinary text.
# Credentials that reach us from elsewhere, for instance in an upstream's error text.
_SHAPES = re.compile(
    r"(?i)\b(bearer\s+|x-api-key[\"']?\s*[:=]\s*[\"']?|api[_-]?key[\"']?\s*[:=]\s*[\"']?)([\w.~+/-]{8,}=*)"
)


class Redactor:
    """Masks secrets in text and in nested data, in the spellings in which they could be echoed."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        patterns = [_pattern(form) for form in sorted(_forms(secrets), key=len, reverse=True)]
        self._known = re.compile("|".join(patterns)) if patterns else None

    def text(self, text: str) -> str:
        """Mask every known secret; safe for page content, which may well speak of keys."""
        return self._known.sub(MASK, text) if self._known else text

    def message(self, text: str) -> str:
        """For logs and errors: known secrets, and whatever looks like a credential."""
        return _SHAPES.sub(rf"\1{MASK}", self.text(text))

    def data(self, value: object) -> object:
        """The same JSON-like value with every string masked."""
        if self._known is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.data(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value


def _forms(secrets: Iterable[str]) -> set[str]:
    forms: set[str] = set()
    for secret in filter(None, secrets):
        encoded = base64.b64encode(secret.encode()).decode()
        forms |= {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1], secret[::-1]}
        forms |= {
            encoded,
            encoded.rstrip("="),
            base64.urlsafe_b64encode(secret.encode()).decode(),
            base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
            secret.encode().hex(),
        }
    return forms


def _pattern(form: str) -> str:
    literal = re.escape(form)
    return literal if len(form) >= _SHORT else rf"(?<!\w){literal}(?!\w)"
