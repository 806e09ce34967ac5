"""`dowse token`: a token is shown once, its hash goes into the file, and the file stays the owner's."""

from __future__ import annotations

import json
import re
import stat
import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dowse.auth.tokens import TokenEntry, digest, read_tokens_file
from dowse.core.allowances import Rate
from dowse.surfaces.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "tokens.toml"
    monkeypatch.setenv("DOWSE_TOKENS_FILE", str(path))
    return path


def made(capsys: Captured, *arguments: str) -> tuple[str, str]:
    """A new token, and what was said about it."""
    assert main(["token", "new", *arguments]) == 0
    captured = capsys.readouterr()
    assert re.fullmatch(r"dowse_[\w-]{43}\n", captured.out)
    token = captured.out.strip()
    assert token not in captured.err, "it is shown once"
    return token, captured.err


def test_a_new_token_is_printed_and_its_hash_goes_into_the_file(file: Path, capsys: Captured) -> None:
    token, said = made(capsys, "alice")
    assert read_tokens_file(file) == (TokenEntry("alice", digest(token)),)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert str(file) in said
    assert "alice" in said


def test_limits_and_contracts_go_into_the_file_too(file: Path, capsys: Captured) -> None:
    made(capsys, "alice")
    token, _ = made(
        capsys, "ci.main", "--contract", "jan", "--contract=dowse", "--limit", "web_search=20/10m", "--limit=scrape=5/s"
    )
    limits = {"web_search": Rate(20, 600.0), "scrape": Rate(5, 1.0)}
    contracts = frozenset(["jan", "dowse"])
    assert read_tokens_file(file)[1] == TokenEntry("ci.main", digest(token), limits, contracts)


def test_the_file_can_be_a_flag(tmp_path: Path, file: Path, capsys: Captured) -> None:
    other = tmp_path / "other.toml"
    token, _ = made(capsys, "alice", "--file", str(other))
    assert read_tokens_file(other) == (TokenEntry("alice", digest(token)),)
    assert not file.exists()


def test_without_a_file_the_entry_is_shown_for_pasting(tmp_path: Path, capsys: Captured) -> None:
    token, said = made(capsys, "alice")
    entry = said[said.index("[alice]") : said.index("dowse: or")]
    assert tomllib.loads(entry) == {"alice": {"hash": f"sha256:{digest(token)}"}}
    assert "DOWSE_TOKENS=alice:TOKEN" in said
    assert list(tmp_path.iterdir()) == []


