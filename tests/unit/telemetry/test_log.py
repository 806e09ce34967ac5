"""The log: one line of JSON per event, whatever is in it."""

import asyncio
import io
import json
import logging
import re
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.secrets.redact import MASK, Redactor
from dowse.telemetry.log import LOGGER, JsonLines, LogFormat, MaskingFilter, configure, event, identify_call
from tests.support.tables import each_row

KEY = "sk-canary-5e9a1c47d20b83f6"
NEVER_IN_A_LINE = "\x1b\r\n\x85\u2028\u2029"


def record(message: str = "something happened", name: str = "dowse", **extra: Any) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": name, "levelno": logging.INFO, "levelname": "INFO", "msg": message})
    made.created = 1_794_000_000.5
    made.__dict__.update(extra)
    return made


@given(st.text(st.characters()), st.text(st.characters()), st.sampled_from(["", "5", "12", "true", '": "', "a"]))
def test_any_text_makes_one_line_of_valid_json(message: str, value: str, secret: str) -> None:
    """Even a secret that is a number or a piece of JSON: masking it must not break the line."""
    line = JsonLines(Redactor([secret])).format(record(message, dowse_fields={"value": value, "ms": 5, "n": 12}))
    assert not set(line) & set(NEVER_IN_A_LINE)
    entry = json.loads(line)
    assert (entry["ms"], entry["n"]) == (5, 12)
    if not secret:
        assert line.isascii()


def test_an_event_is_time_level_name_and_its_fields() -> None:
    line = JsonLines(Redactor()).format(record(dowse_fields={"engine": "serper", "ms": 12}))
    assert json.loads(line) == {
        "time": "2026-11-06T21:20:00.500+00:00",
        "level": "info",
        "event": "something happened",
        "engine": "serper",
        "ms": 12,
    }


def test_a_librarys_record_names_its_logger() -> None:
    assert json.loads(JsonLines(Redactor()).format(record(name="aiohttp.client")))["logger"] == "aiohttp.client"


def test_a_traceback_stays_on_the_line_and_loses_its_secrets() -> None:
    try:
        raise ValueError(f"upstream said {KEY}\nand more")
    except ValueError:
        line = JsonLines(Redactor([KEY])).format(record(exc_info=sys.exc_info()))
    entry = json.loads(line)
    assert f"ValueError: upstream said {MASK}\nand more" in entry["traceback"]
    assert KEY not in line


def test_an_exception_that_is_none_has_no_traceback() -> None:
    assert "traceback" not in json.loads(JsonLines(Redactor()).format(record(exc_info=(None, None, None))))


def test_values_that_are_no_json_become_text_without_secrets() -> None:
    class Odd:
        def __str__(self) -> str:
            return f"odd {KEY}"

    entry = json.loads(JsonLines(Redactor([KEY])).format(record(dowse_fields={"odd": Odd(), "deep": [{"k": KEY}]})))
    assert (entry["odd"], entry["deep"]) == (f"odd {MASK}", [{"k": MASK}])


@each_row("before", ["Authorization: Bearer ", "Bearer\n", 'api_key: "', "x-api-key='"])
def test_what_looks_like_a_credential_is_masked_although_it_is_not_configured(before: str) -> None:
    line = JsonLines(Redactor()).format(record(f"sent {before}abcdef0123456789"))
    assert json.loads(line)["event"] == f"sent {before}{MASK}"


