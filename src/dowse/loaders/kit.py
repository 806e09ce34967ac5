"""What a loader is made of besides its own code."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.interfaces import Extractor
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.providers.api import Api
from dowse.settings import Settings
from dowse.telemetry.redact import Redactor

TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Kit:
    """`client` is for endpoints of the settings, `pages` for addresses that an answer names."""

    settings: Settings
    client: ConfiguredClient
    pages: UntrustedClient
    extractor: Extractor
    redactor: Redactor

    def api(self, name: str, key_variable: str = "") -> Api:
        return Api(name, self.client, TIMEOUT_S, key_variable, self.redactor)
