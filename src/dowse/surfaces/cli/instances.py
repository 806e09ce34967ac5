"""List, refresh and test SearXNG instances: your own and the public ones."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from dowse.core import urls
from dowse.core.errors import ConfigError, NoInstance
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import DONE, FAILED
from dowse.surfaces.cli.terminal import ProgressLine, style

if TYPE_CHECKING:
    from dowse.app import App
    from dowse.providers.searxng.instance import Instance
    from dowse.providers.searxng.pool import CheckResult

Data = dict[str, Any]
Ask = Callable[["App", ProgressLine], Awaitable[Data]]

_COLUMNS = ("address", "grade", "uptime", "response", "answers", "failures", "checked")
_STATE_STYLES = {"ready": "green", "blocked": "red"}
_OUTCOMES = {"rate_limited": "limiter"}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("instances", help="list, refresh and test SearXNG instances", description=__doc__)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser(
        "list",
        help="list instances with their state",
        description="Shows each instance with its grade, uptime, response time and state. The list of public ones is "
        "downloaded if the cached one is older than a day.",
    )
    listing.add_argument("--all", action="store_true", help="include rejected instances, with the reason")
    _common(listing, _list)
    refresh = actions.add_parser(
        "refresh",
        help="download the list of public instances",
        description="Downloads the list of public instances and prints how many of them are accepted.",
    )
    _common(refresh, _refresh)
    test = actions.add_parser(
        "test",
        help="send a health check and one search to instances",
        description="Sends a health check and one search to each accepted instance, or to the named ones. "
        "Prints the response format (JSON or web page) or the reason of the failure. Exits with 1 if all fail.",
    )
    test.add_argument("urls", nargs="*", metavar="URL", help="base URL of an instance (default: all accepted ones)")
    _common(test, _test)


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def _list(arguments: argparse.Namespace) -> int:
    async def ask(app: App, line: ProgressLine) -> Data:
        await line.show("loading the list of instances")
        await app.instances.load()
        now = app.clock.utc().timestamp()
        data = {**_counts(app), "instances": [_describe(each, now) for each in app.instances.table()]}
        if arguments.all:
            data["excluded"] = [{"url": each.url, "reason": each.reason} for each in app.instances.exclusions()]
        return {**data, "warnings": list(app.instances.warnings())}

    return _run(arguments, ask, _render_table)


def _refresh(arguments: argparse.Namespace) -> int:
    async def ask(app: App, line: ProgressLine) -> Data:
        await line.show("fetching the list of instances")
        await app.instances.refresh()
        return _counts(app)

    return _run(arguments, ask, lambda data: f"{data['usable']} of {data['listed']} instances are accepted.")


def _test(arguments: argparse.Namespace) -> int:
    named = [_address(url) for url in arguments.urls]

    async def ask(app: App, line: ProgressLine) -> Data:
        if app.settings.offline:
            raise NoInstance(app.instances.provider, "offline mode is on, so no instance can be tested")
        checked = await app.instances.check(named or None, line.show)
        if not checked:
            raise app.instances.none_ready()
        return {"ok": any(each.is_well for each in checked), "instances": list(map(_describe_check, checked))}

    return _run(arguments, ask, _render_checks)


def _run(arguments: argparse.Namespace, ask: Ask, show: Callable[[Data], str]) -> int:
    """Query the application and print the answer, as JSON or as text."""
    settings = session.load(arguments, {}, quiet=True)
    try:
        with ProgressLine() as line:
            data = asyncio.run(_query(settings, ask, line))
    except NoInstance as error:
        print(f"dowse: {Redactor(settings.secrets()).message(error.detail)}", file=sys.stderr)
        return FAILED
    for warning in data.get("warnings", ()):
        print(f"dowse: warning: {warning}", file=sys.stderr)
    print(json.dumps(data, indent=2) if arguments.json else show(data))
    return DONE if data.get("ok", True) else FAILED


async def _query(settings: Settings, ask: Ask, line: ProgressLine) -> Data:
    from dowse.app import App  # Heavy; `--help` does without.

    async with App(settings, is_brief=True) as app:
        data = app.redactor.data(await ask(app, line))
        assert isinstance(data, dict)
        return data


def _counts(app: App) -> Data:
    usable = len(app.instances.table())
    return {"usable": usable, "listed": usable + len(app.instances.exclusions())}


def _address(url: str) -> str:
    parsed = urls.parse(url)
    if parsed is None or parsed.scheme not in ("http", "https"):
        raise ConfigError(f"{one_line(url, 80)!r} is not a URL; use one such as https://searx.example.org.")
    return url.rstrip("/")


def _describe(instance: Instance, now: float) -> Data:
    """The state of an instance at a time."""
    from dowse.providers.searxng.instance import InstanceState

    state = instance.state(now)
    return {
        "url": urls.without_userinfo(instance.url),
        "grade": instance.grade,
        "uptime": instance.uptime,
        "response_ms": instance.response_ms,
        "state": state.value,
        "reason": one_line(instance.reason) if state is not InstanceState.READY else "",
        "until": _timestamp(instance.until(now)),
        "last_checked": _timestamp(instance.last_checked),
        "consecutive_failures": instance.consecutive_failures,
        "json": instance.json,
    }


def _render_table(data: Data) -> str:
    """A line for each instance, the excluded ones if they were asked for, and how many there are."""
    rows, excluded, listed = data["instances"], data.get("excluded", ()), data["listed"]
    ready = sum(row["state"] == "ready" for row in rows)
    told = f"{len(rows)} of {listed} instances are accepted, {ready} of them ready."
    if len(rows) + len(excluded) < listed:
        told += " --all shows the rejected ones, with the reason."
    blocks = [_render_rows(rows), [f"{each['url']}  {style(each['reason'], 'dim')}" for each in excluded], [told]]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _describe_check(checked: CheckResult) -> Data:
    """The outcome of a check."""
    return {
        "url": urls.without_userinfo(checked.url),
        "outcome": _OUTCOMES.get(checked.outcome, checked.outcome),
        "is_well": checked.is_well,
        "ms": checked.ms,
        "detail": one_line(checked.detail),
    }


def _render_checks(data: Data) -> str:
    return "\n".join(map(_render_check, data["instances"]))


def _render_check(found: Data) -> str:
    outcome = style(found["outcome"].replace("_", " "), "green" if found["is_well"] else "red")
    return f"{found['url']}  {outcome} ({found['ms']} ms)" + (f": {found['detail']}" if found["detail"] else "")


def _render_rows(rows: Sequence[Data]) -> list[str]:
    """Columns as wide as their widest cell, and then the state in its colour."""
    if not rows:
        return []
    cells = [_COLUMNS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head, *lines = ("  ".join(map(str.ljust, line, widths)) for line in cells)
    return [style(f"{head}  state", "bold"), *(f"{line}  {_state(row)}" for line, row in zip(lines, rows, strict=True))]


def _cells(row: Data) -> tuple[str, ...]:
    return (
        row["url"],
        row["grade"] or "own",
        f"{row['uptime']:.1f} %" if row["uptime"] is not None else "?",
        f"{row['response_ms']} ms" if row["response_ms"] is not None else "?",
        {True: "json", False: "html", None: "?"}[row["json"]],
        str(row["consecutive_failures"]),
        _format_time(row["last_checked"]) if row["last_checked"] else "never",
    )


def _state(row: Data) -> str:
    """Such as `resting until 2026-11-15 12:01 UTC: HTTP 503`."""
    until = f" until {_format_time(row['until'])}" if row["until"] else ""
    reason = f": {row['reason']}" if row["reason"] else ""
    return style(f"{row['state']}{until}{reason}", _STATE_STYLES.get(row["state"], "yellow"))


def _timestamp(timestamp: float) -> str | None:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds") if timestamp else None


def _format_time(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M UTC")
