"""Tables of the SQLite store: schema, entries, leases and the spend ledger. Times are the time of day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dowse.stores.ledger import Days, Entry, Tally
from dowse.stores.store import CLOCK_SKEW_S, Kept, Key, age_s

if TYPE_CHECKING:
    import sqlite3

_SPEND = (
    "CREATE TABLE IF NOT EXISTS spend (day TEXT NOT NULL, provider TEXT NOT NULL, calls INTEGER NOT NULL, "
    "micro_usd INTEGER NOT NULL, PRIMARY KEY (day, provider)) WITHOUT ROWID"
)
# With a rowid: values are large, and rows that are written together lie together, so they are deleted together too.
_ENTRIES = (
    "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, digest TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, value BLOB NOT NULL, UNIQUE (kind, digest))"
)
# A covering index for sweeps.
_EXPIRY = "CREATE INDEX IF NOT EXISTS expiry ON entries (until, made_at)"
_LEASES = (
    "CREATE TABLE IF NOT EXISTS leases (kind TEXT NOT NULL, digest TEXT NOT NULL, owner TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, PRIMARY KEY (kind, digest)) WITHOUT ROWID"
)

STEPS = ((_SPEND,), (_ENTRIES, _EXPIRY, _LEASES))
"""Migrations: each step leads from one version of the file to the next."""
VERSION = len(STEPS)

# Cast, because a damaged row may hold anything.
_FIND = (
    "SELECT CAST(value AS BLOB), CAST(made_at AS REAL) FROM entries "
    "WHERE kind = ? AND digest = ? AND CAST(until AS REAL) > ?"
)
_PUT = "INSERT OR REPLACE INTO entries (kind, digest, made_at, until, value) VALUES (?, ?, ?, ?, ?)"
_DELETE_NEXT = "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY until LIMIT ?)"
_DELETE_EXPIRED = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE until <= ? LIMIT ?)"
_DELETE_AHEAD = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE made_at > ? LIMIT ?)"
_CLAIM = (
    "INSERT INTO leases (kind, digest, owner, made_at, until) VALUES (:kind, :digest, :owner, :now, :until) "
    "ON CONFLICT (kind, digest) DO UPDATE "
    "SET owner = excluded.owner, made_at = excluded.made_at, until = excluded.until "
    "WHERE owner = excluded.owner OR until <= :now OR made_at > :ahead"
)
_TOTAL = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(micro_usd), 0) FROM spend WHERE provider = ? AND day BETWEEN ? AND ?"
)
_ADD = (
    "INSERT INTO spend (day, provider, calls, micro_usd) VALUES (?, ?, ?, ?) ON CONFLICT (day, provider) "
    "DO UPDATE SET calls = calls + excluded.calls, micro_usd = micro_usd + excluded.micro_usd"
)


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
    connection.execute("DELETE FROM entries WHERE kind = ? AND digest = ?", [key.kind, key.digest])


def delete_next(connection: sqlite3.Connection, count: int) -> int:
    """Delete the entries that expire next or have expired; returns how many."""
    return connection.execute(_DELETE_NEXT, [count]).rowcount


def delete_expired(connection: sqlite3.Connection, now: float, count: int) -> int:
    """Delete up to `count` entries that have expired or are from before the clock was set back; returns how many."""
    ahead = now + CLOCK_SKEW_S
    deleted = connection.execute(_DELETE_EXPIRED, [now, count]).rowcount
    if deleted < count:
        connection.execute("DELETE FROM leases WHERE until <= ? OR made_at > ?", [now, ahead])
        deleted += connection.execute(_DELETE_AHEAD, [ahead, count - deleted]).rowcount
    return deleted


def delete_all(connection: sqlite3.Connection) -> int:
    return connection.execute("DELETE FROM entries").rowcount


def count_entries(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


def measure_kinds(connection: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Kind, number of entries and bytes of their values."""
    return connection.execute("SELECT kind, count(*), sum(length(value)) FROM entries GROUP BY kind").fetchall()


def claim(connection: sqlite3.Connection, key: Key, owner: str, now: float, until: float) -> bool:
    values = {"kind": key.kind, "digest": key.digest, "owner": owner, "now": now, "until": until}
    return connection.execute(_CLAIM, {**values, "ahead": now + CLOCK_SKEW_S}).rowcount == 1


def release(connection: sqlite3.Connection, key: Key, owner: str) -> None:
    values = [key.kind, key.digest, owner]
    connection.execute("DELETE FROM leases WHERE kind = ? AND digest = ? AND owner = ?", values)


def add_spend(connection: sqlite3.Connection, provider: str, days: Days, cost: Tally, cap: Tally) -> Entry:
    """Add a cost within the cap. The transaction must hold the write lock, or another process could spend meanwhile."""
    connection.execute("DELETE FROM spend WHERE day < ?", [str(days.kept_from)])
    before = total_spend(connection, provider, days)
    if not (before + cost).within(cap):
        return Entry(before, admitted=False)
    connection.execute(_ADD, [str(days.today), provider, cost.calls, cost.micro_usd])
    return Entry(before + cost, admitted=True)


def total_spend(connection: sqlite3.Connection, provider: str, days: Days) -> Tally:
    row = connection.execute(_TOTAL, [provider, str(days.first), str(days.today)]).fetchone()
    return Tally(*row)
