"""What an open API gives, and what it has to offer for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dowse.core.allowances import Rate
from dowse.core.models import Deadline, Hit, Query


@dataclass(frozen=True, slots=True)
class Answer:
    """The best hits first; for `pause_s` from now on the API asks not to be asked again."""

    hits: tuple[Hit, ...]
    pause_s: float = 0.0


class OpenApi(Protocol):
    """One open API. Raises `ProviderError`."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """As people call it."""
        ...

    @property
    def rate(self) -> Rate | None:
        """How often it may be asked by anybody; `None` where it does not say."""
        ...

    def address(self, query: Query) -> str:
        """Where this query would be sent."""
        ...

    async def search(self, query: Query, deadline: Deadline) -> Answer: ...
