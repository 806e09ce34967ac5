"""Many results as a few figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.extractors.measure import Result

_DRAWS = 2000
_SEED = 7


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over pages; CPU time is the sum."""

    pages: int
    precision: float
    recall: float
    f1: float
    shingle_f1: float
    wanted: float
    unwanted: float
    empty: int
    cpu_s: float

    @classmethod
    def of(cls, results: Sequence[Result]) -> Summary:
        return cls(
            pages=len(results),
            precision=fmean(each.words.precision for each in results),
            recall=fmean(each.words.recall for each in results),
            f1=fmean(each.words.f1 for each in results),
            shingle_f1=fmean(each.shingles.f1 for each in results),
            wanted=_mean(each.wanted for each in results),
            unwanted=_mean(each.unwanted for each in results),
            empty=sum(each.is_empty for each in results),
            cpu_s=sum(each.cpu_s for each in results),
        )


def grouped(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    """Results by something that they have."""
    groups: dict[str, list[Result]] = {}
    for each in results:
        groups.setdefault(key(each), []).append(each)
    return groups


def kind_accuracy(results: Sequence[Result]) -> float:
    """The share of pages that were taken for what they are."""
    return fmean(each.found_kind == each.kind for each in results)


def interval(mine: Sequence[Result], theirs: Sequence[Result]) -> tuple[float, float, float]:
    """The difference in word F1 over the same pages, and between what it lies in 95 of 100 draws of pages."""
    import numpy as np

    other = {each.page: each.words.f1 for each in theirs}
    differences = np.array([each.words.f1 - other[each.page] for each in mine])
    draws = np.random.default_rng(_SEED).choice(differences, (_DRAWS, len(differences))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)


def _mean(shares: Iterable[float | None]) -> float:
    """The mean of those that are there; a small sample may have none."""
    there = [share for share in shares if share is not None]
    return fmean(there) if there else float("nan")
