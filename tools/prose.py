"""Style metrics of comments and docstrings: pronouns for persons and free relatives, per 1,000 words.

`python -m tools.prose [FOLDER...]` lists places under `src/dowse` and prints both figures. Technical prose names the
thing ("an expired lease") instead of telling a scene about it ("what somebody has left behind").
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src" / "dowse"

PERSONS = re.compile(
    r"\b(?:somebody|someone|nobody|no one|whoever|everybody|everyone|anybody|anyone|who|whom|whose)\b", re.IGNORECASE
)
_VERBS = (
    "is are was were has have had can cannot could may must would will does do did comes goes belongs looks stands "
    "remains follows happens needs makes reads says"
).split()
_SUBJECTS = "a an the it they we he this that only no one not else all its their our somebody nobody".split()
FREE_RELATIVES = re.compile(
    rf"\b(?:what|whatever|whichever)\s+(?:{'|'.join((*_VERBS, *_SUBJECTS))})\b"
    r"|\b(?:those|that|all|one|ones|everything|anything|nothing|something)\s+(?:that|which|who)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"^\s*#\s?(.*)$")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Measure:
    """Occurrences per 1,000 words."""

    words: int
    persons: float
    free_relatives: float


def measure(files: Iterable[Path]) -> Measure:
    """Measure the prose of these files together."""
    prose = " ".join(text for path in files for _, text in read_prose(path))
    words = len(prose.split())
    persons, relatives = len(PERSONS.findall(prose)), len(FREE_RELATIVES.findall(prose))
    return Measure(words, 1000 * persons / words, 1000 * relatives / words)


def read_prose(path: Path) -> Iterator[tuple[int, str]]:
    """Comments and docstrings of a file, each with its line."""
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if comment := _COMMENT.match(line):
            yield number, comment[1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield node.body[0].lineno, docstring


def main() -> None:
    folders = [SRC / name for name in sys.argv[1:]] or [SRC]
    files = sorted({path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*.py"))})
    for path in files:
        for line, text in read_prose(path):
            for pattern in (PERSONS, FREE_RELATIVES):
                for found in pattern.finditer(text):
                    around = " ".join(text[max(0, found.start() - 40) : found.end() + 40].split())
                    print(f"{path.relative_to(SRC)}:{line}: {around}")
    measured = measure(files)
    figures = f"{measured.persons:.1f} persons, {measured.free_relatives:.1f} free relatives"
    print(f"{measured.words} words, per 1,000: {figures}")


if __name__ == "__main__":
    main()
