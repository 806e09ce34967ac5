"""`dowse providers`: which providers are used, and why the others are not."""

import json
import os

import pytest

from dowse.settings import KEYLESS, SPECS
from dowse.surfaces.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also none of the suite's own."""
    for name in [name for name in os.environ if name.startswith("DOWSE_")]:
        monkeypatch.delenv(name)


def states(capsys: Captured) -> dict[str, tuple[bool, int | None, str]]:
    assert main(["providers", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    return {each["name"]: (each["is_active"], each["place"], each["reason"]) for each in listed}


def test_without_a_key_the_keyless_providers_are_used_in_their_order(capsys: Captured) -> None:
    found = states(capsys)
    assert found.keys() == SPECS.keys()
    assert found["tavily_keyless"] == (True, 1, "Tavily's keyless tier")
    assert found["serper"] == (False, None, "SERPER_API_KEY is not set")
    assert found["openai"] == (False, None, "OPENAI_API_KEY is not set")
    assert found["mojeek"] == (False, None, "MOJEEK_ENABLED is not set")


def test_every_reason_names_the_variable_to_change(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "SERPER_API_KEY": "key-of-serper",
        "EXA_API_KEY": "key-of-exa",
        "TAVILY_API_KEY": "key-of-tavily",
        "SEARXNG_URL": "https://searx.example",
        "EXA_ENABLED": "false",
        "OPEN_ENABLED": "false",
        "DOWSE_SEARCH_ORDER": "tavily",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    found = states(capsys)
    assert found["tavily"] == (True, 1, "TAVILY_API_KEY is set")
    assert found["serper"] == (True, None, "DOWSE_SEARCH_ORDER leaves it out of searches")
    assert found["exa"] == (False, None, "EXA_ENABLED is false")
    assert found["searxng"] == (False, None, "DOWSE_SEARCH_ORDER leaves it out")
    assert found["open"] == (False, None, "OPEN_ENABLED is false")
    assert found["searxng_pool"] == (False, None, "a search provider is configured")


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("DOWSE_KEYLESS", "off", "DOWSE_KEYLESS is off"),
        ("DOWSE_KEYLESS_ORDER", "open", "DOWSE_KEYLESS_ORDER leaves it out"),
    ],
)
def test_a_keyless_provider_that_is_not_used_says_why(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert states(capsys)["exa_mcp"] == (False, None, reason)


def test_an_mcp_server_of_the_user_is_a_provider(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_MCP_PROVIDERS", '{"mine": {"url": "https://a.example/?api_key=canary-1", "tool": "x"}}')
    assert states(capsys)["mine"] == (True, 1, "described by DOWSE_MCP_PROVIDERS")


def test_text_is_a_table_with_the_active_ones_first(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "key-of-tavily")
    assert main(["providers"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "provider            order  operations    state     reason"
    assert lines[0] == "tavily              1      search, read  active    TAVILY_API_KEY is set"
    assert len(lines) == len(SPECS)
    assert all(name in "".join(lines) for name in KEYLESS)
