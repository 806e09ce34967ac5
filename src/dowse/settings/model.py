"""`Settings`: every value that a user can set, and the questions that the other parts ask of them.

Names are the contract: each setting declares its variable and the older aliases. The configuration reference and
`.env.example` are generated from the declarations; `dowse.settings.sources` fills them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache, cached_property
from itertools import chain
from typing import Annotated
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BeforeValidator, ConfigDict, InstanceOf, SecretStr

from dowse import EXTRACTION, __version__
from dowse.core.allowances import Budget, Pace
from dowse.settings.declare import Setting, read_declaration
from dowse.settings.derive import ProviderSettings, derive_settings, with_defaults
from dowse.settings.described.specs import OwnProviders
from dowse.settings.mcp_servers import McpServer
from dowse.settings.providers import ANSWERERS, KEYLESS, READERS, SEARCHERS, SPECS
from dowse.settings.reading import ReadingSettings
from dowse.settings.search import SearchSettings
from dowse.settings.server import ServerSettings, derive_limits
from dowse.settings.sites import SiteSettings
from dowse.settings.spec import ProviderSpec

# Extra headers that hold no secret; masking the value of an Accept-Language would eat ordinary words.
_HARMLESS = (
    *("accept", "cache-control", "content-", "dnt", "host", "origin", "referer", "user-agent"),
    *("x-forwarded-", "x-real-ip"),
)
_NAMES_A_KEY = re.compile(r"key|token|secret|password|auth", re.IGNORECASE)
# Shorter values in a query are options, and masking them would eat ordinary words.
_SHORTEST_TOKEN = 8
_ADVANCED_CREDITS = 2
_ADDRESSES = ("browser_url", "proxy")
_OPERATIONS = ("search", "read", "answer")


# Bases from the last to the first: pydantic orders the fields that way, and the documentation follows it.
class Settings(ServerSettings, SiteSettings, ReadingSettings, SearchSettings):
    """The whole configuration. Frozen; secrets never show in `repr`."""

    model_config = ConfigDict(defer_build=False)

    providers: Annotated[Mapping[str, ProviderSettings], BeforeValidator(with_defaults)] = {}
    own: InstanceOf[OwnProviders] = OwnProviders()

    @cached_property
    def specs(self) -> Mapping[str, ProviderSpec]:
        """Every provider by name: the declared ones, and those of the user's file in their place or after them."""
        return {**SPECS, **self.own.specs} if self.own.specs else SPECS

    def names(self, operation: str) -> tuple[str, ...]:
        """The providers with a credential that have an operation, in the order in which they are asked."""
        usual = {"search": SEARCHERS, "read": READERS, "answer": ANSWERERS}[operation]
        own = [name for name, spec in self.own.specs.items() if not spec.is_keyless and operation in spec.operations]
        readers = [name for name, spec in self.specs.items() if spec.is_keyless and "read" in spec.operations]
        # Page addresses go to services without a key only where they are switched on.
        return tuple(dict.fromkeys([*usual, *own, *(readers if operation == "read" else ())]))

    @property
    def keyless_names(self) -> tuple[str, ...]:
        """The providers that need no key, the user's own ones last."""
        return tuple(dict.fromkeys([*KEYLESS, *(name for name, spec in self.own.specs.items() if spec.is_keyless)]))

    @property
    def has_usual_order(self) -> bool:
        """Whether the order of search providers was left to dowse."""
        return self.search_order == SEARCHERS

    @cached_property
    def declared(self) -> tuple[Setting, ...]:
        """Every setting of this configuration, those of the user's own providers included."""
        return list_settings(self.own.specs)

    def credential(self, provider: str) -> SecretStr | tuple[str, ...] | None:
        """The value that makes a provider usable: its key, or the addresses of the user's own servers."""
        settings = self.providers[provider]
        return settings.api_key or settings.servers

    def api_key(self, provider: str) -> SecretStr:
        """The key of an active provider."""
        key = self.providers[provider].api_key
        assert key, "only active providers are made"
        return key

    def endpoint(self, provider: str, operation: str = "search") -> str:
        """The address that requests of an operation go to."""
        return self.providers[self.specs[provider].endpoints_of or provider].endpoints[operation]

    def budget(self, provider: str) -> Budget | None:
        """The budget of a provider; MCP servers of the user's have none."""
        return self.providers[provider].budget if provider in self.providers else None

    def budgets(self) -> Mapping[str, Budget]:
        """The budgets of all providers that may be asked."""
        keyed = chain.from_iterable(map(self.names, _OPERATIONS))
        names = dict.fromkeys((*keyed, *self.searchers(), *self.keyless_members()))
        return {name: budget for name in names if (budget := self.budget(name))}

    def pace(self, provider: str, operation: str = "search") -> Pace:
        """How fast a provider may be asked; as fast as it answers where nothing is known of it."""
        if provider not in self.providers or operation in self.specs[provider].unpaced:
            return Pace()
        return self.providers[provider].pace

    def paces(self) -> Mapping[tuple[str, str], Pace]:
        """The paces of all providers that have one, by provider and operation."""
        paces = {(name, operation): self.pace(name, operation) for name in self.providers for operation in _OPERATIONS}
        return {called: pace for called, pace in paces.items() if pace != Pace()}

    def shared_allowances(self) -> Mapping[str, str]:
        """The provider that counts the calls of another one as well: one service, reached in two ways."""
        return {name: spec.allowance_of for name, spec in self.specs.items() if spec.allowance_of in self.specs}

    def index_owners(self) -> Mapping[str, str]:
        """The owner of the index of each provider that says so: agreement within one index is no evidence."""
        return {name: spec.index for name, spec in self.specs.items() if spec.index}

    def prices(self) -> Mapping[str, Mapping[str, float]]:
        """Estimated dollars for one call, by provider and operation."""
        prices = {name: dict(spec.prices) for name, spec in self.specs.items() if spec.prices}
        if self.tavily_search_depth == "advanced":
            prices["tavily"]["search"] *= _ADVANCED_CREDITS
        return prices

    def is_active(self, provider: str) -> bool:
        """Whether a provider has a credential and is not switched off.

        One that works without a key may be named by an order, or switched on, instead.
        """
        enabled, spec = self.providers[provider].enabled, self.specs[provider]
        is_chosen = enabled or (provider in self.search_order and not self.has_usual_order)
        is_usable = self.credential(provider) is not None or (spec.works_without_key and is_chosen)
        return is_usable and enabled is not False

    def searchers(self) -> list[str]:
        """The active search providers in the order in which they are asked.

        The user's own providers follow the usual order, and MCP servers that the order leaves out come last.
        """
        order = dict.fromkeys(self.names("search") if self.has_usual_order else self.search_order)
        known = [name for name in order if name in self.mcp_providers or self.is_active(name)]
        return [*known, *(name for name in self.mcp_providers if name not in order)]

    @property
    def safe_search(self) -> int | None:
        """The default of safe search; `None` leaves it to the provider."""
        return int(self.default_safe_search) if self.default_safe_search else None

    def keyless_members(self) -> list[str]:
        """The members of the keyless pool that are asked, in order; none where the pool is off."""
        searchers = self.searchers()
        if self.keyless == "off" or (self.keyless == "on" and searchers):
            return []
        flags = {name: self.providers[name].enabled for name in self.keyless_names}
        order = dict.fromkeys([*self.keyless_order, *self._own_keyless(), *filter(flags.get, flags)])
        return [name for name in order if flags[name] is not False and name not in searchers]

    def _own_keyless(self) -> list[str]:
        return [name for name, spec in self.own.specs.items() if spec.is_keyless and not spec.is_opt_in]

    def origin(self, server: str) -> str:
        """The variable that describes an MCP server, or that names the file which does."""
        return "DOWSE_PROVIDERS_FILE" if server in self.own.servers else "DOWSE_MCP_PROVIDERS"

    def unkeyed(self) -> frozenset[str]:
        """The search providers that are asked without a credential because an order names them."""
        named = [name for name in self.searchers() if name not in self.mcp_providers]
        return frozenset(name for name in named if self.credential(name) is None)

    def answerers(self) -> list[str]:
        """The active providers that write answers, in the order in which they are asked."""
        return list(filter(self.is_active, ANSWERERS))

    def scrapers(self) -> list[str]:
        """The active providers that read pages; their order is fixed."""
        return list(filter(self.is_active, self.names("read")))

    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for the redaction filter and for nothing else."""
        return (
            *(key.get_secret_value() for key in self._keys()),
            *chain.from_iterable(map(_secrets_in, self._addresses())),
            *_passwords(self.state),
            *_credentials(self.browser_url),
            *_credentials(self.proxy),
        )

    def _keys(self) -> Iterator[SecretStr]:
        """API keys, tokens, headers and fixed arguments; of the URLs of browser and proxy only the credentials."""
        yield from (each.api_key for each in self.providers.values() if each.api_key)
        yield from (value for name, value in self if isinstance(value, SecretStr) and name not in _ADDRESSES)
        yield from self.tokens.values()
        yield from _header_secrets(self.searxng_headers)
        yield from chain.from_iterable(map(_mcp_secrets, self.mcp_providers.values()))

    def _addresses(self) -> Iterator[str]:
        for each in self.providers.values():
            yield from (*(each.servers or ()), *each.endpoints.values())
        yield from (server.url for server in self.mcp_providers.values())

    def scope(self) -> bytes:
        """Hash of all settings that may change results; processes with the same one share cache entries.

        Keys are part of it: two keys may not see the same results.
        """
        values = {".".join(each.path): _reveal(value_of(self, each)) for each in self.declared if each.splits_cache}
        own = repr(self.own.descriptions) if self.own.descriptions else ""
        text = json.dumps([__version__, EXTRACTION, values, own], sort_keys=True, default=str)
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=32).digest()


@cache
def all_settings() -> tuple[Setting, ...]:
    """Every setting, in the order of the documentation: a group's own settings, then those of its providers."""
    settings = list(chain.from_iterable(map(derive_settings, SPECS.values())))
    for name, field in Settings.model_fields.items():
        if name == "limits":
            settings += derive_limits()
        elif name not in ("providers", "own"):
            settings.append(read_declaration(name, field))
    vendors = [SPECS[name].title for name in SEARCHERS]
    groups = _number([*vendors, *(each.group for each in settings if each.path[0] != "providers")])
    providers = _number(["", *SPECS])
    settings.sort(key=lambda each: (groups[each.group], providers[each.provider]))
    return tuple(settings)


