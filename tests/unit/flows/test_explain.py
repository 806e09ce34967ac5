"""Explaining a page: it is read as always, and the bytes behind the text are the ones that are explained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dowse.core.errors import Offline, PageUnreadable
from dowse.core.models import Body, Deadline, Status, Text
from dowse.extract.explain import ExplainedBlock, Explanation
from dowse.flows.explain import Explained, ExplainFlow, RecordingExtractor
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.reading import reading
from tests.fakes.scripted import PlainExtractor, ScriptedFetcher

URL = "https://example.org/page"


class Explaining(PlainExtractor):
    """Explains that all of a body was kept; a page that says so is thin, no HTML, or too much for it."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = await super().extract(body, timeout_s=timeout_s)
        return replace(text, is_thin="thin" in text.markdown)

    async def explain(self, body: Body, *, timeout_s: float) -> Explanation | None:
        text = body.data.decode()
        if "hangs" in text:
            raise PageUnreadable(Status.ERROR, "could not be converted")
        if "plain" in text:
            return None
        return Explanation("article", 1.0, 0.5, False, 0, (ExplainedBlock(text, "body > p", 1, 1.0, True),))


class Bench:
    def __init__(self, page: str | Exception, in_browser: str | Exception | None = None) -> None:
        self.clock, extractor = FakeClock(), Explaining()
        witness = RecordingExtractor(extractor)
        self.fetcher = ScriptedFetcher({URL: page})
        browser = ScriptedFetcher({URL: in_browser}, "browser") if in_browser else None
        flow = reading(self.fetcher, browser=browser, clock=self.clock, observer=RecordingObserver(), extractor=witness)
        self.flow = ExplainFlow(flow, witness)

    async def explain(self, *, offline: bool = False) -> Explained:
        return await self.flow.explain(URL, Deadline.after(self.clock, 50.0), offline=offline)


def explained_text(explained: Explained) -> str:
    assert explained.explanation is not None
    return explained.explanation.blocks[0].text


async def test_a_page_comes_with_its_explanation() -> None:
    explained = await Bench("# Otters\n\nThey swim.").explain()
    assert (explained.page.title, explained.reason) == ("Otters", "")
    assert explained_text(explained) == explained.page.text


@pytest.mark.parametrize(
    ("in_browser", "engine"),
    [("They swim in rivers.", "browser"), (PageUnreadable(Status.BLOCKED), "direct")],
)
async def test_what_is_explained_is_what_the_text_was_made_from(in_browser: str | Exception, engine: str) -> None:
    explained = await Bench("a thin page", in_browser).explain()
    assert explained.page.engine == engine
    assert explained_text(explained) == explained.page.text


async def test_a_page_that_cannot_be_read_is_its_status_and_is_not_explained() -> None:
    explained = await Bench(PageUnreadable(Status.NOT_FOUND)).explain()
    assert (explained.page.status, explained.explanation) == (Status.NOT_FOUND, None)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("a plain text", "it came as text/plain, not as a web page"),
        ("a page that hangs", "could not be converted"),
    ],
)
async def test_a_page_that_cannot_be_explained_says_why(page: str, reason: str) -> None:
    explained = await Bench(page).explain()
    assert (explained.page.text, explained.explanation, explained.reason) == (page, None, reason)


async def test_offline_asks_no_provider() -> None:
    bench = Bench("Otters swim.")
    with pytest.raises(Offline):
        await bench.explain(offline=True)
    assert bench.fetcher.asked == []
