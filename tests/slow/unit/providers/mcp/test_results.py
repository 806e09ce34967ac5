"""How long looking for results takes in hostile text."""

import time

import pytest

from dowse.providers.mcp.results import rows
from tests.unit.providers.mcp.test_results import without_end


@pytest.mark.parametrize("hostile", [text for text, _ in without_end(10_000)], ids=range(8))
def test_hostile_text_takes_no_time(hostile: str) -> None:
    started = time.process_time()
    rows({"content": [{"type": "text", "text": hostile}]})
    assert time.process_time() - started < 1.0
