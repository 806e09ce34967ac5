"""The directories of browsers: private, short, and gone in the end."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from pathlib import Path

import pytest

from dowse.fetch.browser import launch
from dowse.fetch.browser.launch import Profile
from tests.processes import descriptors


def aged(path: Path, seconds: float = 3600) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def left_over(parent: Path, name: str = "dowse-browser-left") -> Path:
    """What remains when the process that had it was killed: the file is there, the lock is not."""
    path = parent / name
    (path / "Default").mkdir(parents=True)
    (path / "dowse.lock").touch()
    return path


def test_a_profile_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    made = Profile.create(tmp_path)
    assert made.path.parent == tmp_path
    assert made.path.name.startswith("dowse-browser-")
    assert made.path.stat().st_mode & 0o777 == 0o700
    made.remove()


def test_a_removed_profile_leaves_nothing_and_may_be_removed_again(tmp_path: Path) -> None:
    made = Profile.create(tmp_path)
    (made.path / "Default").mkdir()
    (made.path / "Default" / "Cookies").write_text("x")
    made.remove()
    made.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["os.open", "fcntl.flock"])
def test_a_profile_that_cannot_be_locked_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    before = descriptors()
    monkeypatch.setattr(step, full)
    with pytest.raises(OSError, match="Too many open files"):
        Profile.create(tmp_path)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
    assert descriptors() == before


def test_what_a_killed_process_has_left_is_swept(tmp_path: Path) -> None:
    aged(left_over(tmp_path))
    launch.sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_profile_that_was_never_locked_is_swept_too(tmp_path: Path) -> None:
    path = left_over(tmp_path)
    (path / "dowse.lock").unlink()
    aged(path)
    launch.sweep(tmp_path)
    assert not path.exists()


def test_a_profile_in_use_is_not_swept_however_old(tmp_path: Path) -> None:
    made = Profile.create(tmp_path)
    aged(made.path)
    launch.sweep(tmp_path)
    assert made.path.is_dir()
    made.remove()


def test_a_young_one_may_be_about_to_be_locked(tmp_path: Path) -> None:
    path = aged(left_over(tmp_path), seconds=5)
    launch.sweep(tmp_path)
    assert path.is_dir()


def test_what_only_looks_like_one_is_left_alone(tmp_path: Path) -> None:
    """The temporary directory belongs to everybody."""
    target = tmp_path / "precious"
    target.mkdir()
    (target / "file").write_text("x")
    link = tmp_path / "dowse-browser-link"
    link.symlink_to(target)
    then = time.time() - 3600
    os.utime(link, (then, then), follow_symlinks=False)
    file = tmp_path / "dowse-browser-file"
    file.write_text("x")
    aged(file)
    launch.sweep(tmp_path)
    assert (target / "file").exists()
    assert file.exists()


def test_what_another_user_has_made_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = aged(left_over(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    launch.sweep(tmp_path)
    assert path.exists()


def test_profiles_lie_in_the_temporary_directory(temporary: Path) -> None:
    assert launch.usual_parent() == temporary


def test_a_temporary_directory_with_a_long_name_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chromium crashes when the path of its socket is too long, as it would be below that of macOS."""
    monkeypatch.setattr(tempfile, "tempdir", "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T")
    assert launch.usual_parent() == Path("/tmp")


def test_profiles_of_a_snap_lie_where_the_snap_may_write(tmp_path: Path) -> None:
    assert launch.snap_parent() == tmp_path / "snap/chromium/common"
    assert launch.snap_parent().is_dir()
