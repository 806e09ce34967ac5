"""The walk-throughs of CONTRIBUTING.md, built in a scratch copy: they work, and touch no more files than promised."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(python|diff|toml|json) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_IGNORED = shutil.ignore_patterns("node_modules", "__pycache__")
_COPIED = ("src", "tests", "tools", "docs", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Promise:
    """How many files of the product a walk-through touches, and the existing tests that cover its example."""

    source_files: int
    tests: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()
    """A module that runs before the tests, with its arguments."""


PROMISES = {
    "Add a provider": Promise(3, ("tests/contract/test_search_providers.py", "-k", "lamplight")),
    "Add a described provider": Promise(
        2, ("tests/contract/test_described.py", "-k", "beacon"), ("tools.generate_docs", "--index")
    ),
    "Add a site": Promise(2),
    "Add a setting": Promise(1),
    "Add a command": Promise(2),
    "Add a contract": Promise(3),
}


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: a whole new file, or hunks of a diff that are found by the lines they quote."""

    language: str
    path: str
    text: str

    def apply(self, root: Path) -> None:
        file = root / self.path
        if self.language != "diff":
            assert not file.exists(), f"{self.path} exists already"
            file.write_text(self.text, encoding="utf-8")
            return
        source = file.read_text(encoding="utf-8")
        for hunk in re.split(r"^@@\n", self.text, flags=re.MULTILINE):
            lines = hunk.splitlines()
            before = "\n".join(line[1:] for line in lines if line[:1] in (" ", "-"))
            after = "\n".join(line[1:] for line in lines if line[:1] in (" ", "+"))
            assert source.count(before) == 1, f"{self.path} does not contain exactly once:\n{before}"
            source = source.replace(before, after)
        file.write_text(source, encoding="utf-8")


def read_blocks(title: str) -> list[Block]:
    """The blocks below one heading of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, rest = re.split(rf"^### {re.escape(title)}$", text, flags=re.MULTILINE)
    # The next heading that is outside of a fenced block.
    section = re.match(r"(?:^```.*?^```$|(?!^##).)*", rest, flags=re.MULTILINE | re.DOTALL)
    return [Block(*found) for found in _BLOCK.findall(section[0] if section else "")]


@pytest.mark.parametrize("title", PROMISES)
def test_a_walk_through_works_in_a_scratch_copy(title: str, tmp_path: Path) -> None:
    blocks, promise = read_blocks(title), PROMISES[title]
    touched = {block.path for block in blocks if block.path.startswith("src/")}
    assert 0 < len(touched) <= promise.source_files
    for name in _COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=_IGNORED)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    for block in blocks:
        block.apply(tmp_path)
    tests = promise.tests or [block.path for block in blocks if Path(block.path).name.startswith("test_")]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    if promise.prepare:
        subprocess.run([sys.executable, "-m", *promise.prepare], cwd=tmp_path, env=environment, timeout=60, check=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
