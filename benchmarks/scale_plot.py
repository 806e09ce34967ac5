"""The figures of `scale.py` to look at: throughput and latency by callers, cost by what is doubled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.scale import Costs, Level

# Apart in brightness too, for a printer and for those who do not see colours.
_COLOURS = ("#0b6e4f", "#e08e45", "#7d8ca3", "#c44536")
_MARKS = {"1": "o", "3": "s"}


def draw(ways: Mapping[str, Sequence[Level]], costs: Costs, path: Path) -> None:
    """Write a picture whose format is the suffix of its name."""
    # Without a display, and only where somebody wants a picture.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (throughput, latency, cost) = pyplot.subplots(1, 3, figsize=(16, 5.2), layout="constrained")
    together = [level.together for level in next(iter(ways.values()))]
    for place, (name, levels) in enumerate(ways.items()):
        style = {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKS[name[0]],
            "linestyle": "-" if name[0] == "1" else "--",
        }
        throughput.plot(together, [level.run.per_s for level in levels], label=name, **style)
        latency.plot(together, [level.run.percentile(0.95) * 1000 for level in levels], label=name, **style)
    _by_callers(throughput, together, "answers a second")
    _by_callers(latency, together, "p95, ms")
    _costs(cost, costs)
    handles, labels = throughput.get_legend_handles_labels()
    figure.legend(handles, labels, ncols=4, loc="outside lower center", frameon=False, fontsize=9)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _by_callers(axes: Any, together: Sequence[int], label: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(together, [str(count) for count in together])
    axes.set_yscale("log")
    axes.set_xlabel("calls at a time")
    axes.set_ylabel(label)
    _plain(axes)


def _costs(axes: Any, costs: Costs) -> None:
    named = {"calls": costs.by_calls, "pages": costs.by_pages, "size of pages": costs.by_page_bytes}
    for (name, figures), colour in zip(named.items(), _COLOURS, strict=False):
        first = next(iter(figures))
        times = [amount / first for amount in figures]
        axes.plot(times, list(figures.values()), label=name, color=colour, marker="o")
    axes.set_xscale("log", base=2)
    axes.set_xticks((1, 2, 4, 8), ("1x", "2x", "4x", "8x"))
    axes.set_yscale("log")
    axes.set_xlabel("as many calls, pages, bytes of a page")
    axes.set_ylabel("CPU per call, ms")
    axes.legend(frameon=False)
    _plain(axes)


def _plain(axes: Any) -> None:
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
