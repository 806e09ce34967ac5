"""Statements on the age of results: those outside the period asked for, and the source of a date."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dowse.contracts.output import ResultOutput, WebSearchOutput
from dowse.core.digests import Timing
from dowse.core.text import day_of


def describe_ages(found: WebSearchOutput) -> str:
    """One sentence if some results are not known to be of the period; empty if all are, or none was asked for."""
    if not found.period or not found.results:
        return ""
    undated, older, newer = (_numbers(found.results, timing) for timing in (Timing.UNDATED, Timing.OLDER, Timing.NEWER))
    parts = [
        _describe(undated, "has no date", "have no date"),
        _describe(older, "is older", "are older"),
        _describe(newer, "is newer", "are newer"),
    ]
    others = "; ".join(filter(None, parts))
    if len(undated) + len(older) + len(newer) == len(found.results):
        return f"Nothing published {found.period} was found: {others}."
    return f"Not known to be published {found.period}: {others}." if others else ""


def describe_date(result: ResultOutput, *, has_period: bool) -> str:
    """The day of a result; in a search of a period also where it comes from, or that it is unknown."""
    day = day_of(result.published)
    if not has_period:
        return day
    told = f"{day} ({result.published_from})" if day else "no date"
    return f"{told}, changed {day_of(result.modified)}" if result.modified else told


def _numbers(results: Sequence[ResultOutput], timing: Timing) -> list[int]:
    return [number for number, result in enumerate(results, 1) if result.in_period == timing]


def _describe(numbers: Sequence[int], one: str, several: str) -> str:
    """Such as "results 2-4 and 6 have no date"; empty without any."""
    if not numbers:
        return ""
    # Neighbours have the same distance to their places.
    runs = [
        [number for _, number in run] for _, run in groupby(enumerate(numbers), lambda placed: placed[1] - placed[0])
    ]
    *others, last = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    named = f"{', '.join(others)} and {last}" if others else last
    return f"result {named} {one}" if len(numbers) == 1 else f"results {named} {several}"
