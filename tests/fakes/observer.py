"""An observer that remembers."""

from __future__ import annotations

from dowse.interfaces import BreakerChange


class RecordingObserver:
    def __init__(self) -> None:
        self.failed: list[tuple[str, str, str]] = []
        self.changes: list[BreakerChange] = []
        self.searches: list[tuple[str, str, int]] = []
        self.fetches: list[tuple[str, str, str]] = []

    def attempt_failed(self, provider: str, operation: str, outcome: str, ms: int, detail: str) -> None:
        self.failed.append((provider, operation, outcome))

    def breaker_changed(self, change: BreakerChange) -> None:
        self.changes.append(change)

    def search_completed(self, engine: str, query: str, result_count: int, ms: int) -> None:
        self.searches.append((engine, query, result_count))

    def fetch_completed(self, engine: str, url: str, status: str, ms: int) -> None:
        self.fetches.append((engine, url, status))
