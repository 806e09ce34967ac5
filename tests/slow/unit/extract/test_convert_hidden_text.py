"""How long finding hidden text takes for hostile Markdown."""

from __future__ import annotations

import time

import pytest

from dowse.document.clean import strip_comments
from dowse.extract.formats.plain import without_hidden_elements
from tests.unit.extract.test_convert_hidden_text import HOSTILE


@pytest.mark.parametrize("piece", HOSTILE)
def test_hidden_text_is_found_in_linear_time(piece: str) -> None:
    started = time.process_time()

    without_hidden_elements(strip_comments(piece * 30_000 + "<!-- x -->"))

    assert time.process_time() - started < 3
