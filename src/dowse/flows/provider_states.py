"""The state of every provider: whether it is used, and the setting that decides so."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from dowse.core.errors import ConfigError
from dowse.core.models import Category
from dowse.settings import Settings
from dowse.settings.spec import ProviderSpec

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


def check_name(settings: Settings, name: str) -> None:
    """Raise `ConfigError` for a provider that there is not."""
    known = {*settings.specs, *settings.mcp_providers}
    if name not in known:
        near = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {near[0]}?" if near else "`dowse providers list` names all."
        raise ConfigError(f"There is no provider {name[:80]!r}; {hint}")


def check_callable(settings: Settings, name: str, operation: str) -> None:
    """Raise `ConfigError` for an operation that a provider lacks, or that needs a key which is not set."""
    if settings.offline:
        raise ConfigError("Offline mode is on, so no provider is called; unset DOWSE_OFFLINE.")
    if name in settings.mcp_providers:
        return
    spec = settings.specs[name]
    if operation not in spec.operations:
        raise ConfigError(_explain_lack(spec, operation))
    if settings.credential(name) is None and not spec.works_without_key:
        raise ConfigError(f"{spec.credential} is not set; set it, then try again.")


def choose_category(settings: Settings, name: str) -> Category:
    """General, unless the provider has other categories only."""
    categories = settings.specs[name].limits.categories if name in settings.specs else ()
    return Category.GENERAL if not categories or Category.GENERAL in categories else min(categories)


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


def _explain_lack(spec: ProviderSpec, operation: str) -> str:
    """The sentence on an operation that a provider does not have."""
    hints = {"search": "leave --read out", "read": "add --read and give the address of a page"}
    hint = hints.get(spec.operations[0], "dowse answer uses it")
    return f"{spec.name} has no operation {operation}, only {', '.join(spec.operations)}; {hint}."
