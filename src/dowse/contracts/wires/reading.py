"""Pages for a wire: read whole, or the passages for a question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from dowse.contracts.dispatch import Services
from dowse.contracts.get_content import complete_address
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.wires.failures import page_failed
from dowse.contracts.wires.searching import patience_s
from dowse.core.models import Body, Page, Status
from dowse.core.runtime import CallContext
from dowse.fetch.media import identify
from dowse.flows.page_view import LEAST_TOKENS, PageRequest


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as it is shown: all of its text, or the passages for a question; empty if it was not read."""

    page: Page
    text: str

    @property
    def title(self) -> str:
        return self.page.title


async def read_pages(
    services: Services,
    context: CallContext,
    addresses: Sequence[str],
    *,
    question: str = "",
    passage_tokens: int = 0,
    timeout_s: float | None = None,
    max_age_s: float | None = None,
) -> list[ShownPage]:
    """The pages in the order of their addresses, read concurrently; `passage_tokens` are those of each page.

    `max_age_s` is the highest age of a copy, where whole pages are read.
    Raises `Offline`. A page that cannot be read is one with a status.
    """
    deadline = services.deadline(context, patience_s(timeout_s))
    wanted = list(map(complete_address, addresses))
    if question:
        budget = min(MAX_TOKENS, max(LEAST_TOKENS, passage_tokens) * len(wanted))
        request = PageRequest("", question, max_tokens=budget, wants_outline=False)
        views = await services.pages.view_all(
            wanted, request, deadline, progress=context.progress, caller=context.caller
        )
        return [ShownPage(view.page, view.text) for view in views]

    async def read(url: str) -> Page:
        return await hold(await services.read.read(url, deadline, max_age_s=max_age_s, caller=context.caller))

    with services.read.holding(context.caller) as hold:
        pages = await asyncio.gather(*map(read, wanted))
        return [ShownPage(page, page.text if page.status.readable else "") for page in pages]


def engine_of(shown: Sequence[ShownPage]) -> str:
    """The reader of the first page that was read, for metrics."""
    return next((each.page.engine for each in shown if each.text), "")


async def read_document(services: Services, context: CallContext, data: bytes, content_type: str, name: str) -> Page:
    """The text of a given document; raises `PageUnreadable` for one without text."""
    media_type = identify(content_type, data, f"file:///{quote(name)}")
    page = Page(name, Status.UNSUPPORTED)
    if media_type.is_readable:
        body = Body("", data, media_type.name, media_type.charset)
        page = await services.extract.extract_document(body, services.deadline(context))
    if not page.status.readable:
        raise page_failed(page)
    return page
