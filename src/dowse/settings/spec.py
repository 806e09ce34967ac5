"""Shape of a provider's declaration; `dowse.settings.providers` holds the declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dowse.core.models import Category


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Bounds of a provider's API; filters that it lacks are emulated or dropped by `dowse.providers.limits`."""

    max_results: int
    max_query_chars: int = 2048
    filters: frozenset[str] = frozenset()
    categories: frozenset[Category] = frozenset({Category.GENERAL})
    include_operator: str = "site:"
    """The operator that stands in for the filter; empty if the API has none."""
    exclude_operator: str = "-site:"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that requests go to, and the variable that changes it."""

    variable: str
    default: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """Everything about a provider that is known without its adapter.

    Settings, documentation, doctor, prices, paces and advice derive from it. A provider with `key` or `servers` is
    active once that is set; one without is asked in the keyless pool.
    """

    name: str
    title: str
    """The vendor's name, as in documentation and disclosures."""
    tier: str = ""
    """The part of the vendor's service that is used without a key, as documentation says it."""
    operations: tuple[str, ...] = ("search",)
    """Of `search`, `read` and `answer`; each names a protocol that the adapter implements."""
    key: str = ""
    """The variable of the API key."""
    servers: tuple[str, ...] = ()
    """The variable, with aliases, for the addresses of the user's own servers."""
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    endpoints_of: str = ""
    """The provider whose endpoints this one uses."""
    limits: QueryLimits = field(default_factory=lambda: QueryLimits(max_results=10))
    timeout: str = "15s"
    timeout_aliases: tuple[str, ...] = ()
    budget: str | None = None
    pace: str = "off"
    unpaced: tuple[str, ...] = ()
    """Operations that the pace leaves out."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """Estimated dollars for one call."""
    is_opt_in: bool = False
    """Whether the keyless pool asks it only if the user says so."""
    advice: Literal["", "first", "also"] = ""
    """Whether advice to users without a provider names its credential."""
    nicknames: tuple[str, ...] = ()
    """Other names that `DOWSE_KEYLESS_ORDER` takes."""
    source: str = ""
    """The file of the description, for a provider that is data."""
    is_key_optional: bool = False
    """Whether an order may name it without a key."""
    allowance_of: str = ""
    """The provider whose calls count together with those of this one: the same service, reached in another way."""
    index: str = ""
    """The owner of the index, if that is another one: agreement of two providers of one index is no evidence."""
    docs: str = ""
    privacy: str = ""
    free: str = ""

    @property
    def is_keyless(self) -> bool:
        return not self.credential

    @property
    def works_without_key(self) -> bool:
        return self.is_keyless or self.is_key_optional

    @property
    def credential(self) -> str:
        """The variable that activates the provider; empty for members of the keyless pool."""
        return self.key or next(iter(self.servers), "")

    @property
    def subject(self) -> str:
        """The provider as the subject or object of a sentence."""
        return self.tier or self.title
