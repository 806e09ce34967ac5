"""The corpora that quality floors are measured on, and the hashes by which a change of one is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from tools.extractor import data

ROOT = Path(__file__).resolve().parents[2]
FLOORS = Path(__file__).with_name("floors.json")
_DATA = "data:"
_CODE = (".pyc",)


def pinned() -> dict[str, str]:
    """The hash of each corpus by its place: in the repository, or below the folder of evaluation data (`data:`)."""
    corpora: dict[str, str] = json.loads(FLOORS.read_text(encoding="utf-8"))["corpora"]
    return corpora


def place(name: str) -> Path:
    """Where a corpus is."""
    return data.folder().parent / name.removeprefix(_DATA) if name.startswith(_DATA) else ROOT / name


def digest(path: Path) -> str:
    """SHA-256 over the names and contents of a file or of all files of a folder."""
    whole = hashlib.sha256()
    for file in sorted(_files(path)):
        content = file.read_bytes()
        whole.update(f"{file.relative_to(path.parent)} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from (file for file in path.rglob("*") if file.is_file() and file.suffix not in _CODE)


if __name__ == "__main__":
    print(json.dumps({name: digest(place(name)) for name in pinned()}, indent=2))
