"""`dowse instances`: which SearXNG instances may be asked, how they are, and why others are not asked."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from dowse.core import urls
from dowse.core.errors import ConfigError, NoInstance
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import DONE, FAILED, ProgressLine

if TYPE_CHECKING:
    from dowse.app import App

Data = dict[str, Any]
Ask = Callable[["App", ProgressLine], Awaitable[Data]]


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "instances", help="see which SearXNG instances may be asked, and how they are", description=__doc__
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser(
        "list",
        help="show the table of instances",
        description="Shows each instance with its grade, uptime, response time and state. The list of public ones is "
        "fetched if the one from before is older than a day.",
    )
    listing.add_argument("--all", action="store_true", help="show those as well that are not good enough, and why")
    _common(listing, _list)
    refresh = actions.add_parser(
        "refresh",
        help="fetch the list of public instances anew",
        description="Fetches the list of public instances anew and says how many of them are good enough.",
    )
    _common(refresh, _refresh)
    test = actions.add_parser(
        "test",
        help="ask instances once and tell what came of it",
        description="Asks each instance that may be asked, or the named ones, for its health and for one search. "
        "Tells whether it answered in JSON or with its web page, or why it did not. Exits with 1 if none answered.",
    )
    test.add_argument("urls", nargs="*", metavar="URL", help="base address of an instance; all when left out")
    _common(test, _test)


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--json", action="store_true", help="print it as one JSON object")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def _list(arguments: argparse.Namespace) -> int:
    from dowse.surfaces.cli import instances_table as shown

    async def ask(app: App, line: ProgressLine) -> Data:
        await line.show("looking for the list of instances")
        await app.instances.load()
        now = app.clock.utc().timestamp()
        data = {**_counts(app), "instances": [shown.describe(each, now) for each in app.instances.table()]}
        if arguments.all:
            data["excluded"] = [{"url": each.url, "reason": each.reason} for each in app.instances.excluded()]
        return {**data, "warnings": list(app.instances.warnings())}

    return _run(arguments, ask, shown.table)


def _refresh(arguments: argparse.Namespace) -> int:
    async def ask(app: App, line: ProgressLine) -> Data:
        await line.show("fetching the list of instances")
        await app.instances.refresh()
        return _counts(app)

    return _run(arguments, ask, lambda data: f"{data['usable']} of {data['listed']} instances are good enough.")


def _test(arguments: argparse.Namespace) -> int:
    from dowse.surfaces.cli import instances_table as shown

    named = [_address(url) for url in arguments.urls]

    async def ask(app: App, line: ProgressLine) -> Data:
        if app.settings.offline:
            raise NoInstance(app.instances.provider, "offline mode is on, so no instance can be asked")
        checked = await app.instances.check(named or None, line.show)
        if not checked:
            raise app.instances.none_ready()
        return {"ok": any(each.is_well for each in checked), "instances": list(map(shown.finding, checked))}

    return _run(arguments, ask, shown.findings)


def _run(arguments: argparse.Namespace, ask: Ask, show: Callable[[Data], str]) -> int:
    """Ask the application and print what it says, for programs or for people."""
    settings = session.load(arguments, {}, quiet=True)
    line = ProgressLine()
    try:
        data = asyncio.run(_asked(settings, ask, line))
    except NoInstance as error:
        line.clear()
        print(f"dowse: {Redactor(settings.secrets()).message(error.detail)}", file=sys.stderr)
        return FAILED
    line.clear()
    for warning in data.get("warnings", ()):
        print(f"dowse: warning: {warning}", file=sys.stderr)
    print(json.dumps(data, indent=2) if arguments.json else show(data))
    return DONE if data.get("ok", True) else FAILED


async def _asked(settings: Settings, ask: Ask, line: ProgressLine) -> Data:
    from dowse.app import App  # Everything heavy hangs on this import; `--help` does without.

    async with App(settings, is_brief=True) as app:
        data = app.redactor.data(await ask(app, line))
        assert isinstance(data, dict)
        return data


def _counts(app: App) -> Data:
    usable = len(app.instances.table())
    return {"usable": usable, "listed": usable + len(app.instances.excluded())}


def _address(url: str) -> str:
    parsed = urls.parse(url)
    if parsed is None or parsed.scheme not in ("http", "https"):
        raise ConfigError(f"{one_line(url, 80)!r} is no address; it takes one such as https://searx.example.org.")
    return url.rstrip("/")
