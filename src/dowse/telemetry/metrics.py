"""Prometheus metrics. Imported by the HTTP surface only: the library is not small."""

from __future__ import annotations

from collections.abc import Collection

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from dowse.core import errors
from dowse.core.answers import TokenUsage
from dowse.core.models import OK, Attempt, CacheState, Status
from dowse.core.protocols import BreakerChange, Charge, Spent, StoreState, ToolCall

CONTENT_TYPE = CONTENT_TYPE_LATEST
NONE = "none"
OTHER = "other"
_MOST_CALLERS = 100
_DURATIONS_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60)
_ERRORS = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.DowseError)
}
_OUTCOMES = {OK, *Status, *(kind.code for kind in _ERRORS.values() if issubclass(kind, errors.ProviderError))}


class MetricsObserver:
    """Metrics in a registry of their own. Labels are bounded: no query, no address, and a limited number of callers."""

    def __init__(self, *, tools: Collection[str], engines: Collection[str]) -> None:
        self._tools, self._engines = frozenset(tools), frozenset(engines)
        self._callers: set[str] = set()
        self._registry = CollectorRegistry()
        counter, gauge = self._counter, self._gauge
        self._calls = counter("mcp_tool_calls", "Tool calls, by the engine that answered", "tool", "provider")
        self._errors = counter("mcp_tool_errors", "Tool calls that failed, by class of error", "tool", "error")
        self._durations = Histogram(
            "mcp_tool_duration_seconds",
            "How long tool calls took, by the engine that answered",
            ("tool", "provider"),
            registry=self._registry,
            buckets=_DURATIONS_S,
        )
        self._served = counter("dowse_calls", "Tool calls, by caller and door", "caller", "door", "tool")
        self._failed = counter(
            "dowse_call_errors", "Tool calls that failed, by caller and door", "caller", "door", "error"
        )
        self._waits = Histogram(
            "dowse_call_duration_seconds",
            "How long tool calls took, by door",
            ("door", "tool"),
            registry=self._registry,
            buckets=_DURATIONS_S,
        )
        self._spent = counter("dowse_caller_cost_usd", "Estimated cost of a caller's calls in dollars", "caller")
        self._refusals = counter("dowse_limit_refusals", "Tool calls refused by a caller's limit", "tool")
        self._shed = counter("dowse_calls_refused", "Calls refused because the server had too many", "reason")
        self._attempts = counter(
            "dowse_provider_attempts", "Tries at a provider or reader", "provider", "operation", "outcome"
        )
        self._open = gauge(
            "dowse_breaker_open", "1 from the opening of a breaker until a probe succeeds", "provider", "operation"
        )
        self._pages = counter("dowse_pages", "Pages read, by engine and status", "engine", "status")
        self._asked = counter("dowse_provider_calls", "Calls that were charged for", "provider", "operation")
        self._cost = counter("dowse_provider_cost_usd", "Estimated cost of provider calls in dollars", "provider")
        self._tokens = counter(
            "dowse_provider_tokens", "Tokens that models were given and wrote, as they count", "provider", "kind"
        )
        self._cache = counter("dowse_cache", "Cache lookups, by outcome", "kind", "state")
        self._used = gauge("dowse_budget_used_ratio", "Used part of a budget in its current period", "provider")
        self._store = gauge("dowse_store_up", "0 while the store fails and calls go on without it")
        self._store.set(1)
        self._tasks = gauge("dowse_tasks", "Tasks of the event loop; constant while the server is idle")

    def exposition(self) -> bytes:
        """Everything counted so far, in the text format."""
        return generate_latest(self._registry)

    def tasks_counted(self, tasks: int) -> None:
        self._tasks.set(tasks)

    def call_refused(self, reason: str) -> None:
        """Count a call refused by load shedding."""
        self._shed.labels(reason).inc()

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:  # noqa: ARG002  # never a label
        self._count(attempt)

    def attempt_succeeded(self, attempt: Attempt) -> None:
        self._count(attempt)

    def breaker_changed(self, change: BreakerChange) -> None:
        self._open.labels(self._engine(change.provider), change.operation).set(change.state != "closed")

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        """The attempt that answered is counted already."""

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        """The page is counted when it is finished."""

    def page_finished(self, engine: str, status: str) -> None:
        self._pages.labels(self._engine(engine), _outcome(status)).inc()

    def tool_called(self, call: ToolCall) -> None:
        tool, engine = call.tool if call.tool in self._tools else OTHER, self._engine(call.engine)
        self._calls.labels(tool, engine).inc()
        self._durations.labels(tool, engine).observe(call.seconds)
        self._served.labels(self._caller(call.caller), call.door.value, tool).inc()
        self._waits.labels(call.door.value, tool).observe(call.seconds)
        if call.outcome != OK:
            self._count_error(call, tool)
        if call.outcome == errors.LimitReached.__name__:
            self._refusals.labels(tool).inc()

    def provider_charged(self, charge: Charge) -> None:
        provider = self._engine(charge.provider)
        self._asked.labels(provider, charge.operation).inc()
        self._cost.labels(provider).inc(charge.usd)
        self._spent.labels(self._caller(charge.caller)).inc(charge.usd)

    def budget_charged(self, spent: Spent) -> None:
        self._used.labels(self._engine(spent.provider)).set(spent.share)

    def store_changed(self, state: StoreState) -> None:
        self._store.set(state == "up")

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        self._tokens.labels(self._engine(provider), "prompt").inc(usage.prompt_tokens)
        self._tokens.labels(self._engine(provider), "response").inc(usage.response_tokens)

    def cache_asked(self, kind: str, state: CacheState) -> None:
        self._cache.labels(kind, state.value).inc()

    def _count(self, attempt: Attempt) -> None:
        self._attempts.labels(self._engine(attempt.provider), attempt.operation, _outcome(attempt.outcome)).inc()

    def _engine(self, name: str) -> str:
        return (name if name in self._engines else OTHER) if name else NONE

    def _count_error(self, call: ToolCall, tool: str) -> None:
        error = call.outcome if call.outcome in _ERRORS else OTHER
        self._errors.labels(tool, error).inc()
        self._failed.labels(self._caller(call.caller), call.door.value, error).inc()

    def _caller(self, name: str) -> str:
        """The name of one of the first callers: an issuer of JSON Web Tokens may know any number of them."""
        if len(self._callers) < _MOST_CALLERS:
            self._callers.add(name)
        return name if name in self._callers else OTHER

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(name, about, labels, registry=self._registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(name, about, labels, registry=self._registry)


def _outcome(value: str) -> str:
    return value if value in _OUTCOMES else OTHER
