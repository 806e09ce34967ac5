"""A request holds what the settings and the question say, and nothing that the model refuses."""

from typing import Any

from dowse.core.answers import Question
from dowse.providers.openai.request import Options, family_of, payload, prompt
from tests.support.tables import each_row

QUESTION = Question("what is new in python")
WRITING = ("gpt-4o", "gpt-4o-mini", "gpt-4o-2024-11-20", "gpt-4.1-mini", "chatgpt-4o-latest", "ft:gpt-4o:acme::1")
THINKING = ("gpt-5-nano", "gpt-5", "gpt-5-mini-2025-08-07", "gpt-5.1", "openai/gpt-5")
SILENT = ("o1", "o3", "o4-mini", "o3-deep-research", "gpt-5-pro", "gpt-5.2-pro", "gpt-5-chat-latest", "gpt-6", "llama")


def _payload(model: str, **options: Any) -> dict[str, Any]:
    return dict(payload(QUESTION, Options(model, **options)))


def test_the_whole_request_of_a_model_that_thinks() -> None:
    assert _payload("gpt-5-nano") == {
        "model": "gpt-5-nano",
        "input": prompt(QUESTION),
        "tools": [{"type": "web_search", "search_context_size": "low", "user_location": {"type": "approximate"}}],
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": 16_000,
        "store": False,
        "reasoning": {"effort": "low"},
    }


@each_row("model", WRITING)
def test_models_that_only_write_get_a_temperature_and_must_search(model: str) -> None:
    sent = _payload(model)
    assert (sent["temperature"], sent["max_output_tokens"], sent["tool_choice"]) == (0, 600, "required")
    assert "reasoning" not in sent


@each_row("model", THINKING)
def test_models_that_think_are_told_to_think_little_and_get_no_temperature(model: str) -> None:
    sent = _payload(model, temperature=0.5)
    assert (sent["reasoning"], sent["max_output_tokens"]) == ({"effort": "low"}, 16_000)
    assert not {"temperature", "tool_choice"} & sent.keys()


@each_row("model", SILENT)
def test_of_other_models_nothing_is_assumed(model: str) -> None:
    assert not {"temperature", "tool_choice", "reasoning"} & _payload(model, temperature=0.5).keys()
    assert family_of(model).output_tokens == 16_000


def test_settings_beat_what_suits_the_model() -> None:
    sent = _payload("gpt-4o", temperature=0.7, max_output_tokens=900, context_size="high")
    assert (sent["temperature"], sent["max_output_tokens"]) == (0.7, 900)
    assert sent["tools"][0]["search_context_size"] == "high"


def test_the_region_is_where_the_user_is() -> None:
    body = payload(Question("x y z", region="no"), Options("gpt-5-nano"))
    (tool,) = dict[str, Any](body)["tools"]
    assert tool["user_location"] == {"type": "approximate", "country": "NO"}


@each_row(
    "filters",
    [
        {"allowed_domains": ("python.org", "pypi.org")},
        {"blocked_domains": ("example.org",)},
        {"allowed_domains": ("python.org",), "blocked_domains": ("wiki.python.org",)},
    ],
)
def test_domains_are_filtered_as_the_settings_say(filters: dict[str, tuple[str, ...]]) -> None:
    (tool,) = _payload("gpt-5-nano", **filters)["tools"]
    assert tool["filters"] == {name: list(domains) for name, domains in filters.items()}
