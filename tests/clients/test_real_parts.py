"""`tools/real_parts.py`: installs what it may, says what it may not, and lets nothing go untested in CI."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import realparts
from tools import real_parts

COMMANDS = {part.package: part.command for part in real_parts.PARTS.values()}
APT = f"""#!{sys.executable}
import os, pathlib, sys
here = pathlib.Path(__file__).parent
assert os.environ["DEBIAN_FRONTEND"] == "noninteractive"
with (here / "calls").open("a") as calls:
    print(*sys.argv[1:], file=calls)
if sys.argv[1] == "update":
    (here / "lists").touch()
elif (here / "lists").exists():
    commands = {COMMANDS!r}
    for package in sys.argv[5:]:
        (here / commands[package]).write_text("#!/bin/sh")
        (here / commands[package]).chmod(0o755)
else:
    sys.exit(100)
"""
ADVICE = "searx-run is missing, which is the real SearXNG of tests/slow; install it with: apt-get install searx"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that holds all the commands there are."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return place


def add(machine: Path, name: str, text: str = "#!/bin/sh\n") -> None:
    (machine / name).write_text(text)
    (machine / name).chmod(0o755)


def calls(machine: Path) -> list[str]:
    return (machine / "calls").read_text().splitlines()


def test_what_is_there_is_left_alone(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS.values():
        add(machine, command)
    add(machine, "apt-get", APT)
    assert real_parts.main() == 0
    assert not (machine / "calls").exists()
    assert capfd.readouterr() == ("", "")


def test_root_installs_what_is_missing_and_updates_only_if_that_fails(
    machine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    add(machine, "apt-get", APT)
    assert real_parts.main() == 0
    install = (
        "install --yes -qq --no-install-recommends bash chromium fish iproute2 microsocks nginx searx tinyproxy zsh"
    )
    assert calls(machine) == [install, "update -qq", install]
    assert capfd.readouterr() == ("", "")


def test_with_fresh_lists_nothing_is_updated(machine: Path) -> None:
    add(machine, "apt-get", APT)
    add(machine, "lists")
    assert real_parts.main() == 0
    assert len(calls(machine)) == 1


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_user_who_may_not_install_is_told_what_to_install(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], ci: str, code: int
) -> None:
    add(machine, "apt-get", APT)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("CI", ci)
    assert real_parts.main() == code
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [f"real_parts: {part.advice}" for part in real_parts.PARTS.values()]
    assert f"real_parts: {ADVICE}\n" in told.err
    assert not (machine / "calls").exists()


def test_a_test_that_needs_a_missing_part_is_skipped_with_the_advice(machine: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match=ADVICE):
        realparts.require("searx")


def test_in_ci_a_test_that_needs_a_missing_part_fails_with_the_advice(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=ADVICE):
        realparts.require("searx")


def test_a_test_whose_part_is_there_goes_on(machine: Path) -> None:
    add(machine, "searx-run")
    realparts.require("searx")
