"""Which browser is started, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.fetch.browser import command_line as finding
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.command_line import Executable, find
from tests.support.tables import each_row


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Places that do not depend on a variable are empty too."""
    monkeypatch.setattr(finding, "_SNAP", str(tmp_path / "snap/bin/chromium"))


def program(path: Path, content: str = "#!/bin/sh\n") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return str(path)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": str(home / "bin"), "HOME": str(home)}


def test_the_first_known_name_on_the_search_path_is_taken(tmp_path: Path) -> None:
    program(tmp_path / "bin/google-chrome")
    chromium = program(tmp_path / "bin/chromium")
    assert find("", environment(tmp_path)) == Executable(chromium)


@pytest.mark.parametrize("name", ["chromium-headless-shell", "chrome-headless-shell"])
def test_a_headless_shell_is_no_browser_for_us(tmp_path: Path, name: str) -> None:
    """It blocks no windows that pages open."""
    program(tmp_path / "bin" / name)
    with pytest.raises(BrowserUnavailable):
        find("", environment(tmp_path))


def test_a_path_in_the_settings_comes_before_everything(tmp_path: Path) -> None:
    program(tmp_path / "bin/chromium")
    mine = program(tmp_path / "opt/my chrome")
    assert find(mine, environment(tmp_path)) == Executable(mine)


def test_a_name_in_the_settings_is_looked_for_on_the_search_path(tmp_path: Path) -> None:
    brave = program(tmp_path / "bin/brave")
    assert find("brave", environment(tmp_path)) == Executable(brave)


def test_the_newest_browser_of_playwright_is_taken_when_none_is_installed(tmp_path: Path) -> None:
    cache = tmp_path / ".cache/ms-playwright"
    program(cache / "chromium-999/chrome-linux/chrome")
    newest = program(cache / "chromium-1187/chrome-linux64/chrome")
    program(cache / "chromium-1001/chrome-linux/chrome")
    assert find("", environment(tmp_path)) == Executable(newest)


def test_no_browser_at_all_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(BrowserUnavailable, match=r"no Chromium was found: install one .*apt-get install chromium"):
        find("", environment(tmp_path))


@each_row("wanted", ["/nowhere/chrome", "no-such-command", ""])
def test_without_a_search_path_nothing_is_guessed(wanted: str) -> None:
    with pytest.raises(BrowserUnavailable):
        find(wanted, {})


def test_a_path_that_is_no_program_is_named_with_its_variable(tmp_path: Path) -> None:
    program(tmp_path / "bin/chromium")
    note = tmp_path / "notes.txt"
    note.write_text("not a program")
    with pytest.raises(BrowserUnavailable, match=rf"DOWSE_BROWSER_PATH names {note}"):
        find(str(note), environment(tmp_path))


def test_a_program_of_a_snap_is_known_by_where_its_link_leads(tmp_path: Path) -> None:
    snap = program(tmp_path / "usr/bin/snap")
    link = tmp_path / "bin/chromium"
    link.parent.mkdir()
    link.symlink_to(snap)
    # Started by the name of the link: `snap` itself would not know what to run.
    assert find("", environment(tmp_path)) == Executable(str(link), is_snap=True)


def test_a_script_that_calls_the_snap_is_one_too(tmp_path: Path) -> None:
    script = program(tmp_path / "bin/chromium-browser", f'#!/bin/sh\nexec {finding._SNAP} "$@"\n')
    assert find("", environment(tmp_path)) == Executable(script, is_snap=True)


def test_the_snap_itself_is_found_without_the_search_path(tmp_path: Path) -> None:
    there = program(Path(finding._SNAP))
    assert find("", environment(tmp_path)).path == there
