"""`dowse doctor` at a shell: settings, providers and reading, the report, and the exit code."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from dowse import __version__
from dowse.settings import KEYLESS, SEARCHERS
from dowse.surfaces.cli.main import main
from tests.support.command_line import Examine, Terminal

Captured = pytest.CaptureFixture[str]


# Installation


def test_the_facts_about_the_installation_are_told(examine: Examine) -> None:
    found = examine(SERPER_API_KEY="a-key-for-serper")
    assert found.code == 0
    assert found.told("version") == ("ok", f"dowse {__version__}", "")
    assert found.one("python")["details"]["path"] == sys.executable
    assert found.one("platform")["state"] == "ok"


@pytest.fixture
def chromium(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only program of the machine, a browser that is not started."""
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def test_a_browser_that_is_installed_reads_pages(examine: Examine, chromium: Path) -> None:
    program, found = chromium, examine(DOWSE_BROWSER="auto")
    assert found.told("browser") == ("ok", f"Pages that need JavaScript are read by {program}.", "")
    assert found.one("reading")["details"]["chain"] == ["direct", "browser"]


def test_a_browser_that_is_missing_is_a_warning_that_says_what_to_install(
    examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    state, summary, fix = examine(DOWSE_BROWSER="auto", SERPER_API_KEY="a-key-for-serper").told("browser")
    assert (state, "no Chromium was found" in summary, "apt-get install chromium" in fix) == ("warning", True, True)


def test_a_browser_that_is_switched_off_is_not_looked_for(examine: Examine) -> None:
    state, _, fix = examine(DOWSE_BROWSER="off").told("browser")
    assert (state, fix) == ("off", "Unset DOWSE_BROWSER to read them with a browser.")


@pytest.mark.promise("hidden-browser-sandbox")
@pytest.mark.parametrize(
    ("user", "setting", "reason"),
    [
        (0, "auto", "root cannot use it"),
        (0, "on", "root cannot use it"),
        (1000, "off", "DOWSE_BROWSER_SANDBOX is off"),
    ],
)
def test_a_chromium_without_sandbox_is_named(
    examine: Examine, chromium: Path, monkeypatch: pytest.MonkeyPatch, user: int, setting: str, reason: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    state, summary, fix = examine(DOWSE_BROWSER="auto", DOWSE_BROWSER_SANDBOX=setting).told("browser_sandbox")
    assert (state, summary) == ("warning", f"Chromium runs without its sandbox: {reason}.")
    assert fix.startswith("Run dowse as a user other than root")


def test_a_chromium_with_its_sandbox_is_no_news(
    examine: Examine, chromium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert examine(DOWSE_BROWSER="auto").all("browser_sandbox") == []


def test_a_wrong_browser_path_is_a_problem_that_names_it(examine: Examine, chromium: Path) -> None:
    found = examine(DOWSE_BROWSER="auto", DOWSE_BROWSER_PATH="/opt/nothing", SERPER_API_KEY="a-key-for-serper")
    assert found.code == 1
    assert found.told("browser") == (
        "problem",
        "DOWSE_BROWSER_PATH names /opt/nothing, which is not an executable.",
        "Correct DOWSE_BROWSER_PATH, or unset it to search the usual places.",
    )


def test_a_browser_elsewhere_is_a_warning_without_its_address(examine: Examine) -> None:
    found = examine(DOWSE_BROWSER="auto", DOWSE_BROWSER_URL="wss://browser.example/?token=0123456789abcdef")
    state, summary, fix = found.told("browser")
    assert (state, "Block private addresses in the network of that browser" in fix, "0123456789" in summary) == (
        "warning",
        True,
        False,
    )


# Configuration


def test_a_proxy_of_the_environment_is_named_as_not_used(examine: Examine) -> None:
    found = examine(HTTPS_PROXY="http://ada:canary@proxy.example:3128", http_proxy="http://proxy.example:3128")
    assert found.told("proxy") == (
        "warning",
        "dowse connects directly. Not used: HTTPS_PROXY, http_proxy of the environment.",
        "If this machine needs a proxy, set DOWSE_PROXY to the address in HTTPS_PROXY.",
    )
    assert "canary" not in str(found.checks)


def test_the_proxy_of_the_settings_is_shown_without_its_password(examine: Examine) -> None:
    found = examine(DOWSE_PROXY="socks5://ada:canary@proxy.example:1080", HTTP_PROXY="http://other.example")
    summary = "Connections go through socks5://proxy.example:1080 (DOWSE_PROXY)."
    assert found.told("proxy") == ("ok", f"{summary} Not used: HTTP_PROXY of the environment.", "")
    assert "canary" not in str(found.checks)


def test_a_name_without_effect_is_reported(examine: Examine) -> None:
    found = examine(DOWSE_EXTRACT_CODE_BLOCKS="true").all("setting")[-1]
    assert (found["state"], found["summary"]) == (
        "off",
        "DOWSE_EXTRACT_CODE_BLOCKS has no effect: dowse does not have this feature.",
    )


def test_without_a_proxy_connections_are_direct(examine: Examine) -> None:
    assert examine().told("proxy") == (
        "off",
        "dowse connects directly.",
        "Set DOWSE_PROXY if this machine needs a proxy.",
    )


def test_without_probe_it_says_that_nothing_was_asked(examine: Examine) -> None:
    assert examine(SERPER_API_KEY="a-key-for-serper").told("probe") == (
        "off",
        "Nothing was asked: no provider was called, and no browser was started.",
        "Run `dowse doctor --probe` to try them; it uses one paid call of each provider.",
    )


def test_without_a_file_the_places_are_named(examine: Examine, tmp_path: Path) -> None:
    state, summary, _ = examine().told("config_file")
    assert state == "off"
    assert summary == (
        f"No dowse.toml was read: there is none at {tmp_path}/dowse.toml or {tmp_path}/.config/dowse/dowse.toml."
    )


@pytest.mark.parametrize("by_flag", [True, False])
def test_a_file_that_was_named_is_trusted(examine: Examine, tmp_path: Path, by_flag: bool) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('serper_api_key = "a-key-for-serper"\n')
    found = examine("--config", str(file)) if by_flag else examine(DOWSE_CONFIG=str(file))
    assert found.told("config_file") == ("ok", f"{file} was read and is trusted.", "")
    assert found.one("provider.serper")["state"] == "ok"


def test_a_file_of_the_working_directory_is_not_trusted_and_says_what_was_ignored(
    examine: Examine, tmp_path: Path
) -> None:
    file = tmp_path / "dowse.toml"
    file.write_text('serper_api_key = "x"\nsearxng_url = "https://evil.example"\ndeadline_s = 20\n')
    found = examine()
    check = found.one("config_file")
    assert check["state"] == "warning"
    assert check["summary"].endswith("serper_api_key, searxng_url are ignored.")
    assert check["fix"] == f"If the file is yours, name it: export DOWSE_CONFIG={file}"
    assert check["details"] == {"path": str(file), "trusted": False, "ignored": ["serper_api_key", "searxng_url"]}
    # Said once.
    assert found.told("setting") == ("ok", "Every setting is known and valid.", "")


def test_a_harmless_file_of_the_working_directory_is_fine(examine: Examine, tmp_path: Path) -> None:
    (tmp_path / "dowse.toml").write_text("deadline_s = 20\n")
    state, summary, fix = examine().told("config_file")
    assert (state, fix) == ("ok", "")
    assert summary.endswith("; it has none.")


def test_a_misspelt_name_is_told_with_the_nearest_one(examine: Examine, tmp_path: Path) -> None:
    (tmp_path / "dowse.toml").write_text('falback = "any"\n')
    found = examine(DOWSE_OFLINE="1", SERPER_API_KEY="a-key-for-serper")
    assert found.code == 0
    assert [(check["state"], check["summary"]) for check in found.all("setting")] == [
        ("warning", f"{tmp_path}/dowse.toml: falback is not a setting of dowse; did you mean fallback?"),
        ("warning", "DOWSE_OFLINE is not a setting of dowse; did you mean DOWSE_OFFLINE?"),
    ]


def test_every_invalid_setting_is_told_and_the_rest_is_examined_all_the_same(examine: Examine) -> None:
    found = examine(
        DOWSE_DEADLINE_S="soon",
        DOWSE_SEARCH_ORDER="tavily,google,serper",
        DOWSE_JWT_ISSUER="https://issuer.example",
        SERPER_API_KEY="a-key-for-serper",
    )
    assert found.code == 2
    assert [check["summary"] for check in found.all("setting")] == [
        "DOWSE_DEADLINE_S is 'soon', but it takes a duration above zero such as 15s, 500ms or 15.",
        f"DOWSE_SEARCH_ORDER names 'google', but it takes names out of {', '.join((*SEARCHERS, *KEYLESS))}.",
        "DOWSE_JWT_AUDIENCE and DOWSE_JWKS_URL must be set too: JSON Web Tokens need issuer, audience and keys.",
    ]
    assert {check["state"] for check in found.all("setting")} == {"problem"}
    assert found.one("search")["details"]["order"] == ["serper"]


@pytest.mark.parametrize("text", [None, "not = [toml"])
def test_a_file_that_cannot_be_read_is_a_problem(examine: Examine, tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "mine.toml"
    if text:
        file.write_text(text)
    found = examine(DOWSE_CONFIG=str(file), SERPER_API_KEY="a-key-for-serper")
    assert found.code == 2
    assert str(file) in found.one("setting")["summary"]
    assert found.told("config_file")[0] == "off"
    assert found.one("provider.serper")["state"] == "ok"


# Providers


def test_no_provider_is_a_problem_that_names_the_ways_out(examine: Examine) -> None:
    found = examine()
    state, _, fix = found.told("search")
    assert (found.code, state) == (1, "problem")
    assert all(name in fix for name in ("SERPER_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY", "SEARXNG_URL"))


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("serper", "SERPER_API_KEY"),
        ("exa", "EXA_API_KEY"),
        ("tavily", "TAVILY_API_KEY"),
        ("searxng", "SEARXNG_URL"),
    ],
)
def test_a_provider_tells_why_it_is_or_is_not_asked(
    examine: Examine, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    flag, value = f"{provider.upper()}_ENABLED", "https://search.example"
    name = f"provider.{provider}"
    assert examine().told(name) == ("off", f"Not used: {variable} is not set.", f"Set {variable} to use it.")
    assert examine(**{flag: "true"}).told(name) == (
        "warning",
        f"{flag} is true, but {variable} is not set, so {provider} is not used.",
        f"Set {variable}, or remove {flag}.",
    )
    assert examine(**{variable: value, flag: "false"}).told(name) == (
        "off",
        f"Not used: {flag}=false switches it off; {variable} is set.",
        f"Remove {flag} to use it.",
    )
    monkeypatch.delenv(flag)
    found = examine()
    assert found.one(name)["state"] == "ok"
    assert found.one(name)["summary"].startswith(f"Called first; {variable} is set")
    other = "exa" if provider != "exa" else "serper"
    assert examine(DOWSE_SEARCH_ORDER=other).told(name) == (
        "off",
        f"Not used: DOWSE_SEARCH_ORDER leaves it out; {variable} is set.",
        f"Set DOWSE_SEARCH_ORDER={other},{provider} to use it.",
    )


def test_the_contradiction_of_a_flag_and_no_key_is_told_once(examine: Examine) -> None:
    found = examine(EXA_ENABLED="true", SERPER_API_KEY="a-key-for-serper")
    assert found.one("setting")["state"] == "ok"
    assert found.code == 0


def test_places_follow_the_order(examine: Examine) -> None:
    keys = {f"{name}_API_KEY": f"a-key-for-{name}" for name in ("SERPER", "EXA", "TAVILY")}
    found = examine(DOWSE_SEARCH_ORDER="tavily,serper", **keys)
    assert found.one("search")["summary"] == "Searches use tavily, then serper."
    places = {name: found.one(f"provider.{name}")["details"].get("place") for name in ("serper", "exa", "tavily")}
    assert places == {"serper": 2, "exa": None, "tavily": 1}
    named = [check["name"] for check in found.checks if check["name"].startswith("provider.")]
    with_credential = [
        "provider.tavily",
        "provider.serper",
        *(f"provider.{name}" for name in SEARCHERS if name not in ("tavily", "serper")),
    ]
    assert named[: len(with_credential)] == with_credential
    assert set(named[len(with_credential) :]) == {f"provider.{name}" for name in KEYLESS}


def test_a_provider_without_a_key_that_is_not_asked_has_its_reason_and_the_change(examine: Examine) -> None:
    found = examine(SERPER_API_KEY="a-key-for-serper", DOWSE_KEYLESS="on", YOU_KEYLESS_ENABLED="false")
    told = {name: found.one(f"provider.{name}") for name in ("mwmbl", "gdelt", "you_keyless")}
    assert {check["state"] for check in told.values()} == {"off"}
    assert {name: (check["summary"], check["fix"]) for name, check in told.items()} == {
        "mwmbl": ("Not used: a search provider is configured.", "Name it in DOWSE_SEARCH_ORDER to use it."),
        "gdelt": ("Not used: GDELT_ENABLED is not set.", "Set GDELT_ENABLED=true to use it."),
        "you_keyless": ("Not used: YOU_KEYLESS_ENABLED is false.", "Set YOU_KEYLESS_ENABLED=true to use it."),
    }


@pytest.mark.parametrize(
    "address",
    [
        "https://maria:a-secret@gate.example:8443/search?key=a-secret#a-secret",
        "https:/maria:a-secret@gate.example:8443/search",
        "https:\\\\maria:a-secret@gate.example:8443/search",
    ],
)
def test_another_endpoint_is_shown_without_what_may_be_secret_in_it(examine: Examine, address: str) -> None:
    found = examine(SERPER_API_KEY="a-key-for-serper", SERPER_SEARCH_ENDPOINT=address, SEARXNG_URL=address)
    for name in ("provider.serper", "provider.searxng"):
        assert found.one(name)["details"]["endpoint"] == "https://gate.example:8443/search"
        assert "searches go to https://gate.example:8443/search" in found.one(name)["summary"]
    assert "a-secret" not in json.dumps(found.checks)
    assert "endpoint" not in found.one("provider.exa")["details"]


def test_the_usual_endpoint_is_not_worth_a_word(examine: Examine) -> None:
    check = examine(SERPER_API_KEY="a-key-for-serper").one("provider.serper")
    assert check["summary"] == "Called first; SERPER_API_KEY is set, it also reads pages."
    assert "endpoint" not in check["details"]


# Reading


def test_pages_are_read_directly_first_unless_told_otherwise(examine: Examine) -> None:
    found = examine(SERPER_API_KEY="a-key-for-serper")
    assert found.one("reading")["details"] == {"read_order": "direct-first", "chain": ["direct", "serper"]}
    assert found.one("provider.serper")["details"]["reads_pages"] is True
    assert found.one("offline")["state"] == "ok"


def test_sites_with_readers_of_their_own_are_named_with_what_a_credential_would_add(examine: Examine) -> None:
    check = examine().one("sites")
    assert (check["state"], check["details"]["GITHUB_TOKEN"]) == ("ok", "not set")
    assert "stackexchange, github, wikipedia" in check["summary"]
    assert "GITHUB_TOKEN and STACKEXCHANGE_KEY" in check["summary"]
    check = examine(GITHUB_TOKEN="a-token-for-github").one("sites")
    assert (check["details"]["GITHUB_TOKEN"], "GITHUB_TOKEN" in check["summary"]) == ("set", False)


def test_scrape_first_names_who_reads_pages_and_dowse_itself_last(examine: Examine) -> None:
    found = examine(
        SERPER_API_KEY="a-key-for-serper", TAVILY_API_KEY="a-key-for-tavily", DOWSE_READ_ORDER="scrape-first"
    )
    assert found.told("reading") == (
        "ok",
        "Pages are read by serper, then tavily, then direct; DOWSE_READ_ORDER is scrape-first.",
        "",
    )
    assert "it also reads pages" in found.one("provider.serper")["summary"]


def test_an_endpoint_for_pages_is_told_where_pages_are_read(examine: Examine) -> None:
    check = examine(SERPER_API_KEY="a-key-for-serper", SERPER_SCRAPE_ENDPOINT="https://u:p@scrape.example/x").one(
        "provider.serper"
    )
    assert check["details"]["read_endpoint"] == "https://scrape.example/x"
    assert check["summary"] == (
        "Called first; SERPER_API_KEY is set, it also reads pages, pages to https://scrape.example/x."
    )


def test_who_is_left_out_of_the_order_of_searches_reads_pages_all_the_same(examine: Examine) -> None:
    found = examine(
        SERPER_API_KEY="a-key-for-serper",
        EXA_API_KEY="a-key-for-exa",
        DOWSE_SEARCH_ORDER="exa",
        DOWSE_READ_ORDER="scrape-first",
    )
    assert found.one("reading")["details"]["chain"] == ["serper", "exa", "direct"]


def test_scrape_first_without_a_scrape_api_is_a_warning(examine: Examine) -> None:
    found = examine(SEARXNG_URL="https://search.example", DOWSE_READ_ORDER="scrape-first")
    assert found.code == 0
    assert found.one("reading")["state"] == "warning"
    assert "DOWSE_READ_ORDER=direct-first" in found.one("reading")["fix"]


def test_offline_mode_is_a_warning(examine: Examine) -> None:
    found = examine(SERPER_API_KEY="a-key-for-serper", DOWSE_OFFLINE="true")
    assert found.code == 0
    assert found.told("offline") == (
        "warning",
        "Offline mode is on, so every search and every page is refused.",
        "Unset DOWSE_OFFLINE.",
    )


# The report


def test_the_report_groups_findings_and_ends_with_a_tally(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOWSE_OFLINE", "1")
    assert main(["doctor"]) == 1
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert captured.err == ""
    assert "\x1b" not in captured.out
    groups = [line for line in lines if re.fullmatch(r"[a-z]+", line)]
    assert groups == ["installation", "configuration", "search", "reading", "server", "callers", "probe"]
    at = next(index for index, line in enumerate(lines) if line.startswith("  problem search: "))
    assert lines[at + 1].startswith("          fix: Set SERPER_API_KEY or TAVILY_API_KEY")
    assert "          Set EXA_API_KEY to use it." in lines
    assert lines[-1] == "1 problem, 1 warning"


def test_a_report_without_a_fault_says_so(capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "a-key-for-serper")
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "nothing is wrong"


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["doctor"]) == 1
    assert "\x1b[1minstallation\x1b[0m" in stream.shown
    assert "\x1b[31mproblem \x1b[0m" in stream.shown
    assert stream.shown.endswith("\x1b[31m1 problem\x1b[0m\n")


def test_no_control_character_of_a_file_or_a_setting_reaches_the_terminal(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = tmp_path / "here\x1b[2J\x9b"
    here.mkdir()
    monkeypatch.chdir(here)
    assert main(["doctor", "--json"]) == 1
    file = tmp_path / "x\x1b[2J\x9b.toml"
    file.write_text('"bad\\u001b[2J" = 1\n')
    monkeypatch.setenv("DOWSE_CONFIG", str(file))
    monkeypatch.setenv("DOWSE_TOKENS_FILE", str(tmp_path / "t\x1b[2J\x9b"))
    monkeypatch.setenv("DOWSE_CONTRACT", "x\x1b[2J\x9b")
    for flags in ([], ["--json"]):
        assert main(["doctor", *flags]) == 2
        shown = "".join(capsys.readouterr())
        assert [character for character in shown if character != "\n" and not character.isprintable()] == []


def test_a_secret_inside_another_setting_is_masked(examine: Examine, tmp_path: Path) -> None:
    key = "a-key-for-serper"
    found = examine(
        SERPER_API_KEY=key, DOWSE_TOKENS_FILE=f"{tmp_path}/{key}", DOWSE_STATE=f"sqlite:///{tmp_path}/{key}"
    )
    assert found.one("tokens")["summary"].startswith(f"The tokens file {tmp_path}/[redacted] cannot be read")
    assert found.one("store")["details"]["path"] == f"{tmp_path}/[redacted]"
    assert key not in json.dumps(found.checks)


def test_a_key_that_is_an_ordinary_word_does_not_spoil_the_names(examine: Examine) -> None:
    """Short keys are masked in what is said, but not in what programs read."""
    found = examine(SERPER_API_KEY="ok")
    assert found.one("search")["state"] == "ok"


def test_help_says_that_a_probe_costs_something(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--help"])
    assert ended.value.code == 0
    assert "this uses one paid call of each" in " ".join(capsys.readouterr().out.split())
