"""Shared by all commands: exit code of an error, settings from flags, one tool call, one query of the store."""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from dowse.contracts.output import map_texts, to_json, to_json_text
from dowse.core.errors import ConfigError, DowseError, InvalidRequest, StoreFailed
from dowse.core.models import Attempt
from dowse.core.runtime import SystemClock
from dowse.core.text import Sentence, enclose, one_line, visible
from dowse.secrets.redact import Redactor
from dowse.settings import Settings, sources
from dowse.stores import file_of, open_store, show_address
from dowse.stores.store import Store
from dowse.surfaces.cli import DONE, FAILED, INTERRUPTED, USAGE
from dowse.surfaces.cli.terminal import ProgressLine, fit, style
from dowse.telemetry import log

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from dowse.contracts.dispatch import Answer

T = TypeVar("T", bound="DataclassInstance")
S = TypeVar("S")

# Counting and deleting the entries of a large store takes a while.
_STORE_TIMEOUT_S = 60.0


def run_command(command: Callable[[], int]) -> int:
    """Run a command for a shell: every way to end becomes an exit code and at most one message."""
    # Until the command knows its settings: an earlier failure is one masked line as well.
    log.configure("error", Redactor())
    _prepare_stdout()
    try:
        code = command()
        sys.stdout.flush()
    except ConfigError as error:
        print(f"dowse: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        # The terminal has written "^C" where the next prompt is going to be.
        ProgressLine().clear()
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


def _prepare_stdout() -> None:
    if sys.stdout is None:
        # `dowse search … >&-` closes stdout.
        sys.stdout = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A page may hold characters that the terminal's encoding does not have.
        sys.stdout.reconfigure(errors="replace")


def common_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="path of dowse.toml")
    parser.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")


def report_flags(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    """The flags of a command that prints one report, and the function that runs it."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    common_flags(parser)
    parser.set_defaults(run=run)


def load(arguments: argparse.Namespace, flags: Mapping[str, object], *, quiet: bool) -> Settings:
    """Load the settings of a command; `quiet` writes no log lines unless a level is set."""
    loaded = sources.load({"DOWSE_LOG_LEVEL": arguments.log_level, **flags}, config=arguments.config)
    settings = loaded.settings
    asked_for = "log_level" in settings.model_fields_set
    level, redactor = settings.log_level if asked_for or not quiet else "error", Redactor(settings.secrets())
    log.configure(level, redactor, form=settings.log_format)
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
    flags: Mapping[str, str],
    as_json: bool,
    show: Callable[[T], str],
) -> int:
    """Call one tool of the `dowse` contract and print its answer; `flags` names its arguments as the shell does."""
    try:
        (answer,) = call(settings, tool, [given], output, flags)
    except DowseError as error:
        return report_failure(error, settings)
    print(dump_json(to_json(answer)) if as_json else show(make_printable(answer)))
    return DONE


def call(
    settings: Settings, tool: str, calls: Sequence[Mapping[str, object]], output: type[T], flags: Mapping[str, str]
) -> list[T]:
    """The outputs of concurrent calls of one tool, in their order; an invalid argument is named by its flag."""
    try:
        # Log lines would be written into a live line.
        with ProgressLine(is_wanted="log_level" not in settings.model_fields_set) as line:
            answers = asyncio.run(_call(settings, tool, calls, line))
    except InvalidRequest as error:
        raise InvalidRequest(error.sentence.rename(flags)) from error
    assert all(isinstance(answer, output) for answer in answers), "the command names the output of its tool"
    return cast(list[T], answers)


def query_store(
    arguments: argparse.Namespace,
    ask: Callable[[Store], Awaitable[S]],
    nothing: S,
    describe: Callable[[S], Mapping[str, object]],
    show: Callable[[str, S], str],
    *,
    contents: str = "cache",
) -> int:
    """Query the store of the settings and print the answer; `nothing` stands for a store that does not exist."""
    settings = load(arguments, {}, quiet=True)
    masked = Redactor(settings.secrets()).message
    address = sources.state_address(settings)
    found, why = nothing, _why_nothing(address, contents)
    if why:
        print(f"dowse: {why}", file=sys.stderr)
    else:
        try:
            found = asyncio.run(_query_store(address, settings, ask))
        except StoreFailed as error:
            print(f"dowse: the store failed: {masked(one_line(str(error)))}", file=sys.stderr)
            return FAILED
    state = masked(show_address(address))
    if arguments.json:
        print(json.dumps({"state": state, **describe(found)}, indent=2))
    elif not why:
        print(show(state, found))
    return DONE


def dump_json(value: object) -> str:
    return to_json_text(value, indent=2)


def make_printable(output: T) -> T:
    """The output as a terminal can show it: no escape sequences, and every text but pages and answers on one line."""
    return map_texts(map_texts(output, visible), one_line, kept=("page_content", "text"))


def name_flags(text: str, flags: Mapping[str, str]) -> str:
    """A message about the arguments of a tool with the flags in their place."""
    return text.rename(flags) if isinstance(text, Sentence) else text


def report_failure(error: DowseError, settings: Settings) -> int:
    """Print an error without secrets; returns the exit code."""
    print(f"dowse: {visible(Redactor(settings.secrets()).message(str(error)))}", file=sys.stderr)
    return USAGE if isinstance(error, InvalidRequest) else FAILED


def describe_attempts(attempts: Sequence[Attempt]) -> str:
    """The attempts of an answer with their outcomes, in one line."""
    described = [f"{each.provider}: {each.outcome} ({each.detail or f'{each.ms} ms'})" for each in attempts]
    return "tried: " + ", ".join(described)


def show_notes(warnings: Sequence[str], copy: str, flags: Mapping[str, str]) -> list[str]:
    """A note for each warning, before them the age of a copy."""
    notes = [enclose("this is ", copy), *(name_flags(warning, flags) for warning in warnings)]
    return [style("\n".join(fit(f"note: {note}")), "yellow") for note in filter(None, notes)]


def _why_nothing(address: str, contents: str) -> str:
    """Why there is no store to query; none is made to find out."""
    if address.startswith("memory:"):
        return f"DOWSE_STATE is memory:, which is private to each process, so there is no {contents} to show"
    if (file := file_of(address)) and not file.exists():
        return f"the {contents} is empty: {one_line(str(file))} is created on first use"
    return ""


async def _query_store(address: str, settings: Settings, ask: Callable[[Store], Awaitable[S]]) -> S:
    store = open_store(address, SystemClock(), max_bytes=settings.cache_size)
    try:
        async with asyncio.timeout(_STORE_TIMEOUT_S):
            return await ask(store)
    except TimeoutError:
        raise StoreFailed(f"no answer within {_STORE_TIMEOUT_S:g} s") from None
    finally:
        await store.close()


async def _call(
    settings: Settings, name: str, calls: Sequence[Mapping[str, object]], line: ProgressLine
) -> list[object]:
    from dowse.app import App  # Heavy; `--help` does without.
    from dowse.core.runtime import CallContext

    async with App(settings.model_copy(update={"contract": "dowse"}), is_brief=True) as app:
        tool = app.contract.tool(name)
        assert tool is not None, "the command names a tool of its contract"
        context = CallContext(progress=line.show)
        answers = await asyncio.gather(*(_identify(tool.call(given, context)) for given in calls))
        return [map_texts(answer.output, app.redactor.text) for answer in answers]


async def _identify(call: Awaitable[Answer]) -> Answer:
    with log.identify_call():
        return await call
