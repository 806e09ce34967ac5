"""How long making hostile Markdown readable takes."""

from __future__ import annotations

import time

import pytest

from dowse.sites.markup import LinkBase, nest_headings, strip_html
from tests.tries import least
from tests.unit.sites.test_markup import FORGED_LINK, PIECES, ROOT


@pytest.mark.parametrize("piece", PIECES)
def test_four_times_as_much_text_takes_no_more_than_eight_times_as_long(piece: str) -> None:
    def seconds(chars: int) -> float:
        started = time.process_time()
        nest_headings(strip_html(piece * (chars // len(piece)), LinkBase(ROOT)), 5)
        return time.process_time() - started

    bound = 8 * seconds(20_000) + 0.1
    assert least(lambda: seconds(80_000), bound) < bound


def test_a_description_of_forged_links_does_not_block() -> None:
    """With a pattern that looks for `href` wherever a tag could go on, this took twelve seconds."""
    started = time.process_time()
    strip_html(FORGED_LINK * 64)
    assert time.process_time() - started < 1.0
