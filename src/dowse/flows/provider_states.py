"""The state of every provider: whether it is used, and the setting that decides so."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.settings import Settings

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


def list_providers(settings: Settings) -> list[ProviderState]:
    """All providers, the searching ones first and in the order in which they are asked."""
    order = [*settings.searchers(), *settings.keyless_members()]
    states = [_describe(settings, name, order) for name in dict.fromkeys([*order, *settings.specs])]
    return sorted(states, key=lambda state: not state.is_active)


def _describe(settings: Settings, name: str, order: list[str]) -> ProviderState:
    place = order.index(name) + 1 if name in order else None
    if name in settings.mcp_providers:
        return ProviderState(name, ("search",), True, place, f"described by {settings.origin(name)}")
    problem = _why_unused(settings, name)
    operations = settings.specs[name].operations
    return ProviderState(name, operations, not problem, place, problem or _why_used(settings, name))


def _why_unused(settings: Settings, name: str) -> str:
    is_of_pool = settings.specs[name].is_keyless and name not in settings.searchers()
    return _why_keyless_unused(settings, name) if is_of_pool else _why_keyed_unused(settings, name)


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
    return _why_left_out(settings, name)


def _why_left_out(settings: Settings, name: str) -> str:
    is_named = name in settings.keyless_order
    return "a search provider is configured" if is_named else "DOWSE_KEYLESS_ORDER leaves it out"
