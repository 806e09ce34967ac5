"""The ledger as rows: one for each provider and day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dowse.stores.ledger import Days, Entry, Tally

if TYPE_CHECKING:
    import sqlite3

_TOTAL = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(micro_usd), 0) FROM spend WHERE provider = ? AND day BETWEEN ? AND ?"
)
_ADD = (
    "INSERT INTO spend (day, provider, calls, micro_usd) VALUES (?, ?, ?, ?) ON CONFLICT (day, provider) "
    "DO UPDATE SET calls = calls + excluded.calls, micro_usd = micro_usd + excluded.micro_usd"
)
_FORGET = "DELETE FROM spend WHERE day < ?"


def add(connection: sqlite3.Connection, provider: str, days: Days, cost: Tally, cap: Tally) -> Entry:
    """To be called in a transaction that holds the write lock: nobody spends between our look and our entry."""
    connection.execute(_FORGET, [str(days.kept_from)])
    before = total(connection, provider, days)
    if not (before + cost).within(cap):
        return Entry(before, admitted=False)
    connection.execute(_ADD, [str(days.today), provider, cost.calls, cost.micro_usd])
    return Entry(before + cost, admitted=True)


def total(connection: sqlite3.Connection, provider: str, days: Days) -> Tally:
    row = connection.execute(_TOTAL, [provider, str(days.first), str(days.today)]).fetchone()
    return Tally(*row)
