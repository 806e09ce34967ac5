"""The way to a Redis, through its own client library. Loading that takes a while, so this module is for first use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar, cast

from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as ConnectionFailed
from redis.exceptions import RedisClusterException, RedisError

from dowse.core.errors import StoreFailed
from dowse.stores.redis.address import Address
from dowse.stores.redis.reasons import reason

# Less than whoever uses a store waits, so that they hear why it failed.
ANSWER_S = 0.8
CONNECT_S = 0.5
# Enough for a busy server, and less than the connections that the library allows itself.
_MOST_AT_ONCE = 32
_BATCH = 500

T = TypeVar("T")
Word = str | bytes | int
# The last two are how the library stumbles over answers that are none.
_FAILURES = (RedisError, RedisClusterException, OSError, TimeoutError, ValueError, TypeError)


class _Pipeline(Protocol):
    def execute_command(self, *words: Word) -> object: ...

    async def execute(self, raise_on_error: bool) -> list[Any]: ...


class _Library(Protocol):
    """What is used of the library's clients, which its own types do not say for all of them."""

    async def execute_command(self, *words: Word) -> Any: ...

    def scan_iter(self, match: str, count: int) -> AsyncIterator[bytes]: ...

    def pipeline(self, transaction: bool) -> _Pipeline: ...

    async def aclose(self) -> None: ...


class Client:
    """Commands and their answers. Whatever goes wrong is a `StoreFailed` that says why."""

    def __init__(self, address: Address) -> None:
        self._sentinel = _sentinel(address) if address.kind == "sentinel" else None
        client = self._sentinel.master_for(address.service) if self._sentinel else _direct(address)
        self._library = cast(_Library, client)
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)

    async def ask(self, *words: Word) -> Any:
        """Send one command. A connection that is given up on the way is closed: nobody reads its answer later."""
        with _failures_told():
            async with asyncio.timeout(ANSWER_S), self._places:
                return await _or_cancelled(self._library.execute_command(*words))

    async def ask_all(self, commands: Sequence[tuple[Word, ...]]) -> list[Any]:
        """Send commands together; an answer that is an error stands in the list as one."""
        pipeline = self._library.pipeline(transaction=False)
        for words in commands:
            pipeline.execute_command(*words)
        with _failures_told():
            async with self._places:
                return await _or_cancelled(pipeline.execute(raise_on_error=False))

    async def keys(self, pattern: str) -> AsyncIterator[list[str]]:
        """All keys that match, of every primary, in batches; one may come twice."""
        batch: list[str] = []
        with _failures_told():
            async for key in self._library.scan_iter(match=pattern, count=_BATCH):
                batch.append(key.decode("utf-8", "replace"))
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
        yield batch

    async def close(self) -> None:
        # A connection that does not end well has ended.
        with contextlib.suppress(*_FAILURES):
            await self._library.aclose()
        if self._sentinel:
            with contextlib.suppress(*_FAILURES):
                await self._sentinel.aclose()


async def _or_cancelled(work: Awaitable[T]) -> T:
    """What the library says, well or ill, unless whoever asks was told to stop meanwhile.

    It sends with `asyncio.wait_for`, which forgets a cancellation that comes just when its work is done, before
    Python 3.12. A task that renews something would then go on for ever.
    """
    asking = asyncio.current_task()
    assert asking is not None
    told_before = asking.cancelling()
    try:
        return await work
    finally:
        if asking.cancelling() > told_before:
            raise asyncio.CancelledError


@contextmanager
def _failures_told() -> Iterator[None]:
    try:
        yield
    except _FAILURES as error:
        # Not chained: what the library says may hold addresses and the name of the user.
        raise StoreFailed(f"Redis: {reason(error)}") from None


def _direct(address: Address) -> Redis | RedisCluster:
    options = _options(address)
    if address.kind == "socket":
        return Redis(unix_socket_path=address.path, db=address.db, **options)
    if address.kind == "cluster":
        return RedisCluster(startup_nodes=[ClusterNode(host, port) for host, port in address.hosts], **options)
    host, port = address.hosts[0]
    return Redis(host=host, port=port, db=address.db, **options)


def _sentinel(address: Address) -> Sentinel:
    options = _options(address)
    own = dict(options)
    if address.options.get("sentinel_auth") != "true":
        own.update(username=None, password=None)
    return Sentinel(address.hosts, sentinel_kwargs=own, db=address.db, **options)  # type: ignore[no-untyped-call]


def _options(address: Address) -> dict[str, Any]:
    options: dict[str, Any] = {
        "username": address.username,
        "password": address.password,
        "socket_timeout": ANSWER_S,
        "socket_connect_timeout": CONNECT_S,
        # One more try for a connection that was dropped while it lay idle; an answer that is late stays late.
        "retry": Retry(NoBackoff(), 1, supported_errors=(ConnectionFailed,)),
        # Every server speaks it, also one that is too old for the other, and nothing here gains by the newer one.
        "protocol": 2,
    }
    if not address.uses_tls:
        return options
    tls = {name: value for name, value in address.options.items() if name.startswith("ssl_")}
    checks_host = tls.pop("ssl_check_hostname", "true") == "true"
    return options | {"ssl_cert_reqs": "required"} | tls | {"ssl": True, "ssl_check_hostname": checks_host}
