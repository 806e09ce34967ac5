"""The whole examination: every part in a fixed order, and the probe on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse import __version__
from dowse.core.protocols import Progress, Spent
from dowse.flows.doctor.check import OFF, Check, Diagnosis
from dowse.flows.doctor.installation import check_configuration, check_installation, check_store
from dowse.flows.doctor.probe import Probe
from dowse.flows.doctor.providers import check_reading, check_search
from dowse.flows.doctor.server import ReadTokens, check_callers, check_tools
from dowse.settings.sources import Loaded

_NOT_PROBED = Check(
    "probe",
    "probe",
    OFF,
    "Nothing was asked: no provider was called, and no browser was started.",
    "Run `dowse doctor --probe` to try them; it uses one paid call of each provider.",
)


class SpendingRecords(Protocol):
    """The recorded spending of providers."""

    async def spent(self, provider: str) -> Spent | None: ...


@dataclass(frozen=True, slots=True)
class Doctor:
    """Examines an application as its settings make it. Only the store and the probe use the network."""

    loaded: Loaded
    tools: Sequence[str]
    state: str
    spending: SpendingRecords
    read_tokens: ReadTokens
    probe: Probe

    async def examine(self, progress: Progress, *, probing: bool = False) -> Diagnosis:
        settings = self.loaded.settings
        names = dict.fromkeys((*settings.names("search"), *settings.searchers(), *settings.keyless_members()))
        known = [name for name in names if name in settings.specs]
        spent = {name: spent for name in known if (spent := await self.spending.spent(name))}
        checks = list(self._checks(spent, await check_store(self.state, settings)))
        checks += await self.probe.run(progress) if probing else [_NOT_PROBED]
        return Diagnosis(__version__, tuple(checks), invalid=bool(self.loaded.problems))

    def _checks(self, spent: Mapping[str, Spent], store: Check) -> Iterator[Check]:
        settings = self.loaded.settings
        yield from check_installation(settings)
        yield from check_configuration(self.loaded)
        yield from check_search(settings, spent)
        yield from check_reading(settings)
        yield from check_tools(settings, self.tools)
        yield store
        yield from check_callers(settings, self.read_tokens, self.tools)