@each_row(
    ("level", "ours", "theirs"),
    [
        ("debug", ["debug", "info", "warning", "error"], ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"], ["warning", "error"]),
        ("warning", ["warning", "error"], ["warning", "error"]),
        ("error", ["error"], ["warning", "error"]),
    ],
)
def test_the_level_is_ours_and_libraries_speak_when_something_is_wrong(
    level: str, ours: list[str], theirs: list[str]
) -> None:
    stream = io.StringIO()
    configure(level, Redactor(), stream)
    for number in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        event(number, "ours")
        logging.getLogger("library").log(number, "theirs")
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [entry["level"] for entry in entries if entry["event"] == "ours"] == ours
    assert [entry["level"] for entry in entries if entry["event"] == "theirs"] == theirs


def test_lines_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", Redactor([KEY]))
    LOGGER.info("hello %s", KEY)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["event"] == f"hello {MASK}"


def test_configuring_twice_writes_a_line_once() -> None:
    stream = io.StringIO()
    configure("info", Redactor(), stream)
    configure("info", Redactor(), stream)
    event(logging.INFO, "once")
    assert len(stream.getvalue().splitlines()) == 1


class Screen(io.StringIO):
    """A stream with a person at it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "form", "is_text"),
    [
        (io.StringIO, "auto", False),
        (Screen, "auto", True),
        (io.StringIO, "text", True),
        (Screen, "json", False),
    ],
)
def test_the_format_is_readable_at_a_terminal_and_json_elsewhere_unless_it_is_set(
    stream: type[io.StringIO], form: LogFormat, is_text: bool
) -> None:
    written = stream()
    configure("info", Redactor(), written, form=form)
    event(logging.INFO, "listening", url="http://127.0.0.1:8000/mcp")
    (line,) = written.getvalue().splitlines()
    assert line.startswith("{") is not is_text
    assert line.endswith("info    listening  url=http://127.0.0.1:8000/mcp") is is_text


def readable(*secrets: str) -> io.StringIO:
    written = io.StringIO()
    configure("info", Redactor(secrets), written, form="text")
    return written


def test_a_readable_line_has_time_level_event_and_fields() -> None:
    written = readable()
    event(logging.WARNING, "attempt failed", engine="exa", detail="no answer within 15.0 s", ms=15000)
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d warning attempt failed  engine=exa detail=\"no answer within 15.0 s\" ms=15000 provider=exa\n",
        written.getvalue(),
    )


def test_a_readable_line_masks_secrets_and_holds_no_control_characters() -> None:
    written = readable(KEY)
    event(logging.INFO, "told\x1b[31m\nme", detail=f"{KEY}\x1b[2J\n\u202e", nested={"key": KEY})
    text = written.getvalue()
    assert KEY not in text
    assert MASK in text
    assert len(text.splitlines()) == 1
    assert not [character for character in text if not character.isprintable() and character != "\n"]


def test_the_traceback_of_a_readable_line_follows_it() -> None:
    written = readable(KEY)
    try:
        raise ValueError(KEY)
    except ValueError:
        LOGGER.exception("tool call crashed")
    head, *trace = written.getvalue().splitlines()
    assert head.endswith("error   tool call crashed")
    assert trace[0] == "    Traceback (most recent call last):"
    assert KEY not in written.getvalue()


async def test_every_line_of_a_call_has_its_id_also_those_of_its_tasks() -> None:
    written = io.StringIO()
    configure("info", Redactor(), written)

    async def work(name: str) -> None:
        event(logging.INFO, name)

    async def call(name: str) -> str:
        with identify_call() as call_id:
            await asyncio.gather(work(name), asyncio.create_task(work(name)))
            logging.getLogger("library").warning(name)
            return call_id

    first, second = await asyncio.gather(call("a"), call("b"))
    event(logging.INFO, "outside")
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert first != second
    assert [line["call_id"] for line in lines if line["event"] == "a"] == [first] * 3
    assert [line["call_id"] for line in lines if line["event"] == "b"] == [second] * 3
    assert "call_id" not in lines[-1]


KEY = "5e9a1c47d20b83f6e4c7190a2bd85f3361fe07ca"


def test_records_for_handlers_of_other_programs_hold_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    masking = MaskingFilter(Redactor([KEY]))
    LOGGER.addFilter(masking)
    try:
        event(logging.WARNING, "attempt failed", detail=f"bad key {KEY}")
        try:
            raise ValueError(f"no {KEY}")
        except ValueError:
            LOGGER.exception("crashed")
        LOGGER.warning("plain")
    finally:
        LOGGER.removeFilter(masking)
    failed, crashed, plain = caplog.records
    assert vars(failed)["dowse_fields"] == {"detail": "bad key [redacted]"}
    shown = logging.Formatter().format(crashed)
    assert "ValueError: no [redacted]" in shown
    assert KEY not in shown
    assert logging.Formatter().format(plain) == "plain"
