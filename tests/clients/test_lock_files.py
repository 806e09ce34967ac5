"""What is installed is what was locked, from whichever registry a machine uses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON_LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
NPM_LOCK = ROOT / "tests/clients/package-lock.json"


@pytest.mark.parametrize("lock", PYTHON_LOCKS, ids=lambda path: path.name)
def test_a_python_lock_file_names_versions_and_hashes_and_no_index(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.-]+==\S+.*\\$", text, re.MULTILINE)
    unpinned = [line for line in text.splitlines() if line and not line.startswith((" ", "#")) and line not in pinned]
    assert pinned
    assert unpinned == []
    assert text.count("--hash=sha256:") >= len(pinned)
    assert re.findall(r"https?://|--(?:extra-)?index-url|--find-links", text) == []


def test_the_npm_lock_file_names_hashes_and_no_registry() -> None:
    packages = json.loads(NPM_LOCK.read_text(encoding="utf-8"))["packages"]
    installed = {name: package for name, package in packages.items() if name}
    assert installed
    assert [name for name, package in installed.items() if "resolved" in package] == []
    assert [name for name, package in installed.items() if "integrity" not in package] == []


def test_the_npm_lock_file_is_complete_for_every_platform() -> None:
    """`npm ci` refuses it otherwise, and npm leaves out, without a word, optional packages that a registry lacks.

    Hence the override in package.json: the bindings of rolldown for other platforms stop at that version in some
    registries. It belongs to the Inspector's web interface, which the tests do not use.
    """
    packages = json.loads(NPM_LOCK.read_text(encoding="utf-8"))["packages"]
    locked = {name.rpartition("node_modules/")[2] for name in packages}
    kinds = ("dependencies", "optionalDependencies")
    wanted = {name for package in packages.values() for kind in kinds for name in package.get(kind, {})}
    assert wanted
    assert wanted - locked == set()


def test_the_clients_are_pinned_exactly() -> None:
    package = json.loads(NPM_LOCK.with_name("package.json").read_text(encoding="utf-8"))
    assert package["private"] is True
    assert package["devDependencies"] == {
        "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
        "@modelcontextprotocol/inspector": "2.12.0",
    }
