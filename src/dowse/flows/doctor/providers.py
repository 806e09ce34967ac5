"""Checks of searching and reading: the providers in use, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from dowse.core import urls
from dowse.core.allowances import Budget
from dowse.core.protocols import Spent
from dowse.flows.doctor.check import OFF, OK, PROBLEM, WARNING, Check, CheckState
from dowse.flows.provider_states import list_providers
from dowse.settings import READERS, Settings
from dowse.settings.model import enabled_without_credential
from dowse.settings.providers import OPEN, join_credentials, suggest_providers
from dowse.settings.sites import LOADED_SITES

_WARN_AT = 0.8
_PLACES = ("first", "second", "third", "fourth")

_search = partial(Check, "search", "search")
_keyless = partial(Check, "keyless", "search")
_reading = partial(Check, "reading", "reading")


def endpoint(settings: Settings, name: str) -> str:
    """Where searches are sent, fit to be shown: no user, no password, and no query, which may hold a key."""
    if name == OPEN.name:
        return ", ".join(settings.open_apis)
    if name in settings.mcp_providers:
        return _public_part(settings.mcp_providers[name].url)
    servers = settings.providers[name].servers
    return ", ".join(map(_public_part, servers or [settings.endpoint(name)]))


def endpoint_variable(settings: Settings, name: str) -> str:
    """The variable that says where searches are sent."""
    if name == OPEN.name:
        return "DOWSE_OPEN_APIS"
    if name in settings.mcp_providers:
        return settings.origin(name)
    spec = settings.specs[settings.specs[name].endpoints_of or name]
    return spec.credential if spec.servers else spec.endpoints["search"].variable


def check_search(settings: Settings, spent: Mapping[str, Spent]) -> Iterator[Check]:
    """The order of providers, then each provider, active ones first and in their order."""
    active = settings.searchers()
    yield _check_order(active, settings.keyless_members())
    for name in [*active, *(name for name in settings.names("search") if name not in active)]:
        check = _check_remote if name in settings.mcp_providers else partial(_check_provider, spent=spent.get(name))
        yield check(settings, name)
    yield _check_keyless(settings, spent)
    yield from _check_unused(settings)


def _check_unused(settings: Settings) -> Iterator[Check]:
    """The providers without a key that are not asked, each with the reason."""
    for state in list_providers(settings):
        if not state.is_active and settings.specs[state.name].is_keyless:
            details: dict[str, object] = {"active": False, "operations": list(state.operations)}
            flag = f"{state.name.upper()}_ENABLED"
            fix = f"Set {flag}=true to use it." if flag in state.reason else "Name it in DOWSE_SEARCH_ORDER to use it."
            yield Check(f"provider.{state.name}", "search", OFF, f"Not used: {state.reason}.", fix, details)


def check_reading(settings: Settings) -> Iterator[Check]:
    """The chain of page readers, the sites with a reader of their own, and offline mode."""
    scrapers = settings.scrapers()
    own = ["direct"] if settings.browser == "off" else ["direct", "browser"]
    chain = [*scrapers, *own] if settings.read_order == "scrape-first" else [*own, *scrapers]
    details = {"read_order": settings.read_order, "chain": chain}
    if settings.read_order == "scrape-first" and not scrapers:
        summary = "DOWSE_READ_ORDER is scrape-first, but no provider that reads pages is active, "
        fix = f"Set {join_credentials(READERS)}, or DOWSE_READ_ORDER=direct-first."
        yield _reading(WARNING, f"{summary}so direct HTTP comes first.", fix, details)
    else:
        readers = _chain(chain) if len(chain) > 1 else "dowse itself (direct)"
        yield _reading(OK, f"Pages are read by {readers}; DOWSE_READ_ORDER is {settings.read_order}.", "", details)
    yield _check_sites(settings)
    yield _check_offline(settings)


def _check_sites(settings: Settings) -> Check:
    keys = {"GITHUB_TOKEN": settings.github_token, "STACKEXCHANGE_KEY": settings.stackexchange_key}
    missing = [name for name, value in keys.items() if value is None]
    summary = f"Sites read through their own APIs: {', '.join(LOADED_SITES)}."
    if missing:
        summary += f" {' and '.join(missing)} would raise their limits; discussions on GitHub need a token."
    details = {"loaders": list(LOADED_SITES), **{name: "not set" if name in missing else "set" for name in keys}}
    return Check("sites", "reading", OK, summary, "", details)


def _check_offline(settings: Settings) -> Check:
    check, details = partial(Check, "offline", "reading"), {"offline": settings.offline}
    if not settings.offline:
        return check(OK, "Offline mode is off, so the network is used.", "", details)
    return check(
        WARNING, "Offline mode is on, so every search and every page is refused.", "Unset DOWSE_OFFLINE.", details
    )


def _check_order(active: Sequence[str], keyless: Sequence[str]) -> Check:
    details = {"order": list(active), "keyless": list(keyless)}
    if active:
        then = f" If all of them fail, {_chain(keyless)}." if keyless else ""
        return _search(OK, f"Searches use {_chain(active)}.{then}", "", details)
    if keyless:
        summary = f"No search provider is configured; searches use {_chain(keyless)}."
        return _search(OK, summary, "", details)
    fix = f"{suggest_providers()} and restart. DOWSE_KEYLESS=on searches without."
    return _search(PROBLEM, "No search provider is active, so every search fails.", fix, details)


def _check_keyless(settings: Settings, spent: Mapping[str, Spent]) -> Check:
    """The members of the keyless pool that are asked, and how much of their budgets is used."""
    members = settings.keyless_members()
    if not members:
        why = "DOWSE_KEYLESS is off" if settings.keyless == "off" else "a search provider is configured"
        fix = "Set DOWSE_KEYLESS=fallback to use them after all configured providers have failed."
        details: dict[str, object] = {"keyless": settings.keyless, "order": [], "spent": {}}
        return _keyless(OFF, f"Keyless providers are not used: {why}.", fix, details)
    return _check_members(settings, members, {name: spent[name] for name in members if name in spent})


def _check_members(settings: Settings, members: list[str], used: Mapping[str, Spent]) -> Check:
    calls_used = {name: each.calls for name, each in used.items()}
    details = {"keyless": settings.keyless, "order": members, "spent": calls_used}
    calls = ", ".join(f"{name} {count} of {settings.budget(name)}" for name, count in calls_used.items())
    summary = f"Keyless providers: {_chain(members)}. Used: {calls or 'nothing yet'}."
    if len(used) == len(members) and not any(each.fits_a_search for each in used.values()):
        fix = "Set a key of a search provider, raise DOWSE_BUDGET_<MEMBER>, or wait until tomorrow (UTC)."
        return _keyless(WARNING, summary, fix, details)
    return _keyless(OK, summary, "", details)


def _check_remote(settings: Settings, name: str) -> Check:
    """An MCP server of the user's."""
    place, address = settings.searchers().index(name), endpoint(settings, name)
    summary = f"Called {_ordinal(place)}; {settings.origin(name)} describes it, searches go to {address}."
    details = {"active": True, "place": place + 1, "endpoint": address, "tool": settings.mcp_providers[name].tool}
    return Check(f"provider.{name}", "search", OK, summary, "", details)


