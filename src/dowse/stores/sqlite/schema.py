"""The tables, as the steps that lead from one version of the file to the next."""

from __future__ import annotations

_SPEND = (
    "CREATE TABLE IF NOT EXISTS spend (day TEXT NOT NULL, provider TEXT NOT NULL, calls INTEGER NOT NULL, "
    "micro_usd INTEGER NOT NULL, PRIMARY KEY (day, provider)) WITHOUT ROWID"
)
# With a rowid: values are large, and what was put together lies together, so that it is also deleted together.
_ENTRIES = (
    "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, digest TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, value BLOB NOT NULL, UNIQUE (kind, digest))"
)
# Holds all that sweeping has to look at.
_EXPIRY = "CREATE INDEX IF NOT EXISTS expiry ON entries (until, made_at)"
_LEASES = (
    "CREATE TABLE IF NOT EXISTS leases (kind TEXT NOT NULL, digest TEXT NOT NULL, owner TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, PRIMARY KEY (kind, digest)) WITHOUT ROWID"
)

STEPS = ((_SPEND,), (_ENTRIES, _EXPIRY, _LEASES))
VERSION = len(STEPS)
