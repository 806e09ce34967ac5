"""The bound of blocks of one page, as it is set."""

from dowse.document.markdown import Document


def test_no_more_blocks_are_looked_at_than_a_page_can_need() -> None:
    assert sum(1 for _ in Document("a\n\n" * 100_001).blocks) == 100_000
