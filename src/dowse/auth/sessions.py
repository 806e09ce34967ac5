"""Sessions of the console: a token with an expiry, encrypted for a cookie. Nothing is kept on the server but a key."""

from __future__ import annotations

import base64
import binascii
import secrets
import struct

from dowse.core.models import Clock
from dowse.stores.fail_soft import FailSoftStore
from dowse.stores.store import Key

SESSION_S = 12 * 3600
LONGEST_TOKEN_BYTES = 2800
"""Encrypted, a longer one would be more than browsers take as a cookie."""
_KEY = Key("session", "key")
_KEY_KEPT_S = 30 * 86_400.0
_KEY_BYTES, _NONCE_BYTES = 32, 12
_HEAD = struct.Struct(">Q")
_PURPOSE = b"dowse console session 1"


class Sessions:
    """Encrypts tokens for cookies and back. Each request checks the token, so that revoking it ends its sessions.

    The key is in the store, so that replicas read each other's sessions. Browsers send a cookie to
    every port of its host: encrypted, it shows them no token.
    """

    def __init__(self, store: FailSoftStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._key = b""

    async def seal(self, token: str) -> str:
        """The value of a cookie for a token that was accepted."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = secrets.token_bytes(_NONCE_BYTES)
        text = _HEAD.pack(int(self._now()) + SESSION_S) + token.encode()
        sealed = nonce + AESGCM(await self._load_key()).encrypt(nonce, text, _PURPOSE)
        return base64.urlsafe_b64encode(sealed).decode("ascii")

    async def open(self, value: str) -> str:
        """The token of a cookie; empty if the cookie has expired, was changed, or is of another server."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            sealed = base64.b64decode(value, altchars=b"-_", validate=True)
            cipher = AESGCM(await self._load_key())
            text = cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _PURPOSE)
        except (binascii.Error, InvalidTag, ValueError):
            return ""
        (expires,) = _HEAD.unpack_from(text)
        return text[_HEAD.size :].decode() if self._now() < expires else ""

    async def _load_key(self) -> bytes:
        if not self._key:
            if not (kept := await self._store.get(_KEY)):
                await self._store.put(_KEY, secrets.token_bytes(_KEY_BYTES), _KEY_KEPT_S)
                # Of two replicas that start at once, the key of the later one counts for both.
                kept = await self._store.get(_KEY)
            is_valid = kept is not None and len(kept.value) == _KEY_BYTES
            self._key = kept.value if kept and is_valid else secrets.token_bytes(_KEY_BYTES)
        return self._key

    def _now(self) -> float:
        return self._clock.utc().timestamp()
