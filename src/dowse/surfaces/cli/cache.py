"""Show the size of the cache, or clear it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from dowse.cache.entries import RECENT_S
from dowse.core.text import count_noun, one_line
from dowse.stores import format_size
from dowse.stores.store import Usage
from dowse.surfaces.cli import session
from dowse.surfaces.cli.terminal import style


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("cache", help="show the size of the cache, or clear it", description=__doc__)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    stats = actions.add_parser(
        "stats",
        help="show the number and size of cached entries",
        description="Shows the number and size of cached entries by kind. The store holds no query text.",
    )
    session.report_flags(stats, _stats)
    clear = actions.add_parser(
        "clear",
        help="delete all cached entries",
        description="Deletes all cached entries, expired or not. Counters of spent budgets are kept.",
    )
    session.report_flags(clear, _clear)


def _stats(arguments: argparse.Namespace) -> int:
    return session.query_store(arguments, lambda store: store.usage(), Usage(), _usage, _table)


def _clear(arguments: argparse.Namespace) -> int:
    return session.query_store(
        arguments, lambda store: store.clear(), 0, lambda count: {"deleted": count}, _describe_deletion
    )


def _usage(usage: Usage) -> Mapping[str, object]:
    kinds = {
        one_line(kind): {"entries": count, "bytes": usage.value_bytes.get(kind, 0)}
        for kind, count in sorted(usage.entries.items())
    }
    return {"kinds": kinds, "size_bytes": usage.size_bytes, "max_bytes": usage.max_bytes}


def _table(state: str, usage: Usage) -> str:
    """A line for each kind, one for all of them, and the size of the store."""
    rows = [(one_line(kind), count, usage.value_bytes.get(kind, 0)) for kind, count in sorted(usage.entries.items())]
    rows.append(("all", sum(usage.entries.values()), sum(size for _, _, size in rows)))
    lines = [state, "", style(f"{'kind':<10}{'entries':>10}{'bytes':>12}", "bold")]
    lines += [f"{kind:<10}{count:>10}{format_size(size):>12}" for kind, count, size in rows]
    most = f" of at most {format_size(usage.max_bytes)}" if usage.max_bytes is not None else ""
    return "\n".join([*lines, "", f"Size: {format_size(usage.size_bytes)}{most}."])


def _describe_deletion(state: str, count: int) -> str:
    deleted = f"{count_noun(count, 'entry', 'entries')} deleted from {state}"
    return f"{deleted}; spent budgets are kept. A running server notices within {RECENT_S:.0f} seconds."
