"""What is counted, under which names, and that labels hold nothing but names of ours."""

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dowse.core.answers import TokenUsage
from dowse.core.models import Attempt
from dowse.core.protocols import BreakerChange, Charge, Door, Spent, ToolCall
from dowse.telemetry.metrics import MetricsObserver

pytestmark = pytest.mark.promise("names-metrics")

CANARY = "quetzal nesting sites"


class Metrics:
    """The observer, and its numbers as a Prometheus server would read them."""

    def __init__(self) -> None:
        self.observer = MetricsObserver(tools=["web_search", "get_content"], engines=["serper", "tavily", "direct"])

    def samples(self) -> dict[str, float]:
        """Every sample but the times at which series were created."""
        text = self.observer.exposition().decode()
        return {
            f"{sample.name}{{{','.join(f'{name}={value}' for name, value in sorted(sample.labels.items()))}}}": value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if not sample.name.endswith("_created")
            for value in [sample.value]
        }

    def __getitem__(self, key: str) -> float:
        return self.samples()[key]


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


def called(tool: str = "web_search", engine: str = "tavily", outcome: str = "ok", seconds: float = 0.2) -> ToolCall:
    return ToolCall(tool, engine, outcome, seconds, caller="alice")


def test_calls_and_durations_have_the_names_of_the_contract(metrics: Metrics) -> None:
    for seconds in (0.2, 0.2, 12.0):
        metrics.observer.tool_called(called(seconds=seconds))
    assert metrics["mcp_tool_calls_total{provider=tavily,tool=web_search}"] == 3
    assert metrics["mcp_tool_duration_seconds_count{provider=tavily,tool=web_search}"] == 3
    assert metrics["mcp_tool_duration_seconds_sum{provider=tavily,tool=web_search}"] == pytest.approx(12.4)
    assert metrics["mcp_tool_duration_seconds_bucket{le=0.25,provider=tavily,tool=web_search}"] == 2


def test_a_call_without_an_answer_has_no_provider_and_an_error(metrics: Metrics) -> None:
    metrics.observer.tool_called(called(engine="", outcome="AllProvidersFailed"))
    assert metrics["mcp_tool_calls_total{provider=none,tool=web_search}"] == 1
    assert metrics["mcp_tool_errors_total{error=AllProvidersFailed,tool=web_search}"] == 1


def test_a_call_that_was_not_let_in_is_counted_by_its_reason_alone(metrics: Metrics) -> None:
    metrics.observer.call_refused("overload")
    assert metrics["dowse_calls_refused_total{reason=overload}"] == 1
    assert not any(name.startswith("mcp_tool_calls_total") for name in metrics.samples())


def test_a_refusal_by_a_limit_is_counted_by_itself(metrics: Metrics) -> None:
    metrics.observer.tool_called(called(engine="", outcome="LimitReached"))
    metrics.observer.tool_called(called())
    assert metrics["dowse_limit_refusals_total{tool=web_search}"] == 1
    assert metrics["mcp_tool_errors_total{error=LimitReached,tool=web_search}"] == 1


def test_attempts_are_counted_whether_they_fail_or_not(metrics: Metrics) -> None:
    metrics.observer.attempt_failed(Attempt("serper", "search", "rate_limited", 3))
    metrics.observer.attempt_succeeded(Attempt("tavily", "search", "ok", 3))
    assert metrics["dowse_provider_attempts_total{operation=search,outcome=rate_limited,provider=serper}"] == 1
    assert metrics["dowse_provider_attempts_total{operation=search,outcome=ok,provider=tavily}"] == 1


def test_a_breaker_counts_as_open_until_it_is_closed(metrics: Metrics) -> None:
    seen = []
    for state in ("open", "half_open", "open", "half_open", "closed"):
        metrics.observer.breaker_changed(BreakerChange("serper", "search", state))
        seen.append(metrics["dowse_breaker_open{operation=search,provider=serper}"])
    assert seen == [1, 1, 1, 1, 0]


def test_calls_and_cost_are_added_up(metrics: Metrics) -> None:
    for operation in ("search", "search", "read"):
        metrics.observer.provider_charged(Charge("serper", operation, 0.001))
    assert metrics["dowse_provider_calls_total{operation=search,provider=serper}"] == 2
    assert metrics["dowse_provider_calls_total{operation=read,provider=serper}"] == 1
    assert metrics["dowse_provider_cost_usd_total{provider=serper}"] == pytest.approx(0.003)


