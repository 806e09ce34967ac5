"""Encryption of entries with keys derived from the query (convergent encryption).

An entry lies under a hash of its name, and its value is encrypted with a key that only the same query yields. A
reader of the file, or of the Redis, learns neither queries nor answers, short of guessing a query; and a value that
was changed or moved to another key does not decrypt.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from dowse.stores.store import Key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_NONCE_BYTES = 12
_KEY, _SECRET = b"dowse key", b"dowse secret"


class Sealed:
    """Key of one entry in a store, and the encryption of its value."""

    def __init__(self, kind: str, name: str, scope: bytes = b"") -> None:
        """`scope` separates entries of the same name whose answers differ, such as those of other settings."""
        self.key = Key(kind, _hash(_KEY, kind, name, scope).hex())
        self._asked = (kind, name, scope)

    def wrap(self, value: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher().encrypt(nonce, value, self.key.digest.encode())

    def unwrap(self, wrapped: bytes) -> bytes | None:
        """Decrypt a value; `None` if it was not encrypted under this name."""
        from cryptography.exceptions import InvalidTag

        nonce, data = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return self._cipher().decrypt(nonce, data, self.key.digest.encode())
        except (InvalidTag, ValueError):
            return None

    def _cipher(self) -> ChaCha20Poly1305:
        # Imported with the first entry: not every process needs it.
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        return ChaCha20Poly1305(_hash(_SECRET, *self._asked))


def _hash(purpose: bytes, kind: str, name: str, scope: bytes) -> bytes:
    hashed = hashlib.blake2b(digest_size=32, person=purpose, key=scope[:64])
    for part in (kind, name):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()
