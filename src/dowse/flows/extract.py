"""Extract the main content of given HTML as Markdown, in a worker, without any request to the network."""

from __future__ import annotations

from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import Body, Deadline, Page, Status
from dowse.core.protocols import Extractor
from dowse.core.text import ArgumentName

ENGINE = "extract"


class ExtractFlow:
    """Extracts pages that the caller has."""

    def __init__(self, extractor: Extractor, *, max_bytes: int) -> None:
        self._extractor = extractor
        self._max_bytes = max_bytes

    async def extract(self, html: str | bytes, url: str, deadline: Deadline) -> Page:
        """The page with its text, or with the reason why there is none, such as that it is a challenge page.

        Links are resolved against `url`, if there is one. Raises `InvalidRequest` for HTML that is too large.
        """
        body = _encode(html, url)
        if len(body.data) > self._max_bytes:
            most = f" must have at most {self._max_bytes} bytes; it has {len(body.data)}."
            raise InvalidRequest(ArgumentName("html"), most)
        return await self.extract_document(body, deadline)

    async def extract_document(self, body: Body, deadline: Deadline) -> Page:
        """A document of any readable media type, such as PDF, with its text or the reason why there is none."""
        url = body.url
        try:
            text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        except PageUnreadable as error:
            return Page(url, error.status, final_url=url, engine=ENGINE, reason=error.reason)
        return Page(
            url,
            Status.TRUNCATED if text.is_cut else Status.OK,
            text.markdown,
            text.title,
            url,
            ENGINE,
            word_count=text.word_count,
            warnings=text.warnings,
            facts=text.facts,
        )


def _encode(html: str | bytes, url: str) -> Body:
    """The bytes of a page; the charset of given ones is up to the page itself."""
    if isinstance(html, bytes):
        return Body(url, html, "text/html")
    return Body(url, html.encode("utf-8", "replace"), "text/html", "utf-8")
