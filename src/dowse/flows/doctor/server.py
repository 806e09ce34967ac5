"""What the server offers, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dowse.core.allowances import Rate
from dowse.flows.doctor.check import Check, State
from dowse.settings import Settings
from dowse.settings.contracts import TOOL_LIMITS

_GROUP = "server"


def contract(settings: Settings, tools: Sequence[str]) -> Check:
    summary = f"MCP clients are offered the contract {settings.contract}: {', '.join(tools)}."
    return Check("contract", _GROUP, State.OK, summary, "", {"contract": settings.contract, "tools": list(tools)})


def limits(settings: Settings, tools: Sequence[str]) -> Iterator[Check]:
    """How often callers may use each tool, and limits that concern nothing that is served."""
    configured = {name: rate for name, rate in settings.limits.items() if rate}
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
    # A limit of our own for a tool of another contract is no mistake of the user's.
    idle = [name for name, rate in configured.items() if name not in served and str(rate) != TOOL_LIMITS[name]]
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
