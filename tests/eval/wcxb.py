"""Real pages of WCXB's development set, read by models that have not seen their hosts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.extractors import own
from benchmarks.extractors.extractor import Found, Page
from benchmarks.extractors.measure import Result, measure
from dowse.core.digests import Source
from tests.realparts import missing
from tools.extractor.data import folder, samples


@dataclass(frozen=True, slots=True)
class Read:
    """How well each page was read, and what was read of those that are not empty."""

    results: list[Result]
    sources: list[Source]


def read_every(nth: int) -> Read:
    """Read each `nth` page in the order of their names."""
    data = folder()
    if not data.is_dir():
        missing(f"{data} is missing; name the folder that holds wcxb-dev in DOWSE_EVAL_DATA")
    chosen, dowse, texts = list(samples(data, nth)), own.dowse(is_seen=False), []

    def remembered(page: Page) -> Found:
        found = dowse.read(page)
        texts.append(found.text)
        return found

    results = list(measure([replace(dowse, read=remembered)], chosen))
    pairs = zip(texts, chosen, strict=True)
    return Read(results, [Source(text, title=page.title, url=page.url) for text, page in pairs if text])
