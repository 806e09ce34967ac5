"""Programs of other makers that tests run for real: missing, they are skipped here and a failure in CI."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from tools.real_parts import PARTS


def require(name: str) -> None:
    """Go on only if the part of `tools/real_parts.py` is there."""
    part = PARTS[name]
    if not part.is_there():
        missing(part.advice)


def missing(sentence: str) -> NoReturn:
    """End the test with a sentence that says what to install."""
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    pytest.skip(sentence)
