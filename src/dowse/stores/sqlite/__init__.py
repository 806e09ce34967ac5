"""A store in one SQLite file, which several processes may share."""

from dowse.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
