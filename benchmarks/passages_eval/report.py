"""All figures of a run as tables, and with what was asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from benchmarks.passages_eval.measure import BUDGETS, Result

DOWSE = "dowse"
PARAGRAPHS = "paragraph BM25"
RECALL_BOUNDS = {250: 0.93, 500: 0.96}
CPU_BOUND = 2.5
_QUARTERS = 4


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one set of pages."""

    name: str
    results: list[Result]
    cpu_ms: dict[str, float]

    def recall(self, selector: str, budget: int) -> float:
        """The share of the questions whose answer is shown."""
        return recall([each for each in self.results if each.selector == selector], budget)

    def cpu_ratio(self, selector: str) -> float:
        """CPU time as a multiple of that of BM25 over paragraphs."""
        return self.cpu_ms[selector] / self.cpu_ms[PARAGRAPHS]

    def text(self) -> str:
        """All of it as Markdown."""
        asked = len(self.results) // len(self.cpu_ms)
        parts = [
            f"{self.name}: {asked} questions, recall in % within so many tokens",
            _table(["selector", *map(str, BUDGETS), "MRR", "used", "above", "ms / 10k", "x"], self._totals()),
            _table(["by page", *self.cpu_ms], self._by_page()),
        ]
        # Words can be compared where blanks separate them.
        if {each.language for each in self.results} == {"en"}:
            parts.append(_table(["by overlap", *self.cpu_ms], self._by_overlap()))
        return "\n\n".join(parts)

    def shortfalls(self) -> Iterator[str]:
        """What dowse does not reach of what is asked."""
        for budget, bound in RECALL_BOUNDS.items():
            if (reached := self.recall(DOWSE, budget)) < bound:
                yield f"{self.name}, recall within {budget} tokens: {reached:.3f} < {bound:.3f}"
        if (ratio := self.cpu_ratio(DOWSE)) > CPU_BOUND:
            yield f"{self.name}, CPU: {ratio:.2f}x {PARAGRAPHS} > {CPU_BOUND}x"

    def _totals(self) -> list[list[str]]:
        rows = []
        for selector, cpu_ms in self.cpu_ms.items():
            results = [each for each in self.results if each.selector == selector]
            ranks = [each.reciprocal_rank for each in results if each.reciprocal_rank is not None]
            used = [share for each in results for share in each.used.values()]
            rows.append(
                [
                    selector,
                    *(_percent(recall(results, budget)) for budget in BUDGETS),
                    f"{fmean(ranks):.3f}" if ranks else "-",
                    f"{fmean(used):.2f}",
                    str(sum(share > 1 for share in used)),
                    f"{cpu_ms:.1f}",
                    f"{self.cpu_ratio(selector):.2f}",
                ]
            )
        return rows

    def _by_page(self) -> list[list[str]]:
        ordered = sorted(self.results, key=lambda each: each.page)
        return [[name, *self._small(list(results))] for name, results in groupby(ordered, key=lambda each: each.page)]

    def _by_overlap(self) -> list[list[str]]:
        """Quarters of the questions, from those that have other words than their answers."""
        questions = sorted({(each.overlap, each.page, each.question) for each in self.results})
        rows = []
        for number in range(_QUARTERS):
            part = questions[len(questions) * number // _QUARTERS : len(questions) * (number + 1) // _QUARTERS]
            chosen = set(part)
            results = [each for each in self.results if (each.overlap, each.page, each.question) in chosen]
            if part:
                rows.append([f"{part[0][0]:.2f}-{part[-1][0]:.2f}", *self._small(results)])
        return rows

    def _small(self, results: Sequence[Result]) -> list[str]:
        """The recall of each selector within the two small budgets."""
        cells = []
        for selector in self.cpu_ms:
            own = [each for each in results if each.selector == selector]
            cells.append(" ".join(_percent(recall(own, budget)) for budget in RECALL_BOUNDS))
        return cells


def recall(results: Sequence[Result], budget: int) -> float:
    """The share of the questions whose answer is shown within the budget."""
    return fmean(each.answered[budget] for each in results)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in lines
    )
