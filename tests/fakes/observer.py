"""An observer that remembers."""

from __future__ import annotations

from dowse.core.answers import TokenUsage
from dowse.core.models import Attempt, CacheState
from dowse.core.protocols import BreakerChange, Charge, Spent, StoreState, ToolCall


class RecordingObserver:
    def __init__(self) -> None:
        self.failed: list[tuple[str, str, str]] = []
        self.details: list[str] = []
        self.unread: list[str] = []
        self.changes: list[BreakerChange] = []
        self.searches: list[tuple[str, str, int]] = []
        self.fetches: list[tuple[str, str, str]] = []
        self.pages: list[tuple[str, str]] = []
        self.calls: list[ToolCall] = []
        self.succeeded: list[tuple[str, str]] = []
        self.charges: list[Charge] = []
        self.spent: list[Spent] = []
        self.store: list[StoreState] = []
        self.tokens: list[tuple[str, TokenUsage]] = []
        self.cache: list[tuple[str, str]] = []

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        self.failed.append((attempt.provider, attempt.operation, attempt.outcome))
        self.details.append(attempt.detail)
        self.unread += [url] if url else []

    def attempt_succeeded(self, attempt: Attempt) -> None:
        self.succeeded.append((attempt.provider, attempt.operation))

    def breaker_changed(self, change: BreakerChange) -> None:
        self.changes.append(change)

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        self.searches.append((engine, query, result_count))

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        self.fetches.append((engine, url, status))

    def page_finished(self, engine: str, status: str) -> None:
        self.pages.append((engine, status))

    def tool_called(self, call: ToolCall) -> None:
        self.calls.append(call)

    def provider_charged(self, charge: Charge) -> None:
        self.charges.append(charge)

    def budget_charged(self, spent: Spent) -> None:
        self.spent.append(spent)

    def store_changed(self, state: StoreState) -> None:
        self.store.append(state)

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        self.tokens.append((provider, usage))

    def cache_asked(self, kind: str, state: CacheState) -> None:
        self.cache.append((kind, state.value))
