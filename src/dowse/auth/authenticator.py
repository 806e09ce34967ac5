"""Tells callers apart: by the tokens the owner gave out, else by those of the identity provider."""

from __future__ import annotations

from dowse.auth.book import TokenBook
from dowse.auth.jwt import JwtVerifier
from dowse.core.models import Principal


class BearerAuthenticator:
    """Both kinds of bearer tokens behind one question."""

    def __init__(self, book: TokenBook, jwt: JwtVerifier | None = None) -> None:
        self._book = book
        self._jwt = jwt

    async def authenticate(self, token: str) -> Principal | None:
        entry = self._book.find(token)
        if entry is not None:
            return entry.principal
        if self._jwt is None or token.count(".") != 2:
            return None
        return await self._jwt.principal(token)
