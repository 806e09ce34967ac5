"""A ratchet for pinned figures: no number may be worse than the best it ever was in the git history of its file."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.realparts import missing

ROOT = Path(__file__).resolve().parents[2]
PINNED = (
    "tests/architecture.json",
    "tests/eval/floors.json",
    "tests/eval/passages_floors.json",
    "tests/security/mutation_floor.json",
)
"""The files whose numbers may only improve."""
LOWERED = ROOT / "tests" / "eval" / "lowered.md"
"""The exceptions, each with its reason."""

# Of everything else, more is better.
_CEILING = re.compile(r"(_at_most|\blost)$")
_GONE = "gone"
_CELL = rf" `([^`]+)` \| `([^`]+)` \| ([\d.]+) \| ([\d.]+|{_GONE}) \| ([^|]+) "
_ROW = re.compile(rf"^\|{_CELL}\|$", re.MULTILINE)

Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A figure that was lowered on purpose."""

    file: str
    key: str
    best: float
    now: float | None
    reason: str


def worse(best: Figures, now: Figures) -> dict[str, tuple[float, float | None]]:
    """The figures that are worse than the best, or gone: by key, the best and what it is now."""
    return {
        key: (value, now.get(key)) for key, value in best.items() if key not in now or _better(key, value, now[key])
    }


def best_of(versions: Iterator[Figures]) -> dict[str, float]:
    """The best that each figure ever was."""
    best: dict[str, float] = {}
    for version in versions:
        for key, value in version.items():
            if key not in best or _better(key, value, best[key]):
                best[key] = value
    return best


def figures(text: str) -> dict[str, float]:
    """Every number of a JSON file by its dotted path; a pinned corpus counts as one, so that it cannot go unnoticed."""
    return dict(_numbers(json.loads(text), ""))


def versions(file: str, root: Path = ROOT) -> Iterator[str]:
    """A file as it was in each commit that changed it, also under the names it had before."""
    log = _git(root, "log", "--follow", "--format=%H", "--name-only", "--", file)
    commit = ""
    for line in filter(None, log.splitlines()):
        if re.fullmatch(r"[0-9a-f]{40}", line):
            commit = line
        elif _git(root, "ls-tree", "--name-only", commit, line):
            yield _git(root, "show", f"{commit}:{line}")


def exceptions(text: str) -> list[Lowered]:
    """The rows of `lowered.md`."""
    return [
        Lowered(file, key, float(best), None if now == _GONE else float(now), reason.strip())
        for file, key, best, now, reason in _ROW.findall(text)
    ]


def offences(file: str, root: Path = ROOT, lowered: Path = LOWERED) -> list[str]:
    """What is worse in a file than it ever was, and that no exception allows."""
    now = figures((root / file).read_text(encoding="utf-8"))
    allowed = {(each.file, each.key, each.best, each.now) for each in exceptions(lowered.read_text(encoding="utf-8"))}
    return [
        f"{file}: {key} was {best} and is {value}; {lowered.name} does not say why"
        for key, (best, value) in worse(best_of(map(figures, versions(file, root))), now).items()
        if (file, key, best, value) not in allowed
    ]


def require_history(root: Path = ROOT) -> None:
    """Skip without a whole git history, or fail in CI: a shallow clone would let every number through."""
    if not (root / ".git").exists():
        missing("there is no git history to compare the pinned figures with")
    if _git(root, "rev-parse", "--is-shallow-repository").strip() != "false":
        missing("this is a shallow clone; get its history with: git fetch --unshallow")


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{path}.{key}" if path else key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)
    elif path.startswith("corpora."):
        yield path, 1.0


def _better(key: str, value: float, other: float) -> bool:
    return value < other if _CEILING.search(key) else value > other


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return run.stdout
