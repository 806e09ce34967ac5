"""Check settings, providers, browser, store and server, and print a fix for every problem."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import chain, groupby

from dowse.core.text import count_noun, one_line, visible
from dowse.flows.doctor.check import Check, CheckState, Diagnosis
from dowse.secrets.redact import Redactor
from dowse.settings import sources
from dowse.surfaces.cli import DONE, FAILED, USAGE, session
from dowse.surfaces.cli.terminal import ProgressLine, style
from dowse.telemetry import log

_STYLES = {"ok": "green", "off": "dim", "warning": "yellow", "problem": "red"}
_EPILOG = """\
exit codes:
  0  nothing is wrong; there may be warnings
  1  there is a problem; its fix is printed below it
  2  a setting is invalid, so no other command starts"""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor",
        help="diagnose problems and print how to fix them",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--probe", action="store_true", help="call each active provider once; this uses one paid call of each"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    loaded = sources.examine({"DOWSE_LOG_LEVEL": arguments.log_level}, config=arguments.config)
    settings = loaded.settings
    redactor = Redactor(settings.secrets())
    level = settings.log_level if "log_level" in settings.model_fields_set else "error"
    log.configure(level, redactor, form=settings.log_format)
    with ProgressLine() as line:
        diagnosis = asyncio.run(_examine(loaded, line, probing=arguments.probe))
    masked = replace(diagnosis, checks=tuple(_mask(check, redactor) for check in diagnosis.checks))
    print(_as_json(masked) if arguments.json else _report(masked))
    if diagnosis.invalid:
        return USAGE
    return DONE if diagnosis.ok else FAILED


async def _examine(loaded: sources.Loaded, line: ProgressLine, *, probing: bool) -> Diagnosis:
    from dowse.app import App  # Everything heavy hangs on this import; `--help` does without.

    async with App(loaded.settings) as app:
        return await app.doctor(loaded).examine(line.show, probing=probing)


def _mask(check: Check, redactor: Redactor) -> Check:
    """Remove secrets and terminal control sequences from a check."""
    details = redactor.fields(dict(check.details))
    assert isinstance(details, dict)
    # Redact before and after cleaning: removing characters can join a secret or split one that contains blanks.
    summary = redactor.message(one_line(redactor.message(check.summary)))
    fix = redactor.message(visible(redactor.message(check.fix))).strip("\n")
    return replace(check, summary=summary, fix=fix, details=details)


def _as_json(diagnosis: Diagnosis) -> str:
    found = {"version": diagnosis.version, "ok": diagnosis.ok, "checks": list(map(asdict, diagnosis.checks))}
    # In ASCII: a path may hold characters that a terminal obeys.
    return json.dumps(found, indent=2)


def _report(diagnosis: Diagnosis) -> str:
    lines: list[str] = []
    for group, checks in groupby(diagnosis.checks, lambda check: check.group):
        lines += ["", style(group, "bold")]
        lines += list(chain.from_iterable(map(_lines, checks)))
    return "\n".join([*lines[1:], "", _tally(diagnosis)])


def _lines(check: Check) -> Iterator[str]:
    yield f"  {style(f'{check.state:<8}', _STYLES[check.state])}{check.name}: {check.summary}"
    if check.fix:
        first, *further = check.fix.splitlines()
        # A check that is off on purpose needs no fix; the text is only a hint.
        label = "" if check.state is CheckState.OFF else style("fix: ", "cyan")
        yield f"          {label}{first}"
        # Lines for a file are not indented: they are copied as they stand.
        yield from [*further, ""] if further else []


def _tally(diagnosis: Diagnosis) -> str:
    """Count problems and warnings, such as `2 problems, 1 warning`."""
    counts = {state: diagnosis.count(state) for state in (CheckState.PROBLEM, CheckState.WARNING)}
    parts = [count_noun(count, state) for state, count in counts.items() if count]
    colour = "green" if diagnosis.ok else "red"
    return style(", ".join(parts) or "nothing is wrong", colour)
