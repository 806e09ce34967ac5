"""The tokens file is changed in place: the rest of it stays, and a reader sees the old or the new file."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from pathlib import Path

import pytest

from dowse.auth import tokens
from dowse.auth.tokens import TokenEntry, digest, read_tokens_file
from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError

ALICE = tokens.entry_text("alice", digest("a"))
CI = tokens.entry_text(
    "ci.main", digest("c"), contracts=["jan", "dowse"], limits={"scrape": "20/10m", "web_search": "1/s"}
)
HAND_WRITTEN = f"""\
# The team.

# Alice, until March.
[alice]   # on call
hash = "sha256:{digest("a")}"
# no limits

# Bob's entry is long.
[bob]
hash = "sha256:{digest("b")}"

[bob.limits]
web_search = "20/10m"

# Carol.
["carol"]
hash = "sha256:{digest("c")}"
# The end.
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_entry_reads_back_as_it_was_meant(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    tokens.append(path, ALICE)
    tokens.append(path, CI)
    limits = {"scrape": Rate(20, 600.0), "web_search": Rate(1, 1.0)}
    assert read_tokens_file(path) == (
        TokenEntry("alice", digest("a")),
        TokenEntry("ci.main", digest("c"), limits, frozenset(["jan", "dowse"])),
    )


@pytest.mark.parametrize(("before", "after"), [(0o600, 0o600), (0o644, 0o640), (0o640, 0o640), (0o666, 0o660)])
def test_strangers_cannot_read_what_is_written_but_a_servers_group_still_can(
    tmp_path: Path, before: int, after: int
) -> None:
    path = tmp_path / "tokens.toml"
    tokens.append(path, ALICE)
    assert mode(path) == 0o600
    path.chmod(before)
    tokens.remove(path, "alice")
    assert mode(path) == after
    assert list(tmp_path.iterdir()) == [path], "no temporary file is left"


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_appending_keeps_every_byte_that_was_there(tmp_path: Path, end: str) -> None:
    path = tmp_path / "tokens.toml"
    old = HAND_WRITTEN.rstrip("\n") + end
    path.write_text(old)
    tokens.append(path, tokens.entry_text("dave", digest("d")))
    assert path.read_text().startswith(old)
    assert [entry.name for entry in read_tokens_file(path)] == ["alice", "bob", "carol", "dave"]


def test_removing_takes_the_entry_with_its_tables_and_leaves_the_comments_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(HAND_WRITTEN)
    tokens.remove(path, "bob")
    text = path.read_text()
    assert [entry.name for entry in read_tokens_file(path)] == ["alice", "carol"]
    assert "bob" not in text.replace("# Bob's", "")
    for comment in ("# The team.", "# Alice, until March.", "# on call", "# no limits", "# Carol.", "# The end."):
        assert comment in text
    tokens.remove(path, "carol")
    tokens.remove(path, "alice")
    assert read_tokens_file(path) == ()
    assert "# The team." in path.read_text()


BOB = f'[bob]\nhash = "sha256:{digest("b")}"\n'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f'alice = {{ hash = "sha256:{digest("a")}" }}\n{BOB}', BOB),
        (f'alice.hash = "sha256:{digest("a")}"\n', ""),
        ('[bob]\nnote = """\n[alice]\n"""\n[alice]\nnote = "x"\n', '[bob]\nnote = """\n[alice]\n"""\n'),
        (f'[alice]\n# Bob.\n{BOB}[alice.limits]\nscrape = "1/s"\n# The end.\n', f"# Bob.\n{BOB}# The end.\n"),
    ],
)
def test_an_entry_is_removed_however_it_is_written(tmp_path: Path, text: str, rest: str) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(text)
    tokens.remove(path, "alice")
    assert path.read_text() == rest


@pytest.mark.parametrize("text", [HAND_WRITTEN, BOB, ""])
def test_a_file_that_cannot_be_edited_safely_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Whatever the library makes of it: a revoked token must not stay, nor another one go."""
    path = tmp_path / "tokens.toml"
    path.write_text(HAND_WRITTEN)
    monkeypatch.setattr(tokens, "_without", lambda _old, _name: text)
    with pytest.raises(ConfigError, match="edit it by hand"):
        tokens.remove(path, "alice")
    assert path.read_text() == HAND_WRITTEN


def test_nothing_is_written_that_the_server_could_not_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(ALICE)
    for entry in (ALICE, tokens.entry_text("bob", digest("a"))):
        with pytest.raises(ConfigError):
            tokens.append(path, entry)
    assert path.read_text() == ALICE


def test_a_name_that_is_taken_is_told(tmp_path: Path) -> None:
    """Whoever comes second learns what it is: between their look and their change another may have come."""
    path = tmp_path / "tokens.toml"
    tokens.append(path, ALICE)
    with pytest.raises(ConfigError, match=r"alice is in .* already; `dowse token revoke alice` takes it out"):
        tokens.append(path, tokens.entry_text("alice", digest("another")))


def test_a_broken_file_is_not_made_worse(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text("[[[")
    with pytest.raises(ConfigError, match="not valid TOML"):
        tokens.append(path, ALICE)
    with pytest.raises(ConfigError, match="not valid TOML"):
        tokens.remove(path, "alice")
    assert path.read_text() == "[[["


def test_an_entry_that_is_not_there_cannot_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(ALICE)
    with pytest.raises(ConfigError, match="has no entry bob"):
        tokens.remove(path, "bob")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    real.write_text(ALICE)
    link = tmp_path / "tokens.toml"
    link.symlink_to(real)
    tokens.append(link, CI)
    assert link.is_symlink()
    assert set(tomllib.loads(real.read_text())) == {"alice", "ci.main"}


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written: no such file or directory"):
        tokens.append(tmp_path / "none" / "tokens.toml", ALICE)


def test_what_only_looks_like_a_table_belongs_to_its_entry(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(f'[bob]\nnote = """\n[not a table\n"""\n{ALICE}')
    tokens.remove(path, "bob")
    assert path.read_text() == ALICE


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(ALICE)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="cannot be written: no space left on device"):
        tokens.append(path, CI)
    assert path.read_text() == ALICE
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_edited_by_root_stays_with_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's user could not read it otherwise, and the file would be ignored."""
    path = tmp_path / "tokens.toml"
    path.write_text(ALICE)
    owner = path.stat()
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: owner.st_uid + 1)
    monkeypatch.setattr(os, "chown", lambda _descriptor, user, group: given.append((user, group)))
    tokens.append(path, CI)
    assert given == [(owner.st_uid, owner.st_gid)]
