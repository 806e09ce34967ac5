"""`dowse doctor` at a shell: what is served, how often, and to whom."""

import json
import os
from pathlib import Path

import pytest

from dowse.auth.tokens import digest
from tests.support.command_line import Examine

TOKEN = "dowse_a-token-that-nobody-guesses-0123456789"


# Server


def test_the_contract_and_its_tools_are_told(examine: Examine) -> None:
    check = examine(DOWSE_CONTRACT="kindly").one("contract")
    assert check["summary"] == "MCP clients are offered the contract kindly: web_search, get_content."
    assert check["details"] == {"contract": "kindly", "tools": ["web_search", "get_content"]}


def test_limits_are_told_and_one_that_limits_nothing_is_a_warning(examine: Examine) -> None:
    assert examine(DOWSE_CONTRACT="kindly").one("limits")["state"] == "off"
    assert (
        examine(DOWSE_CONTRACT="answers").one("limits")["summary"]
        == "Each caller may use search_web 20 times in 600 seconds."
    )
    assert examine(DOWSE_CONTRACT="dowse").one("limits")["state"] == "off"
    good, idle = examine(DOWSE_LIMIT_WEB_SEARCH="20/10m", DOWSE_LIMIT_SCRAPE="5/m").all("limits")
    assert (good["state"], good["summary"]) == (
        "ok",
        "Each caller may use web_search 20 times in 600 seconds.",
    )
    assert (idle["state"], idle["summary"], idle["fix"]) == (
        "warning",
        "DOWSE_LIMIT_SCRAPE has no effect: the contract dowse has no tool scrape.",
        "Remove DOWSE_LIMIT_SCRAPE, or limit one of web_search, get_content, answer_question.",
    )


# Callers


def tokens_file(path: Path, text: str = "", mode: int = 0o600) -> str:
    path.write_text(text or f'[alice]\nhash = "sha256:{digest(TOKEN)}"\n')
    path.chmod(mode)
    return str(path)


def test_without_tokens_only_this_machine_is_served(examine: Examine) -> None:
    state, summary, fix = examine().told("tokens")
    assert (state, summary) == ("off", "There are no tokens, so the HTTP server answers this machine only.")
    assert "dowse token new NAME" in fix


@pytest.mark.parametrize(
    ("name", "value"), [("DOWSE_ALLOWED_HOSTS", "search.example.org"), ("DOWSE_TRUSTED_PROXIES", "127.0.0.1")]
)
def test_a_proxy_without_tokens_is_a_warning(examine: Examine, name: str, value: str) -> None:
    state, summary, fix = examine(**{name: value}).told("tokens")
    assert (state, "every client of the proxy has access" in summary, "dowse token new NAME" in fix) == (
        "warning",
        True,
        True,
    )


def test_a_host_beyond_loopback_without_tokens_is_a_problem(examine: Examine) -> None:
    found = examine(DOWSE_HOST="0.0.0.0", SERPER_API_KEY="a-key-for-serper")
    state, summary, fix = found.told("tokens")
    assert (found.code, state) == (1, "problem")
    assert "refuses to listen on 0.0.0.0" in summary
    assert "dowse token new NAME" in fix


def test_callers_are_named_with_their_limits_and_contracts_and_never_their_tokens(
    examine: Examine, tmp_path: Path
) -> None:
    entry = f'["ci"]\nhash = "sha256:{digest("x" * 40)}"\ncontracts = ["dowse"]\nlimits = {{ web_search = "20/10m" }}\n'
    found = examine(
        DOWSE_TOKENS_FILE=tokens_file(tmp_path / "tokens.toml", entry),
        DOWSE_TOKENS=f"alice:{TOKEN}",
        SERPER_API_KEY="a-key-for-serper",
    )
    assert found.code == 0
    assert found.told("tokens") == (
        "ok",
        "2 callers with a token: alice; ci (web_search 20 times in 600 seconds, contracts dowse).",
        "",
    )
    unrestricted = {"scopes": None, "expires": None}
    assert found.one("tokens")["details"]["callers"] == [
        {"name": "alice", "limits": {}, "contracts": None, **unrestricted},
        {"name": "ci", "limits": {"web_search": "20 times in 600 seconds"}, "contracts": ["dowse"], **unrestricted},
    ]
    written = json.dumps(found.checks)
    assert TOKEN not in written
    assert digest("x" * 40) not in written


