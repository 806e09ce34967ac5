"""Checks of settings against each other, and which invalid values an error may quote."""

from __future__ import annotations

import re

from dowse.settings.model import Settings
from dowse.settings.sites import SEARCHED_SITES

_DOUBLED = "DOWSE_MCP_PROVIDERS names {!r}, which dowse has already; call it something else."
# Signs of a password or a parameter in an address, a long word, and a shorter one with a digit.
_KEY_LIKE = re.compile(r"@|=\S{4}|[\w-]{12}|(?=[A-Za-z_-]{0,8}\d)[\w-]{9}", re.ASCII)
_LONGEST_QUOTE = 40


def is_harmless(written: str) -> bool:
    """Whether an invalid value can be quoted: a key may have been written to the wrong variable."""
    return len(written) <= _LONGEST_QUOTE and not _KEY_LIKE.search(written)


def make_coherent(settings: Settings, problems: list[str]) -> Settings:
    """The settings without values that do not fit together; a sentence about each goes to `problems`."""
    doubled = sorted(settings.specs.keys() & settings.mcp_providers.keys())
    servers = {**settings.own.servers, **settings.mcp_providers}
    servers = {name: server for name, server in servers.items() if name not in doubled}
    names = (*settings.names("search"), *settings.keyless_names, *servers)
    problems += list(map(_DOUBLED.format, doubled[:1]))
    changed: dict[str, object] = {
        "mcp_providers": servers,
        "search_order": _known_names("DOWSE_SEARCH_ORDER", settings.search_order, names, problems),
        "keyless_order": _known_names("DOWSE_KEYLESS_ORDER", settings.keyless_order, settings.keyless_names, problems),
        "open_apis": _known_names("DOWSE_OPEN_APIS", settings.open_apis, SEARCHED_SITES, problems),
    }
    if incomplete := _incomplete_jwt(settings):
        problems.append(incomplete)
        changed |= {"jwt_issuer": "", "jwt_audience": "", "jwks_url": None}
    if settings.github_private and not settings.github_token:
        problems.append("GITHUB_PRIVATE needs GITHUB_TOKEN, which shows these repositories.")
        changed |= {"github_private": ()}
    current = dict(settings)
    changed = {name: value for name, value in changed.items() if value != current[name]}
    return settings.model_copy(update=changed) if changed else settings


def _known_names(variable: str, given: tuple[str, ...], names: tuple[str, ...], problems: list[str]) -> tuple[str, ...]:
    unknown = [name for name in given if name not in names]
    shown = [f"names {name!r}, but it" if is_harmless(name) else "names an unknown one: it" for name in unknown]
    problems += [f"{variable} {wrong} takes names out of {', '.join(names)}." for wrong in shown]
    return tuple(name for name in given if name in names)


def _incomplete_jwt(settings: Settings) -> str:
    """All three or none: without an audience a token issued for another service would do here too."""
    parts = {
        "DOWSE_JWT_ISSUER": settings.jwt_issuer,
        "DOWSE_JWT_AUDIENCE": settings.jwt_audience,
        "DOWSE_JWKS_URL": settings.jwks_url,
    }
    missing = [name for name, value in parts.items() if not value]
    if not missing or len(missing) == len(parts):
        return ""
    return f"{' and '.join(missing)} must be set too: JSON Web Tokens need issuer, audience and keys."
