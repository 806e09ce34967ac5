"""What a loader is made of besides its own code."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.core.errors import NotRead
from dowse.core.models import Deadline
from dowse.core.protocols import Extractor
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.json_api import Api
from dowse.secrets.redact import Redactor
from dowse.settings import Settings

TIMEOUT_S = 15.0
# Of the time there is, so much is for the requests; converting what they bring needs the rest.
ASKING_SHARE = 0.7


def asking(deadline: Deadline) -> Deadline:
    """The part of the time that is for requests."""
    return deadline.capped(ASKING_SHARE * deadline.remaining_s())


@dataclass(frozen=True, slots=True)
class Kit:
    """`client` is for endpoints of the settings, `pages` for addresses that an answer names."""

    settings: Settings
    client: ConfiguredClient
    pages: UntrustedClient
    extractor: Extractor
    redactor: Redactor

    def api(self, name: str, key_variable: str = "") -> Api:
        """The way to a site's API. A page that is too large for us says nothing against the API."""
        return Api(name, self.client, TIMEOUT_S, key_variable, self.redactor, too_large=NotRead)
