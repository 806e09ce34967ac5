"""Instances as data for programs, and as lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dowse.core import urls
from dowse.core.text import one_line
from dowse.providers.searxng.instance import Instance, InstanceState
from dowse.providers.searxng.pool import CheckResult
from dowse.surfaces.cli.session import style

Data = dict[str, Any]

_COLUMNS = ("address", "grade", "uptime", "response", "answers", "failures", "checked")
_STATE_STYLES = {"ready": "green", "blocked": "red"}
_OUTCOMES = {"rate_limited": "limiter"}


def describe(instance: Instance, now: float) -> Data:
    """The state of an instance at a time."""
    state = instance.state(now)
    return {
        "url": urls.without_userinfo(instance.url),
        "grade": instance.grade,
        "uptime": instance.uptime,
        "response_ms": instance.response_ms,
        "state": state.value,
        "reason": one_line(instance.reason) if state is not InstanceState.READY else "",
        "until": _moment(instance.until(now)),
        "last_checked": _moment(instance.last_checked),
        "consecutive_failures": instance.consecutive_failures,
        "json": instance.json,
    }


def table(data: Data) -> str:
    """A line for each instance, those that are not good enough if they were asked for, and how many there are."""
    rows, excluded, listed = data["instances"], data.get("excluded", ()), data["listed"]
    ready = sum(row["state"] == "ready" for row in rows)
    told = f"{len(rows)} of {listed} instances are good enough, {ready} of them ready."
    if len(rows) + len(excluded) < listed:
        told += " --all shows the others, and why they are not."
    blocks = [_lines(rows), [f"{each['url']}  {style(each['reason'], 'dim')}" for each in excluded], [told]]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def finding(checked: CheckResult) -> Data:
    """What came of asking an instance."""
    return {
        "url": urls.without_userinfo(checked.url),
        "outcome": _OUTCOMES.get(checked.outcome, checked.outcome),
        "is_well": checked.is_well,
        "ms": checked.ms,
        "detail": one_line(checked.detail),
    }


def findings(data: Data) -> str:
    return "\n".join(map(_finding_line, data["instances"]))


def _finding_line(found: Data) -> str:
    outcome = style(found["outcome"].replace("_", " "), "green" if found["is_well"] else "red")
    return f"{found['url']}  {outcome} ({found['ms']} ms)" + (f": {found['detail']}" if found["detail"] else "")


def _lines(rows: Sequence[Data]) -> list[str]:
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
        _spoken(row["last_checked"]) if row["last_checked"] else "never",
    )


def _state(row: Data) -> str:
    """Such as `resting until 2026-11-15 12:01 UTC: HTTP 503`."""
    until = f" until {_spoken(row['until'])}" if row["until"] else ""
    reason = f": {row['reason']}" if row["reason"] else ""
    return style(f"{row['state']}{until}{reason}", _STATE_STYLES.get(row["state"], "yellow"))


def _moment(timestamp: float) -> str | None:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds") if timestamp else None


def _spoken(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M UTC")