def test_tokens_are_added_up_by_who_wrote_them(metrics: Metrics) -> None:
    for _ in range(2):
        metrics.observer.tokens_used("tavily", TokenUsage(321, 45))
    assert metrics["dowse_provider_tokens_total{kind=prompt,provider=tavily}"] == 642
    assert metrics["dowse_provider_tokens_total{kind=response,provider=tavily}"] == 90


def test_a_budget_is_shown_as_it_stands_now(metrics: Metrics) -> None:
    for share in (0.5, 0.75, 0.0):
        metrics.observer.budget_charged(Spent("serper", 1, 0.1, share))
    assert metrics["dowse_budget_used_ratio{provider=serper}"] == 0.0


def test_a_store_that_fails_is_shown_until_it_works_again(metrics: Metrics) -> None:
    assert metrics["dowse_store_up{}"] == 1
    metrics.observer.store_changed("down")
    assert metrics["dowse_store_up{}"] == 0
    metrics.observer.store_changed("up")
    assert metrics["dowse_store_up{}"] == 1


def test_pages_are_counted_by_engine_and_status(metrics: Metrics) -> None:
    metrics.observer.page_finished("direct", "ok")
    metrics.observer.page_finished("direct", "blocked")
    assert metrics["dowse_pages_total{engine=direct,status=ok}"] == 1
    assert metrics["dowse_pages_total{engine=direct,status=blocked}"] == 1


def test_labels_hold_nothing_but_known_names(metrics: Metrics) -> None:
    """Whatever a report says, a stranger's text never becomes a series: not a query, and not an address."""
    observer = metrics.observer
    observer.tool_called(called(tool=CANARY, engine=CANARY, outcome=CANARY))
    observer.attempt_failed(Attempt(CANARY, "read", CANARY, 3, CANARY), url=f"https://x.example/{CANARY}")
    observer.breaker_changed(BreakerChange(CANARY, "search", "open"))
    observer.search_completed(CANARY, CANARY, 3, 3)
    observer.fetch_completed(CANARY, f"https://x.example/{CANARY}", CANARY, 3)
    observer.page_finished(CANARY, CANARY)
    observer.provider_charged(Charge(CANARY, "search", 0.1))
    observer.budget_charged(Spent(CANARY, 1, 0.1, 0.1))
    text = observer.exposition().decode()
    assert "quetzal" not in text
    assert "x.example" not in text
    assert metrics["mcp_tool_calls_total{provider=other,tool=other}"] == 1
    assert metrics["mcp_tool_errors_total{error=other,tool=other}"] == 1


def test_calls_are_counted_by_caller_and_door(metrics: Metrics) -> None:
    metrics.observer.tool_called(replace(called(), door=Door.MCP))
    metrics.observer.tool_called(replace(called(outcome="LimitReached"), caller="bob"))
    assert metrics["dowse_calls_total{caller=alice,door=mcp,tool=web_search}"] == 1
    assert metrics["dowse_calls_total{caller=bob,door=stdio,tool=web_search}"] == 1
    assert metrics["dowse_call_errors_total{caller=bob,door=stdio,error=LimitReached}"] == 1
    assert metrics["dowse_call_duration_seconds_count{door=mcp,tool=web_search}"] == 1


def test_the_cost_of_a_caller_is_counted(metrics: Metrics) -> None:
    for caller in ("alice", "alice", "bob"):
        metrics.observer.provider_charged(Charge("serper", "search", 0.25, caller))
    assert metrics["dowse_caller_cost_usd_total{caller=alice}"] == 0.5
    assert metrics["dowse_caller_cost_usd_total{caller=bob}"] == 0.25


def test_the_number_of_callers_among_the_labels_is_bounded(metrics: Metrics) -> None:
    for number in range(150):
        metrics.observer.tool_called(replace(called(), caller=f"caller-{number}"))
    metrics.observer.tool_called(replace(called(), caller="caller-7"))
    counted = {key: value for key, value in metrics.samples().items() if key.startswith("dowse_calls_total")}
    assert len(counted) == 101
    assert counted["dowse_calls_total{caller=other,door=stdio,tool=web_search}"] == 50
    assert counted["dowse_calls_total{caller=caller-7,door=stdio,tool=web_search}"] == 2


def test_the_labels_of_the_contractual_metrics_stay(metrics: Metrics) -> None:
    metrics.observer.tool_called(called(outcome="LimitReached"))
    ours = {key.partition("_bucket")[0] for key in metrics.samples() if key.startswith("mcp_")}
    assert not [key for key in ours if "caller=" in key or "door=" in key]


def test_registries_are_apart(metrics: Metrics) -> None:
    metrics.observer.tool_called(called())
    assert "mcp_tool_calls_total{provider=tavily,tool=web_search}" not in Metrics().samples()
