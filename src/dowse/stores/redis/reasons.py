"""Why a Redis failed, in words that hold neither addresses nor names, and say what to do about it."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator

from redis import exceptions as redis
from redis.asyncio.sentinel import MasterNotFoundError

_STRANGE = "it does not answer as a Redis does"
_CODE = re.compile(r"[A-Z]{2,20}\b")

# The first that fits counts: most of these are kinds of `ConnectionError` or `ResponseError`.
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (redis.AuthenticationError, "it refuses the user name or the password in DOWSE_STATE"),
    (redis.NoPermissionError, "the user in DOWSE_STATE may not use the keys dowse:* or a command"),
    (redis.OutOfMemoryError, "it is full: raise its maxmemory, or set its maxmemory-policy to volatile-ttl"),
    (redis.ReadOnlyError, "it is a replica that cannot be written: name the primary in DOWSE_STATE"),
    (redis.BusyLoadingError, "it is still loading its data"),
    (MasterNotFoundError, "no sentinel can be reached that knows a primary of the service in DOWSE_STATE"),
    (redis.MovedError, "it is part of a cluster: write redis+cluster:// in DOWSE_STATE"),
    (redis.MasterDownError, "it is a replica that has lost its primary"),
    (redis.ClusterDownError, "the cluster is down"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted: name its CA with ssl_ca_certs in DOWSE_STATE"),
    (ssl.SSLError, "no TLS connection can be made"),
    (FileNotFoundError, "a socket or file that DOWSE_STATE names does not exist"),
    (redis.TimeoutError, "no answer in time"),
    (TimeoutError, "no answer in time"),
    (redis.ConnectionError, "it cannot be reached"),
    (OSError, "it cannot be reached"),
    (redis.RedisClusterException, "it is not a cluster, or not all of one"),
    (redis.InvalidResponse, _STRANGE),
    (ValueError, _STRANGE),
    (TypeError, _STRANGE),
)


def reason(error: BaseException) -> str:
    """Look for the first cause that is known, from the error itself to what it came from."""
    causes = list(_causes(error))
    for kind, words in _REASONS:
        if any(isinstance(cause, kind) for cause in causes):
            return words
    if str(error).startswith("DB index is out of range"):
        return "it has no database of the number in DOWSE_STATE"
    code = _CODE.match(str(error))
    return f"it answered with the error {code[0]}" if code else f"it failed ({type(error).__name__})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
