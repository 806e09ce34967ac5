"""Memory: what outlives a call, chosen by the scheme of one address."""

from __future__ import annotations

from pathlib import Path

from dowse.models import Clock
from dowse.stores.ledger import Ledger, MemoryLedger, SteadyLedger
from dowse.stores.sqlite import SqliteLedger

_SQLITE = "sqlite:///"


def open_ledger(address: str, clock: Clock) -> Ledger:
    """The ledger at an address; nothing is opened before it is used. Other stores than SQLite are memory for now."""
    if not address.startswith(_SQLITE):
        return MemoryLedger()
    return SteadyLedger(SqliteLedger(Path(address.removeprefix(_SQLITE)).expanduser()), clock)
