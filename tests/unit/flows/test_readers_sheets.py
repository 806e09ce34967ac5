"""The reader loads the style sheets that an extraction asks for, and extracts the page once more with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dowse.core.models import Body, Deadline, Text
from dowse.flows.readers import FetchingReader
from tests.fakes import FakeClock
from tests.fakes.scripted import PlainExtractor

pytestmark = pytest.mark.promise("hidden-linked")

URL = "https://site.example/page"
SHEET = "https://site.example/site.css"


class Asking(PlainExtractor):
    """Asks for a sheet, and hides its text with one."""

    def __init__(self, sheets: tuple[str, ...] = (SHEET,)) -> None:
        self.wanted, self.bodies = sheets, list[Body]()

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        self.bodies.append(body)
        return Text("visible") if body.sheets else Text("visible and hidden", sheets=self.wanted)


class Site:
    name = "direct"

    def __init__(self, sheets: tuple[str, ...] = (".x{}",)) -> None:
        self.sheets, self.asked = sheets, list[Sequence[str]]()

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:
        return Body(url, b"page", "text/html")

    async def fetch_sheets(self, addresses: Sequence[str], *, timeout_s: float) -> tuple[str, ...]:
        self.asked.append(addresses)
        return self.sheets


async def read(site: Site, extractor: Asking) -> Text:
    reader = FetchingReader(site, extractor, timeout_s=5, sheets=site)
    return await reader.read(URL, Deadline.after(FakeClock(), 5))


async def test_a_page_is_extracted_again_with_the_sheets_that_it_asks_for() -> None:
    site, extractor = Site(), Asking()
    text = await read(site, extractor)
    assert (text.markdown, text.sheets, site.asked) == ("visible", (), [(SHEET,)])
    assert [body.sheets for body in extractor.bodies] == [(), (".x{}",)]


async def test_an_ordinary_page_costs_no_request() -> None:
    site, extractor = Site(), Asking(sheets=())
    assert (await read(site, extractor)).markdown == "visible and hidden"
    assert (site.asked, len(extractor.bodies)) == ([], 1)


async def test_a_page_whose_sheets_cannot_be_loaded_is_read_without_them() -> None:
    site, extractor = Site(sheets=()), Asking()
    assert replace(await read(site, extractor), body_hash="", url="") == Text("visible and hidden")
    assert len(extractor.bodies) == 1
