"""All figures of a run, as tables, as JSON and with what was asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.extractors import own
from benchmarks.extractors.libraries import TRAFILATURA
from benchmarks.extractors.measure import FactsResult, Result
from benchmarks.extractors.summary import Summary, grouped, interval, kind_accuracy
from tools.extractor.data import KINDS

F1_BOUND = 0.885
KIND_BOUNDS = {"article": 0.95, "forum": 0.82, "documentation": 0.93}
CPU_BOUND = 0.6
FIDELITY_BOUNDS = {"code": 0.97, "cells": 0.98, "headings": 0.97, "items": 0.95, "links": 0.97}
_ARTICLE = "article"

Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run, by extractor."""

    totals: dict[str, Summary]
    by_kind: dict[str, dict[str, Summary]]
    """First by kind of page."""
    difference: tuple[float, float, float]
    """The word F1 of dowse less that of trafilatura, and its interval."""
    kind_accuracy: float
    facts: dict[str, FactsResult]
    fidelity: dict[str, dict[str, float]]

    @classmethod
    def of(
        cls, results: Sequence[Result], facts: dict[str, FactsResult], fidelity: dict[str, dict[str, float]]
    ) -> Report:
        extractors = grouped(results, lambda each: each.extractor)
        kinds = grouped(results, lambda each: each.kind)
        return cls(
            totals=_summaries(results),
            by_kind={kind: _summaries(kinds[kind]) for kind in KINDS if kind in kinds},
            difference=interval(extractors[own.NAME], extractors[TRAFILATURA]),
            kind_accuracy=kind_accuracy(extractors[own.NAME]),
            facts=facts,
            fidelity=fidelity,
        )

    def cpu_ratio(self, extractor: str) -> float:
        """CPU time as a multiple of trafilatura's."""
        return self.totals[extractor].cpu_s / self.totals[TRAFILATURA].cpu_s

    def cpu_ratio_with_facts(self) -> float:
        """CPU time as a multiple of trafilatura's if it tells author and date as well, as dowse always does."""
        return self.totals[own.NAME].cpu_s / (self.totals[TRAFILATURA].cpu_s + self.facts[TRAFILATURA].cpu_s)

    def text(self) -> str:
        """All of it as Markdown."""
        low, high = self.difference[1:]
        return "\n\n".join(
            [
                _table(["extractor", "P", "R", "F1", "shingle F1", "with", "without", "empty", "x"], self._totals()),
                f"dowse less trafilatura, word F1: {self.difference[0]:+.3f} (95 %: {low:+.3f} to {high:+.3f})",
                _table(["F1 by kind", *self._kind_headers()], self._by_kind()),
                _table(["articles", "F1", "shingle F1"], self._articles()),
                f"kind of page recognised: {self.kind_accuracy:.3f}",
                _table(["metadata, P / R", *next(iter(self.facts.values())).scores], self._facts()),
                f"CPU if trafilatura finds out as much about a page: {self.cpu_ratio_with_facts():.2f}x",
                _table(["structure kept", *FIDELITY_BOUNDS], self._fidelity()),
            ]
        )

    def shortfalls(self) -> Iterator[str]:
        """What dowse does not reach of what is asked."""
        mine, article = self.totals[own.NAME], self.by_kind.get(_ARTICLE, {})
        reached = {"word F1": (mine.f1, F1_BOUND)}
        for kind, bound in KIND_BOUNDS.items():
            if kind in self.by_kind:
                reached[f"word F1, {kind}"] = (self.by_kind[kind][own.NAME].f1, bound)
        if article:
            reached["shingle F1, article"] = (article[own.NAME].shingle_f1, article[TRAFILATURA].shingle_f1)
        for structure, bound in FIDELITY_BOUNDS.items():
            reached[f"fidelity, {structure}"] = (self.fidelity[own.NAME][structure], bound)
        yield from (
            f"{name}: {figure:.3f} < {bound:.3f}" for name, (figure, bound) in reached.items() if figure < bound
        )
        ratio = self.cpu_ratio(own.NAME)
        if ratio > CPU_BOUND:
            yield f"CPU: {ratio:.2f}x trafilatura > {CPU_BOUND}x"

    def _totals(self) -> Rows:
        return [
            [
                name,
                *_figures(each.precision, each.recall, each.f1, each.shingle_f1, each.wanted, each.unwanted),
                str(each.empty),
                f"{self.cpu_ratio(name):.2f}",
            ]
            for name, each in self.totals.items()
        ]

    def _kind_headers(self) -> list[str]:
        return [f"{kind} ({summaries[own.NAME].pages})" for kind, summaries in self.by_kind.items()]

    def _by_kind(self) -> Rows:
        return [[name, *_figures(*(summaries[name].f1 for summaries in self.by_kind.values()))] for name in self.totals]

    def _articles(self) -> Rows:
        articles = self.by_kind.get(_ARTICLE, {})
        return [[name, *_figures(each.f1, each.shingle_f1)] for name, each in articles.items()]

    def _facts(self) -> Rows:
        return [
            [name, *(f"{score.precision:.3f} / {score.recall:.3f}" for score in each.scores.values())]
            for name, each in self.facts.items()
        ]

    def _fidelity(self) -> Rows:
        return [
            [name, *(f"{100 * shares[kind]:.1f} %" for kind in FIDELITY_BOUNDS)]
            for name, shares in self.fidelity.items()
        ]


def _summaries(results: Sequence[Result]) -> dict[str, Summary]:
    groups = grouped(results, lambda each: each.extractor)
    return {name: Summary.of(each) for name, each in sorted(groups.items(), key=lambda item: item[0] != own.NAME)}


def _figures(*figures: float) -> list[str]:
    return [f"{figure:.3f}" for figure in figures]


def _table(header: Sequence[str], rows: Rows) -> str:
    """A table of Markdown whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [[*header], ["-" * width for width in widths], *rows]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in lines
    )
