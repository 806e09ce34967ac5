"""Structured log and OpenTelemetry spans: one redacted JSON line per event on stderr, and its observers."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal, TextIO

from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

from dowse.core import urls
from dowse.core.answers import TokenUsage
from dowse.core.models import LOCAL, Attempt, CacheState, fields_of
from dowse.core.protocols import BreakerChange, Charge, Observer, Spent, StoreState, ToolCall
from dowse.core.text import one_line, visible
from dowse.secrets.redact import Redactor

LOGGER = logging.getLogger("dowse")
_FIELDS = "dowse_fields"
_WORD = re.compile(r"[!#-~]+", re.ASCII)

LogFormat = Literal["auto", "json", "text"]


def configure(level: str, redactor: Redactor, stream: TextIO | None = None, *, form: LogFormat = "auto") -> None:
    """Send every log record of the process through one formatter and the redaction filter.

    `auto` is readable text at a terminal, and JSON lines elsewhere.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_make_formatter(form, redactor, handler.stream))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Of libraries only warnings, unless debugging.
    root.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
    LOGGER.setLevel(level.upper())


def _make_formatter(form: LogFormat, redactor: Redactor, stream: TextIO) -> logging.Formatter:
    is_text = form == "text" or (form == "auto" and stream.isatty())
    return TextLines(redactor) if is_text else JsonLines(redactor)


def event(level: int, name: str, **fields: object) -> None:
    """Log an event with its fields; `engine`, which older log parsers read, is also its `provider`."""
    if LOGGER.isEnabledFor(level):
        if "engine" in fields:
            fields.setdefault("provider", fields["engine"])
        LOGGER.log(level, name, extra={_FIELDS: fields})


_call_id: ContextVar[str] = ContextVar("call_id", default="")


@contextmanager
def identify_call() -> Iterator[str]:
    """Put the id of one call into every log line while inside, also into those of tasks that start there."""
    outside = _call_id.set(secrets.token_hex(4))
    try:
        yield _call_id.get()
    finally:
        _call_id.reset(outside)


class MaskingFilter(logging.Filter):
    """Redacts records on their way to the handlers of another program, which know no secret of dowse."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        if fields := vars(record).get(_FIELDS):
            vars(record)[_FIELDS] = self._redactor.fields(fields)
        if record.exc_info and record.exc_info[0]:
            # Formatters use this text in place of the exception.
            record.exc_text = self._redactor.message("".join(traceback.format_exception(*record.exc_info)).rstrip())
        return True


class JsonLines(logging.Formatter):
    """Formats a record as one line of ASCII JSON; control characters are escaped."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if call_id := _call_id.get():
            entry["call_id"] = call_id
        if record.name != LOGGER.name:
            entry["logger"] = record.name
        entry |= getattr(record, _FIELDS, {})
        if record.exc_info and record.exc_info[0]:
            entry["traceback"] = "".join(traceback.format_exception(*record.exc_info))
        # ASCII output escapes U+2028, ESC and the like.
        return self._redactor.line(entry)


class TextLines(JsonLines):
    """Formats a record for a terminal: local time, level, event, then its fields as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        # The same redaction as for JSON lines.
        entry = json.loads(super().format(record))
        trace = entry.pop("traceback", "").splitlines()
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        head = f"{time} {entry.pop('level'):<7} {visible(one_line(entry.pop('event')))}"
        del entry["time"]
        shown = "  ".join([head, " ".join(f"{name}={_show(value)}" for name, value in entry.items())]).rstrip()
        return "\n".join([shown, *(f"    {visible(line)}" for line in trace)])


def _show(value: object) -> str:
    """A value on one line; quoted, with escapes, unless it is a plain word."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else json.dumps(value)


# Queries are private: a key of this process prevents guessing them from the hash, yet equal queries have equal
# hashes, so that one request can be followed through the log.
_HASH_KEY = secrets.token_bytes(16)


