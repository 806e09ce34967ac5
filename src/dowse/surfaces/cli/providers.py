"""List the providers: which are used for searching, reading and answering, and why the others are not."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass

from dowse.settings import Settings
from dowse.surfaces.cli import DONE, session
from dowse.surfaces.cli.session import dump_json
from dowse.surfaces.cli.terminal import align, style

_LEFT_OUT = "DOWSE_SEARCH_ORDER leaves it out"


@dataclass(frozen=True, slots=True)
class ProviderState:
    """One provider: its operations, whether it is used, and the reason."""

    name: str
    operations: tuple[str, ...]
    is_active: bool
    place: int | None
    """Position among the search providers, from 1."""
    reason: str


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("providers", help="list providers, and why one is not used", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    states = list_providers(settings)
    print(dump_json(list(map(asdict, states))) if arguments.json else _show(states))
    return DONE


def list_providers(settings: Settings) -> list[ProviderState]:
    """All providers, the searching ones first and in the order in which they are asked."""
    order = [*settings.searchers(), *settings.keyless_members()]
    states = [_describe(settings, name, order) for name in dict.fromkeys([*order, *settings.specs])]
    return sorted(states, key=lambda state: not state.is_active)


def _describe(settings: Settings, name: str, order: list[str]) -> ProviderState:
    place = order.index(name) + 1 if name in order else None
    if name in settings.mcp_providers:
        return ProviderState(name, ("search",), True, place, f"described by {settings.origin(name)}")
    spec = settings.specs[name]
    is_of_pool = spec.is_keyless and name not in settings.searchers()
    problem = _why_keyless_unused(settings, name) if is_of_pool else _why_keyed_unused(settings, name)
    return ProviderState(name, spec.operations, not problem, place, problem or _why_used(settings, name))


def _why_used(settings: Settings, name: str) -> str:
    if _left_out(settings, name):
        return f"{_LEFT_OUT} of searches"
    spec = settings.specs[name]
    return spec.tier or f"{spec.credential} is {'set' if settings.credential(name) else 'not needed'}"


def _left_out(settings: Settings, name: str) -> bool:
    return "search" in settings.specs[name].operations and name not in _order(settings)


def _order(settings: Settings) -> list[str]:
    return [*settings.searchers(), *settings.keyless_members(), *settings.answerers()]


def _why_keyed_unused(settings: Settings, name: str) -> str:
    spec = settings.specs[name]
    if settings.credential(name) is None and not settings.is_active(name):
        return f"{spec.credential} is not set"
    if not settings.is_active(name):
        return f"{name.upper()}_ENABLED is false"
    if _left_out(settings, name) and spec.operations == ("search",):
        return _LEFT_OUT
    return ""


def _why_keyless_unused(settings: Settings, name: str) -> str:
    if name in settings.keyless_members():
        return ""
    if settings.keyless == "off":
        return "DOWSE_KEYLESS is off"
    if settings.providers[name].enabled is False:
        return f"{name.upper()}_ENABLED is false"
    if settings.specs[name].is_opt_in:
        return f"{name.upper()}_ENABLED is not set"
    if name not in settings.keyless_order:
        return "DOWSE_KEYLESS_ORDER leaves it out"
    return "a search provider is configured"


def _show(states: list[ProviderState]) -> str:
    head = ["provider", "order", "operations", "state", "reason"]
    title, *lines = align([head, *map(_cells, states)])
    active = sum(state.is_active for state in states)
    return "\n".join([style(title, "bold"), *lines[:active], *(style(line, "dim") for line in lines[active:])])


def _cells(state: ProviderState) -> list[str]:
    used = "active" if state.is_active else "not used"
    return [state.name, str(state.place or "-"), ", ".join(state.operations), used, state.reason]
