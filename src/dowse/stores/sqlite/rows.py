"""Entries and leases as rows. Times are the time of day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dowse.stores.store import CLOCK_SKEW_S, Kept, Key, age_s

if TYPE_CHECKING:
    import sqlite3

# Cast, because a damaged row may hold anything.
_FIND = (
    "SELECT CAST(value AS BLOB), CAST(made_at AS REAL) FROM entries "
    "WHERE kind = ? AND digest = ? AND CAST(until AS REAL) > ?"
)
_PUT = "INSERT OR REPLACE INTO entries (kind, digest, made_at, until, value) VALUES (?, ?, ?, ?, ?)"
_DROP = "DELETE FROM entries WHERE kind = ? AND digest = ?"
_DELETE_NEXT = "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY until LIMIT ?)"
_DELETE_EXPIRED = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE until <= ? LIMIT ?)"
_DELETE_AHEAD = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE made_at > ? LIMIT ?)"
_USED = "SELECT kind, count(*), sum(length(value)) FROM entries GROUP BY kind"

_CLAIM = (
    "INSERT INTO leases (kind, digest, owner, made_at, until) VALUES (:kind, :digest, :owner, :now, :until) "
    "ON CONFLICT (kind, digest) DO UPDATE "
    "SET owner = excluded.owner, made_at = excluded.made_at, until = excluded.until "
    "WHERE owner = excluded.owner OR until <= :now OR made_at > :ahead"
)
_RELEASE = "DELETE FROM leases WHERE kind = ? AND digest = ? AND owner = ?"
_DELETE_LEASES = "DELETE FROM leases WHERE until <= ? OR made_at > ?"


@dataclass(frozen=True, slots=True)
class Used:
    """How much there is of one kind of entries."""

    kind: str
    entries: int
    value_bytes: int


def find(connection: sqlite3.Connection, key: Key, now: float) -> Kept | None:
    row = connection.execute(_FIND, [key.kind, key.digest, now]).fetchone()
    if row is None or None in row:
        return None
    value, made_at = row
    age = age_s(made_at, now)
    return None if age is None else Kept(value, age)


def put(connection: sqlite3.Connection, key: Key, value: bytes, now: float, until: float) -> None:
    connection.execute(_PUT, [key.kind, key.digest, now, until, value])


def drop(connection: sqlite3.Connection, key: Key) -> None:
    connection.execute(_DROP, [key.kind, key.digest])


def delete_next(connection: sqlite3.Connection, count: int) -> int:
    """Delete what expires next, or has expired already; how many that were."""
    return connection.execute(_DELETE_NEXT, [count]).rowcount


def delete_expired(connection: sqlite3.Connection, now: float, count: int) -> int:
    """Delete some of what has expired or is from before the clock was set back; fewer than asked for at the end."""
    ahead = now + CLOCK_SKEW_S
    deleted = connection.execute(_DELETE_EXPIRED, [now, count]).rowcount
    if deleted < count:
        connection.execute(_DELETE_LEASES, [now, ahead])
        deleted += connection.execute(_DELETE_AHEAD, [ahead, count - deleted]).rowcount
    return deleted


def count_entries(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


def forget_entries(connection: sqlite3.Connection) -> int:
    return connection.execute("DELETE FROM entries").rowcount


def used(connection: sqlite3.Connection) -> list[Used]:
    return [Used(*row) for row in connection.execute(_USED)]


def claim(connection: sqlite3.Connection, key: Key, owner: str, now: float, until: float) -> bool:
    values = {"kind": key.kind, "digest": key.digest, "owner": owner, "now": now, "until": until}
    return connection.execute(_CLAIM, {**values, "ahead": now + CLOCK_SKEW_S}).rowcount == 1


def release(connection: sqlite3.Connection, key: Key, owner: str) -> None:
    connection.execute(_RELEASE, [key.kind, key.digest, owner])
