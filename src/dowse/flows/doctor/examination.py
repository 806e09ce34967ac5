"""The whole examination: every part in a fixed order, and the probe when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse import __version__
from dowse.core.protocols import Progress, Spent
from dowse.flows.doctor import callers, installation, memory, providers, server
from dowse.flows.doctor.check import Check, Diagnosis
from dowse.flows.doctor.probe import Probe
from dowse.settings import SEARCHERS
from dowse.settings.sources import Loaded


class Books(Protocol):
    """Knows what providers have cost."""

    async def spent(self, provider: str) -> Spent | None: ...


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examines what the settings make of an application. Beside the store, only `probe` asks over the network."""

    loaded: Loaded
    tools: Sequence[str]
    state: str
    books: Books
    roll: callers.Roll
    probe: Probe

    async def examine(self, progress: Progress, *, probing: bool = False) -> Diagnosis:
        names = (*SEARCHERS, *self.loaded.settings.keyless_members())
        spent = {name: spent for name in names if (spent := await self.books.spent(name))}
        checks = list(self._checks(spent, await memory.store(self.state, self.loaded.settings)))
        if probing:
            checks += await self.probe.run(progress)
        return Diagnosis(__version__, tuple(checks), invalid=bool(self.loaded.problems))

    def _checks(self, spent: Mapping[str, Spent], kept: Check) -> Iterator[Check]:
        loaded, settings = self.loaded, self.loaded.settings
        yield installation.version()
        yield installation.python()
        yield installation.system()
        yield installation.browser(settings)
        yield installation.config_file(loaded)
        yield from installation.settings(loaded)
        yield from providers.search_providers(settings, spent)
        yield from providers.reading_chain(settings)
        yield server.contract(settings, self.tools)
        yield from server.limits(settings, self.tools)
        yield kept
        yield from callers.callers(settings, self.roll, self.tools)
