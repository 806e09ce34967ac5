"""How long preparing a hostile text for its citations takes."""

import time

import pytest

from dowse.providers.openai.output import Wording
from tests.unit.providers.openai.test_output_citation_text import HOSTILE


@pytest.mark.parametrize("piece", HOSTILE)
def test_fifty_thousand_characters_take_no_time(piece: str) -> None:
    text = (piece * 50_000)[:50_000]
    started = time.process_time()
    Wording(text)
    assert time.process_time() - started < 3