def test_a_token_that_does_not_go_with_what_is_served_is_a_warning(examine: Examine, tmp_path: Path) -> None:
    entry = f'[ci]\nhash = "sha256:{digest(TOKEN)}"\ncontracts = ["kindly"]\nlimits = {{ scrape = "2/m" }}\n'
    found = examine(DOWSE_TOKENS_FILE=tokens_file(tmp_path / "tokens.toml", entry))
    _, contract, limit = found.all("tokens")
    assert (contract["state"], limit["state"]) == ("warning", "warning")
    assert contract["summary"].endswith("it serves the contract dowse, and the token is for kindly.")
    assert limit["summary"] == "The limit of ci has no effect: the contract dowse has no tool scrape."


@pytest.mark.parametrize(
    ("text", "words", "fix"),
    [
        (None, "cannot be read: no such file or directory", "Run `dowse token new NAME`"),
        ("[alice\n", "is not valid TOML", "Correct the file"),
        ('[alice]\nhash = "sha256:12"\n', "64 hexadecimal digits", "Correct the file"),
        ("[alice]\nhash = 'sha256:{0}'\n[bob]\nhash = 'sha256:{0}'\n", "have the same hash", "Correct the file"),
        ("[bob]\nhash = 'sha256:{0}'\n", "has the token of alice in DOWSE_TOKENS", "Correct the file"),
    ],
)
def test_a_tokens_file_that_is_not_in_order_is_a_problem(
    examine: Examine, tmp_path: Path, text: str | None, words: str, fix: str
) -> None:
    file = tmp_path / "tokens.toml"
    if text:
        tokens_file(file, text.format(digest(TOKEN)))
    found = examine(DOWSE_TOKENS_FILE=str(file), DOWSE_TOKENS=f"alice:{TOKEN}", SERPER_API_KEY="a-key-for-serper")
    check = found.one("tokens")
    assert (found.code, check["state"]) == (1, "problem")
    assert words in check["summary"]
    assert fix in check["fix"]
    assert digest(TOKEN) not in json.dumps(found.checks)


def test_a_tokens_file_without_entries_admits_no_caller(examine: Examine, tmp_path: Path) -> None:
    found = examine(DOWSE_TOKENS_FILE=tokens_file(tmp_path / "tokens.toml", "# nobody yet\n"))
    assert found.told("tokens")[0] == "problem"
    assert found.told("tokens")[2] == "Run `dowse token new NAME`."


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_tokens_file_that_others_can_read_is_a_warning_with_the_command(examine: Examine, tmp_path: Path) -> None:
    path = tmp_path / "my tokens.toml"
    found = examine(DOWSE_TOKENS_FILE=tokens_file(path, mode=0o644))
    assert found.told("tokens_file") == (
        "warning",
        f"{path} can be read or changed by other users of this machine.",
        f"chmod 600 '{path}'",
    )
    path.chmod(0o600)
    assert examine().all("tokens_file") == []


def test_a_short_token_is_a_warning(examine: Examine) -> None:
    named, short = examine(DOWSE_TOKENS="alice:hunter2").all("tokens")
    assert named["state"] == "ok"
    assert short["state"] == "warning"
    assert short["fix"] == "Run `dowse token new alice` and use that one."
    assert "hunter2" not in json.dumps([named, short])


def test_json_web_tokens_are_told_with_issuer_and_audience(examine: Examine) -> None:
    found = examine(
        DOWSE_JWT_ISSUER="https://issuer.example",
        DOWSE_JWT_AUDIENCE="dowse",
        DOWSE_JWKS_URL="https://maria:a-secret@issuer.example/jwks.json?k=a-secret",
    )
    assert found.one("jwt")["details"] == {
        "issuer": "https://issuer.example",
        "audience": "dowse",
        "keys": "https://issuer.example/jwks.json",
    }
    assert found.one("tokens")["state"] == "off"
    assert "a-secret" not in json.dumps(found.checks)
