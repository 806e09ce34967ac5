"""Redis client with timeouts and failures in plain words, and the addresses that it connects to."""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from redis import exceptions as redis
from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import MasterNotFoundError
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as ConnectionFailed
from redis.exceptions import RedisClusterException, RedisError

from dowse.core.errors import StoreFailed, StoreSilent

# Less than the patience of any caller, so that the caller receives the reason of a failure.
ANSWER_S = 0.8
CONNECT_S = 0.5
# Backpressure: enough for a busy server, and less than the connections that the library allows itself.
_MOST_AT_ONCE = 32
_BATCH = 500
_KINDS: dict[str, Kind] = {"": "server", "unix": "socket", "sentinel": "sentinel", "cluster": "cluster"}
_TLS = ("rediss", "valkeys")
_PORT, _SENTINEL_PORT = 6379, 26379

Kind = Literal["server", "socket", "sentinel", "cluster"]
T = TypeVar("T")
Word = str | bytes | int
# Raised by the library on malformed answers, the first one on lists in lists.
_MALFORMED = (RecursionError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, MemoryError)
_FAILURES = (RedisError, RedisClusterException, OSError, TimeoutError, *_MALFORMED)
_LARGEST = 2**63  # of the protocol; the library reads any number of digits


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Endpoint and credentials of a Redis."""

    kind: Kind
    hosts: tuple[tuple[str, int], ...] = ()
    path: str = ""
    service: str = ""
    db: int = 0
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    uses_tls: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> RedisAddress:
    """Parse an address such as `redis://:password@host:6379/0` or `valkeys+sentinel://host1,host2/service/0`."""
    parts = urlsplit(text)
    scheme, _, kind_name = parts.scheme.partition("+")
    kind = _KINDS[kind_name]
    path, service, db = _split_path(kind, unquote(parts.path))
    options = dict(parse_qsl(parts.query))
    return RedisAddress(
        kind=kind,
        hosts=_hosts(parts.netloc.rpartition("@")[2], _SENTINEL_PORT if kind == "sentinel" else _PORT),
        path=path,
        service=service,
        db=int(options.pop("db", "") or db or 0),
        username=unquote(parts.username or "") or None,
        password=unquote(parts.password or "") or None,
        uses_tls=scheme in _TLS,
        options=options,
    )


class _Pipeline(Protocol):
    def execute_command(self, *words: Word) -> object: ...

    async def execute(self, raise_on_error: bool) -> list[object]: ...


class _Library(Protocol):
    """The used part of the library's clients, which its own types do not declare for all of them."""

    async def execute_command(self, *words: Word) -> object: ...

    def scan_iter(self, match: str, count: int) -> AsyncIterator[bytes]: ...

    def pipeline(self, transaction: bool) -> _Pipeline: ...

    async def aclose(self) -> None: ...


class RedisClient:
    """Sends commands. Every failure becomes a `StoreFailed` with its reason."""

    def __init__(self, address: RedisAddress) -> None:
        self._sentinel = _sentinel(address) if address.kind == "sentinel" else None
        client = self._sentinel.master_for(address.service) if self._sentinel else _direct(address)
        self._library = cast(_Library, client)
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)

    async def ask(self, *words: Word) -> object:
        """Send one command. A connection that is abandoned on the way is closed, so its late answer is never read."""
        with _translate_failures():
            async with asyncio.timeout(ANSWER_S), self._places:
                return _check_numbers(await _await_cancellable(self._library.execute_command(*words)))

    async def ask_all(self, commands: Sequence[tuple[Word, ...]]) -> list[object]:
        """Send commands in one pipeline; errors stand in the list of answers."""
        pipeline = self._library.pipeline(transaction=False)
        for words in commands:
            pipeline.execute_command(*words)
        with _translate_failures():
            async with self._places:
                return await _await_cancellable(pipeline.execute(raise_on_error=False))

    async def keys(self, pattern: str) -> AsyncIterator[list[str]]:
        """All matching keys of every primary, in batches; a key may come twice."""
        batch: list[str] = []
        with _translate_failures():
            async for key in self._library.scan_iter(match=pattern, count=_BATCH):
                batch.append(key.decode("utf-8", "replace"))
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
        yield batch

    async def close(self) -> None:
        # A connection that fails to close is closed all the same.
        with contextlib.suppress(*_FAILURES):
            await self._library.aclose()
        if self._sentinel:
            with contextlib.suppress(*_FAILURES):
                await self._sentinel.aclose()


