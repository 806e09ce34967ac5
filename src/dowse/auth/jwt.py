"""JSON Web Tokens of one issuer for one audience. PyJWT verifies them and is imported with the first one."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from dowse.auth.jwks import Jwk, Jwks
from dowse.core.models import Principal

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
