"""Reads a page as `ReadFlow` does, and tells which parts of it were taken for its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Deadline, Page, Text
from dowse.core.protocols import Extractor
from dowse.extract.explanation import Explanation
from dowse.flows.read import ReadFlow


class Explainer(Protocol):
    """Tells how the content of a body is told from the rest, where it can be killed. Raises `PageUnreadable`."""

    async def explain(self, body: Body, *, timeout_s: float) -> Explanation | None:
        """`None` for what is no HTML."""
        ...


@dataclass(frozen=True, slots=True)
class Explained:
    """A page, and what became of its parts; `reason` says why that is not known of a page that was read."""

    page: Page
    explanation: Explanation | None = None
    reason: str = ""


class Witness:
    """Implements `protocols.Extractor` by another one, and remembers which bytes a text was made from."""

    def __init__(self, extractor: Extractor) -> None:
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
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float
    ) -> tuple[Digest, ...]:
        return await self._extractor.digest(question, sources, max_tokens, timeout_s=timeout_s)

    def body_of(self, markdown: str) -> Body:
        return self._bodies[markdown]


class ExplainFlow:
    """For people who wonder about a page. All of its readers use the witness, so that the bytes are known."""

    def __init__(self, reading: ReadFlow, witness: Witness, explainer: Explainer) -> None:
        self._reading = reading
        self._witness = witness
        self._explainer = explainer

    async def explain(self, url: str, deadline: Deadline, *, offline: bool = False) -> Explained:
        """The page behind a URL with its explanation; raises only when offline."""
        page = await self._reading.read(url, deadline, offline=offline)
        if not page.status.readable:
            return Explained(page)
        body = self._witness.body_of(page.text)
        try:
            explanation = await self._explainer.explain(body, timeout_s=deadline.remaining_s())
        except PageUnreadable as error:
            return Explained(page, reason=error.detail or "there was no time left")
        kind = body.media_type.partition(";")[0].strip()
        return Explained(page, explanation, "" if explanation else f"it came as {kind}, not as a web page")
