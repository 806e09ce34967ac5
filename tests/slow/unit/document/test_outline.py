"""How long the outline of two megabytes takes."""

import time

import pytest

from dowse.document.markdown import Document
from dowse.document.outline import outline
from tests.unit.document.test_outline import large


@pytest.mark.parametrize("page", [*(page for page, _ in large(1_300)), "# a\n" * 500_000], ids=range(6))
def test_two_megabytes_do_not_hold_up_the_server(page: str) -> None:
    started = time.process_time()
    outline(Document(page))
    # It takes 15 ms; this much tells a slow machine from one that goes through the page again and again.
    assert time.process_time() - started < 0.3