class LogObserver:
    """Writes events; with `log_queries` the query and URL as they are, else as hashes."""

    def __init__(self, *, log_queries: bool = False) -> None:
        self._log_queries = log_queries

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        fields = fields_of(attempt)
        event(logging.WARNING, "attempt failed", engine=fields.pop("provider"), **fields, **self._page(url))

    def attempt_succeeded(self, attempt: Attempt) -> None:
        """Counted, not logged: the finished search or page has its line."""

    def breaker_changed(self, change: BreakerChange) -> None:
        level = logging.WARNING if change.state == "open" else logging.INFO
        fields = {"engine": change.provider, "operation": change.operation, "state": change.state}
        event(level, "breaker changed", **fields, **({"for_s": round(change.for_s, 1)} if change.for_s else {}))

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        asked = {"query_hash": fingerprint(query)} | ({"query": query} if self._log_queries else {})
        counted = {"result_count": result_count, "ms": ms, "cache": cache.value}
        event(logging.INFO, "search completed using engine", engine=engine, **asked, **counted)

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        ended = {"status": status, "ms": ms, "cache": cache.value}
        event(logging.INFO, "fetch completed using engine", engine=engine, **self._page(url), **ended)

    def page_finished(self, engine: str, status: str) -> None:
        """Counted, not logged: a page that was read has its line, and so has every attempt that failed."""

    def tool_called(self, call: ToolCall) -> None:
        """Logged with several callers only; for a single one the lines of searches and pages suffice."""
        if call.caller != LOCAL.name:
            fields = {"tool": call.tool, "caller": call.caller, "door": call.door.value, "outcome": call.outcome}
            event(logging.INFO, "tool called", **fields, engine=call.engine, ms=round(call.seconds * 1000))

    def provider_charged(self, charge: Charge) -> None:
        """Counted, not logged."""

    def budget_charged(self, spent: Spent) -> None:
        """Counted, not logged: the warning that a budget runs out is the account's own."""

    def store_changed(self, state: StoreState) -> None:
        """Counted, not logged: the store logs the cause."""

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        """Counted, not logged."""

    def cache_asked(self, kind: str, state: CacheState) -> None:
        """Counted, not logged: the finished search or page says where it came from."""

    def _page(self, url: str) -> dict[str, str]:
        """Host and hash of the page; its URL only if URLs may be logged."""
        if not url:
            return {}
        where = {"url_hash": fingerprint(url)} | ({"url": url} if self._log_queries else {})
        return {"host": urls.host_of(url), **where}


class Observers:
    """Fans events out to several observers; a surface may add its own."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = list(observers)

    def add(self, observer: Observer) -> None:
        self._observers.append(observer)

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        for observer in self._observers:
            observer.attempt_failed(attempt, url=url)

    def attempt_succeeded(self, attempt: Attempt) -> None:
        for observer in self._observers:
            observer.attempt_succeeded(attempt)

    def breaker_changed(self, change: BreakerChange) -> None:
        for observer in self._observers:
            observer.breaker_changed(change)

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        for observer in self._observers:
            observer.search_completed(engine, query, result_count, ms, cache=cache)

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        for observer in self._observers:
            observer.fetch_completed(engine, url, status, ms, cache=cache)

    def page_finished(self, engine: str, status: str) -> None:
        for observer in self._observers:
            observer.page_finished(engine, status)

    def tool_called(self, call: ToolCall) -> None:
        for observer in self._observers:
            observer.tool_called(call)

    def provider_charged(self, charge: Charge) -> None:
        for observer in self._observers:
            observer.provider_charged(charge)

    def budget_charged(self, spent: Spent) -> None:
        for observer in self._observers:
            observer.budget_charged(spent)

    def store_changed(self, state: StoreState) -> None:
        for observer in self._observers:
            observer.store_changed(state)

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        for observer in self._observers:
            observer.tokens_used(provider, usage)

    def cache_asked(self, kind: str, state: CacheState) -> None:
        for observer in self._observers:
            observer.cache_asked(kind, state)


def fingerprint(text: str) -> str:
    """A short keyed hash, comparable within this process only."""
    return hashlib.blake2s(text.encode("utf-8", "replace"), key=_HASH_KEY, digest_size=8).hexdigest()


_TRACER = trace.get_tracer("dowse")


class TraceSpan:
    """A running span; its attributes never hold a query or a URL."""

    __slots__ = ("_span",)

    def __init__(self, current: trace.Span) -> None:
        self._span = current

    def finish(self, outcome: str, **attributes: str) -> None:
        if not self._span.is_recording():
            return
        self._span.set_attributes(
            {f"dowse.{name}": value for name, value in {"outcome": outcome, **attributes}.items()}
        )
        if outcome != "ok":
            self._span.set_status(Status(StatusCode.ERROR, outcome))


@contextmanager
def span(name: str, **attributes: str) -> Iterator[TraceSpan]:
    """A span around a piece of work, child of the current one."""
    named = {f"dowse.{key}": value for key, value in attributes.items()}
    # Redaction: the text of an exception may hold a query or an address; its class is in the outcome.
    with _TRACER.start_as_current_span(
        name, attributes=named, record_exception=False, set_status_on_exception=False
    ) as current:
        yield TraceSpan(current)
