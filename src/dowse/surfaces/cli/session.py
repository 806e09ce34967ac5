"""Shared by all commands: exit codes, settings from flags, colour and progress on a terminal, one tool call."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import logging
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO, TypeVar

from dowse.contracts.output import map_texts, to_json
from dowse.core.errors import ConfigError, DowseError, InvalidRequest
from dowse.core.models import Attempt, Status
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings, sources
from dowse.telemetry import log

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes of every command."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def run_command(command: Callable[[], int]) -> int:
    """Run a command for a shell: every way to end becomes an exit code and at most one message."""
    # Until the command knows its settings: an earlier failure is one masked line as well.
    log.configure("error", Redactor())
    if sys.stdout is None:
        # `dowse search … >&-` closes stdout.
        sys.stdout = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A page may hold characters that the terminal's encoding does not have.
        sys.stdout.reconfigure(errors="replace")
    try:
        code = command()
        sys.stdout.flush()
    except ConfigError as error:
        print(f"dowse: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `dowse search … | head`: the reader has enough. Python would complain again at its own flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception:
        # A bug. Its traceback goes through the log, which masks secrets; Python's own would not.
        log.LOGGER.exception("command crashed")
        return FAILED
    return code


def common_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="path of dowse.toml")
    parser.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")


def load(arguments: argparse.Namespace, flags: Mapping[str, object], *, quiet: bool) -> Settings:
    """Load the settings of a command; `quiet` writes no log lines unless a level is set."""
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
    output: type[T],
    *,
    as_json: bool,
    show: Callable[[T], str],
    hint: Callable[[T], str] = lambda _answer: "",
) -> int:
    """Call one tool of the `dowse` contract and print its answer, and for people a hint what to do next."""
    line = ProgressLine()
    try:
        answer = asyncio.run(_call(settings, tool, given, line))
    except DowseError as error:
        line.clear()
        return report_failure(error, settings)
    line.clear()
    assert isinstance(answer, output), "the command names the output of its tool"
    print(json.dumps(to_json(answer), indent=2, ensure_ascii=False) if as_json else show(answer))
    if not as_json and (next_step := hint(answer)):
        print(next_step, file=sys.stderr)
    return DONE if getattr(answer, "status", Status.OK).readable else FAILED


def report_failure(error: DowseError, settings: Settings) -> int:
    """Print an error without secrets; returns the exit code."""
    print(f"dowse: {Redactor(settings.secrets()).message(str(error))}", file=sys.stderr)
    return USAGE if isinstance(error, InvalidRequest) else FAILED


def style(text: str, name: str, stream: TextIO | None = None) -> str:
    """The text in a style, when the stream is a terminal that wants colour."""
    target = stream or sys.stdout
    if not text or not target.isatty() or not sources.wants_colour():
        return text
    return f"\x1b[{_STYLES[name]}m{text}\x1b[0m"


def describe_attempts(attempts: Sequence[Attempt]) -> str:
    """The attempts of an answer with their outcomes, in one line."""
    described = [f"{each.provider}: {each.outcome} ({each.detail or f'{each.ms} ms'})" for each in attempts]
    return "tried: " + ", ".join(described)


class ProgressLine:
    """One line on stderr with the step under way, erased at the end."""

    def __init__(self) -> None:
        # A dumb terminal would show the escapes that erase the line.
        self._live = sys.stderr.isatty() and sources.is_capable_terminal()

    async def show(self, step: str) -> None:
        if self._live:
            width = max(shutil.get_terminal_size().columns - 3, 20)
            text = style(f"… {one_line(step, width)}", "dim", sys.stderr)
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


async def _call(settings: Settings, name: str, given: Mapping[str, object], line: ProgressLine) -> object:
    from dowse.app import App  # Heavy; `--help` does without.
    from dowse.core.runtime import CallContext

    async with App(settings.model_copy(update={"contract": "dowse"}), is_brief=True) as app:
        tool = app.contract.tool(name)
        assert tool is not None, "the command names a tool of its contract"
        answer = await tool.call(given, CallContext(progress=line.show))
        return map_texts(answer.output, app.redactor.text)
