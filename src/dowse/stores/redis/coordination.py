"""Coordinator in a Redis: sliding windows, slots and circuit breakers on the server's clock."""

from __future__ import annotations

import hashlib
import math
import secrets

from dowse.core.allowances import Pace, Rate
from dowse.core.errors import StoreFailed
from dowse.stores.coordination import FAILURES_TO_OPEN, LONGEST_S, Circuit
from dowse.stores.redis.scripts import ADMIT, CONSULT, ENTER, FAILED, RELEASED, SUCCEEDED
from dowse.stores.redis.store import BOARD, RedisStore

# How soon to ask again while all slots are taken.
POLL_S = 0.05
# A window without a user: a server that can be read but not written cannot coordinate.
_PROBE = ("", Rate(1, 0.001))


class RedisCoordinator:
    """Windows, slots and circuits beside the entries of a store, through the same connections."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    async def look(self) -> None:
        await self.admit(*_PROBE)

    async def admit(self, key: str, rate: Rate) -> float:
        call = secrets.token_hex(16)
        wait = await self._run(ADMIT, [_key("window", key)], call, rate.calls, _us(rate.period_s))
        return _wait_s(wait)

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float:
        most, period = (pace.rate.calls, _us(pace.rate.period_s)) if pace.rate else (0, 0)
        keys = [_key("pace", provider), _key("places", provider)]
        further = (_at_most(for_s), _us(LONGEST_S), _us(POLL_S))
        return _wait_s(await self._run(ENTER, keys, ticket, most, period, pace.at_once or 0, *further))

    async def leave(self, provider: str, ticket: str) -> None:
        await self._store.client.ask("ZREM", _key("places", provider), ticket)

    async def consult(self, circuit: str, owner: str, probe_s: float) -> Circuit:
        return await self._circuit(CONSULT, circuit, owner, _at_most(probe_s))

    async def record_failure(
        self, circuit: str, owner: str, opens_for_s: float, *, at_once: bool, is_limited: bool
    ) -> Circuit:
        opens = (_at_most(opens_for_s), int(at_once), FAILURES_TO_OPEN)
        return await self._circuit(FAILED, circuit, owner, *opens, int(is_limited))

    async def record_success(self, circuit: str, owner: str) -> Circuit:
        return await self._circuit(SUCCEEDED, circuit, owner)

    async def release_probe(self, circuit: str, owner: str) -> None:
        await self._run(RELEASED, [_key("circuit", circuit)], owner, _us(LONGEST_S))

    async def _circuit(self, script: str, circuit: str, owner: str, *further: int) -> Circuit:
        match await self._run(script, [_key("circuit", circuit)], owner, _us(LONGEST_S), *further):
            case [int(admits), int(is_probe), int(failures), int(opens_for), int(is_limited)]:
                return Circuit(bool(admits), bool(is_probe), failures, opens_for / 1e6, bool(is_limited))
        raise _no_redis()

    async def _run(self, script: str, keys: list[str], *words: str | int) -> object:
        answer: object = await self._store.client.ask("EVAL", script, len(keys), *keys, *words)
        return answer


def _key(kind: str, name: str) -> str:
    """Hashed, so that names of callers stay out of the store; equal text in braces shares a cluster node."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16, person=b"dowse board")
    return f"{BOARD}{kind}:{{{digest.hexdigest()}}}"


def _at_most(seconds: float) -> int:
    return _us(min(seconds, LONGEST_S))


def _us(seconds: float) -> int:
    return math.ceil(seconds * 1e6)


def _wait_s(answer: object) -> float:
    match answer:
        case int(microseconds):
            return microseconds / 1e6
    raise _no_redis()


def _no_redis() -> StoreFailed:
    return StoreFailed("Redis: it does not run scripts as a Redis does")
