"""Show the calls to providers and their estimated cost, of today and of this month (UTC)."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from dowse.core.runtime import SystemClock
from dowse.core.text import one_line
from dowse.stores.ledger import USAGE_NAMES, CallCount, Days, Tally, UsageRow, group_usage, total_usage
from dowse.surfaces.cli import session
from dowse.surfaces.cli.terminal import style

_MICRO = 1_000_000
_NOTE = "Costs are estimates in dollars, from list prices. Calls that sent nothing do not count."


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("usage", help="show calls to providers and their cost", description=__doc__)
    parser.add_argument(
        "--by", choices=USAGE_NAMES, default="provider", help="caller, provider or day (default: provider)"
    )
    session.report_flags(parser, _run)


def _run(arguments: argparse.Namespace) -> int:
    today = SystemClock().today()
    month, by = Days(today.replace(day=1), today), str(arguments.by)
    nothing: list[CallCount] = []
    return session.query_store(
        arguments,
        lambda store: store.call_counts(month),
        nothing,
        lambda counts: _describe(counts, by, month),
        lambda state, counts: _table(state, counts, by, month),
        contents="usage",
    )


def _describe(counts: Sequence[CallCount], by: str, month: Days) -> Mapping[str, object]:
    rows = [
        {by: _show_name(row), **_amounts(row.whole), **(_amounts(row.today, "_today") if by != "day" else {})}
        for row in group_usage(counts, by, month.today)
    ]
    all_calls = total_usage(counts, month.today)
    total = {**_amounts(all_calls.whole), **_amounts(all_calls.today, "_today")}
    return {"month": f"{month.today:%Y-%m}", "today": str(month.today), "by": by, "rows": rows, "total": total}


def _amounts(tally: Tally, ending: str = "") -> dict[str, float]:
    return {f"calls{ending}": tally.calls, f"usd{ending}": tally.micro_usd / _MICRO}


def _table(state: str, counts: Sequence[CallCount], by: str, month: Days) -> str:
    """A line for each name and one for all of them."""
    rows = [*group_usage(counts, by, month.today), total_usage(counts, month.today)]
    width = max(len(by), *(len(_show_name(row)) for row in rows)) + 2
    heads = ["calls", "cost"] if by == "day" else ["today", "cost", f"{month.today:%Y-%m}", "cost"]
    lines = [state, "", style(f"{by:<{width}}" + "".join(f"{head:>10}" for head in heads), "bold")]
    for row in rows:
        cells = _cells(row.whole) if by == "day" else _cells(row.today) + _cells(row.whole)
        lines.append(f"{_show_name(row):<{width}}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join([*lines, "", _NOTE])


def _show_name(row: UsageRow) -> str:
    return one_line(row.name, 64)


def _cells(tally: Tally) -> list[str]:
    return [str(tally.calls), f"{tally.micro_usd / _MICRO:.3f}"]