def _check_provider(settings: Settings, name: str, spent: Spent | None) -> Check:
    check, details = partial(Check, f"provider.{name}", "search"), _details(settings, name, spent)
    if reason := _why_inactive(settings, name):
        return check(*reason, details)
    state, spending, fix = _check_budget(name, settings.budget(name), spent)
    spec = settings.specs[name]
    why = f"{spec.credential} is set" if settings.credential(name) else "it is named, and works without a key"
    parts = [f"Called {_ordinal(settings.searchers().index(name))}; {why}"]
    parts += ["it also reads pages"] if name in settings.scrapers() else []
    parts += [f"searches go to {details['endpoint']}"] if "endpoint" in details else []
    parts += [f"pages to {details['read_endpoint']}"] if "read_endpoint" in details else []
    return check(state, f"{', '.join(parts)}.{spending}", fix, details)


def _why_inactive(settings: Settings, name: str) -> tuple[CheckState, str, str] | None:
    """Why a provider is not asked, and the change that would activate it."""
    variable, flag = settings.specs[name].credential, f"{name.upper()}_ENABLED"
    if contradiction := enabled_without_credential(settings).get(name):
        return WARNING, contradiction, f"Set {variable}, or remove {flag}."
    if settings.credential(name) is None and not settings.is_active(name):
        return OFF, f"Not used: {variable} is not set.", f"Set {variable} to use it."
    if not settings.is_active(name):
        return OFF, f"Not used: {flag}=false switches it off; {variable} is set.", f"Remove {flag} to use it."
    if name not in settings.searchers():
        order = ",".join([*settings.search_order, name])
        summary = f"Not used: DOWSE_SEARCH_ORDER leaves it out; {variable} is set."
        return OFF, summary, f"Set DOWSE_SEARCH_ORDER={order} to use it."
    return None


