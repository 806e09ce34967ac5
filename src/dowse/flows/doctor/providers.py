"""Who is asked for searches and pages, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dowse.core import urls
from dowse.core.allowances import Budget
from dowse.core.protocols import Spent
from dowse.flows.doctor.check import Check, State
from dowse.settings import READERS, SEARCHERS, SPECS, Settings
from dowse.settings.providers import join_credentials, suggest_providers
from dowse.settings.sources import enabled_without_credential
from dowse.sites import SITES

_WARN_AT = 0.8
_PLACES = ("first", "second", "third", "fourth")
_OPEN = "open"
_ADVICE = f"{suggest_providers()} and restart."


def endpoint(settings: Settings, name: str) -> str:
    """Where searches are sent, fit to be shown: no user, no password, and no query, which may hold a key."""
    if name in settings.mcp_providers:
        return _shown(settings.mcp_providers[name].url)
    if name == _OPEN:
        return ", ".join(settings.open_apis)
    servers = settings.providers[name].servers
    return ", ".join(map(_shown, servers)) if servers else _shown(settings.endpoint(name))


def endpoint_variable(settings: Settings, name: str) -> str:
    """The variable that says where searches are sent."""
    if name in settings.mcp_providers:
        return "DOWSE_MCP_PROVIDERS"
    if name == _OPEN:
        return "DOWSE_OPEN_APIS"
    spec = SPECS[SPECS[name].endpoints_of or name]
    return spec.credential if spec.servers else spec.endpoints["search"].variable


def search_providers(settings: Settings, spent: Mapping[str, Spent]) -> Iterator[Check]:
    """Who is asked, then each provider, those that are asked first and in their order."""
    asked = settings.searchers()
    yield _search(asked, settings.keyless_members())
    for name in [*asked, *(name for name in SEARCHERS if name not in asked)]:
        yield _remote(settings, name) if name in settings.mcp_providers else _provider(settings, name, spent.get(name))
    yield _keyless(settings, spent)


def reading_chain(settings: Settings) -> Iterator[Check]:
    """Who reads pages, in order."""
    scrapers = settings.scrapers()
    own = ["direct"] if settings.browser == "off" else ["direct", "browser"]
    chain = [*scrapers, *own] if settings.read_order == "scrape-first" else [*own, *scrapers]
    details = {"read_order": settings.read_order, "chain": chain}
    if settings.read_order == "scrape-first" and not scrapers:
        yield Check(
            "reading",
            "reading",
            State.WARNING,
            "DOWSE_READ_ORDER is scrape-first, but no provider that reads pages is active, so dowse reads them itself.",
            f"Set {join_credentials(READERS)}, or DOWSE_READ_ORDER=direct-first.",
            details,
        )
    else:
        how = f"are read by {_chain(chain)}" if len(chain) > 1 else "are read by dowse itself (direct)"
        yield Check(
            "reading", "reading", State.OK, f"Pages {how}; DOWSE_READ_ORDER is {settings.read_order}.", "", details
        )
    yield _sites(settings)
    yield _offline(settings)


def _sites(settings: Settings) -> Check:
    """Which sites have a reader of their own, and what a credential would add."""
    keys = {"GITHUB_TOKEN": settings.github_token, "STACKEXCHANGE_KEY": settings.stackexchange_key}
    missing = [name for name, value in keys.items() if value is None]
    summary = f"Sites read through their own APIs: {', '.join(SITES)}."
    if missing:
        summary += f" {' and '.join(missing)} would raise their limits; discussions on GitHub need a token."
    details = {"loaders": list(SITES), **{name: "not set" if name in missing else "set" for name in keys}}
    return Check("sites", "reading", State.OK, summary, "", details)


def _search(asked: Sequence[str], volunteers: Sequence[str]) -> Check:
    details = {"order": list(asked), "keyless": list(volunteers)}
    if asked:
        then = f" If all of them fail, {_chain(volunteers)}." if volunteers else ""
        return Check("search", "search", State.OK, f"Searches ask {_chain(asked)}.{then}", "", details)
    if volunteers:
        summary = f"No search provider is configured; without a key, searches ask {_chain(volunteers)}."
        return Check("search", "search", State.OK, summary, "", details)
    summary = "No search provider is active, so every search fails."
    return Check("search", "search", State.PROBLEM, summary, f"{_ADVICE} DOWSE_KEYLESS=on searches without.", details)


def _keyless(settings: Settings, spent: Mapping[str, Spent]) -> Check:
    """Who would be asked without a key, how often today, and who would not."""
    members = settings.keyless_members()
    details: dict[str, object] = {"keyless": settings.keyless, "order": members}
    details |= {"spent": {name: spent[name].calls for name in members if name in spent}}
    if not members:
        why = "DOWSE_KEYLESS is off" if settings.keyless == "off" else "providers of your own are configured"
        fix = "Set DOWSE_KEYLESS=fallback to ask others once all providers of your own have failed."
        return Check("keyless", "search", State.OFF, f"Nobody is asked without a key: {why}.", fix, details)
    used = [f"{name} {spent[name].calls} of {settings.budget(name)}" for name in members if name in spent]
    exhausted = [name for name in members if name in spent and not spent[name].fits_a_search]
    summary = f"Asked without a key: {_chain(members)}. Used: {', '.join(used) or 'nothing yet'}."
    if len(exhausted) == len(members):
        fix = "Wait for tomorrow (UTC), raise DOWSE_BUDGET_<MEMBER>, or configure a provider of your own."
        return Check("keyless", "search", State.WARNING, summary, fix, details)
    return Check("keyless", "search", State.OK, summary, "", details)


def _remote(settings: Settings, name: str) -> Check:
    """An MCP server that the user has named."""
    place = settings.searchers().index(name)
    address = endpoint(settings, name)
    summary = f"Asked {_place(place)}; DOWSE_MCP_PROVIDERS describes it, searches go to {address}."
    details = {"active": True, "place": place + 1, "endpoint": address, "tool": settings.mcp_providers[name].tool}
    return Check(f"provider.{name}", "search", State.OK, summary, "", details)


def _place(index: int) -> str:
    return _PLACES[index] if index < len(_PLACES) else f"as number {index + 1}"


def _offline(settings: Settings) -> Check:
    details = {"offline": settings.offline}
    if not settings.offline:
        return Check("offline", "reading", State.OK, "Offline mode is off, so the network is used.", "", details)
    summary = "Offline mode is on, so every search and every page is refused."
    return Check("offline", "reading", State.WARNING, summary, "Unset DOWSE_OFFLINE.", details)


def _provider(settings: Settings, name: str, spent: Spent | None) -> Check:
    details = _details(settings, name, spent)
    why_not = _why_not(settings, name)
    if why_not:
        state, summary, fix = why_not
        return Check(f"provider.{name}", "search", state, summary, fix, details)
    state, spending, fix = _spending(name, settings.budget(name), spent)
    place = settings.searchers().index(name)
    parts = [f"Asked {_place(place)}; {SPECS[name].credential} is set"]
    parts += ["it also reads pages"] if name in settings.scrapers() else []
    parts += [f"searches go to {details['endpoint']}"] if "endpoint" in details else []
    parts += [f"pages to {details['read_endpoint']}"] if "read_endpoint" in details else []
    summary = f"{', '.join(parts)}.{spending}"
    return Check(f"provider.{name}", "search", state, summary, fix, details)


def _why_not(settings: Settings, name: str) -> tuple[State, str, str] | None:
    """Why a provider is not asked, and what would change it."""
    variable, flag = SPECS[name].credential, f"{name.upper()}_ENABLED"
    if settings.credential(name) is None:
        contradiction = enabled_without_credential(settings).get(name)
        if contradiction:
            return State.WARNING, contradiction, f"Set {variable}, or remove {flag}."
        return State.OFF, f"Not asked: {variable} is not set.", f"Set {variable} to use it."
    if not settings.is_active(name):
        return State.OFF, f"Not asked: {flag}=false switches it off; {variable} is set.", f"Remove {flag} to use it."
    if name not in settings.search_order:
        order = ",".join([*settings.search_order, name])
        summary = f"Not asked: DOWSE_SEARCH_ORDER leaves it out; {variable} is set."
        return State.OFF, summary, f"Set DOWSE_SEARCH_ORDER={order} to use it."
    return None


def _details(settings: Settings, name: str, spent: Spent | None) -> dict[str, object]:
    details: dict[str, object] = {
        "active": name in settings.searchers(),
        "credential": "set" if settings.credential(name) is not None else "not set",
        "variable": SPECS[name].credential,
        "reads_pages": name in settings.scrapers(),
        "timeout_s": settings.providers[name].timeout_s,
    }
    if name in settings.searchers():
        details["place"] = settings.searchers().index(name) + 1
    if settings.credential(name) is not None:
        details |= _other_endpoints(settings, name)
    if budget := settings.budget(name):
        details["budget"] = str(budget)
    if spent:
        details["spent"] = {"calls": spent.calls, "usd": spent.usd, "share": spent.share}
    return details


def _other_endpoints(settings: Settings, name: str) -> dict[str, object]:
    """Addresses that are not the provider's own."""
    if settings.providers[name].servers:
        return {"endpoint": endpoint(settings, name)}
    used = {"search": "endpoint"} | ({"read": "read_endpoint"} if name in settings.scrapers() else {})
    return {
        used[operation]: _shown(settings.endpoint(name, operation))
        for operation, declared in SPECS[name].endpoints.items()
        if operation in used and settings.endpoint(name, operation) != declared.default
    }


def _shown(address: str | None) -> str:
    parsed = urls.parse(address or "")
    return urls.without_userinfo(parsed.href).partition("?")[0].partition("#")[0] if parsed else ""


def _spending(name: str, budget: Budget | None, spent: Spent | None) -> tuple[State, str, str]:
    """The state of a budget, a sentence about it, and what to do when it is nearly or wholly spent."""
    if budget is None or spent is None:
        return State.OK, "", ""
    used = f"{spent.usd:.3f}" if budget.unit == "usd" else str(spent.calls)
    told = f" {used} of its budget of {budget} are spent"
    variable = f"DOWSE_BUDGET_{name.upper()}"
    if not spent.fits_a_search:
        fix = f"Raise {variable}, or wait for the next {budget.period} (UTC)."
        return State.PROBLEM, f"{told} and another search does not fit, so it counts as out of quota.", fix
    if spent.share >= _WARN_AT:
        return State.WARNING, f"{told}.", f"Raise {variable} if the rest of the {budget.period} needs more."
    return State.OK, f"{told}.", ""


def _chain(names: Sequence[str]) -> str:
    return ", then ".join(names)
