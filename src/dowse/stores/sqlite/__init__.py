"""Store in one SQLite file, for the processes of one machine."""

from dowse.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
