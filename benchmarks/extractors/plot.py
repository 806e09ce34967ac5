"""The figures to look at: quality by kind of page, and against what it costs."""

from __future__ import annotations

from pathlib import Path

from benchmarks.extractors.report import Report

# Apart in brightness too, for a printer and for those who do not see colours.
_COLOURS = ("#0b6e4f", "#e08e45", "#7d8ca3", "#c9cdd4")
_BAR = 0.2
# Labels of what is cheap stand to its right, others to their left: none leaves the picture.
_MIDDLE = 0.6


def draw(report: Report, path: Path) -> None:
    """Write a picture whose format is the suffix of its name."""
    # Without a display, and only where somebody wants a picture.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (kinds, cost) = pyplot.subplots(1, 2, figsize=(13, 4.6), width_ratios=(2.4, 1), layout="constrained")
    names = list(report.by_kind)
    for place, (name, colour) in enumerate(zip(report.totals, _COLOURS, strict=True)):
        heights = [report.by_kind[kind][name].f1 for kind in names]
        kinds.bar([x + (place - 1.5) * _BAR for x in range(len(names))], heights, _BAR, label=name, color=colour)
        x, y = report.cpu_ratio(name), report.totals[name].f1
        cost.scatter([x], [y], s=70, color=colour, edgecolor="black", linewidth=0.6, zorder=3)
        side = "left" if x < _MIDDLE else "right"
        cost.annotate(f"{name} {y:.3f}", (x, y), xytext=(0, 8), textcoords="offset points", ha=side, fontsize=9)
    kinds.set_xticks(range(len(names)), [f"{kind}\n{_pages(report, kind)} pages" for kind in names])
    kinds.set_ylim(0, 1)
    kinds.set_ylabel("word F1")
    kinds.set_title("by kind of page")
    kinds.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False)
    cost.set_xlim(0, 1.2)
    cost.margins(y=0.2)
    cost.set_ylabel("word F1")
    cost.set_xlabel("CPU time, trafilatura = 1")
    cost.set_title("all pages, against what they cost")
    for axes in (kinds, cost):
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _pages(report: Report, kind: str) -> int:
    return next(iter(report.by_kind[kind].values())).pages
