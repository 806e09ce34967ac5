"""arXiv: what is known of a paper and its abstract from the API, then its full text, as HTML where there is one.

At most three requests. Whatever becomes of the full text, the abstract is shown.
"""

from __future__ import annotations

import asyncio
import re

from dowse.core import urls
from dowse.core.errors import BadAnswer, BadRequest, PageUnreadable, WireError
from dowse.core.models import Body, Deadline, Status, Text
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.net.clients import Fetched
from dowse.sites import compose
from dowse.sites.arxiv import feed, page
from dowse.sites.arxiv.feed import NotAFeed, Paper
from dowse.sites.arxiv.page import FullText, Number
from dowse.sites.kit import Kit

NAME = "arxiv"
PAGES_VARIABLE = "ARXIV_MAX_PAGES"

_ADDRESS = re.compile(r"/abs/([\w./-]{5,40}?)(v\d{1,3})?$")
_PDF_BYTES, _HTML_BYTES = 20_000_000, 5_000_000
# Enough to put the answer together, so that the abstract is out before the time is up.
_RESERVED_S = 0.5
_PAGE_MARK = re.compile(r"^_Page (\d{1,5}) of (\d{1,5})[^_\n]{0,40}_$", re.MULTILINE)
_WITHOUT = (
    "nav, header, footer, button, .ltx_page_navbar, .ltx_TOC, .ltx_authors, .ltx_abstract, .ltx_title_document",
    ".ltx_dates, .ltx_keywords, .ltx_ERROR, .ltx_note_mark, .ltx_tag_item, .package-alerts",
)
_ARTICLE, _ARTICLE_END = '<article class="ltx_document', "</article>"
_REFERENCE_TEXT = '<span class="ltx_bibblock"'
_INNER_LINK = re.compile(r'<a (?=[^<>]{0,300}href="[^"<>#]{0,200}#)(?=[^<>]{0,600}class="ltx_ref")[^<>]{1,1000}>')
_EQUATION = re.compile(r'<table (?=[^<>]{0,300}class="[^"<>]{0,200}ltx_eqn_table)')


class Arxiv:
    """The loader; `ARXIV_API_URL` is asked, and what it names is fetched as any page is."""

    name = NAME
    timeout_s = 20.0

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._api = kit.api(NAME)
        self._api_url = kit.settings.arxiv_api_url
        self._max_chars = kit.settings.arxiv_max_chars
        self._max_pages = kit.settings.arxiv_max_pages
        agent = one_line(kit.settings.arxiv_user_agent)
        self._headers = {"User-Agent": agent} if agent else {}

    def accepts(self, url: Url) -> bool:
        return page.number_in(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        number = page.number_in(parsed) if parsed else None
        if number is None:
            raise PageUnreadable(Status.ERROR, "not a paper of arXiv")
        shown, paper = await self._find(number, deadline)
        full_text = await self._full_text(shown, paper, deadline)
        return page.composed(shown, paper, full_text, max_chars=self._max_chars)

    async def _find(self, number: Number, deadline: Deadline) -> tuple[Number, Paper]:
        """What arXiv says of the paper, and which version; a number it does not know is left to the general reader."""
        params = {"id_list": str(number), "max_results": "1"}
        try:
            reply = await self._api.get_reply(self._api_url, deadline, headers=self._headers, params=params)
            paper = await asyncio.to_thread(feed.first_paper, reply.body)
        except BadRequest as error:
            raise PageUnreadable(Status.NOT_FOUND, "arXiv has no such paper") from error
        except NotAFeed as error:
            raise BadAnswer(NAME, str(error)) from error
        if paper is None:
            raise PageUnreadable(Status.NOT_FOUND, "arXiv has no such paper")
        found = _ADDRESS.search(paper.address)
        if found is None or found[1] != number.paper:
            raise BadAnswer(NAME, "the answer is about another paper")
        return Number(number.paper, found[2] or "", number.form), paper

    async def _full_text(self, number: Number, paper: Paper, deadline: Deadline) -> FullText:
        """The text by the first way that works. Nothing that goes wrong here costs the abstract."""
        pdf = _pdf_address(number, paper)
        ways = [(self._from_pdf, pdf)]
        if number.form != "pdf" and page.has_html(paper):
            ways.insert(0, (self._from_html, pdf.replace("/pdf/", "/html/", 1).removesuffix(".pdf")))
        failure = ""
        try:
            async with asyncio.timeout(max(0.0, deadline.remaining_s() - _RESERVED_S)):
                for waiting, (read, address) in zip(range(len(ways), 0, -1), ways, strict=True):
                    try:
                        # One that hangs must not use up the time of the other.
                        return await read(address, deadline.capped(deadline.remaining_s() / waiting))
                    except PageUnreadable as error:
                        failure = error.detail or error.status.value
        except TimeoutError:
            failure = "there was not enough time"
        return FullText(failure=failure)

    async def _from_html(self, address: str, deadline: Deadline) -> FullText:
        page = await self._fetched(address, deadline, _HTML_BYTES)
        html = page.body.decode("utf-8", "replace")
        start, end = html.find(_ARTICLE), html.rfind(_ARTICLE_END)
        if not 0 <= start < end:
            raise PageUnreadable(Status.ERROR, "not the HTML of a paper")
        (markdown,) = await self._kit.extractor.render(
            [_prepared(html[start:end])], url=address, timeout_s=deadline.remaining_s(), without=_WITHOUT
        )
        if not markdown.strip():
            raise PageUnreadable(Status.ERROR, "the HTML holds no text")
        return FullText(compose.shifted(markdown, 1), is_html=True)

    async def _from_pdf(self, address: str, deadline: Deadline) -> FullText:
        page = await self._fetched(address, deadline, _PDF_BYTES)
        if not page.body.startswith(b"%PDF-"):
            raise PageUnreadable(Status.UNSUPPORTED, "what came is not a PDF")
        body = Body(page.url, page.body, "application/pdf")
        text = await self._kit.extractor.extract(body, timeout_s=deadline.remaining_s())
        markdown, left_out = self._first_pages(text)
        return FullText(compose.shifted(markdown, 2), left_out)

    def _first_pages(self, text: Text) -> tuple[str, str]:
        """As many pages as the setting allows, and what is missing then."""
        for mark in _PAGE_MARK.finditer(text.markdown):
            if int(mark[1]) > self._max_pages:
                said = f"{self._max_pages} of {mark[2]} pages are shown; {PAGES_VARIABLE} lets more through"
                return text.markdown[: mark.start()].rstrip(), said
        return text.markdown, "The rest of the PDF was not read" if text.is_cut else ""

    async def _fetched(self, address: str, deadline: Deadline, max_bytes: int) -> Fetched:
        try:
            page = await self._kit.pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=max_bytes)
        except WireError as error:
            raise PageUnreadable(Status.ERROR, str(error)) from error
        if page.status != 200:
            raise PageUnreadable(Status.ERROR, f"HTTP {page.status}")
        return page


def _prepared(article: str) -> str:
    """Equations out of the tables that place them, and no links to other parts of the paper."""
    article = _EQUATION.sub('<table role="presentation" ', article)
    return _INNER_LINK.sub("<a>", article).replace(_REFERENCE_TEXT, f" {_REFERENCE_TEXT}")


def _pdf_address(number: Number, paper: Paper) -> str:
    """Where the API says that the PDF is; arXiv's own addresses are still written without TLS there."""
    named = urls.parse(paper.pdf)
    if named is None or named.name in page.HOSTS:
        return page.link(number, "pdf")
    return named.href
