"""How long choosing passages of a hostile page takes."""

import time

import pytest

from dowse.core.tokens import estimate_tokens
from dowse.document.markdown import Document
from dowse.rank.passages import Passages
from tests.unit.rank.test_passages import LONG_QUESTION, hostile

HOSTILE = hostile(1_000_000)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_costs_seconds_at_most(name: str) -> None:
    """A second for a megabyte, with much to spare here; anything quadratic would take hours."""
    started = time.process_time()
    passages = Passages(Document(HOSTILE[name]), LONG_QUESTION)
    assert estimate_tokens(passages.within(2000).text) <= 2000
    assert passages.relevance <= 1
    assert time.process_time() - started < 5
