"""What the tools of a contract stand on."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.contracts.guardrails import Guardrails
from dowse.core.caller import called_at
from dowse.core.models import Category, Clock, Deadline, Query
from dowse.core.protocols import Extractor
from dowse.flows.answer import AnswerFlow
from dowse.flows.read import ReadFlow
from dowse.flows.search import SearchFlow
from dowse.secrets.redact import Redactor
from dowse.settings import Settings


@dataclass(frozen=True, slots=True)
class Services:
    """The flows, and the settings that fill in what a caller leaves out."""

    search: SearchFlow
    read: ReadFlow
    clock: Clock
    settings: Settings
    extractor: Extractor
    answer: AnswerFlow
    guardrails: Guardrails
    redactor: Redactor

    def deadline(self, timeout_s: float | None = None) -> Deadline:
        """The end of a call; the caller may shorten the user's limit, not lengthen it.

        What came before, such as counting the call in a store that takes its time, is part of it.
        """
        called = called_at()
        began = self.clock.now() if called is None else called
        return Deadline(self.clock, began + min(timeout_s or self.settings.deadline_s, self.settings.deadline_s))

    def query(self, text: str, num_results: int) -> Query:
        """A query with the user's defaults, for contracts that offer no filters."""
        safe_search = self.settings.default_safe_search
        return Query(
            text,
            num_results,
            category=Category(self.settings.default_category),
            language=self.settings.default_language,
            safe_search=int(safe_search) if safe_search else None,
        )
