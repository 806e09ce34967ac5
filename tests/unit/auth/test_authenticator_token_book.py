"""Who holds which token: settings and file together, the file followed as it changes."""

from __future__ import annotations

import hmac
import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from dowse.auth import authenticator as book_module
from dowse.auth.authenticator import TokenBook
from dowse.auth.tokens import digest
from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError
from tests.fakes import FakeClock

GIVEN = {"alice": SecretStr("alice-has-a-long-token")}


def entry(name: str, token: str, more: str = "") -> str:
    return f'[{name}]\nhash = "sha256:{digest(token)}"\n{more}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.toml"
    path.write_text(entry("ci", "ci-token", 'limits = { web_search = "2/m" }'))
    path.chmod(0o600)
    return path


def name_of(book: TokenBook, token: str) -> str | None:
    found = book.find(token)
    return found.name if found else None


def events(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records]


def test_tokens_of_settings_and_file_open_for_their_owners(file: Path, clock: FakeClock) -> None:
    book = TokenBook(GIVEN, file, clock)
    assert name_of(book, "alice-has-a-long-token") == "alice"
    found = book.find("ci-token")
    assert found is not None
    assert (found.name, found.limits) == ("ci", {"web_search": Rate(2, 60.0)})


@pytest.mark.parametrize(
    "token", ["", "x", "alice-has-a-long-toke", "alice-has-a-long-token0", "ALICE-HAS-A-LONG-TOKEN"]
)
def test_anything_else_authenticates_no_caller(file: Path, clock: FakeClock, token: str) -> None:
    assert TokenBook(GIVEN, file, clock).find(token) is None


def test_a_digest_is_no_token(clock: FakeClock) -> None:
    assert TokenBook(GIVEN, None, clock).find(digest("alice-has-a-long-token")) is None


@pytest.mark.parametrize("token", ["first-token-of-all", "wrong"])
def test_every_entry_is_compared_wherever_the_match_is(
    monkeypatch: pytest.MonkeyPatch, clock: FakeClock, token: str
) -> None:
    """Leaving at the match would tell its place by the time it takes."""
    compared: list[str] = []

    def counting(kept: str, presented: str) -> bool:
        compared.append(kept)
        return hmac.compare_digest(kept, presented)

    class Counting:
        compare_digest = staticmethod(counting)

    monkeypatch.setattr(book_module, "hmac", Counting)
    tokens = ["first-token-of-all", "second-token-of-all", "third-token-of-all"]
    book = TokenBook({f"p{index}": SecretStr(each) for index, each in enumerate(tokens)}, None, clock)
    book.find(token)
    assert compared == [digest(each) for each in tokens]


def test_a_name_or_token_in_both_places_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(entry("alice", "another-token"))
    with pytest.raises(ConfigError, match="alice is in DOWSE_TOKENS too"):
        TokenBook(GIVEN, file, clock)
    file.write_text(entry("bob", "alice-has-a-long-token"))
    with pytest.raises(ConfigError, match="bob has the token of alice in DOWSE_TOKENS") as refused:
        TokenBook(GIVEN, file, clock)
    assert digest("alice-has-a-long-token") not in str(refused.value)


def test_a_revoked_token_closes_within_a_second_and_a_new_one_opens(
    file: Path, clock: FakeClock, log: pytest.LogCaptureFixture
) -> None:
    book = TokenBook({}, file, clock)
    file.write_text(entry("new", "new-token"))
    clock.advance(0.9)
    assert name_of(book, "ci-token") == "ci", "looked at once a second at most"
    clock.advance(0.1)
    assert name_of(book, "ci-token") is None
    assert name_of(book, "new-token") == "new"
    assert events(log) == ["tokens file read again"]


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_noticed(file: Path, clock: FakeClock) -> None:
    book = TokenBook({}, file, clock)
    was = file.stat()
    other = file.with_suffix(".new")
    other.write_text(file.read_text().replace(digest("ci-token"), digest("another")))
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    other.replace(file)
    clock.advance(1)
    assert (name_of(book, "ci-token"), name_of(book, "another")) == (None, "ci")


@pytest.mark.parametrize("trouble", ["broken", "conflicting", "gone"])
def test_a_file_that_turns_bad_keeps_the_last_good_tokens_with_one_error_per_change(
    file: Path, clock: FakeClock, log: pytest.LogCaptureFixture, trouble: str
) -> None:
    good = file.read_text()
    book = TokenBook(GIVEN, file, clock)
    if trouble == "gone":
        file.unlink()
    else:
        file.write_text("[[[" if trouble == "broken" else entry("alice", "new-token-of-alice"))
    for _ in range(3):
        clock.advance(1)
        assert name_of(book, "ci-token") == "ci"
        assert name_of(book, "new-token-of-alice") is None
    assert events(log) == ["tokens file ignored, the previous tokens stay valid"]
    file.write_text(good + entry("new", "new-token"))
    clock.advance(1)
    assert name_of(book, "new-token") == "new"
    assert events(log)[1:] == ["tokens file read again"]


def test_a_file_that_could_not_be_read_for_a_moment_is_read_a_second_later(
    file: Path, clock: FakeClock, log: pytest.LogCaptureFixture
) -> None:
    """The change was made and seen; only the reading failed. A token that was revoked with it must not stay good."""
    book = TokenBook(GIVEN, file, clock)
    file.write_text("# everybody is out\n")
    readable, there = file.read_bytes(), file.stat()
    file.write_bytes(b"\xff" * len(readable))
    os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))
    clock.advance(1)
    assert name_of(book, "ci-token") == "ci"
    file.write_bytes(readable)
    os.utime(file, ns=(there.st_atime_ns, there.st_mtime_ns))
    clock.advance(1)
    assert name_of(book, "ci-token") is None


def test_the_start_warns_of_a_short_token_by_its_owner(clock: FakeClock, log: pytest.LogCaptureFixture) -> None:
    TokenBook({"bob": SecretStr("fifteen-letters"), **GIVEN}, None, clock)
    (record,) = log.records
    assert record.getMessage() == "token is short enough to be guessed"
    assert record.__dict__["dowse_fields"] == {"caller": "bob", "fix": "dowse token new bob"}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such bits")
@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True)])
def test_the_start_warns_of_a_file_that_others_can_read(
    file: Path, clock: FakeClock, log: pytest.LogCaptureFixture, mode: int, warned: bool
) -> None:
    file.chmod(mode)
    TokenBook({}, file, clock)
    assert events(log) == ["tokens file is readable by other users"] * warned


def test_the_start_warns_of_a_file_that_admits_no_caller(
    file: Path, clock: FakeClock, log: pytest.LogCaptureFixture
) -> None:
    file.write_text("# nobody yet\n")
    TokenBook({}, file, clock)
    assert events(log) == ["tokens file has no entry"]
