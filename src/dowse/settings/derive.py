"""Settings that every provider has, derived from its declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict, SecretStr

from dowse.core import urls
from dowse.settings.declare import Setting, describe_kind
from dowse.settings.providers import SPECS
from dowse.settings.spec import ProviderSpec
from dowse.settings.types import (
    Duration,
    Flag,
    HttpUrl,
    HttpUrls,
    ProviderBudget,
    ProviderPace,
    budget,
    duration,
    pace,
)

KEYLESS_GROUP = "Searching without a key"
ANSWERS_GROUP = "Answers"
LOAD_GROUP = "Under load"


class FrozenModel(BaseModel):
    """Values that are read once; secrets never show in `repr`, nor do passwords inside addresses."""

    # The parts of `Settings` are never filled by themselves: building their validators would slow down every start.
    model_config = ConfigDict(frozen=True, validate_default=True, extra="forbid", defer_build=True)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        for name, value in super().__repr_args__():
            yield name, _without_passwords(value)


class ProviderSettings(FrozenModel):
    """The settings of one provider."""

    api_key: SecretStr | None = None
    servers: HttpUrls | None = None
    enabled: Flag | None = None
    timeout_s: Duration
    endpoints: Mapping[str, HttpUrl]
    budget: ProviderBudget | None
    pace: ProviderPace

    @property
    def is_active(self) -> bool:
        """Whether there is a credential, and no flag that switches the provider off."""
        return (self.api_key or self.servers) is not None and self.enabled is not False


def derive_settings(spec: ProviderSpec) -> Iterator[Setting]:
    """The settings of a provider, in the order of the documentation."""
    prefix, writes_answers = spec.name.upper(), "answer" in spec.operations

    def setting(
        field: str,
        variables: tuple[str, ...],
        default: object,
        about: str,
        *,
        group: str = _group(spec),
        is_trusted_only: bool = True,
        splits_cache: bool = True,
        is_secret: bool = False,
    ) -> Setting:
        path = ("providers", spec.name, *field.split("."))
        takes = describe_kind(ProviderSettings.model_fields[path[2]])
        marks = (is_trusted_only, splits_cache, is_secret)
        return Setting(path, variables, default, about, takes, group, spec.name, *marks)

    if spec.key:
        about = "Key that lets a model write answers." if writes_answers else f"Key that activates {spec.title}."
        yield setting("api_key", (spec.key,), None, about, is_secret=True)
    if spec.servers:
        about = f"Base address of your {spec.title}, or several separated by commas; activates it."
        yield setting("servers", spec.servers, None, about)
    yield setting("enabled", (f"{prefix}_ENABLED",), None, _about_flag(spec))
    call = f"call of {spec.tier}" if spec.tier else f"{spec.title} call"
    about = f"Timeout of one {call}{', all attempts together' if writes_answers else ''}."
    timeout = (f"{prefix}_TIMEOUT", *spec.timeout_aliases)
    yield setting("timeout_s", timeout, spec.timeout, about, is_trusted_only=False, splits_cache=False)
    for operation, each in spec.endpoints.items():
        yield setting(f"endpoints.{operation}", (each.variable,), each.default, each.about)
    about = f"Budget for {spec.title}; once it is spent, {spec.title} counts as out of quota."
    about = f"Budget for {spec.tier}." if spec.tier else about
    yield setting("budget", (f"DOWSE_BUDGET_{prefix}",), spec.budget, about, splits_cache=False)
    subject = f"your {spec.title}" if spec.servers else spec.subject
    about = f"Pacing of {subject}{', searches only' if spec.unpaced else ''}: calls per time, calls at once, or both."
    yield setting("pace", (f"DOWSE_PACE_{prefix}",), spec.pace, about, group=LOAD_GROUP, splits_cache=False)


def with_defaults(given: Mapping[str, object]) -> Mapping[str, object]:
    """The values of every provider: the given ones over the defaults of its declaration.

    Providers that are not declared here are the user's own, and complete.
    """
    own = {name: values for name, values in given.items() if name not in SPECS}
    return {**{name: fill(spec, given.get(name, {})) for name, spec in SPECS.items()}, **own}


def fill(spec: ProviderSpec, given: object) -> object:
    """The values of one provider; finished settings are complete."""
    if not isinstance(given, dict):
        return given
    return _fill(spec, given) if given else _usual(spec)


def _usual(spec: ProviderSpec) -> ProviderSettings:
    """The defaults of a declaration, which need no validation: a test does that."""
    return ProviderSettings.model_construct(
        timeout_s=duration(spec.timeout),
        endpoints={operation: endpoint.default for operation, endpoint in spec.endpoints.items()},
        budget=budget(spec.budget) if spec.budget else None,
        pace=pace(spec.pace),
    )


def _fill(spec: ProviderSpec, given: Mapping[str, object]) -> dict[str, object]:
    endpoints = {operation: endpoint.default for operation, endpoint in spec.endpoints.items()}
    changed = given.get("endpoints")
    return {
        "timeout_s": spec.timeout,
        "budget": spec.budget,
        "pace": spec.pace,
        **given,
        "endpoints": {**endpoints, **(changed if isinstance(changed, dict) else {})},
    }


def _group(spec: ProviderSpec) -> str:
    if spec.is_keyless:
        return KEYLESS_GROUP
    return spec.title if "search" in spec.operations else ANSWERS_GROUP


def _about_flag(spec: ProviderSpec) -> str:
    if spec.is_opt_in:
        return f"`true` adds {spec.tier} as the last keyless provider."
    if spec.is_keyless:
        return f"`false` switches {spec.tier} off."
    if "search" not in spec.operations:
        return f"`false` leaves answers to dowse although {spec.title} has a key."
    return f"`false` switches {spec.title} off although it has {'a key' if spec.key else 'an address'}."


def _without_passwords(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_without_passwords, value))
    if isinstance(value, dict):
        return {name: _without_passwords(item) for name, item in value.items()}
    return urls.without_userinfo(value) if isinstance(value, str) and "@" in value else value
