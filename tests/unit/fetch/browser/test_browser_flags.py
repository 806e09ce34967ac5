"""The command line: what must be on it for the cage to hold."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from dowse.fetch.browser import command_line


def value_of(name: str, line: list[str]) -> str:
    (value,) = [each.partition("=")[2] for each in line if each.partition("=")[0] == name]
    return value


def test_nothing_but_the_proxy_can_be_reached() -> None:
    line = command_line.command_line("/profile", sandboxed=True)
    assert value_of("--proxy-server", line) == "http://nobody.invalid:1"
    assert value_of("--proxy-bypass-list", line) == "<-loopback>"
    assert value_of("--host-resolver-rules", line) == "MAP cage.invalid 127.0.0.1, MAP * ~NOTFOUND"
    assert value_of("--webrtc-ip-handling-policy", line) == "disable_non_proxied_udp"
    assert "--disable-quic" in line


def test_it_is_driven_by_pipes_and_no_port_is_opened() -> None:
    line = command_line.command_line("/profile", sandboxed=True)
    assert "--remote-debugging-pipe" in line
    assert not [each for each in line if each.startswith("--remote-debugging-port")]


def test_no_flag_is_given_twice() -> None:
    """Of two lists of features only the last would count."""
    names = Counter(each.partition("=")[0] for each in command_line.command_line("/profile", sandboxed=False))
    assert [name for name, count in names.items() if count > 1] == []


def test_the_profile_is_the_given_one() -> None:
    assert value_of("--user-data-dir", command_line.command_line("/some/profile", sandboxed=True)) == "/some/profile"


@pytest.mark.parametrize("sandboxed", [True, False])
def test_the_sandbox_is_given_up_only_when_told_to(sandboxed: bool) -> None:
    assert ("--no-sandbox" in command_line.command_line("/profile", sandboxed=sandboxed)) is not sandboxed


def test_pages_are_kept_out_of_shared_memory_that_is_small_or_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without = "--disable-dev-shm-usage"
    monkeypatch.setattr(command_line, "_SHARED_MEMORY", str(tmp_path))
    free = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
    monkeypatch.setattr(command_line, "_ENOUGH_SHARED_MEMORY", free // 2)
    assert without not in command_line.command_line("/profile", sandboxed=True)
    monkeypatch.setattr(command_line, "_ENOUGH_SHARED_MEMORY", free * 2)
    assert without in command_line.command_line("/profile", sandboxed=True)
    monkeypatch.setattr(command_line, "_SHARED_MEMORY", str(tmp_path / "missing"))
    assert without in command_line.command_line("/profile", sandboxed=True)
