"""The wires by name, imported when the HTTP server starts."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import Wire
from dowse.settings.contracts import WIRES as NAMES

Build = Callable[[Services], Wire]

WIRES: Mapping[str, str] = {name: f"dowse.contracts.wires.{name}:build" for name in NAMES}
"""Module and function that builds each wire, by its name in `DOWSE_WIRES`."""


def build_wires(names: Iterable[str], services: Services) -> tuple[Wire, ...]:
    """The wires of these names, in the order of the table."""
    wanted = frozenset(names)
    return tuple(_import(place)(services) for name, place in WIRES.items() if name in wanted)


def _import(place: str) -> Build:
    module, _, name = place.partition(":")
    return cast("Build", vars(importlib.import_module(module))[name])
