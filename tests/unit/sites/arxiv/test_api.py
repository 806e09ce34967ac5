"""A feed of arXiv with several papers, and with what is none."""

import pytest

from dowse.sites.arxiv.api import NotAFeed, read_first_paper, read_papers
from tests.support.tables import each_row

_FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">{}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/{}</id><title>{}</title><summary>About it.</summary>
<published>{}</published></entry>"""


def _feed(*entries: str) -> bytes:
    return _FEED.format("".join(entries)).encode()


def test_all_papers_come_in_the_order_of_the_feed() -> None:
    body = _feed(_ENTRY.format("1", "On\n  otters", "2024-03-01T00:00:00Z"), _ENTRY.format("2", "On pups", "soon"))
    found = read_papers(body)
    assert [(paper.title, paper.submitted) for paper in found] == [("On otters", "2024-03-01"), ("On pups", "")]
    assert read_first_paper(body) == found[0]


def test_an_entry_about_an_error_or_without_a_title_is_no_paper() -> None:
    error = _ENTRY.format("1", "Error", "").replace("/abs/", "/api/errors#")
    assert read_papers(_feed(error, _ENTRY.format("2", "", ""))) == []
    assert read_first_paper(_feed(error, _ENTRY.format("2", "On otters", ""))) is None
    assert read_first_paper(_feed()) is None


@each_row("body", [b"", b"{}", b"\xff", b"<rss/>", b"<!DOCTYPE feed><feed/>"])
def test_what_is_no_feed_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(NotAFeed):
        read_papers(body)