def _number(names: Iterable[str]) -> Mapping[str, int]:
    """The place of each name."""
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def list_settings(own: Mapping[str, ProviderSpec]) -> tuple[Setting, ...]:
    """Every setting, with those of the user's own providers in place of those that they change, or after all others."""
    if not own:
        return all_settings()
    kept = [each for each in all_settings() if each.path[0] != "providers" or each.provider not in own]
    return (*kept, *chain.from_iterable(map(derive_settings, own.values())))


def value_of(settings: Settings, setting: Setting) -> object:
    """The value of a setting."""
    value: object = settings
    for step in setting.path:
        value = value[step] if isinstance(value, Mapping) else getattr(value, step)
    return value


def enabled_without_credential(settings: Settings) -> dict[str, str]:
    """Providers that were switched on but cannot be asked, each with the sentence that says so."""
    asked = [name for name in settings.names("search") if settings.providers[name].enabled]
    lacking = [settings.specs[name] for name in asked if settings.credential(name) is None]
    return {
        spec.name: f"{spec.name.upper()}_ENABLED is true, but {spec.credential} is not set, so {spec.name} is not used."
        for spec in lacking
        if not spec.works_without_key
    }


def _reveal(value: object) -> object:
    """A value with its secrets; for hashing."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, McpServer):
        value = asdict(value)
    return {name: _reveal(item) for name, item in value.items()} if isinstance(value, dict) else value


def reveal(secret: SecretStr | None) -> str:
    """The value of an optional secret; empty where it is not set."""
    return secret.get_secret_value() if secret else ""


def _passwords(url: str) -> tuple[str, ...]:
    """A URL's password, as written, as meant, and as the pair that basic authentication encodes."""
    parts = urlsplit(url)
    if not parts.password:
        return ()
    password = unquote(parts.password)
    return tuple(dict.fromkeys([parts.password, password, f"{unquote(parts.username or '')}:{password}"]))


def _header_secrets(headers: Mapping[str, SecretStr]) -> list[SecretStr]:
    return [value for name, value in headers.items() if not name.lower().startswith(_HARMLESS)]


def _mcp_secrets(server: McpServer) -> list[SecretStr]:
    """The headers of a server, and its fixed arguments that have the name of a key."""
    fixed = server.arguments.items()
    keys = [SecretStr(value) for name, value in fixed if isinstance(value, str) and _NAMES_A_KEY.search(name)]
    return [*_header_secrets(server.headers), *keys]


def _secrets_in(url: str) -> tuple[str, ...]:
    """The password of an address, and keys among its parameters, where some MCP servers want theirs."""
    keys = [value for name, value in parse_qsl(urlsplit(url).query) if _NAMES_A_KEY.search(name)]
    return (*_passwords(url), *keys)


def _credentials(url: SecretStr | None) -> tuple[str, ...]:
    """The secrets of an address that may hold a token: its password, tokens in its query, and its path."""
    text = reveal(url)
    parts = urlsplit(text)
    tokens = [*(value for _, value in parse_qsl(parts.query)), *parts.path.split("/")]
    return (*_passwords(text), *(token for token in tokens if len(token) >= _SHORTEST_TOKEN))
