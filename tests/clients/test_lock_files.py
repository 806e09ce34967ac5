"""What is installed is what was locked, from whichever registry a machine uses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON_LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
NPM_LOCKS = [ROOT / "tests/clients/package-lock.json", ROOT / "tests/slow/clients/package-lock.json"]
each_npm_lock = pytest.mark.parametrize("lock", NPM_LOCKS, ids=lambda path: path.parent.parent.name)
CLIENTS = {
    "tests": {
        "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
        "@modelcontextprotocol/inspector": "2.12.0",
        "axe-core": "4.14.1",
    },
    "slow": {"@anthropic-ai/claude-code": "2.1.197", "@google/gemini-cli": "0.61.0", "@openai/codex": "0.166.0"},
}


@pytest.mark.parametrize("lock", PYTHON_LOCKS, ids=lambda path: path.name)
def test_a_python_lock_file_names_versions_and_hashes_and_no_index(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    pinned = re.findall(r"^[\w.-]+==\S+.*\\$", text, re.MULTILINE)
    unpinned = [line for line in text.splitlines() if line and not line.startswith((" ", "#")) and line not in pinned]
    assert pinned
    assert unpinned == []
    assert text.count("--hash=sha256:") >= len(pinned)
    assert re.findall(r"https?://|--(?:extra-)?index-url|--find-links", text) == []


@each_npm_lock
def test_an_npm_lock_file_names_hashes_and_no_registry(lock: Path) -> None:
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    installed = {name: package for name, package in packages.items() if name}
    assert installed
    assert [name for name, package in installed.items() if "resolved" in package] == []
    assert [name for name, package in installed.items() if "integrity" not in package] == []


@each_npm_lock
def test_an_npm_lock_file_is_complete_for_every_platform(lock: Path) -> None:
    """`npm ci` refuses it otherwise, and npm leaves out, without a word, optional packages that a registry lacks.

    Hence the override in package.json: the bindings of rolldown for other platforms stop at that version in some
    registries. It belongs to the Inspector's web interface, which the tests do not use.
    """
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    locked = {name.rpartition("node_modules/")[2] for name in packages}
    kinds = ("dependencies", "optionalDependencies")
    wanted = {name for package in packages.values() for kind in kinds for name in package.get(kind, {})}
    assert wanted
    assert wanted - locked == set()


@each_npm_lock
def test_the_clients_are_pinned_exactly(lock: Path) -> None:
    package = json.loads(lock.with_name("package.json").read_text(encoding="utf-8"))
    assert package["private"] is True
    assert package["devDependencies"] == CLIENTS[lock.parent.parent.name]