def test_the_variable_is_not_offered_for_what_it_cannot_hold(capsys: Captured) -> None:
    _, said = made(capsys, "alice", "--limit", "web_search=1/m")
    assert "DOWSE_TOKENS=" not in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["al ice"], "A name has up to 64 letters, digits, dots, dashes and underscores."),
        (["a:b"], "A name has up to 64 letters"),
        ([""], "A name has up to 64 letters"),
        (["bob", "--contract", "bing"], "--contract is 'bing', but it takes one of dowse, kindly, jan"),
        (["bob", "--limit", "web_search"], "--limit is 'web_search', but it takes TOOL=RATE such as"),
        (["bob", "--limit", "web_serach=1/m"], "--limit is 'web_serach=1/m', but it takes TOOL=RATE"),
        (["bob", "--limit", "web_search=often"], "--limit is 'web_search=often'"),
        (["bob", "--scope", "tools,admin"], "--scope is 'admin', but it takes tools, wires, metrics, console."),
        (["bob", "--scope", "admin"], "--scope is 'admin', but it takes tools, wires, metrics, console."),
        (["bob", "--scope", ""], "--scope is '', but it takes tools, wires, metrics, console."),
        (["bob", "--expires", "90"], "--expires is '90', but it takes a time such as 90d or 12h."),
        (["bob", "--expires", "0d"], "--expires is '0d', but it takes"),
        (["alice"], "alice is in {file} already; `dowse token revoke alice` takes it out."),
        (["env"], "env is in DOWSE_TOKENS already"),
        (["bob", "--file", "/nowhere/at/all.toml"], "cannot be written: no such file or directory"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    made(capsys, "alice")
    before = file.read_bytes()
    monkeypatch.setenv("DOWSE_TOKENS", "env:a-token-of-the-environment")
    assert main(["token", "new", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("dowse: ")
    assert sentence.format(file=file) in captured.err
    assert captured.err.count("\n") == 1
    assert file.read_bytes() == before


def test_a_file_that_is_not_in_order_is_not_touched(file: Path, capsys: Captured) -> None:
    file.write_text("[alice]\n")
    for arguments in (["new", "bob"], ["list"]):
        assert main(["token", *arguments]) == 2
        captured = capsys.readouterr()
        assert (captured.out, "alice takes hash" in captured.err) == ("", True)
    assert file.read_text() == "[alice]\n"


def test_the_list_shows_names_contracts_and_limits_but_no_hash(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, _ = made(capsys, "ci", "--contract", "jan", "--limit", "scrape=20/10m")
    monkeypatch.setenv("DOWSE_TOKENS", "env:a-token-of-the-environment")
    assert main(["token", "list"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines() == [
        "env  dowse, kindly, jan, swissarmyhammer, answers  the limits of the settings  not used yet",
        "ci  jan  scrape 20/10m  not used yet",
    ]
    assert main(["token", "list", "--json"]) == 0
    listed = capsys.readouterr().out
    assert json.loads(listed)[1] == {
        "name": "ci",
        "contracts": ["jan"],
        "limits": {"scrape": "20/10m"},
        "scopes": None,
        "expires": None,
        "expired": False,
        "last_used": None,
        "source": str(file),
    }
    for text in (shown, listed):
        assert digest(token) not in text
        assert "a-token-of-the-environment" not in text


@pytest.mark.promise("token-scopes")
def test_scopes_and_the_end_go_into_the_file_and_are_listed(file: Path, capsys: Captured) -> None:
    before = datetime.now(UTC)
    made(capsys, "scraper", "--scope", "metrics", "--expires", "90d")
    made(capsys, "both", "--scope", "tools,metrics", "--scope=tools")
    scraper, both = read_tokens_file(file)
    assert (scraper.scopes, both.scopes, both.expires) == (
        frozenset({"metrics"}),
        frozenset({"tools", "metrics"}),
        None,
    )
    assert scraper.expires is not None
    assert timedelta(0) <= before + timedelta(days=90) - scraper.expires + timedelta(seconds=60) <= timedelta(minutes=2)
    assert main(["token", "list"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert f"scopes metrics  expires {scraper.expires:%Y-%m-%d %H:%M} UTC  not used yet" in shown[0]
    assert shown[1].endswith("the limits of the settings  scopes metrics, tools  not used yet")
    assert main(["token", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["scopes"] == ["metrics"]


def test_an_expired_token_is_listed_as_such(file: Path, capsys: Captured) -> None:
    file.write_text(f'[alice]\nhash = "sha256:{digest("a")}"\nexpires = 2020-02-02\n')
    assert main(["token", "list"]) == 0
    assert "expired 2020-02-02 00:00 UTC" in capsys.readouterr().out


@pytest.mark.promise("token-rotate")
def test_a_rotated_token_keeps_its_name_and_restrictions(file: Path, capsys: Captured) -> None:
    old, _ = made(capsys, "ci", "--limit", "web_search=20/10m", "--scope", "tools", "--expires", "90d")
    made(capsys, "bob")
    (before, bob) = read_tokens_file(file)
    assert main(["token", "rotate", "ci"]) == 0
    captured = capsys.readouterr()
    new = captured.out.strip()
    assert new != old
    assert "the previous token of ci is not accepted any more" in captured.err
    assert read_tokens_file(file) == (replace(before, digest=digest(new)), bob)


def test_rotating_may_set_another_end_and_has_to_after_the_old_one(file: Path, capsys: Captured) -> None:
    file.write_text(f'# Alice.\n[alice]\nhash = "sha256:{digest("a")}" # hers\nexpires = 2020-02-02T00:00:00Z\n')
    assert main(["token", "rotate", "alice"]) == 2
    assert capsys.readouterr().err == "dowse: alice has expired; add --expires, such as --expires 90d.\n"
    assert main(["token", "rotate", "alice", "--expires", "12h"]) == 0
    (entry,) = read_tokens_file(file)
    assert not entry.is_expired(datetime.now(UTC))
    assert "# Alice.\n" in file.read_text()
    assert "# hers\n" in file.read_text()


@pytest.mark.parametrize(
    ("name", "sentence"), [("bob", "has no entry bob"), ("env", "is in DOWSE_TOKENS; change it there")]
)
def test_a_token_that_is_not_in_the_file_cannot_be_rotated(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    made(capsys, "alice")
    monkeypatch.setenv("DOWSE_TOKENS", "env:a-token-of-the-environment")
    assert main(["token", "rotate", name]) == 2
    captured = capsys.readouterr()
    assert (captured.out, sentence in captured.err) == ("", True)


def test_scripts_create_rotate_and_revoke_with_json(file: Path, capsys: Captured) -> None:
    assert main(["token", "new", "ci", "--expires", "90d", "--json"]) == 0
    captured = capsys.readouterr()
    new = json.loads(captured.out)
    (entry,) = read_tokens_file(file)
    assert entry.expires is not None
    assert new == {"name": "ci", "token": new["token"], "file": str(file), "expires": entry.expires.isoformat()}
    assert (entry.digest, new["token"] in captured.err) == (digest(new["token"]), False)
    assert main(["token", "rotate", "ci", "--json"]) == 0
    rotated = json.loads(capsys.readouterr().out)
    assert rotated == {**new, "token": rotated["token"]}, "the end is kept"
    assert read_tokens_file(file)[0].digest == digest(rotated["token"])
    assert main(["token", "revoke", "ci", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"revoked": "ci"}


def test_without_a_file_and_an_end_both_are_null_in_json(capsys: Captured) -> None:
    assert main(["token", "new", "ci", "--json"]) == 0
    new = json.loads(capsys.readouterr().out)
    assert new == {"name": "ci", "token": new["token"], "file": None, "expires": None}


def test_an_empty_list_says_what_to_do(capsys: Captured) -> None:
    assert main(["token", "list"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, "dowse token new NAME" in captured.err) == ("", True)


def test_a_revoked_token_is_gone_and_its_name_is_free_again(file: Path, capsys: Captured) -> None:
    made(capsys, "alice")
    kept, _ = made(capsys, "bob")
    assert main(["token", "revoke", "alice"]) == 0
    assert read_tokens_file(file) == (TokenEntry("bob", digest(kept)),)
    assert "alice is removed from" in capsys.readouterr().err
    made(capsys, "alice")


@pytest.mark.parametrize(("name", "sentence"), [("bob", "has no entry bob"), ("env", "is in DOWSE_TOKENS")])
def test_a_token_that_is_not_in_the_file_cannot_be_revoked(
    file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    made(capsys, "alice")
    monkeypatch.setenv("DOWSE_TOKENS", "env:a-token-of-the-environment")
    assert main(["token", "revoke", name]) == 2
    assert sentence in capsys.readouterr().err


def test_without_a_file_nothing_can_be_revoked(capsys: Captured) -> None:
    assert main(["token", "revoke", "alice"]) == 2
    assert "name it with --file or DOWSE_TOKENS_FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("action", "flags"),
    [
        ("new", ["name", "--file", "--contract", "--limit", "--scope", "--expires", "--json", "--config"]),
        ("rotate", ["name", "--file", "--expires", "--json"]),
        ("list", ["--file", "--json", "--config"]),
        ("revoke", ["name", "--file", "--json"]),
    ],
)
def test_the_help_of_an_action_explains_every_flag(capsys: Captured, action: str, flags: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["token", action, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: dowse token {action}")
    for flag in flags:
        (line,) = [words for words in map(str.split, shown.splitlines()) if words[:1] == [flag]]
        assert len(line) > 2, f"{flag} is explained"


def test_the_action_has_to_be_named(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["token"])
    assert caught.value.code == 2
    assert "Try: dowse token --help" in capsys.readouterr().err


def test_the_help_says_where_a_name_turns_up(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main(["token", "new", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "name of the caller in logs, limits and usage" in told
