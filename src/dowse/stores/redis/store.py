"""Redis store: the server expires entries and leases by its own clock.

Only commands on single keys are used, so that a cluster can serve them.
"""

from __future__ import annotations

import math
import struct
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from dowse.core.errors import StoreFailed
from dowse.core.models import Clock
from dowse.stores.ledger import UNLIMITED, CallCount, Days, LedgerEntry, Tally
from dowse.stores.redis.client import RedisClient, parse
from dowse.stores.redis.scripts import CLAIM, COUNT, COUNTS, RELEASE, SPEND
from dowse.stores.store import Kept, Key, Usage, age_s

# The number is that of the schema: a version of dowse with other values uses other keys.
_OURS = "dowse:1:"
_LEASES, _SPEND, BOARD = f"{_OURS}lease:", f"{_OURS}spend:", f"{_OURS}board:"
# A hash for each month, with the fields `DAY PROVIDER UNIT CALLER`; names of providers have no blank.
_CALLS = f"{_OURS}calls:"
_CALLS_KEPT_S = 62 * 86_400.0
# Every value begins with a mark, and the times of its creation and expiry.
_HEADER = struct.Struct(">4sdd")
_MARK = b"dws1"


class RedisStore:
    """Store for several machines; connects on first use."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._address = parse(address)
        self._clock = clock
        self._client: RedisClient | None = None

    @property
    def is_shared(self) -> bool:
        return True

    @property
    def is_exclusive(self) -> bool:
        return False

    async def get(self, key: Key) -> Kept | None:
        # Unlike GET, MGET returns nil for a key that is no string.
        match await self.client.ask("MGET", _entry(key)):
            case [bytes(value)]:
                return _unpack(value, self._now())
        return None

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        now = self._now()
        await self.client.ask("SET", _entry(key), _HEADER.pack(_MARK, now, now + kept_s) + value, "PX", _ms(kept_s))

    async def drop(self, key: Key) -> None:
        await self.client.ask("UNLINK", _entry(key))

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        is_ours: bool = await self.client.ask("EVAL", CLAIM, 1, _lease(key), owner, _ms(for_s)) == 1
        return is_ours

    async def release(self, key: Key, owner: str) -> None:
        await self.client.ask("EVAL", RELEASE, 1, _lease(key), owner)

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        period = (str(days.first), str(days.today), str(days.kept_from))
        caps = (_format_cap(cap.calls, UNLIMITED.calls), _format_cap(cap.micro_usd, UNLIMITED.micro_usd))
        costs = (cost.calls, cost.micro_usd)
        match await self.client.ask("EVAL", SPEND, 1, f"{_SPEND}{provider}", *period, *costs, *caps):
            case [int(admitted), int(calls), int(micro_usd)]:
                return LedgerEntry(Tally(calls, micro_usd), admitted=bool(admitted))
        raise StoreFailed("Redis: it does not run scripts as a Redis does")

    async def total(self, provider: str, days: Days) -> Tally:
        entry = await self.add(provider, days, Tally())
        return entry.total

    async def count_calls(self, counts: Sequence[CallCount]) -> None:
        months: defaultdict[str, list[str | int]] = defaultdict(list)
        for each in counts:
            for unit, number in (("calls", each.tally.calls), ("micro_usd", each.tally.micro_usd)):
                months[f"{each.day:%Y-%m}"] += [f"{each.day} {each.provider} {unit} {each.caller}", number]
        for month, words in months.items():
            await self.client.ask("EVAL", COUNT, 1, f"{_CALLS}{month}", _ms(_CALLS_KEPT_S), *words)

    async def call_counts(self, days: Days) -> list[CallCount]:
        answer = await self.client.ask("EVAL", COUNTS, 1, f"{_CALLS}{days.today:%Y-%m}")
        try:
            found = _parse_counts(answer)
        except (ValueError, TypeError):
            raise StoreFailed("Redis: the calls that it has are not written by dowse") from None
        return [CallCount(*key, tally) for key, tally in found.items() if days.first <= key[0] <= days.today]

    async def usage(self) -> Usage:
        client = self.client
        entries: Counter[str] = Counter()
        value_bytes: Counter[str] = Counter()
        size_bytes = 0
        async for keys in client.keys(f"{_OURS}*"):
            held = list(filter(_is_entry, keys))
            lengths = await client.ask_all([("STRLEN", key) for key in held])
            sizes = await client.ask_all([("MEMORY USAGE", key) for key in held])
            for key, length, size in zip(held, lengths, sizes, strict=True):
                # An expired key is empty, and a key that is no string is no entry.
                if isinstance(length, int) and length:
                    kind = key.removeprefix(_OURS).partition(":")[0]
                    entries[kind] += 1
                    value_bytes[kind] += max(0, length - _HEADER.size)
                    size_bytes += size if isinstance(size, int) else length + len(key)
        return Usage(entries, value_bytes, size_bytes)

    async def sweep(self) -> int:
        """Nothing to do: the server expires entries."""
        return 0

    async def clear(self) -> int:
        client, deleted = self.client, 0
        async for keys in client.keys(f"{_OURS}*"):
            answers = await client.ask_all([("UNLINK", key) for key in keys if _is_entry(key)])
            deleted += sum(answer for answer in answers if isinstance(answer, int))
        return deleted

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    @property
    def client(self) -> RedisClient:
        """The one client of the store and its coordinator."""
        if self._client is None:
            self._client = RedisClient(self._address)
        return self._client

    def _now(self) -> float:
        return self._clock.utc().timestamp()


def _parse_counts(answer: object) -> Mapping[tuple[date, str, str], Tally]:
    """Tallies by day, provider and caller. Raises `ValueError` or `TypeError` for another kind of answer."""
    words = [str(word, "utf-8", "replace") for word in answer] if isinstance(answer, list) else []
    found: defaultdict[tuple[date, str, str], Tally] = defaultdict(Tally)
    for name, value in zip(words[::2], words[1::2], strict=True):
        day, provider, unit, caller = name.split(" ", 3)
        tally = Tally(calls=int(value)) if unit == "calls" else Tally(micro_usd=int(value))
        found[date.fromisoformat(day), provider, caller] += tally
    return found


def _entry(key: Key) -> str:
    return f"{_OURS}{key.kind}:{key.digest}"


def _lease(key: Key) -> str:
    return f"{_LEASES}{key.kind}:{key.digest}"


def _is_entry(key: str) -> bool:
    return not key.startswith((_LEASES, _SPEND, _CALLS, BOARD))


def _unpack(value: bytes, now: float) -> Kept | None:
    """The entry, unless it was not written by dowse, has expired, or its age is unknown."""
    if len(value) < _HEADER.size:
        return None
    mark, made_at, until = _HEADER.unpack_from(value)
    age = age_s(made_at, now)
    if mark != _MARK or age is None or not math.isfinite(age) or not now < until:
        return None
    return Kept(value[_HEADER.size :], age)


def _ms(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))


def _format_cap(most: int, no_end: int) -> str:
    """The cap as an argument of the script, whose numbers cannot hold the value for "unlimited"."""
    return "" if most == no_end else str(most)
