"""Declaration of a setting: variables, default, description, trust and cache scope."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from pydantic import Field
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class Takes:
    """Completes the sentence "VARIABLE takes ..."; part of the annotation of a kind of value."""

    what: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that a user can set, as the loader and the documentation see it.

    `path` leads to the value inside `Settings`; `takes` completes "VARIABLE takes ...".
    """

    path: tuple[str, ...]
    variables: tuple[str, ...]
    """The name that the documentation uses, then the aliases in order of precedence."""
    default: object
    about: str
    takes: str
    group: str
    provider: str = ""
    is_trusted_only: bool = False
    """Whether a `dowse.toml` that merely lies in the working directory may not set it."""
    splits_cache: bool = True
    """Whether processes that differ in it share no cache entries."""
    is_secret: bool = False
    """Whether an error message may not quote the value."""


@dataclass(frozen=True, slots=True)
class Group:
    """A section of the configuration reference, with the properties that most of its settings share."""

    title: str
    provider: str = ""
    trusted_only: bool = False
    splits_cache: bool = True

    def setting(
        self,
        default: object,
        *variables: str,
        about: str,
        trusted_only: bool | None = None,
        splits_cache: bool | None = None,
        secret: bool = False,
        ge: int | None = None,
        le: int | None = None,
    ) -> Any:  # stands for the value of a field of any type, as pydantic's `Field` does
        """Declare a field of `Settings`: its default, its variable with aliases, and its purpose.

        `trusted_only` is for settings that decide where keys and queries are sent, or which private hosts may be
        read: the working directory may be an untrusted repository. `splits_cache=False` is for settings without
        influence on the results.
        """
        declared = {
            "variables": list(variables),
            "group": self.title,
            "provider": self.provider,
            "is_trusted_only": self.trusted_only if trusted_only is None else trusted_only,
            "splits_cache": self.splits_cache if splits_cache is None else splits_cache,
            "is_secret": secret,
        }
        return Field(default, description=about, ge=ge, le=le, json_schema_extra=cast(JsonDict, declared))


def read_declaration(name: str, field: FieldInfo) -> Setting:
    """The declaration behind a field that `Group.setting` made."""
    declared = cast(dict[str, Any], field.json_schema_extra)  # the keys are those of `Setting`
    return Setting(
        (name,),
        default=field.default,
        about=field.description or "",
        takes=describe_kind(field),
        **{**declared, "variables": tuple(declared["variables"])},
    )


def describe_kind(field: FieldInfo) -> str:
    """The values a field takes, in words that complete "VARIABLE takes ..."."""
    options = getattr(field.annotation, "__args__", ())
    kinds = [*field.metadata, *chain.from_iterable(getattr(option, "__metadata__", ()) for option in options)]
    for kind in kinds:
        if isinstance(kind, Takes):
            return kind.what
    if set(map(type, options)) == {str}:
        return "one of " + ", ".join(option or "(empty)" for option in options)
    return _describe_range(field) if field.annotation is int else "text"


def _describe_range(field: FieldInfo) -> str:
    low = next(item.ge for item in field.metadata if hasattr(item, "ge"))
    high = next(item.le for item in field.metadata if hasattr(item, "le"))
    return f"a whole number from {low} to {high}"
