"""The limiter of a SearXNG, as of 2026: programs are refused at once, JSON after four answers in an hour."""

from __future__ import annotations

import re

from tests.doubles.seen import SeenRequest

JSON_ANSWERS = 4
_PROGRAMS = re.compile(
    r"curl|wget|scrapy|python-requests|go-http-client|java|okhttp|libwww|headlesschrome", re.IGNORECASE
)


class Limiter:
    """One client's account; the hour never passes in a test. Nothing tells when to come back."""

    def __init__(self) -> None:
        self._json_left = JSON_ANSWERS

    def refuses(self, seen: SeenRequest) -> bool:
        if seen.path.endswith("/healthz"):
            return False
        if _is_a_program(seen.headers):
            return True
        if "format" not in seen.params:
            return False
        self._json_left -= 1
        return self._json_left < 0


def _is_a_program(headers: dict[str, str]) -> bool:
    """Sec-Fetch headers are looked at on https only, so not here."""
    return (
        "text/html" not in headers.get("accept", "")
        or not headers.get("accept-language")
        or not re.search(r"gzip|deflate", headers.get("accept-encoding", ""))
        or bool(_PROGRAMS.search(headers.get("user-agent", "unknown")))
    )
