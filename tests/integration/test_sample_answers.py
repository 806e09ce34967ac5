"""docs/answers.md shows the answers of today."""

from __future__ import annotations

from tools import sample_answers


async def test_the_page_of_sample_answers_is_up_to_date() -> None:
    """After a change on purpose: `make docs`."""
    assert await sample_answers.render_page() == sample_answers.TARGET.read_text(encoding="utf-8")
