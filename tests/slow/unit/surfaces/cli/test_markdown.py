"""How long laying out a hostile page for a terminal takes."""

import time

import pytest

from dowse.surfaces.cli.markdown import render
from tests.unit.surfaces.cli.test_markdown import HOSTILE


@pytest.mark.parametrize("part", HOSTILE)
def test_a_hostile_page_is_laid_out_in_seconds(part: str) -> None:
    """A quarter of what a page may have is enough to tell linear from quadratic."""
    started = time.process_time()
    render(part * (20_000 // len(part)), width=60, colour=True)
    assert time.process_time() - started < 10
