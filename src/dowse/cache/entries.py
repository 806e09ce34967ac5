"""Encrypted cache entries over a store that fails soft: codec, recent entries in memory, and lifetimes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import struct
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question
from dowse.core.models import Category, Clock, Found, Query, Text, TimeRange
from dowse.stores.fail_soft import FailSoftStore
from dowse.stores.store import Kept, Key, age_s

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from pydantic import TypeAdapter


# Larger values would push too much else out; sealing them would hold up the event loop.
_MAX_BYTES = 4_000_000
_LARGE_BYTES = 200_000
RECENT_S = 10.0
"""How long recent entries are used without the store: short, because other processes clear and write it too."""
_RECENT_MAX_BYTES = 4_000_000
_RECENT_OVERHEAD_BYTES = 500  # of an entry beside its value
# The time of production, encrypted with the value: write access to the store cannot make an old value look new.
_MADE_AT = struct.Struct(">d")


GRACE = 2.0
"""Stale-while-revalidate: a value is served for as long again as it was fresh, while a newer one is fetched."""


class CacheEntries:
    """Entries by kind and name. A missing, unreadable or forged entry is a miss."""

    def __init__(self, store: FailSoftStore, clock: Clock, scope: bytes = b"") -> None:
        self._store = store
        self._clock = clock
        self._scope = scope
        self._recent = RecentEntries(clock)

    @property
    def is_shared(self) -> bool:
        return self._store.is_shared

    @property
    def needs_lease(self) -> bool:
        """Whether another process may be producing the same value."""
        return self._store.is_shared and not self._store.is_exclusive

    async def get(self, kind: str, name: str) -> Kept | None:
        """The entry as it is known here; another process may have cleared or replaced it a moment ago."""
        sealed = self._seal(kind, name)
        return self._recent.get(sealed.key) or await self._look_up(sealed)

    async def look(self, kind: str, name: str) -> Kept | None:
        """The entry as it is in the store now."""
        return await self._look_up(self._seal(kind, name))

    async def put(self, kind: str, name: str, value: bytes, kept_s: float, *, age_s: float = 0.0) -> None:
        """Store a value that is `age_s` old, until it is `kept_s` old. Not storing it drops the previous one."""
        sealed = self._seal(kind, name)
        self._recent.forget(sealed.key)
        if kept_s <= age_s or len(value) > _MAX_BYTES:
            await self._store.drop(sealed.key)
            return
        stamped = _MADE_AT.pack(self._now() - age_s) + value
        is_large = len(value) > _LARGE_BYTES
        wrapped = await asyncio.to_thread(sealed.wrap, stamped) if is_large else sealed.wrap(stamped)
        await self._store.put(sealed.key, wrapped, kept_s - age_s)
        if not is_large:
            self._recent.add(sealed.key, Kept(value, age_s))

    async def drop(self, kind: str, name: str) -> None:
        """Delete an entry that turned out to be wrong."""
        sealed = self._seal(kind, name)
        self._recent.forget(sealed.key)
        await self._store.drop(sealed.key)

    async def claim(self, kind: str, name: str, owner: str, for_s: float) -> bool:
        """Take or extend the lease on producing this entry; true as well while the store is down."""
        return await self._store.claim(self._seal(kind, name).key, owner, for_s)

    async def release(self, kind: str, name: str, owner: str) -> None:
        await self._store.release(self._seal(kind, name).key, owner)

    async def _look_up(self, sealed: Sealed) -> Kept | None:
        kept = await self._store.get(sealed.key)
        if kept is None:
            return None
        is_large = len(kept.value) > _LARGE_BYTES
        stamped = await asyncio.to_thread(sealed.unwrap, kept.value) if is_large else sealed.unwrap(kept.value)
        if stamped is None or len(stamped) < _MADE_AT.size:
            return None
        age = age_s(_MADE_AT.unpack_from(stamped)[0], self._now())
        if age is None:
            return None
        found = Kept(stamped[_MADE_AT.size :], age)
        if not is_large:
            self._recent.add(sealed.key, found)
        return found

    def _seal(self, kind: str, name: str) -> Sealed:
        return Sealed(kind, name, self._scope)

    def _now(self) -> float:
        return self._clock.utc().timestamp()


T = TypeVar("T")


class Codec(Generic[T]):
    """Turns values of one dataclass into bytes; the schema is built on first use, not at start-up."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    def encode(self, value: T) -> bytes | None:
        """The value as bytes; `None` if it is not valid text, such as half a surrogate pair."""
        try:
            return self._adapter.dump_json(value)
        except ValueError:
            return None

    def decode(self, data: bytes) -> T | None:
        """The value, or `None` for data of any other shape."""
        try:
            return self._adapter.validate_json(data, strict=True)
        except ValueError:
            return None

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._kind)


_NONCE_BYTES = 12
_KEY, _SECRET = b"dowse key", b"dowse secret"


