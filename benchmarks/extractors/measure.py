"""Every extractor on every page, in turns, so that a busy machine slows all of them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.extractors.extractor import Extractor, Page
from tools.extractor.data import Sample
from tools.extractor.metadata_scores import Facts, metadata_scores
from tools.extractor.metrics import Score, share_found, shingle_score, without_syntax, word_score, words

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Result:
    """How well one extractor did on one page."""

    extractor: str
    page: str
    kind: str
    words: Score
    shingles: Score
    wanted: float | None
    """The share of the snippets that belong to the content, where the page names any."""
    unwanted: float | None
    """The share of those that do not."""
    is_empty: bool
    """Nothing was found although there is content."""
    cpu_s: float
    found_kind: str = ""


def measure(extractors: Sequence[Extractor], samples: Iterable[Sample]) -> Iterator[Result]:
    """What each extractor makes of each page; the first to come is another one each time."""
    # The objects of the libraries themselves are no garbage of anybody's.
    gc.collect()
    gc.freeze()
    for number, sample in enumerate(samples):
        first = number % len(extractors)
        page = Page.of(sample)
        for extractor in (*extractors[first:], *extractors[:first]):
            yield result(extractor, sample, page)


def result(extractor: Extractor, sample: Sample, page: Page) -> Result:
    """What one extractor makes of one page."""
    found, cpu_s = _timed(extractor.read, page)
    text = without_syntax(found.text) if extractor.reads_markdown else found.text
    mine, truth = words(text), words(sample.content)
    return Result(
        extractor=extractor.name,
        page=sample.name,
        kind=sample.kind,
        words=word_score(mine, truth),
        shingles=shingle_score(mine, truth),
        wanted=share_found(text, sample.snippets),
        unwanted=share_found(text, sample.noise),
        is_empty=bool(truth) and not mine,
        cpu_s=cpu_s,
        found_kind=found.kind,
    )


def _timed(read: Callable[[Page], Read], page: Page) -> tuple[Read, float]:
    # Nobody cleans up after the one before.
    gc.collect()
    started = time.process_time()
    found = read(page)
    return found, time.process_time() - started


@dataclass(frozen=True, slots=True)
class FactsResult:
    """Precision and recall of title, author and date, and the time that they took."""

    scores: dict[str, Score]
    cpu_s: float


def measure_facts(readers: dict[str, Callable[[Page], Facts]], samples: Iterable[Sample]) -> dict[str, FactsResult]:
    """What each extractor says about the pages besides their text."""
    pairs: dict[str, list[tuple[Facts, Facts]]] = {name: [] for name in readers}
    cpu_s = dict.fromkeys(readers, 0.0)
    for sample in samples:
        page, truth = Page.of(sample), Facts(sample.title, sample.author, sample.published)
        for name, read in readers.items():
            found, took_s = _timed(read, page)
            pairs[name].append((found, truth))
            cpu_s[name] += took_s
    return {name: FactsResult(metadata_scores(each), cpu_s[name]) for name, each in pairs.items()}
