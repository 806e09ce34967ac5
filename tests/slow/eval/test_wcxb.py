"""How well all pages of WCXB are read; the floors judge every third, with which they were measured."""

from __future__ import annotations

from statistics import fmean

from tests.eval import test_wcxb
from tests.eval.test_wcxb import FLOORS
from tests.eval.wcxb import Read


class TestEveryPage(test_wcxb.TestEveryTenthPage):
    every = 1
    judged = 3
    margin = 0.0
    margin_of_a_kind = 0.0

    def test_the_other_pages_are_read_hardly_worse(self, read: Read) -> None:
        """All pages together reach 0.887."""
        assert fmean(each.words.f1 for each in read.results) >= FLOORS["f1"] - 0.01
