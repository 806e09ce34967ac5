"""A damaged state file that cannot be set aside at once, or is set aside already."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from pathlib import Path

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.file import Damaged, SetAside, StateFile

DAMAGE = b"this is no database" * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    path.write_bytes(DAMAGE)
    return path


def give_up(path: Path) -> StoreFailed:
    """Opens a damaged file, and gives it up."""
    file = StateFile(path, lambda _: None)
    with pytest.raises(sqlite3.DatabaseError) as caught:
        file.connection()
    return file.give_up(caught.value)


def test_while_another_process_sets_the_file_aside_it_stays_where_it_is(path: Path) -> None:
    """Otherwise the new file of that process could be moved away as well."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        error = give_up(path)
    finally:
        os.close(folder)

    assert str(error) == f"{path}: damaged, and another process is just setting it aside"
    assert [item.name for item in path.parent.iterdir()] == ["state.db"]


def test_a_file_system_that_locks_no_folders_does_not_keep_the_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    assert isinstance(give_up(path), Damaged)
    assert [item.name for item in path.parent.iterdir()] == ["state.db.damaged"]


def test_a_file_that_cannot_be_moved_stays_and_the_error_says_why(path: Path) -> None:
    """A directory in the place of the damaged file cannot be replaced."""
    Path(f"{path}.damaged").mkdir()

    error = give_up(path)

    assert type(error) is StoreFailed
    assert str(error).startswith(f"{path}: damaged, and cannot be set aside: ")
    assert path.read_bytes() == DAMAGE


def test_a_file_that_another_process_sets_aside_just_before_us_is_not_moved_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file at the path is a new one then, and sound."""
    flock = fcntl.flock

    def lock_too_late(folder: int, operation: int) -> None:
        path.rename(f"{path}.damaged")
        path.write_bytes(b"")
        flock(folder, operation)

    monkeypatch.setattr(fcntl, "flock", lock_too_late)

    assert isinstance(give_up(path), SetAside)
    assert path.read_bytes() == b""
