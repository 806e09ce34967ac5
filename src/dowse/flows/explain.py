"""Explains main-content extraction: reads a page and tells which of its blocks were kept, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Deadline, Page, Text
from dowse.core.protocols import Extractor
from dowse.extract.explain import Explanation
from dowse.flows.read import ReadFlow


class ExplainingExtractor(Extractor, Protocol):
    """An extractor that explains its choice."""

    async def explain(self, body: Body, *, timeout_s: float) -> Explanation | None:
        """`None` for anything but HTML; raises `PageUnreadable`."""
        ...


@dataclass(frozen=True, slots=True)
class Explained:
    """A page and its explanation; `reason` says why there is none of a page that was read."""

    page: Page
    explanation: Explanation | None = None
    reason: str = ""


class RecordingExtractor:
    """Implements `protocols.Extractor` by another one, and records the bytes that each text was made from."""

    def __init__(self, extractor: ExplainingExtractor) -> None:
        self._extractor = extractor
        self._bodies: dict[str, Body] = {}

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        text = await self._extractor.extract(body, timeout_s=timeout_s)
        self._bodies[text.markdown] = body
        return text

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        return await self._extractor.render(fragments, url=url, timeout_s=timeout_s, without=without)

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
    ) -> tuple[Digest, ...]:
        return await self._extractor.digest(question, sources, max_tokens, timeout_s=timeout_s, share=share)

    async def explain(self, page: Page, *, timeout_s: float) -> Explained:
        body = self._bodies[page.text]
        try:
            explanation = await self._extractor.explain(body, timeout_s=timeout_s)
        except PageUnreadable as error:
            return Explained(page, reason=error.detail or "there was no time left")
        media_type = body.media_type.partition(";")[0].strip()
        return Explained(page, explanation, "" if explanation else f"it came as {media_type}, not as a web page")


class ExplainFlow:
    """Reads and explains a page. All readers of `reading` use the recording extractor, so that the bytes are known."""

    def __init__(self, reading: ReadFlow, extractor: RecordingExtractor) -> None:
        self._reading = reading
        self._extractor = extractor

    async def explain(self, url: str, deadline: Deadline, *, offline: bool = False) -> Explained:
        """The page behind a URL with its explanation; raises only when offline."""
        page = await self._reading.read(url, deadline, offline=offline)
        if not page.status.readable:
            return Explained(page)
        return await self._extractor.explain(page, timeout_s=deadline.remaining_s())
