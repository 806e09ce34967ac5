"""A writer that is killed at any of two hundred moments leaves a sound file, with every acknowledged entry."""

from __future__ import annotations

from pathlib import Path

from tests.faults.test_store_kills import kill_writers


def test_200_kills_leave_a_sound_file_and_every_acknowledged_entry(tmp_path: Path) -> None:
    kill_writers(tmp_path / "state.db", 200)
