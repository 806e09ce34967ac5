"""Marks text from the web as data: a page cannot forge a marker that did not exist when it was written."""

from __future__ import annotations

import secrets


class Fence:
    """One random marker per answer."""

    def __init__(self) -> None:
        self._nonce = secrets.token_hex(4)

    def around(self, text: str, label: str) -> str:
        mark = f"{label} {self._nonce}"
        return f"<<< untrusted {mark}\n{text.replace(self._nonce, '')}\n>>> end of {mark}"
