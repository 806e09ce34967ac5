"""Lines that coverage leaves out: each says why."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
# The reason is on the same line, in parentheses.
REASONED = re.compile(r"# pragma: no cover \([^()]{10,}\)$")


def test_every_line_that_coverage_leaves_out_has_its_reason() -> None:
    excluded = [
        (str(file.relative_to(SOURCES)), line)
        for file in SOURCES.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if "pragma: no cover" in line
    ]
    assert excluded
    assert [found for found in excluded if not REASONED.search(found[1])] == []