class Sealed:
    """Key of one entry in a store, and the encryption of its value."""

    def __init__(self, kind: str, name: str, scope: bytes = b"") -> None:
        """`scope` separates entries of the same name with different answers, such as under other settings."""
        self.key = Key(kind, _hash(_KEY, kind, name, scope).hex())
        self._asked = (kind, name, scope)

    def wrap(self, value: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher().encrypt(nonce, value, self.key.digest.encode())

    def unwrap(self, wrapped: bytes) -> bytes | None:
        """Decrypt a value; `None` if it was not encrypted under this name."""
        from cryptography.exceptions import InvalidTag

        nonce, data = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return self._cipher().decrypt(nonce, data, self.key.digest.encode())
        except (InvalidTag, ValueError):
            return None

    def _cipher(self) -> ChaCha20Poly1305:
        # Imported with the first entry: not every process needs it.
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        return ChaCha20Poly1305(_hash(_SECRET, *self._asked))


def _hash(purpose: bytes, kind: str, name: str, scope: bytes) -> bytes:
    hashed = hashlib.blake2b(digest_size=32, person=purpose, key=scope[:64])
    for part in (kind, name):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()


class RecentEntries:
    """Bounded in-process cache of entries that were just written or read; the oldest is evicted first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[Key, tuple[Kept, float]] = OrderedDict()
        self._size_bytes = 0

    def get(self, key: Key) -> Kept | None:
        """The entry with its present age."""
        kept, seen_at = self._seen.get(key, (None, 0.0))
        if kept is None:
            return None
        since_s = self._clock.now() - seen_at
        if since_s >= RECENT_S:
            self.forget(key)
            return None
        return Kept(kept.value, kept.age_s + since_s)

    def add(self, key: Key, kept: Kept) -> None:
        self.forget(key)
        self._seen[key] = (kept, self._clock.now())
        self._size_bytes += _size_bytes(kept)
        while self._size_bytes > _RECENT_MAX_BYTES or self._oldest_s() >= RECENT_S:
            self.forget(next(iter(self._seen)))

    def forget(self, key: Key) -> None:
        if key in self._seen:
            self._size_bytes -= _size_bytes(self._seen.pop(key)[0])

    def _oldest_s(self) -> float:
        return self._clock.now() - next(iter(self._seen.values()))[1]


def _size_bytes(kept: Kept) -> int:
    return len(kept.value) + _RECENT_OVERHEAD_BYTES


T_contra = TypeVar("T_contra", contravariant=True)


class LifetimePolicy(Protocol[T_contra]):
    """Lifetime by value. That of `None` is the longest of any value; where it is zero, nothing is cached."""

    def of(self, value: T_contra | None, /) -> Lifetime: ...


@dataclass(frozen=True, slots=True)
class Lifetime:
    """TTL of a value, and how long it is kept in all to stand in during an outage (stale-if-error)."""

    fresh_s: float
    stale_s: float = 0.0

    @property
    def kept_s(self) -> float:
        """Zero for a value that is never fresh: a cache that is switched off leaves no copies."""
        return max(self.fresh_s, self.stale_s) if self.fresh_s else 0.0

    def of(self, _value: object) -> Lifetime:
        """The policy of one lifetime for all values."""
        return self


@dataclass(frozen=True, slots=True)
class SearchLifetimes:
    """TTLs of search results, by the kind of query and by whether anything was found."""

    usual_s: float
    news_s: float
    empty_s: float
    stale_s: float

    def for_query(self, query: Query) -> LifetimePolicy[Found]:
        is_news = query.category is Category.NEWS or query.time_range is TimeRange.DAY
        fresh_s = self.news_s if is_news else self.usual_s
        # An empty result may be a hiccup of the provider, and is of no use later.
        return _FoundPolicy(Lifetime(fresh_s, self.stale_s), empty=Lifetime(min(fresh_s, self.empty_s)))


@dataclass(frozen=True, slots=True)
class _FoundPolicy:
    usual: Lifetime
    empty: Lifetime

    def of(self, found: Found | None) -> Lifetime:
        return self.usual if found is None or found.hits else self.empty


@dataclass(frozen=True, slots=True)
class PageLifetimes:
    """TTLs of pages and of failures to read one, and how long pages are kept in all."""

    fresh_s: float
    failure_s: float
    stale_s: float

    def of(self, text: Text | None = None) -> Lifetime:
        return Lifetime(self.fresh_s if text is None or text.may_be_kept else 0.0, self.stale_s)

    def within(self, max_age_s: float | None) -> PageLifetimes:
        """The same for a caller that takes no older copy; with zero, none at all."""
        # A copy is served for as long again as it is fresh, while a newer one is fetched.
        fresh_s = self.fresh_s if max_age_s is None else min(self.fresh_s, max_age_s / GRACE)
        return self if fresh_s == self.fresh_s else replace(self, fresh_s=fresh_s)


@dataclass(frozen=True, slots=True)
class AnswerLifetimes:
    """TTLs of answers: of usual answers, and of poor answers after a failed provider."""

    usual_s: float
    poor_s: float
    stale_s: float

    def for_question(self, question: Question, *, has_providers: bool) -> LifetimePolicy[CitedAnswer]:
        """`has_providers`: whether quoted pages are only a fallback, and so a poor answer."""
        # A question for recent pages has no use for an older answer.
        hours = question.freshness_hours
        stale_s = min(self.stale_s, hours * 3600) if hours else self.stale_s
        return _AnswerPolicy(self.usual_s, min(self.usual_s, self.poor_s), stale_s, has_providers)


@dataclass(frozen=True, slots=True)
class _AnswerPolicy:
    usual_s: float
    poor_s: float
    stale_s: float
    has_providers: bool

    def of(self, answer: CitedAnswer | None) -> Lifetime:
        if answer is None:
            return Lifetime(self.usual_s)
        if not answer.citations:
            return Lifetime(self.poor_s)
        is_poor = self.has_providers and answer.provider == EXTRACTIVE
        return Lifetime(self.poor_s if is_poor else self.usual_s, self.stale_s)
