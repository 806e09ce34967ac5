"""What the server offers, how often, and where it keeps what it has to remember."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from dowse import urls
from dowse.flows.doctor.check import Check, State
from dowse.models import Rate
from dowse.settings import Settings

_GROUP = "server"
_SQLITE = "sqlite:///"
_SQLITE_START = b"SQLite format 3\0"
_LIMIT = "limit_"


def contract(settings: Settings, tools: Sequence[str]) -> Check:
    summary = f"MCP clients are offered the contract {settings.contract}: {', '.join(tools)}."
    return Check("contract", _GROUP, State.OK, summary, "", {"contract": settings.contract, "tools": list(tools)})


def limits(settings: Settings, tools: Sequence[str]) -> Iterator[Check]:
    """How often callers may use each tool, and limits that concern nothing that is served."""
    names = [field.removeprefix(_LIMIT) for field in Settings.model_fields if field.startswith(_LIMIT)]
    configured = {name: rate for name in names if (rate := settings.limit(name))}
    served = {name: rate for name, rate in configured.items() if name in tools}
    if served:
        told = ", ".join(f"{name} {spoken(rate)}" for name, rate in served.items())
        details = {name: spoken(rate) for name, rate in served.items()}
        yield Check("limits", _GROUP, State.OK, f"Each caller may use {told}.", "", details)
    else:
        yield Check(
            "limits",
            _GROUP,
            State.OFF,
            "Callers may use every tool as often as they like.",
            f"Set DOWSE_LIMIT_{tools[0].upper()}=20/10m, for instance, to bound each of them.",
        )
    for name in sorted(configured.keys() - served.keys()):
        variable = f"DOWSE_LIMIT_{name.upper()}"
        yield Check(
            "limits",
            _GROUP,
            State.WARNING,
            f"{variable} limits nothing: the contract {settings.contract} has no tool {name}.",
            f"Remove {variable}, or limit one of {', '.join(tools)}.",
        )


def store(settings: Settings, address: str) -> Check:
    """Where spent budgets are kept, and whether they can be."""
    if not address.startswith(_SQLITE):
        return _no_file(address)
    path = Path(address.removeprefix(_SQLITE)).expanduser()
    try:
        trouble, exists = _trouble(path), path.exists()
    except OSError:
        trouble, exists = "cannot be looked at", False
    details: dict[str, object] = {"path": str(path), "exists": exists, "usable": not trouble}
    if trouble:
        summary = f"{path} {trouble}, so spent budgets are kept in memory and forgotten when the process ends."
        fix = f"Make it a file that can be written, or set DOWSE_STATE={_SQLITE}/another/path.db."
        return Check("store", _GROUP, State.WARNING, summary, fix, details)
    there = "is there" if exists else "is made on first use"
    used = "" if _has_budget(settings) else "; no budget is set, so it is not used"
    return Check("store", _GROUP, State.OK, f"Spent budgets are kept in {path}, which {there}{used}.", "", details)


def spoken(rate: Rate) -> str:
    return f"{rate.calls} times in {rate.period_s:g} seconds"


def _no_file(address: str) -> Check:
    scheme = address.partition(":")[0]
    details: dict[str, object] = {"state": urls.without_userinfo(address)}
    if scheme == "memory":
        summary = "Spent budgets are kept in memory and forgotten when the process ends (DOWSE_STATE=memory:)."
        return Check("store", _GROUP, State.OFF, summary, "Unset DOWSE_STATE to keep them in a file.", details)
    return Check(
        "store",
        _GROUP,
        State.WARNING,
        f"DOWSE_STATE names a {scheme} store, which this version does not use yet: spent budgets are kept in memory.",
        "Unset DOWSE_STATE to keep them in a file.",
        details,
    )


def _has_budget(settings: Settings) -> bool:
    return any(value for field, value in settings if field.endswith("_budget"))


def _trouble(path: Path) -> str:
    """Why a store cannot be kept there; nothing is touched to find out."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there != path:
        return "" if there.is_dir() and os.access(there, os.W_OK | os.X_OK) else "cannot be made"
    if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
        return "cannot be written"
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_START))
    return "" if start in (b"", _SQLITE_START) else "is no database"
