"""Show the size of the cache, or clear it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from dowse.cache.entries import RECENT_S
from dowse.core.errors import StoreFailed
from dowse.core.runtime import SystemClock
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings, sources
from dowse.stores import file_of, format_size, open_store, show_address
from dowse.stores.store import Store, Usage
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import DONE, FAILED
from dowse.surfaces.cli.terminal import style

T = TypeVar("T")

# Counting and deleting the entries of a large store takes a while.
_TIMEOUT_S = 60.0


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
    return query_store(arguments, lambda store: store.usage(), Usage(), _usage, _table)


def _clear(arguments: argparse.Namespace) -> int:
    return query_store(arguments, lambda store: store.clear(), 0, lambda count: {"deleted": count}, _describe_deletion)


def query_store(
    arguments: argparse.Namespace,
    ask: Callable[[Store], Awaitable[T]],
    nothing: T,
    describe: Callable[[T], Mapping[str, object]],
    show: Callable[[str, T], str],
    *,
    contents: str = "cache",
) -> int:
    """Query the store of the settings and print the answer; `nothing` stands for a store that does not exist."""
    settings = session.load(arguments, {}, quiet=True)
    masked = Redactor(settings.secrets()).message
    address = sources.state_address(settings)
    found, why = nothing, _why_nothing(address, contents)
    if why:
        print(f"dowse: {why}", file=sys.stderr)
    else:
        try:
            found = asyncio.run(_query(address, settings, ask))
        except StoreFailed as error:
            print(f"dowse: the store failed: {masked(one_line(str(error)))}", file=sys.stderr)
            return FAILED
    state = masked(show_address(address))
    if arguments.json:
        print(json.dumps({"state": state, **describe(found)}, indent=2))
    elif not why:
        print(show(state, found))
    return DONE


def _why_nothing(address: str, contents: str) -> str:
    """Why there is no store to query; none is made to find out."""
    if address.startswith("memory:"):
        return f"DOWSE_STATE is memory:, which is private to each process, so there is no {contents} to show"
    if (file := file_of(address)) and not file.exists():
        return f"the {contents} is empty: {one_line(str(file))} is created on first use"
    return ""


async def _query(address: str, settings: Settings, ask: Callable[[Store], Awaitable[T]]) -> T:
    store = open_store(address, SystemClock(), max_bytes=settings.cache_size)
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            return await ask(store)
    except TimeoutError:
        raise StoreFailed(f"no answer within {_TIMEOUT_S:g} s") from None
    finally:
        await store.close()


def _usage(usage: Usage) -> Mapping[str, object]:
    kinds = {
        one_line(kind): {"entries": count, "bytes": usage.value_bytes.get(kind, 0)}
        for kind, count in sorted(usage.entries.items())
    }
    return {"kinds": kinds, "size_bytes": usage.size_bytes, "max_bytes": usage.max_bytes}


def _table(state: str, usage: Usage) -> str:
    """A line for each kind, one for all of them, and the size of the store."""
    rows = [(one_line(kind), count, usage.value_bytes.get(kind, 0)) for kind, count in sorted(usage.entries.items())]
    rows.append(("all", sum(count for _, count, _ in rows), sum(size for _, _, size in rows)))
    lines = [state, "", style(f"{'kind':<10}{'entries':>10}{'bytes':>12}", "bold")]
    lines += [f"{kind:<10}{count:>10}{format_size(size):>12}" for kind, count, size in rows]
    most = f" of at most {format_size(usage.max_bytes)}" if usage.max_bytes is not None else ""
    return "\n".join([*lines, "", f"Size: {format_size(usage.size_bytes)}{most}."])


def _describe_deletion(state: str, count: int) -> str:
    deleted = f"{count} {'entry' if count == 1 else 'entries'} deleted from {state}"
    return f"{deleted}; spent budgets are kept. A running server notices within {RECENT_S:.0f} seconds."
