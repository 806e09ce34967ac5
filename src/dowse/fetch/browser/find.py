"""Finds the Chromium of this machine, or the one that the settings name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dowse.core.text import one_line
from dowse.fetch.browser.failures import BrowserUnavailable

# Not the headless shells: they let pages open windows.
_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_MAC_APPLICATIONS = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
# Where Playwright keeps the browsers it has downloaded, by system.
_PLAYWRIGHT = (
    (".cache/ms-playwright", "chromium-*/chrome-linux*/chrome"),
    ("Library/Caches/ms-playwright", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
)
_SNAP = "/snap/bin/chromium"
# Ubuntu's `chromium-browser` is a script of a few lines that calls the snap.
_SCRIPT_HEAD_BYTES = 4096

_MISSING = (
    "no Chromium was found: install one (apt-get install chromium, dnf install chromium, "
    "brew install --cask chromium) or set DOWSE_BROWSER_PATH to where it is"
)


@dataclass(frozen=True, slots=True)
class Executable:
    """The program to start; one from a snap sees other directories than we do, and starts slowly."""

    path: str
    is_snap: bool = False


def find(wanted: str, environment: Mapping[str, str]) -> Executable:
    """The browser that is `wanted` by path or by name, else the first one in the usual places."""
    if wanted:
        path = _command(wanted, environment)
        if path is None:
            raise BrowserUnavailable(
                f"DOWSE_BROWSER_PATH names {one_line(wanted, 200)}, which is no program that can be started: "
                "correct it, or leave it out to have Chromium looked for"
            )
    else:
        path = next(_usual(environment), None)
        if path is None:
            raise BrowserUnavailable(_MISSING)
    return Executable(path, _is_snap(path))


def _usual(environment: Mapping[str, str]) -> Iterator[str]:
    home = Path(environment.get("HOME", "/nonexistent"))
    applications = (
        place / each for place in (Path("/Applications"), home / "Applications") for each in _MAC_APPLICATIONS
    )
    places = (*_COMMANDS, *map(str, applications), *_playwright(home), _SNAP)
    yield from filter(None, (_command(place, environment) for place in places))


def _command(name: str, environment: Mapping[str, str]) -> str | None:
    """A path as it is, a name by the search path."""
    return shutil.which(str(Path(name).expanduser()) if "/" in name else name, path=environment.get("PATH", ""))


def _playwright(home: Path) -> list[str]:
    """Its browsers, the newest first."""
    found = [path for cache, pattern in _PLAYWRIGHT for path in (home / cache).glob(pattern)]
    return [str(path) for path in sorted(found, key=_revision, reverse=True)]


def _revision(path: Path) -> int:
    """The number in `chromium-1187`."""
    number = re.search(r"/ms-playwright/chromium-(\d{1,9})/", str(path))
    return int(number[1]) if number else 0


def _is_snap(path: str) -> bool:
    real = Path(path).resolve()
    # Every program of a snap is a link to `snap` itself, which knows by its own name what to start.
    if real.name == "snap" or real.is_relative_to("/snap"):
        return True
    try:
        with real.open("rb") as file:
            head = file.read(_SCRIPT_HEAD_BYTES)
    except OSError:
        return False
    return head.startswith(b"#!") and _SNAP.encode() in head
