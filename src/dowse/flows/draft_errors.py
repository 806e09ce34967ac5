"""A first rule for a failure inside a successful answer, guessed from the flag and the message in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dowse.net.json_api import find_message
from dowse.net.json_fields import as_mapping

_FLAGS = ("ok", "success", "succeeded")
_MESSAGES = ("error", "errors", "error_message")
_KINDS = {
    "auth": re.compile(r"\b(?:api[ _-]?key|key|token|unauthori[sz]ed|credentials?)\b", re.IGNORECASE),
    "quota": re.compile(r"\b(?:quota|credits?|billing|plan)\b", re.IGNORECASE),
    "rate": re.compile(r"\b(?:rate|too many|slow down)\b", re.IGNORECASE),
    "": re.compile(""),
}


def guess_rule(answer: object) -> str:
    """The rule as TOML; empty for an answer that does not look like a failure."""
    condition = next(_conditions(answer), "")
    return f'errors = [{{{condition}, as = "{_guess_kind(find_message(answer))}"}}]' if condition else ""


def _conditions(answer: object) -> Iterator[str]:
    fields = as_mapping(answer)
    yield from (f'path = "{name}", is = false' for name in _FLAGS if fields.get(name) is False)
    yield from (f'path = "{name}"' for name in _MESSAGES if fields.get(name))


def _guess_kind(message: str) -> str:
    return next(kind for kind, words in _KINDS.items() if words.search(message)) or "unavailable"
