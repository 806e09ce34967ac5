"""Check of the store that keeps caches and spent budgets."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

from dowse.core.errors import StoreFailed
from dowse.core.runtime import SystemClock
from dowse.flows.doctor.check import OFF, OK, WARNING, Check
from dowse.settings import Settings
from dowse.stores import file_of, format_size, open_store, show_address
from dowse.stores.store import Key, Store, Usage

_PATIENCE_S = 2.0
_TRIAL = Key("doctor", "trial")
_SQLITE_START = b"SQLite format 3\0"
_KEPT = "Caches and spent budgets are kept in"
_LOST = "so nothing is remembered from one call to the next, and spent budgets are forgotten when the process ends"
_OTHER_FILE = "Make it a file that can be written or move it away, or set DOWSE_STATE=sqlite:////another/path.db."
_OTHER_SERVER = "Start it, or correct DOWSE_STATE. Searches go on without it meanwhile."

_check = partial(Check, "store", "server")


async def check_store(address: str, settings: Settings) -> Check:
    """The contents of the store. One that cannot be used is a warning: no search fails because of it."""
    if address.startswith("memory:"):
        summary = f"{_KEPT} memory and forgotten when the process ends (DOWSE_STATE=memory:)."
        return _check(OFF, summary, "Unset DOWSE_STATE to keep them in a file.", {"state": address})
    # Nothing is opened before it is used.
    store = open_store(address, SystemClock(), max_bytes=settings.cache_size)
    try:
        file = file_of(address)
        return await _check_file(file, store) if file else await _check_server(show_address(address), store)
    finally:
        await store.close()


async def _check_file(path: Path, store: Store) -> Check:
    exists, trouble = _inspect(path)
    # One that is not there is not opened, because that would make it.
    usage, failure = await _try(store) if exists and not trouble else (None, "")
    if failure:
        trouble = f"cannot be used ({failure.removeprefix(f'{path}: ')})"
    details = {"path": str(path), "exists": exists, "usable": not trouble, **_figures(usage)}
    if trouble:
        return _check(WARNING, f"{path} {trouble}, {_LOST}.", _OTHER_FILE, details)
    there = _describe(usage) if usage else ", which is made on first use"
    return _check(OK, f"{_KEPT} {path}{there}.", "", details)


async def _check_server(address: str, store: Store) -> Check:
    usage, failure = await _try(store)
    details = {"state": address, "usable": usage is not None, **_figures(usage)}
    if usage is None:
        return _check(WARNING, f"{address} cannot be used ({failure}), {_LOST}.", _OTHER_SERVER, details)
    return _check(OK, f"{_KEPT} {address}{_describe(usage)}.", "", details)


async def _try(store: Store) -> tuple[Usage | None, str]:
    """The contents of a store, or the reason why it cannot be used."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            # A store may be full, or a replica: it has to take a value.
            await store.put(_TRIAL, b"trial", _PATIENCE_S)
            await store.drop(_TRIAL)
            return await store.usage(), ""
    except StoreFailed as error:
        return None, str(error)
    except TimeoutError:
        return None, f"no answer within {_PATIENCE_S:g} s"


def _describe(usage: Usage) -> str:
    count = sum(usage.entries.values())
    entries = f"{count} {'entry' if count == 1 else 'entries'}"
    most = f" of at most {format_size(usage.max_bytes)}" if usage.max_bytes is not None else ""
    return f", which holds {entries} and takes {format_size(usage.size_bytes)}{most}"


def _figures(usage: Usage | None) -> dict[str, object]:
    if usage is None:
        return {}
    return {"entries": dict(usage.entries), "size_bytes": usage.size_bytes, "max_bytes": usage.max_bytes}


def _inspect(path: Path) -> tuple[bool, str]:
    """Whether a file is there, and why it cannot be used; nothing is touched to find out."""
    try:
        return path.exists(), _find_trouble(path)
    except OSError:
        return False, "cannot be looked at"


def _find_trouble(path: Path) -> str:
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there != path:
        return "" if there.is_dir() and os.access(there, os.W_OK | os.X_OK) else "cannot be made"
    if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
        return "cannot be written"
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_START))
    return "" if start in (b"", _SQLITE_START) else "is no database"