def _details(settings: Settings, name: str, spent: Spent | None) -> dict[str, object]:
    active, has_credential = settings.searchers(), settings.credential(name) is not None
    details: dict[str, object] = {
        "active": name in active,
        "credential": "set" if has_credential else "not set",
        "variable": settings.specs[name].credential,
        "reads_pages": name in settings.scrapers(),
        "timeout_s": settings.providers[name].timeout_s,
    }
    if name in active:
        details["place"] = active.index(name) + 1
    if has_credential:
        details |= _changed_endpoints(settings, name)
    if budget := settings.budget(name):
        details["budget"] = str(budget)
    if spent:
        details["spent"] = {"calls": spent.calls, "usd": spent.usd, "share": spent.share}
    return details


def _changed_endpoints(settings: Settings, name: str) -> dict[str, object]:
    """Addresses that are not the vendor's."""
    if settings.providers[name].servers:
        return {"endpoint": endpoint(settings, name)}
    used = {"search": "endpoint"} | ({"read": "read_endpoint"} if name in settings.scrapers() else {})
    return {
        used[operation]: _public_part(settings.endpoint(name, operation))
        for operation, declared in settings.specs[name].endpoints.items()
        if operation in used and settings.endpoint(name, operation) != declared.default
    }


def _public_part(address: str) -> str:
    parsed = urls.parse(address)
    return urls.without_userinfo(parsed.href).partition("?")[0].partition("#")[0] if parsed else ""


def _check_budget(name: str, budget: Budget | None, spent: Spent | None) -> tuple[CheckState, str, str]:
    """The state of a budget, a sentence about it, and the fix when it is nearly or wholly spent."""
    if budget is None or spent is None:
        return OK, "", ""
    used = f"{spent.usd:.3f}" if budget.unit == "usd" else str(spent.calls)
    sentence, variable = f" {used} of its budget of {budget} are spent", f"DOWSE_BUDGET_{name.upper()}"
    if not spent.fits_a_search:
        fix = f"Raise {variable}, or wait for the next {budget.period} (UTC)."
        return PROBLEM, f"{sentence} and another search does not fit, so it counts as out of quota.", fix
    if spent.share >= _WARN_AT:
        return WARNING, f"{sentence}.", f"Raise {variable} if the rest of the {budget.period} needs more."
    return OK, f"{sentence}.", ""


def _ordinal(index: int) -> str:
    return _PLACES[index] if index < len(_PLACES) else f"as number {index + 1}"


def _chain(names: Sequence[str]) -> str:
    return ", then ".join(names)
