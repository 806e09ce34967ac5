"""JSON Web Tokens of one issuer for one audience, and its published keys. PyJWT is imported with the first token."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dowse.core.models import Clock, Principal
from dowse.core.wire_errors import WireError
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
    """Verifies tokens; the principal is `None` for an invalid one."""

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
        """The subject of a valid token; empty for an invalid one."""
        import jwt

        try:
            claims = jwt.decode(
                token,
                # Bound to the algorithm: the token cannot choose the check of its signature.
                jwt.PyJWK(dict(key), algorithm),
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options=_OPTIONS,
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, OverflowError):
            # The further ones: a key or a claim of a type that PyJWT does not expect.
            return ""
        return str(claims["sub"])


def label(subject: str) -> str:
    """A unique name of a subject for logs and limits."""
    clean = _UNSAFE.sub("_", subject)
    if clean == subject and len(clean) <= _LONGEST_LABEL:
        return clean
    fingerprint = hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    # The tilde is in no clean subject, so no subject can imitate the fingerprint of another.
    return f"{clean[: _LONGEST_LABEL - len(fingerprint) - 1]}~{fingerprint}"


def _header(token: str) -> tuple[str | None, str] | None:
    """Key id and algorithm of a token with an acceptable header."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        return None
    # A critical extension must be refused unless it is understood, and none is.
    if "crit" in header or header.get("alg") not in ALGORITHMS:
        return None
    kid: str | None = header.get("kid")
    return kid, header["alg"]


Jwk = Mapping[str, object]

FRESH_S = 600.0
USABLE_S = 3600.0
# A token with a made-up key id must not cause a request to the issuer each time.
AGAIN_AFTER_S = 30.0
# Without any key no caller is admitted: the issuer may just be starting too.
FIRST_AGAIN_AFTER_S = 5.0
TIMEOUT_S = 5.0
MAX_BYTES = 256 * 1024


class Jwks:
    """JWKS client: signing keys of the issuer, cached, and used while the issuer is down."""

    def __init__(self, url: str, client: ConfiguredClient, clock: Clock) -> None:
        self._url = url
        self._client = client
        self._clock = clock
        self._keys: tuple[Jwk, ...] = ()
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def matching(self, kid: str | None, algorithm: str) -> tuple[Jwk, ...]:
        """The keys that may have signed a token; none while the issuer's keys are unavailable."""
        found = self._select(kid, algorithm)
        # An unknown key id may be that of a new key of the issuer.
        if self._age_s() < FRESH_S and (found or kid is None):
            return found
        # Stale-while-revalidate: one caller waits for fresh keys, the others use the old ones meanwhile.
        if found and self._under_way():
            return found
        await self._refresh()
        return self._select(kid, algorithm)

    def _select(self, kid: str | None, algorithm: str) -> tuple[Jwk, ...]:
        if self._age_s() >= USABLE_S:
            return ()
        found = tuple(key for key in self._keys if _fits(key, kid, algorithm))
        # Without a key id there must be a single candidate.
        return found if kid is not None or len(found) == 1 else ()

    def _age_s(self) -> float:
        return self._clock.now() - self._fetched_at

    def _under_way(self) -> asyncio.Task[None] | None:
        return self._fetching if self._fetching and not self._fetching.done() else None

    async def _refresh(self) -> None:
        """Single-flight refresh: wait for the fetch in progress, or begin one unless it was just tried."""
        fetching = self._under_way()
        if fetching is None:
            wait_s = AGAIN_AFTER_S if self._keys else FIRST_AGAIN_AFTER_S
            if self._clock.now() - self._tried_at < wait_s:
                return
            fetching = self._fetching = asyncio.create_task(self._try())
        # Shared by all waiters: a caller that disconnects does not cancel it.
        await asyncio.shield(fetching)

    async def _try(self) -> None:
        try:
            self._keys = await self.fetch()
            self._fetched_at = self._clock.now()
        except WireError as error:
            event(logging.ERROR, "keys of the token issuer could not be fetched", detail=str(error))
        finally:
            # At its end, not its beginning: a hanging issuer rests as long as a refusing one.
            self._tried_at = self._clock.now()

    async def fetch(self) -> tuple[Jwk, ...]:
        """Fetch the published keys; raises `WireError`."""
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
    """An answer without keys; the message describes it."""


def _fits(key: Jwk, kid: str | None, algorithm: str) -> bool:
    """Whether a key has this id, is for signatures, and for this algorithm if it names one."""
    operations = key.get("key_ops", ["verify"])
    return (
        (kid is None or key.get("kid") == kid)
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
        and isinstance(operations, list)
        and "verify" in operations
    )
