"""One JSON line per event on stderr, for our own events and for whatever libraries log."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TextIO

from dowse.secrets.redact import Redactor

LOGGER = logging.getLogger("dowse")
_FIELDS = "dowse_fields"


def configure(level: str, redactor: Redactor, stream: TextIO | None = None) -> None:
    """Send every log record of the process through the JSON formatter and the redaction filter."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(redactor))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries speak only when something is wrong, unless somebody is debugging.
    root.setLevel(logging.DEBUG if level == "debug" else logging.WARNING)
    LOGGER.setLevel(level.upper())


def event(level: int, name: str, **fields: object) -> None:
    """Log an event: what happened, then its key-values."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, name, extra={_FIELDS: fields})


class JsonLines(logging.Formatter):
    """Renders a record as one line of JSON; nothing in it can break the line or reach a terminal."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if record.name != LOGGER.name:
            entry["logger"] = record.name
        entry |= getattr(record, _FIELDS, {})
        if record.exc_info and record.exc_info[0]:
            entry["traceback"] = "".join(traceback.format_exception(*record.exc_info))
        # ASCII output escapes U+2028, ESC and the like.
        return self._redactor.line(entry)