async def _await_cancellable(work: Awaitable[T]) -> T:
    """Await the library, and raise a cancellation that it swallowed.

    It sends with `asyncio.wait_for`, which before Python 3.12 loses a cancellation that arrives just when its work is
    done. A task that renews a lease would then go on for ever.
    """
    caller = asyncio.current_task()
    assert caller is not None
    before = caller.cancelling()
    try:
        return await work
    finally:
        if caller.cancelling() > before:
            raise asyncio.CancelledError


def _check_numbers(answer: object) -> object:
    """The answer; raises `ValueError` for a number that no Redis can send, and that no float can hold."""
    for each in answer if isinstance(answer, list) else [answer]:
        if isinstance(each, int) and abs(each) > _LARGEST:
            raise ValueError
    return answer


@contextmanager
def _translate_failures() -> Iterator[None]:
    try:
        yield
    except _FAILURES as error:
        # Redaction: not chained, because the library's text may hold addresses and the user name.
        is_silent = any(isinstance(cause, redis.TimeoutError | TimeoutError) for cause in _causes(error))
        kind = StoreSilent if is_silent else StoreFailed
        raise kind(f"Redis: {describe_failure(error)}") from None


def _direct(address: RedisAddress) -> Redis | RedisCluster:
    options = _options(address)
    if address.kind == "socket":
        return Redis(unix_socket_path=address.path, db=address.db, **options)
    if address.kind == "cluster":
        return RedisCluster(startup_nodes=[ClusterNode(host, port) for host, port in address.hosts], **options)
    host, port = address.hosts[0]
    return Redis(host=host, port=port, db=address.db, **options)


def _sentinel(address: RedisAddress) -> Sentinel:
    options = _options(address)
    own = dict(options)
    if address.options.get("sentinel_auth") != "true":
        own.update(username=None, password=None)
    return Sentinel(address.hosts, sentinel_kwargs=own, db=address.db, **options)  # type: ignore[no-untyped-call]  # the library leaves it untyped


def _options(address: RedisAddress) -> dict[str, Any]:  # keyword arguments of redis-py
    options: dict[str, Any] = {  # checked by redis-py
        "username": address.username,
        "password": address.password,
        "socket_timeout": ANSWER_S,
        "socket_connect_timeout": CONNECT_S,
        # One retry for a connection that was dropped while idle; a late answer is not retried.
        "retry": Retry(NoBackoff(), 1, supported_errors=(ConnectionFailed,)),
        # Every server speaks RESP2, also old ones, and nothing here gains by RESP3.
        "protocol": 2,
    }
    if not address.uses_tls:
        return options
    tls = {name: value for name, value in address.options.items() if name.startswith("ssl_")}
    checks_host = tls.pop("ssl_check_hostname", "true") == "true"
    return options | {"ssl_cert_reqs": "required"} | tls | {"ssl": True, "ssl_check_hostname": checks_host}


_STRANGE = "it does not answer as a Redis does"
_CODE = re.compile(r"[A-Z]{2,20}\b")

# The first match counts: most of these are kinds of `ConnectionError` or `ResponseError`.
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
    *((kind, _STRANGE) for kind in _MALFORMED),
)


def describe_failure(error: BaseException) -> str:
    """The reason of a failure and its fix, without addresses or names: the first known kind in the chain of causes."""
    causes = list(_causes(error))
    for kind, words in _REASONS:
        if any(isinstance(cause, kind) for cause in causes):
            return words
    # redis-py has no class and no code for this one: the server's text is all that tells it apart.
    if str(error).startswith("DB index is out of range"):
        return "it has no database of the number in DOWSE_STATE"
    code = _CODE.match(str(error))
    return f"it answered with the error {code[0]}" if code else f"it failed ({type(error).__name__})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _split_path(kind: Kind, path: str) -> tuple[str, str, str]:
    """Path of a socket, service of a sentinel, and number of the database."""
    if kind == "socket":
        return path, "", ""
    service, _, db = path.strip("/").partition("/") if kind == "sentinel" else ("", "", path.strip("/"))
    return "", service, db.strip("/")


def _hosts(text: str, port: int) -> tuple[tuple[str, int], ...]:
    each = [urlsplit(f"//{host}") for host in text.split(",") if host]
    return tuple((host.hostname or "", host.port or port) for host in each)
