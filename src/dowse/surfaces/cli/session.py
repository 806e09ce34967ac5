"""What commands share: settings from flags, a quiet log, and one tool call with its progress shown."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Callable, Mapping

from dowse.contracts.tool import Answer, Structured
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Status
from dowse.secrets.redact import Redactor
from dowse.settings import Settings, sources
from dowse.surfaces.cli.exits import DONE, FAILED, USAGE
from dowse.surfaces.cli.terminal import ProgressLine
from dowse.telemetry import log


def common_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="read this dowse.toml")
    parser.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")


def load(arguments: argparse.Namespace, flags: Mapping[str, object], *, quiet: bool) -> Settings:
    """Settings for a command. `quiet` is for people at a shell: no log lines unless they ask for them."""
    loaded = sources.load({"DOWSE_LOG_LEVEL": arguments.log_level, **flags}, config=arguments.config)
    settings = loaded.settings
    asked_for = "log_level" in settings.model_fields_set
    log.configure(settings.log_level if asked_for or not quiet else "error", Redactor(settings.secrets()))
    for warning in loaded.warnings:
        if quiet:
            print(f"dowse: warning: {warning}", file=sys.stderr)
        else:
            log.event(logging.WARNING, "setting ignored", detail=warning)
    return settings


def call_and_print(
    settings: Settings,
    tool: str,
    given: Mapping[str, object],
    *,
    as_json: bool,
    show: Callable[[Structured], str],
    hint: Callable[[Structured], str] = lambda _answer: "",
) -> int:
    """Call one tool of the `dowse` contract and print what it answers, and for people a hint what to do next."""
    line = ProgressLine()
    try:
        answer = asyncio.run(_call(settings, tool, given, line))
    except DowseError as error:
        line.clear()
        print(f"dowse: {Redactor(settings.secrets()).message(str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, InvalidRequest) else FAILED
    line.clear()
    structured = answer.structured or {}
    print(json.dumps(structured, indent=2, ensure_ascii=False) if as_json else show(structured))
    if not as_json and (next_step := hint(structured)):
        print(next_step, file=sys.stderr)
    return DONE if Status(str(structured.get("status", Status.OK))).readable else FAILED


async def _call(settings: Settings, name: str, given: Mapping[str, object], line: ProgressLine) -> Answer:
    from dowse.app import App  # Everything heavy hangs on this import; `--help` does without.

    async with App(settings.model_copy(update={"contract": "dowse"}), is_brief=True) as app:
        tool = app.contract.tool(name)
        assert tool is not None, "the command names a tool of its contract"
        answer = await tool.call(given, line.show)
        data = app.redactor.data(answer.structured)
        return Answer(app.redactor.text(answer.text), data if isinstance(data, dict) else None)
