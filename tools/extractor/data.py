"""The pages of WCXB and what is content on them, divided into folds by host.

The data is CC-BY-4.0 (Murrough Foley, Web Content eXtraction Benchmark) and is never copied into the project.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FOLDS = 5
KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")
_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and the truth about it."""

    name: str
    url: str
    kind: str
    html: bytes
    content: str
    snippets: tuple[str, ...]
    """What has to be found in its text."""
    noise: tuple[str, ...]
    """What must not."""
    title: str
    author: str
    published: str

    @property
    def fold(self) -> int:
        return fold_of(self.url or self.name)


def folder(named: str = "") -> Path:
    """Where WCXB is: in the folder that was named, or in `DOWSE_EVAL_DATA`, or beside the project."""
    return Path(named or os.environ.get("DOWSE_EVAL_DATA") or _BESIDE) / "wcxb-dev"


def fold_of(url: str) -> int:
    """The fold of a page: all pages of a host are in one, or a model would know the host's templates."""
    host = (urlsplit(url).hostname or url).removeprefix("www.")
    return hashlib.blake2b(host.encode(), digest_size=4).digest()[0] % FOLDS


def samples(data: Path, every: int = 1) -> Iterator[Sample]:
    """The pages in the order of their names, or each `every`th of them."""
    for path in sorted((data / "ground-truth").glob("*.json"))[::every]:
        record = json.loads(path.read_text())
        truth = record["ground_truth"]
        yield Sample(
            name=path.stem,
            url=record.get("url") or truth.get("url") or "",
            kind=record["_internal"]["page_type"]["primary"],
            html=gzip.decompress((data / "html" / f"{path.stem}.html.gz").read_bytes()),
            content=truth.get("main_content") or "",
            snippets=tuple(truth.get("with") or ()),
            noise=tuple(truth.get("without") or ()),
            title=truth.get("title") or "",
            author=truth.get("author") or "",
            published=truth.get("publish_date") or "",
        )
