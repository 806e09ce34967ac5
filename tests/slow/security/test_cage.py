"""All 75 means of attack on the cage, pages that lead to other schemes, and pages that want too much."""

from __future__ import annotations

import pytest

from tests.security import test_cage
from tests.security.cage.means import MEANS
from tests.security.cage.targets import SCHEMES
from tests.security.test_cage import Report


class TestEveryMeans(test_cage.TestTenMeans):
    chosen = ()

    def test_there_are_as_many_means_as_documented(self) -> None:
        assert len(MEANS) == 75

    @pytest.mark.parametrize("url", SCHEMES)
    def test_no_page_shows_what_is_at(self, url: str, report: Report) -> None:
        assert url in report["shown in the open"]
        pages = {name: page["text"] for name, page in report["schemes"].items() if name.endswith(f" to {url}")}
        assert len(pages) == 5
        assert [name for name, text in pages.items() if SCHEMES[url] in text] == []

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_a_page_that_wants_a_thousand_things_gets_two_hundred_and_is_read(
        self, scheme: str, report: Report
    ) -> None:
        page = report["many requests"][scheme]
        assert page["status"] == "ok"
        assert "Otters hold hands" in page["text"]
        assert page["requests"] <= 200

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_a_page_that_wants_a_hundred_megabytes_gets_a_quarter_and_is_read(
        self, scheme: str, report: Report
    ) -> None:
        page = report["many bytes"][scheme]
        assert page["status"] == "ok"
        assert "Otters hold hands" in page["text"]
        # Some more is on its way when the line is cut.
        assert 20_000_000 < page["bytes"] < 33_000_000
