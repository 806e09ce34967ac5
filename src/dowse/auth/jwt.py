"""JSON Web Tokens of one issuer for one audience. PyJWT verifies them and is imported with the first one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dowse.core.errors import WireError
from dowse.core.models import Clock, Principal
from dowse.net.clients import ConfiguredClient
from dowse.telemetry.log import event

if TYPE_CHECKING:
    from jwt.types import Options


# Asymmetric only. With HS* the published key would be the secret; with `none` there is no signature.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LEEWAY_S = 30
PREFIX = "jwt:"
_LONGEST_LABEL = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9@_.-]")
_OPTIONS: Options = {"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True}


class JwtVerifier:
    """Tells whose token it is; `None` for any that is not good."""

    def __init__(self, issuer: str, audience: str, keys: Jwks) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys

    async def principal(self, token: str) -> Principal | None:
        header = _header(token)
        if header is None:
            return None
        kid, algorithm = header
        for key in await self._keys.matching(kid, algorithm):
            subject = self._subject(token, key, algorithm)
            if subject:
                return Principal(PREFIX + label(subject))
        return None

    def _subject(self, token: str, key: Jwk, algorithm: str) -> str:
        """Whom the token was issued to; empty unless everything about it is right."""
        import jwt

        try:
            claims = jwt.decode(
                token,
                # Bound to the algorithm: the token cannot choose what its signature is checked with.
                jwt.PyJWK(dict(key), algorithm),
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options=_OPTIONS,
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, OverflowError):
            # The further ones: a key or a claim of a kind that PyJWT does not expect.
            return ""
        return str(claims["sub"])


def label(subject: str) -> str:
    """A subject as a name for logs and limits; two subjects do not share one."""
    clean = _UNSAFE.sub("_", subject)
    if clean == subject and len(clean) <= _LONGEST_LABEL:
        return clean
    fingerprint = hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    # The tilde is in no clean subject, so nobody can be called like somebody else's fingerprint.
    return f"{clean[: _LONGEST_LABEL - len(fingerprint) - 1]}~{fingerprint}"


def _header(token: str) -> tuple[str | None, str] | None:
    """Key id and algorithm of a token we would look at."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        return None
    # A critical extension says "refuse this unless you understand me", and we understand none.
    if "crit" in header or header.get("alg") not in ALGORITHMS:
        return None
    kid: str | None = header.get("kid")
    return kid, header["alg"]


Jwk = Mapping[str, object]

FRESH_S = 600.0
USABLE_S = 3600.0
# A token with a made-up key id must not make us ask the issuer each time.
AGAIN_AFTER_S = 30.0
# With no key at all nobody gets in: the issuer may just be starting too.
FIRST_AGAIN_AFTER_S = 5.0
TIMEOUT_S = 5.0
MAX_BYTES = 256 * 1024


class Jwks:
    """The signing keys behind a URL."""

    def __init__(self, url: str, client: ConfiguredClient, clock: Clock) -> None:
        self._url = url
        self._client = client
        self._clock = clock
        self._keys: tuple[Jwk, ...] = ()
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def matching(self, kid: str | None, algorithm: str) -> tuple[Jwk, ...]:
        """The keys a token may have been signed with; none when the issuer's keys cannot be had."""
        found = self._select(kid, algorithm)
        # A key id we do not know may be that of a key which the issuer has begun to use since.
        if self._age_s() < FRESH_S and (found or kid is None):
            return found
        # One caller waits for fresh keys; the others are served from the old ones meanwhile.
        if found and self._under_way():
            return found
        await self._refresh()
        return self._select(kid, algorithm)

    def _select(self, kid: str | None, algorithm: str) -> tuple[Jwk, ...]:
        if self._age_s() >= USABLE_S:
            return ()
        found = tuple(key for key in self._keys if _fits(key, kid, algorithm))
        # Without a key id it has to be clear which one is meant.
        return found if kid is not None or len(found) == 1 else ()

    def _age_s(self) -> float:
        return self._clock.now() - self._fetched_at

    def _under_way(self) -> asyncio.Task[None] | None:
        return self._fetching if self._fetching and not self._fetching.done() else None

    async def _refresh(self) -> None:
        """Wait for the fetch that is under way; if there is none, begin one unless that was just tried."""
        fetching = self._under_way()
        if fetching is None:
            wait_s = AGAIN_AFTER_S if self._keys else FIRST_AGAIN_AFTER_S
            if self._clock.now() - self._tried_at < wait_s:
                return
            fetching = self._fetching = asyncio.create_task(self._try())
        # It belongs to all who wait for it: a caller that hangs up does not end it.
        await asyncio.shield(fetching)

    async def _try(self) -> None:
        try:
            self._keys = await self.fetch()
            self._fetched_at = self._clock.now()
        except WireError as error:
            event(logging.ERROR, "keys of the token issuer cannot be had", detail=str(error))
        finally:
            # When it ends, not when it begins: an issuer that hangs is left alone as long as one that refuses.
            self._tried_at = self._clock.now()

    async def fetch(self) -> tuple[Jwk, ...]:
        """What the issuer publishes now; raises `WireError`."""
        accept = {"Accept": "application/jwk-set+json, application/json"}
        reply = await self._client.send("GET", self._url, headers=accept, timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES)
        if reply.status != 200:
            raise UnusableKeys(f"DOWSE_JWKS_URL answered with status {reply.status}")
        try:
            document = json.loads(reply.body)
        except (ValueError, RecursionError):
            document = None
        keys = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(keys, list):
            raise UnusableKeys("DOWSE_JWKS_URL answered with something else than a set of keys")
        return tuple(key for key in keys if isinstance(key, dict))


class UnusableKeys(WireError):
    """An answer without keys in it; the message says what came instead."""


def _fits(key: Jwk, kid: str | None, algorithm: str) -> bool:
    """Whether a key is meant for this: the id, for signatures, and for this algorithm if it names one."""
    operations = key.get("key_ops", ["verify"])
    return (
        (kid is None or key.get("kid") == kid)
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and isinstance(operations, list)
        and "verify" in operations
    )
