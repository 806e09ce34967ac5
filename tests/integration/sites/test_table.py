"""The table of loaders: what a start and an ordinary page do not need is not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dowse.settings.sites import SITES

START = """
import sys
from dowse.app import App
from dowse.settings.sources import load
App(load({}, {"SEARXNG_URL": "http://localhost:1"}).settings)
"""
LOOK_FOR_A_LOADER = """
import sys
from dowse.core import urls
from dowse.settings.sources import load
from dowse.sites.site import LoaderKit
from dowse.sites.table import make_loaders
loaders = make_loaders(LoaderKit(load({}, {}).settings, None, None, None, None))
for loader in loaders:
    loader.accepts(urls.parse(sys.argv[1]))
"""
TELL = "\nprint(*(name for name in sys.modules if name.startswith('dowse.sites.')))"


def imported(code: str, *arguments: str) -> set[str]:
    """The modules of loaders in a fresh interpreter after this."""
    command = [sys.executable, "-c", code + TELL, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split())


def test_a_start_imports_no_loader() -> None:
    assert imported(START) == set()


@pytest.mark.parametrize("url", ["https://example.org/questions/1", "https://notgithub.com/a/b"])
def test_a_page_of_no_loader_imports_none(url: str) -> None:
    assert imported(LOOK_FOR_A_LOADER, url) == {"dowse.sites.site", "dowse.sites.table"}


def test_a_page_of_one_loader_imports_no_other() -> None:
    found = imported(LOOK_FOR_A_LOADER, "https://news.ycombinator.com/item?id=1")
    assert "dowse.sites.hackernews" in found
    others = tuple(f"dowse.sites.{name}" for name in SITES if name != "hackernews")
    assert not [module for module in found if module.startswith(others)]
