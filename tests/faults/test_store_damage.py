"""Processes that meet the same damage at the same moment: one sets the file aside, and nobody the new one."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dowse.stores.sqlite import file as file_module
from dowse.stores.sqlite.file import Damaged, SetAside, StateFile

pytestmark = pytest.mark.promise("data-store-down")

DAMAGE = b"this is no database" * 100

# Whoever meets damage tries once more, as the next call does.
OTHER_PROCESS = """
import sqlite3, sys
from pathlib import Path
from dowse.stores.sqlite.file import StateFile

file = StateFile(Path(sys.argv[1]), lambda _: None)
for _ in range(2):
    try:
        file.connection()
        print("opened")
    except sqlite3.DatabaseError as error:
        print(file.give_up(error))
file.close()
"""


def other_process(path: Path) -> list[str]:
    command = [sys.executable, "-c", OTHER_PROCESS, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return run.stdout.splitlines()


def met_damage(path: Path) -> tuple[StateFile, sqlite3.DatabaseError]:
    file = StateFile(path, lambda _: None)
    with pytest.raises(sqlite3.DatabaseError) as met:
        file.connection()
    return file, met.value


def tables(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return len(connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall())


def test_who_comes_between_the_look_and_the_move_waits_for_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would have begun a new file by then, and that one would be moved away."""
    path, said, move = tmp_path / "state.db", list[str](), file_module._move

    def interrupted_move(source: Path, target: Path) -> None:
        if not said:
            said.extend(other_process(path))
        move(source, target)

    path.write_bytes(DAMAGE)
    ours, error = met_damage(path)
    monkeypatch.setattr(file_module, "_move", interrupted_move)
    assert isinstance(ours.give_up(error), Damaged)
    assert said == [f"{path}: damaged, and another process is just setting it aside"] * 2
    assert tmp_path.joinpath("state.db.damaged").read_bytes() == DAMAGE
    assert not path.exists()
    assert other_process(path) == ["opened"] * 2
    assert tables(path) == 4


def test_who_comes_too_late_leaves_the_new_file_and_its_log_where_they_are(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(DAMAGE)
    ours, error = met_damage(path)
    theirs = other_process(path)
    assert theirs == [f"{path}: damaged, so it was set aside as state.db.damaged and a new file begins", "opened"]
    new, log = StateFile(path, lambda _: None), Path(f"{path}-wal")
    new.connection().execute("INSERT INTO spend VALUES ('2026-11-15', 'serper', 1, 1)")
    assert log.stat().st_size > 0
    before = (path.stat().st_ino, log.stat().st_ino)
    assert isinstance(ours.give_up(error), SetAside)
    assert (path.stat().st_ino, log.stat().st_ino) == before
    assert ours.connection().execute("SELECT provider FROM spend").fetchall() == [("serper",)]
    assert tmp_path.joinpath("state.db.damaged").read_bytes() == DAMAGE
    ours.close()
    new.close()
