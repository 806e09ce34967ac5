"""What the server offers, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dowse.core.allowances import Rate
from dowse.flows.doctor.check import Check, State
from dowse.settings import Settings

_GROUP = "server"
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
    # What nobody has set is our own limit for another contract.
    idle = {name for name in configured if name not in served and f"{_LIMIT}{name}" in settings.model_fields_set}
    for name in sorted(idle):
        variable = f"DOWSE_LIMIT_{name.upper()}"
        yield Check(
            "limits",
            _GROUP,
            State.WARNING,
            f"{variable} limits nothing: the contract {settings.contract} has no tool {name}.",
            f"Remove {variable}, or limit one of {', '.join(tools)}.",
        )


def spoken(rate: Rate) -> str:
    return f"{rate.calls} times in {rate.period_s:g} seconds"
