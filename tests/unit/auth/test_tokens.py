"""Tokens are made at random, kept as digests, and their file is refused in words that tell no secret."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dowse.auth.tokens import TOOLS, TokenEntry, digest, mint, read_tokens_file
from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError
from dowse.core.models import Principal
from tests.support.tables import each_row

HASH = digest("one-token")
OTHER = digest("another-token")


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tokens.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_minted_token_has_a_prefix_and_43_url_safe_characters() -> None:
    first, second = mint(), mint()
    assert re.fullmatch(r"dowse_[A-Za-z0-9_-]{43}", first)
    assert first != second


def test_a_digest_is_sha256_in_hexadecimal() -> None:
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_entries_carry_limits_and_contracts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        f'# who\n[alice]\nhash = "sha256:{HASH}"\n\n["ci.main"]\nhash = "sha256:{OTHER}"\n'
        'contracts = ["jan", "dowse"]\nlimits = { web_search = "20/10m", scrape = "5/s" }\n',
    )
    limits = {"web_search": Rate(20, 600.0), "scrape": Rate(5, 1.0)}
    ci = TokenEntry("ci.main", OTHER, limits, frozenset(["jan", "dowse"]))
    assert read_tokens_file(path) == (TokenEntry("alice", HASH), ci)
    assert ci.principal == Principal("ci.main", limits, frozenset(["jan", "dowse"]))


def test_an_empty_file_has_no_entries(tmp_path: Path) -> None:
    assert read_tokens_file(written(tmp_path, "")) == ()


def test_the_digest_of_an_entry_is_not_shown() -> None:
    assert HASH not in repr(TokenEntry("alice", HASH))


def test_tools_that_can_be_limited_are_those_of_the_settings() -> None:
    assert {"web_search", "get_content", "google_search", "scrape"} <= set(TOOLS)


SECRET = "dowse_SECRETsecretSECRETsecretSECRETsecretSECRETse"
GOOD = f'hash = "sha256:{HASH}"'
WRONG = {
    f'alice = "{SECRET}"': "alice is not a table",
    "[alice]": 'alice takes hash = "sha256:" and 64 hexadecimal digits',
    f'[alice]\nhash = "{SECRET}"': "alice takes hash =",
    f'[alice]\nhash = "{HASH}"': "alice takes hash =",
    f'[alice]\nhash = "sha256:{HASH.upper()}"': "alice takes hash =",
    f'[alice]\nhash = "sha256:{HASH}0"': "alice takes hash =",
    f'[alice]\nhash = "sha512:{HASH}"': "alice takes hash =",
    f"[alice]\nhash = [{HASH[:0]}]": "alice takes hash =",
    f"[alice]\n{GOOD}\nlimit = 1": "alice has the unknown key limit",
    f"[alice]\n{GOOD}\n{SECRET} = 1": "alice has the unknown key an entry",
    f"[alice]\n{GOOD}\ncontracts = []": "alice takes contracts out of dowse, kindly, jan, swissarmyhammer",
    f'[alice]\n{GOOD}\ncontracts = "jan"': "alice takes contracts",
    f'[alice]\n{GOOD}\ncontracts = ["bing"]': "alice takes contracts",
    f"[alice]\n{GOOD}\ncontracts = [[1]]": "alice takes contracts",
    f'[alice]\n{GOOD}\nlimits = "20/10m"': "alice takes limits",
    f'[alice]\n{GOOD}\nlimits = {{ web_search = "often" }}': "alice takes limits",
    f"[alice]\n{GOOD}\nlimits = {{ web_search = 20 }}": "alice takes limits",
    f'[alice]\n{GOOD}\nlimits = {{ web_serach = "20/10m" }}': "alice takes limits",
    f"[alice]\n{GOOD}\nscopes = []": "alice takes scopes out of tools, wires, metrics, console in a list",
    f'[alice]\n{GOOD}\nscopes = "tools"': "alice takes scopes",
    f'[alice]\n{GOOD}\nscopes = ["tools", "admin"]': "alice takes scopes",
    f"[alice]\n{GOOD}\nscopes = [[1]]": "alice takes scopes",
    f'[alice]\n{GOOD}\nexpires = "2027-01-31"': "alice takes expires as a time such as 2027-01-31T12:00:00Z",
    f"[alice]\n{GOOD}\nexpires = 12:00:00": "alice takes expires",
    f"[a.b]\n{GOOD}": "a has the unknown key b",
    f'["al ice"]\n{GOOD}': "al ice is not a valid name",
    f'["{"a" * 65}"]\n{GOOD}': "an entry is not a valid name",
    f'["-alice"]\n{GOOD}': "-alice is not a valid name",
    f"[alice]\n{GOOD}\n[bob]\n{GOOD}": "alice and bob have the same hash",
    f"[alice]\n{GOOD}\n[alice]\n{GOOD}": "is not valid TOML at line 3",
    f'[alice]\nhash = "{SECRET}': "is not valid TOML",
    f"[alice]\nhash = {SECRET}": "is not valid TOML at line 2",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_not_in_order_is_refused_in_one_sentence_without_a_secret(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        read_tokens_file(path)
    sentence = str(refused.value)
    assert str(path) in sentence
    assert WRONG[text] in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert SECRET not in sentence
    assert HASH not in sentence.lower()


def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read: no such file or directory\."):
        read_tokens_file(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"latin\.toml is not UTF-8 text\."):
        read_tokens_file(tmp_path / "latin.toml")


@each_row(
    ("text", "meant"),
    [
        ("2027-01-31T12:00:00Z", datetime(2027, 1, 31, 12, tzinfo=UTC)),
        ("2027-01-31T13:00:00+01:00", datetime(2027, 1, 31, 12, tzinfo=UTC)),
        ("2027-01-31T12:00:00", datetime(2027, 1, 31, 12, tzinfo=UTC)),
        ("2027-01-31", datetime(2027, 1, 31, tzinfo=UTC)),
    ],
)
def test_the_end_of_a_token_is_a_date_or_a_time(tmp_path: Path, text: str, meant: datetime) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(f'[alice]\n{GOOD}\nscopes = ["metrics"]\nexpires = {text}\n')
    (entry,) = read_tokens_file(path)
    assert (entry.expires, entry.scopes) == (meant, frozenset({"metrics"}))
    assert not entry.is_expired(meant - timedelta(seconds=1))
    assert entry.is_expired(meant)
