"""The extract flow: HTML of the caller becomes a page, or the reason why there is none."""

from __future__ import annotations

import pytest

from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import Body, Deadline, Facts, Page, Status, Text
from dowse.core.reasons import FailureReason
from dowse.flows.extract import ExtractFlow
from tests.fakes.clock import FakeClock
from tests.fakes.scripted import PlainExtractor

URL = "https://example.org/page"


class ScriptedExtractor(PlainExtractor):
    """An extractor that gives this text, or fails; it records the bytes."""

    def __init__(self, found: Text | PageUnreadable) -> None:
        self.found = found
        self.bodies: list[Body] = []

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        self.bodies.append(body)
        if isinstance(self.found, PageUnreadable):
            raise self.found
        return self.found


async def extract(extractor: ScriptedExtractor, html: str | bytes, *, max_bytes: int = 1000) -> Page:
    return await ExtractFlow(extractor, max_bytes=max_bytes).extract(html, URL, Deadline.after(FakeClock(), 5))


async def test_html_becomes_a_page_with_its_facts() -> None:
    extractor = ScriptedExtractor(Text("# A\n\nText.", "A", 2, facts=Facts(language="en"), warnings=("w",)))
    page = await extract(extractor, "<h1>A</h1>")
    assert page == Page(
        URL, Status.OK, "# A\n\nText.", "A", URL, "extract", word_count=2, warnings=("w",), facts=Facts(language="en")
    )


async def test_a_text_names_its_charset_and_bytes_leave_it_to_the_page() -> None:
    extractor = ScriptedExtractor(Text("x"))
    await extract(extractor, "é\ud800")
    await extract(extractor, b"\xe9")
    assert [(body.data, body.charset) for body in extractor.bodies] == [("é?".encode(), "utf-8"), (b"\xe9", "")]


async def test_a_page_that_was_cut_is_marked() -> None:
    assert (await extract(ScriptedExtractor(Text("x", is_cut=True)), "x")).status is Status.TRUNCATED


async def test_an_interstitial_has_its_status_and_no_text() -> None:
    failure = PageUnreadable(Status.BLOCKED, reason=FailureReason.CHALLENGE_PAGE)
    page = await extract(ScriptedExtractor(failure), "<title>Just a moment...</title>")
    assert (page.status, page.reason, page.text) == (Status.BLOCKED, FailureReason.CHALLENGE_PAGE, "")


async def test_a_page_that_is_too_large_is_refused_before_any_work() -> None:
    extractor = ScriptedExtractor(Text("x"))
    with pytest.raises(InvalidRequest) as caught:
        await extract(extractor, "é" * 6, max_bytes=11)
    assert str(caught.value) == "html must have at most 11 bytes; it has 12."
    assert extractor.bodies == []
