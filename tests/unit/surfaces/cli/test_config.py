"""`dowse config`: every effective setting with its source, and no secret."""

import json
import os
from pathlib import Path

import pytest

from dowse.settings import all_settings
from dowse.surfaces.cli.main import main

Captured = pytest.CaptureFixture[str]
Shown = dict[str, dict[str, str]]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also none of the suite's own."""
    for name in [name for name in os.environ if name.startswith("DOWSE_")]:
        monkeypatch.delenv(name)


def shown(capsys: Captured, *flags: str) -> Shown:
    assert main(["config", "--json", *flags]) == 0
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)["settings"]}


def test_every_setting_is_shown_with_its_default(capsys: Captured) -> None:
    settings = shown(capsys)
    assert list(settings) == [setting.variables[0] for setting in all_settings()]
    assert {key: settings["SERPER_TIMEOUT"][key] for key in ("value", "source", "given_as", "default")} == {
        "value": "15s",
        "source": "default",
        "given_as": "",
        "default": "15s",
    }
    assert settings["SERPER_API_KEY"]["value"] is None


def test_the_source_is_flag_over_environment_over_file_over_default(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('log_level = "debug"\ndeadline_s = "20s"\nkeyless = "off"\n')
    monkeypatch.setenv("DOWSE_DEADLINE_S", "30s")
    monkeypatch.setenv("SERPER_HTTP_TIMEOUT", "3s")
    settings = shown(capsys, "--config", str(file), "--log-level", "info")
    found = {name: (each["value"], each["source"], each["given_as"]) for name, each in settings.items()}
    assert found["DOWSE_LOG_LEVEL"] == ("info", "flag", "--log-level")
    assert found["DOWSE_DEADLINE_S"] == ("30s", "environment", "DOWSE_DEADLINE_S")
    assert found["SERPER_TIMEOUT"] == ("3s", "environment", "SERPER_HTTP_TIMEOUT")
    assert found["DOWSE_KEYLESS"] == ("off", "file", "DOWSE_KEYLESS")


def test_the_defaults_of_a_contract_are_named(capsys: Captured) -> None:
    settings = shown(capsys, "--contract", "jan")
    assert (settings["DOWSE_FALLBACK"]["value"], settings["DOWSE_FALLBACK"]["source"]) == ("any", "contract")
    assert settings["DOWSE_CONTRACT"]["source"] == "flag"


def test_the_state_is_the_file_that_is_used(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert shown(capsys)["DOWSE_STATE"]["value"] == "sqlite:////some/cache/dowse/state.db"


SECRETS = {
    "SERPER_API_KEY": "canary-1",
    "GITHUB_TOKEN": "canary-2",
    "DOWSE_TOKENS": "alice:canary-3-of-some-length",
    "SEARXNG_HEADERS_JSON": '{"X-Token": "canary-4"}',
    "DOWSE_MCP_PROVIDERS": '{"mine": {"url": "https://a.example/?api_key=canary-5", "tool": "x"}}',
    "DOWSE_STATE": "redis://user:canary-6@h:1/0",
    "SEARXNG_URL": "https://user:canary-7@searx.example",
    "DOWSE_BROWSER_URL": "wss://b.example/canary-8-of-some-length",
}


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_secrets_are_masked(capsys: Captured, monkeypatch: pytest.MonkeyPatch, flags: list[str]) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    assert main(["config", *flags]) == 0
    captured = capsys.readouterr()
    assert "canary" not in captured.out + captured.err
    assert captured.out.count("[redacted]") == len(SECRETS)


def test_text_is_a_line_for_each_setting_below_its_group(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_OFFLINE", "1")
    monkeypatch.setenv("DOWSE_STATE", "memory:")
    assert main(["config", "--changed"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("file: none; looked for /")
    assert lines == [
        "",
        "Routing and search",
        "  DOWSE_OFFLINE  environment  1",
        "",
        "Cache and state",
        "  DOWSE_STATE    environment  memory:",
    ]


def test_an_invalid_value_is_a_problem_beside_the_default_that_is_in_force(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWSE_DEADLINE_S", "soon")
    monkeypatch.setenv("DOWSE_OFLINE", "1")
    assert main(["config"]) == 2
    captured = capsys.readouterr()
    assert "DOWSE_OFLINE is not a setting of dowse; did you mean DOWSE_OFFLINE?" in captured.err
    assert "DOWSE_DEADLINE_S is 'soon'" in captured.err
    assert [line.split()[1:] for line in captured.out.splitlines() if "DOWSE_DEADLINE_S" in line] == [
        ["default", "50s"]
    ]
