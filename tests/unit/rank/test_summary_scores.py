"""The measure of summaries."""

from dowse.core.digests import Source
from tools.extractor.metrics import Score
from tools.summary_scores import Described, figures


def test_a_summary_is_measured_by_the_words_it_shares_with_the_description() -> None:
    pages = [
        Described(Source("Trams run."), "Trams run again today.", is_copied=False),
        Described(Source("The bridge is open."), "The bridge", is_copied=True),
    ]
    found = figures(pages, lambda page: page.text)
    assert found.own == [Score(1.0, 0.5)]
    assert found.copied == [Score(0.5, 1.0)]
    assert found.ms >= 0


def test_no_pages_have_no_figures() -> None:
    found = figures([], lambda page: page.text)
    assert (found.own, found.copied, found.ms) == ([], [], 0.0)
