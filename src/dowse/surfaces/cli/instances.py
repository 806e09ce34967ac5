"""List, refresh and test SearXNG instances: your own and the public ones."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dowse.core import urls
from dowse.core.errors import ConfigError, NoInstance
from dowse.core.text import enclose, one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.surfaces.cli import DONE, FAILED, session
from dowse.surfaces.cli.terminal import ProgressLine, style

if TYPE_CHECKING:
    from dowse.app import App
    from dowse.providers.searxng.directory import Excluded
    from dowse.providers.searxng.instance import Instance
    from dowse.providers.searxng.pool import CheckResult

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
    session.report_flags(listing, _list)
    refresh = actions.add_parser(
        "refresh",
        help="download the list of public instances",
        description="Downloads the list of public instances and prints how many of them are accepted.",
    )
    session.report_flags(refresh, _refresh)
    test = actions.add_parser(
        "test",
        help="send a health check and one search to instances",
        description="Sends a health check and one search to each accepted instance, or to the named ones. "
        "Prints the response format (JSON or web page) or the reason of the failure. Exits with 1 if all fail.",
    )
    test.add_argument("urls", nargs="*", metavar="URL", help="base URL of an instance (default: all accepted ones)")
    session.report_flags(test, _test)


def _list(arguments: argparse.Namespace) -> int:
    return _run(arguments, lambda app, line: _load_table(app, line, shows_excluded=arguments.all))


async def _load_table(app: App, line: ProgressLine, *, shows_excluded: bool) -> _Report:
    await line.show("loading the list of instances")
    await app.instances.load()
    now = app.clock.utc().timestamp()
    listed, excluded = app.instances.table(), app.instances.exclusions()
    data = {**_counts(app), "instances": [_describe(each, now) for each in listed]}
    if shows_excluded:
        data["excluded"] = [{"url": each.url, "reason": each.reason} for each in excluded]
    text = _render_table(listed, excluded, now, shows_excluded=shows_excluded)
    warnings = list(app.instances.warnings())
    return _Report({**data, "warnings": warnings}, text, warnings=warnings)


def _refresh(arguments: argparse.Namespace) -> int:
    async def ask(app: App, line: ProgressLine) -> _Report:
        await line.show("fetching the list of instances")
        await app.instances.refresh()
        counts = _counts(app)
        return _Report(counts, f"{counts['usable']} of {counts['listed']} instances are accepted.")

    return _run(arguments, ask)


def _test(arguments: argparse.Namespace) -> int:
    named = list(map(_address, arguments.urls))
    return _run(arguments, lambda app, line: _check(app, line, named))


async def _check(app: App, line: ProgressLine, named: list[str]) -> _Report:
    if app.settings.offline:
        raise NoInstance(app.instances.provider, "offline mode is on, so no instance can be tested")
    checked = await app.instances.check(named or None, line.show)
    if not checked:
        raise app.instances.none_ready()
    is_ok = any(each.is_well for each in checked)
    data = {"ok": is_ok, "instances": list(map(_describe_check, checked))}
    return _Report(data, "\n".join(map(_render_check, checked)), is_ok=is_ok)


@dataclass(frozen=True, slots=True)
class _Report:
    """The outcome of an action, as JSON and as text."""

    data: Mapping[str, object]
    text: str
    is_ok: bool = True
    warnings: Sequence[str] = ()


def _run(arguments: argparse.Namespace, ask: Callable[[App, ProgressLine], Awaitable[_Report]]) -> int:
    """Query the application and print the answer, as JSON or as text."""
    settings = session.load(arguments, {}, quiet=True)
    redactor = Redactor(settings.secrets())
    try:
        with ProgressLine() as line:
            report = asyncio.run(_query(settings, ask, line))
    except NoInstance as error:
        print(f"dowse: {redactor.message(error.detail)}", file=sys.stderr)
        return FAILED
    for warning in report.warnings:
        print(f"dowse: warning: {redactor.text(warning)}", file=sys.stderr)
    print(json.dumps(redactor.data(report.data), indent=2) if arguments.json else redactor.text(report.text))
    return DONE if report.is_ok else FAILED


async def _query(
    settings: Settings, ask: Callable[[App, ProgressLine], Awaitable[_Report]], line: ProgressLine
) -> _Report:
    from dowse.app import App  # Heavy; `--help` does without.

    async with App(settings, is_brief=True) as app:
        return await ask(app, line)


def _counts(app: App) -> dict[str, object]:
    usable = len(app.instances.table())
    return {"usable": usable, "listed": usable + len(app.instances.exclusions())}


def _address(url: str) -> str:
    if urls.parse_web(url) is None:
        raise ConfigError(f"{one_line(url, 80)!r} is not a URL; use one such as https://searx.example.org.")
    return url.rstrip("/")


def _describe(instance: Instance, now: float) -> dict[str, object]:
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


def _render_table(listed: Sequence[Instance], excluded: Sequence[Excluded], now: float, *, shows_excluded: bool) -> str:
    """A line for each instance, the excluded ones if they were asked for, and how many there are."""
    ready = sum(each.state(now).value == "ready" for each in listed)
    summary = f"{len(listed)} of {len(listed) + len(excluded)} instances are accepted, {ready} of them ready."
    if excluded and not shows_excluded:
        summary += " --all shows the rejected ones, with the reason."
    rejected = [f"{each.url}  {style(each.reason, 'dim')}" for each in excluded] if shows_excluded else []
    blocks = [_render_rows(listed, now), rejected, [summary]]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _describe_check(checked: CheckResult) -> dict[str, object]:
    """The outcome of a check."""
    return {
        "url": urls.without_userinfo(checked.url),
        "outcome": _OUTCOMES.get(checked.outcome, checked.outcome),
        "is_well": checked.is_well,
        "ms": checked.ms,
        "detail": one_line(checked.detail),
    }


def _render_check(checked: CheckResult) -> str:
    outcome = _OUTCOMES.get(checked.outcome, checked.outcome).replace("_", " ")
    shown = style(outcome, "green" if checked.is_well else "red")
    return f"{urls.without_userinfo(checked.url)}  {shown} ({checked.ms} ms){enclose(': ', one_line(checked.detail))}"


def _render_rows(listed: Sequence[Instance], now: float) -> list[str]:
    """Columns as wide as their widest cell, and then the state in its colour."""
    if not listed:
        return []
    cells = [_COLUMNS, *map(_cells, listed)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head, *lines = ("  ".join(map(str.ljust, line, widths)) for line in cells)
    states = [_render_state(each, now) for each in listed]
    return [style(f"{head}  state", "bold"), *(f"{line}  {state}" for line, state in zip(lines, states, strict=True))]


def _cells(instance: Instance) -> tuple[str, ...]:
    return (
        urls.without_userinfo(instance.url),
        instance.grade or "own",
        f"{instance.uptime:.1f} %" if instance.uptime is not None else "?",
        f"{instance.response_ms} ms" if instance.response_ms is not None else "?",
        {True: "json", False: "html", None: "?"}[instance.json],
        str(instance.consecutive_failures),
        _format_time(instance.last_checked) if instance.last_checked else "never",
    )


def _render_state(instance: Instance, now: float) -> str:
    """Such as `resting until 2026-11-15 12:01 UTC: HTTP 503`."""
    state, until_s = instance.state(now).value, instance.until(now)
    until = f" until {_format_time(until_s)}" if until_s else ""
    reason = f": {one_line(instance.reason)}" if instance.reason and state != "ready" else ""
    return style(f"{state}{until}{reason}", _STATE_STYLES.get(state, "yellow"))


def _timestamp(timestamp: float) -> str | None:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds") if timestamp else None


def _format_time(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%d %H:%M UTC")
