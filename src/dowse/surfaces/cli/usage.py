"""Show the calls to providers and their estimated cost, of today and of this month (UTC)."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from dowse.core.runtime import SystemClock
from dowse.core.text import one_line
from dowse.stores.ledger import CallCount, Days, Tally
from dowse.surfaces.cli import session
from dowse.surfaces.cli.terminal import style

_MICRO = 1_000_000
_NOTE = "Costs are estimates in dollars, from list prices. Calls that sent nothing do not count."
_BY: Mapping[str, Callable[[CallCount], str]] = {
    "provider": lambda each: each.provider,
    "caller": lambda each: each.caller,
    "day": lambda each: str(each.day),
}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("usage", help="show calls to providers and their cost", description=__doc__)
    parser.add_argument("--by", choices=_BY, default="provider", help="caller, provider or day (default: provider)")
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
        {by: name, **_amounts(whole), **(_amounts(now, "_today") if by != "day" else {})}
        for name, whole, now in _rows(counts, by, month)
    ]
    whole, now = _total(counts), _total(_on(counts, month))
    total = {**_amounts(whole), **_amounts(now, "_today")}
    return {"month": f"{month.today:%Y-%m}", "today": str(month.today), "by": by, "rows": rows, "total": total}


def _amounts(tally: Tally, ending: str = "") -> dict[str, float]:
    return {f"calls{ending}": tally.calls, f"usd{ending}": tally.micro_usd / _MICRO}


def _table(state: str, counts: Sequence[CallCount], by: str, month: Days) -> str:
    """A line for each name, the most calls first, and one for all of them; days in their order."""
    shown = [(name, whole, now) for name, whole, now in _rows(counts, by, month)]
    shown.append(("all", _total(counts), _total(_on(counts, month))))
    width = max(len(by), *(len(name) for name, *_ in shown)) + 2
    heads = ["calls", "cost"] if by == "day" else ["today", "cost", f"{month.today:%Y-%m}", "cost"]
    lines = [state, "", style(f"{by:<{width}}" + "".join(f"{head:>10}" for head in heads), "bold")]
    for name, whole, now in shown:
        cells = _cells(whole) if by == "day" else _cells(now) + _cells(whole)
        lines.append(f"{name:<{width}}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join([*lines, "", _NOTE])


def _cells(tally: Tally) -> list[str]:
    return [str(tally.calls), f"{tally.micro_usd / _MICRO:.3f}"]


def _rows(counts: Sequence[CallCount], by: str, month: Days) -> list[tuple[str, Tally, Tally]]:
    """Name, total of the month and total of today."""
    groups: defaultdict[str, list[CallCount]] = defaultdict(list)
    for each in counts:
        groups[one_line(_BY[by](each), 64)].append(each)
    rows = [(name, _total(group), _total(_on(group, month))) for name, group in groups.items()]
    return sorted(rows, key=lambda row: row[0] if by == "day" else (-row[1].calls, row[0]))


def _on(counts: Sequence[CallCount], month: Days) -> list[CallCount]:
    return [each for each in counts if each.day == month.today]


def _total(counts: Sequence[CallCount]) -> Tally:
    return sum((each.tally for each in counts), Tally())
