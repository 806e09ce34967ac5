"""arXiv: papers with their abstract and full text, and a search over them.

A paper takes at most three requests. The abstract is shown even where the full text cannot be read.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from dowse.core import urls
from dowse.core.errors import BadAnswer, BadRequest, PageUnreadable
from dowse.core.models import Body, Deadline, Status, Text
from dowse.core.text import enclose, one_line
from dowse.core.urls import Url
from dowse.core.wire_errors import WireError
from dowse.net.clients import Fetched
from dowse.sites.arxiv.api import NAME, ArxivSearch, NotAFeed, Paper, read_first_paper, user_agent_headers
from dowse.sites.compose import Part, compose_page, fact, label, labels, shift_headings, title
from dowse.sites.site import LoaderKit, Site

_CHARS_VARIABLE, _PAGES_VARIABLE = "ARXIV_MAX_CHARS", "ARXIV_MAX_PAGES"
_HOSTS = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})
# Papers submitted since then have HTML; few older ones do.
_FIRST_HTML = "2023-12-01"
# 2101.00001v2 since 2007, hep-th/9901001 and math.GT/0309136v1 before.
_PATH = re.compile(
    r"/(?P<form>abs|pdf|html)/(?:(?P<archive>[a-z]{1,8}(?:-[a-z]{2,4})?)(?:\.[A-Za-z-]{2,8})?/(?P<old>\d{7})"
    r"|(?P<new>\d{4}\.\d{4,5}))(?P<version>v[1-9]\d{0,2})?(?:\.pdf)?/?"
)
_MOST_AUTHORS, _MOST_CATEGORIES = 30, 20
_DETAIL_CHARS = 500
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n|[ \t]{2,})")
_ADDRESS = re.compile(r"/abs/([\w./-]{5,40}?)(v\d{1,3})?$")
_PDF_BYTES, _HTML_BYTES = 20_000_000, 5_000_000
# Left for composing the page, so that the abstract is returned within the deadline.
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


@dataclass(frozen=True, slots=True)
class _Number:
    """The number of a paper, the version if its URL names one, and the requested form."""

    paper: str
    version: str
    form: str

    def __str__(self) -> str:
        return self.paper + self.version


@dataclass(frozen=True, slots=True)
class _FullText:
    """The text of a paper, or the reason for its absence; `left_out` tells which part was not read."""

    markdown: str = ""
    left_out: str = ""
    failure: str = ""
    is_html: bool = False


class ArxivLoader:
    """Implements `protocols.SiteLoader`. Addresses that the API names are fetched like any other page."""

    name = NAME
    timeout_s = 20.0

    def __init__(self, kit: LoaderKit) -> None:
        self._kit = kit
        self._api = kit.api(NAME)
        self._api_url = kit.settings.arxiv_api_url
        self._max_chars = kit.settings.arxiv_max_chars
        self._max_pages = kit.settings.arxiv_max_pages
        self._headers = user_agent_headers(kit.settings)

    def accepts(self, url: Url) -> bool:
        return _find_number(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        number = _find_number(urls.parse(url))
        if number is None:
            raise PageUnreadable(Status.ERROR, "not a paper of arXiv")
        shown, paper = await self._find(number, deadline)
        full_text = await self._read_full_text(shown, paper, deadline)
        return _compose(shown, paper, full_text, max_chars=self._max_chars)

    async def _find(self, number: _Number, deadline: Deadline) -> tuple[_Number, Paper]:
        """The feed entry of a paper and the version that it describes."""
        params = {"id_list": str(number), "max_results": "1"}
        try:
            reply = await self._api.get_reply(self._api_url, deadline, headers=self._headers, params=params)
            paper = await asyncio.to_thread(read_first_paper, reply.body)
        except BadRequest as error:
            raise PageUnreadable(Status.NOT_FOUND, "arXiv has no such paper") from error
        except NotAFeed as error:
            raise BadAnswer(NAME, str(error)) from error
        if paper is None:
            raise PageUnreadable(Status.NOT_FOUND, "arXiv has no such paper")
        found = _ADDRESS.search(paper.address)
        if found is None or found[1] != number.paper:
            raise BadAnswer(NAME, "the answer is about another paper")
        return _Number(number.paper, found[2] or "", number.form), paper

    async def _read_full_text(self, number: _Number, paper: Paper, deadline: Deadline) -> _FullText:
        """The text from HTML, else from the PDF; a failure is part of the result."""
        pdf = _pdf_address(number, paper)
        ways = [(self._from_pdf, pdf)]
        if number.form != "pdf" and _has_html(paper):
            ways.insert(0, (self._from_html, pdf.replace("/pdf/", "/html/", 1).removesuffix(".pdf")))
        failure = ""
        try:
            async with asyncio.timeout(max(0.0, deadline.remaining_s() - _RESERVED_S)):
                for waiting, (read, address) in zip(range(len(ways), 0, -1), ways, strict=True):
                    try:
                        # A hanging request must not use up the time of the next one.
                        return await read(address, deadline.cap(deadline.remaining_s() / waiting))
                    except PageUnreadable as error:
                        failure = error.detail or error.status.value
        except TimeoutError:
            failure = "there was not enough time"
        return _FullText(failure=failure)

    async def _from_html(self, address: str, deadline: Deadline) -> _FullText:
        fetched = await self._fetch(address, deadline, _HTML_BYTES)
        html = fetched.body.decode("utf-8", "replace")
        start, end = html.find(_ARTICLE), html.rfind(_ARTICLE_END)
        if not 0 <= start < end:
            raise PageUnreadable(Status.ERROR, "not the HTML of a paper")
        (markdown,) = await self._kit.extractor.render(
            [_prepare(html[start:end])], url=address, timeout_s=deadline.remaining_s(), without=_WITHOUT
        )
        if not markdown.strip():
            raise PageUnreadable(Status.ERROR, "the HTML holds no text")
        return _FullText(shift_headings(markdown, 1), is_html=True)

    async def _from_pdf(self, address: str, deadline: Deadline) -> _FullText:
        fetched = await self._fetch(address, deadline, _PDF_BYTES)
        if not fetched.body.startswith(b"%PDF-"):
            raise PageUnreadable(Status.UNSUPPORTED, "the response is not a PDF")
        body = Body(fetched.url, fetched.body, "application/pdf")
        text = await self._kit.extractor.extract(body, timeout_s=deadline.remaining_s())
        markdown, left_out = self._cut_pages(text)
        return _FullText(shift_headings(markdown, 2), left_out)

    def _cut_pages(self, text: Text) -> tuple[str, str]:
        """The pages that the setting allows, and a note on the missing ones."""
        for mark in _PAGE_MARK.finditer(text.markdown):
            if int(mark[1]) > self._max_pages:
                note = f"{self._max_pages} of {mark[2]} pages are shown; {_PAGES_VARIABLE} lets more through"
                return text.markdown[: mark.start()].rstrip(), note
        return text.markdown, "The rest of the PDF was not read" if text.is_cut else ""

    async def _fetch(self, address: str, deadline: Deadline, max_bytes: int) -> Fetched:
        try:
            fetched = await self._kit.pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=max_bytes)
        except WireError as error:
            raise PageUnreadable(Status.ERROR, str(error), reason=error.reason) from error
        if fetched.status != 200:
            raise PageUnreadable(Status.ERROR, f"HTTP {fetched.status}", http_status=fetched.status)
        return fetched


def _prepare(article: str) -> str:
    """The article without layout tables around equations and without links to its own parts."""
    article = _EQUATION.sub('<table role="presentation" ', article)
    return _INNER_LINK.sub("<a>", article).replace(_REFERENCE_TEXT, f" {_REFERENCE_TEXT}")


def _pdf_address(number: _Number, paper: Paper) -> str:
    """The PDF that the API names; the addresses of its own site lack TLS."""
    named = urls.parse(paper.pdf)
    if named is None or named.name in _HOSTS:
        return _link(number, "pdf")
    return named.href


def _find_number(url: Url | None) -> _Number | None:
    """The paper of a URL; `None` for any other URL."""
    found = _PATH.fullmatch(url.path) if url and url.is_page_of(*_HOSTS) else None
    if found is None:
        return None
    # Papers are numbered per archive: the subject class after its name (`math.GT`) may be omitted.
    paper = found["new"] or f"{found['archive']}/{found['old']}"
    return _Number(paper, found["version"] or "", found["form"])


def _link(number: _Number, form: str) -> str:
    return f"https://arxiv.org/{form}/{number}"


def _has_html(paper: Paper) -> bool:
    """Whether the version shown is likely to have HTML."""
    return paper.updated >= _FIRST_HTML


def _compose(number: _Number, paper: Paper, full_text: _FullText, *, max_chars: int) -> Text:
    """Facts, abstract, then the full text or the reason for its absence."""
    where = _link(number, "pdf")
    rest = enclose("", full_text.left_out, f"; the whole is at {where}")
    if full_text.failure:
        rest = f"…(the full text could not be read: {full_text.failure}; it is at {where})"
    return compose_page(
        _link(number, "abs"),
        paper.title,
        [
            Part(f"# {title(paper.title)}", _facts(number, paper, full_text), _details(paper)),
            Part("## Abstract", body=_paragraphs(paper.abstract)),
            Part("## Full text", body=full_text.markdown) if full_text.markdown else "",
        ],
        max_chars=max_chars,
        variable=_CHARS_VARIABLE,
        rest=rest,
        warnings=[f"arxiv: the full text could not be read: {full_text.failure}"] if full_text.failure else (),
    )


def _facts(number: _Number, paper: Paper, full_text: _FullText) -> list[str]:
    return [
        f"Link: {_link(number, 'abs')}",
        f"PDF: {_link(number, 'pdf')}",
        f"HTML: {_link(number, 'html')}" if full_text.is_html else "",
        fact("Submitted", paper.submitted),
        f"Updated: {paper.updated}" if paper.updated not in ("", paper.submitted) else "",
    ]


def _details(paper: Paper) -> str:
    authors = ", ".join(map(label, paper.authors[:_MOST_AUTHORS]))
    if len(paper.authors) > _MOST_AUTHORS:
        authors += f" … ({_MOST_AUTHORS} of {len(paper.authors)} authors)"
    details = {
        "Authors": authors,
        "Categories": labels(paper.categories, _MOST_CATEGORIES),
        "Comments": label(paper.comment, _DETAIL_CHARS),
        "Journal reference": label(paper.journal, _DETAIL_CHARS),
        "DOI": label(paper.doi, _DETAIL_CHARS),
    }
    return "\n".join(f"- {name}: {value}" for name, value in details.items() if value)


def _paragraphs(abstract: str) -> str:
    """Unwrapped paragraphs: in the feed they begin after an empty line or with an indent."""
    paragraphs = list(map(one_line, _PARAGRAPH.split(abstract)))
    return shift_headings("\n\n".join(filter(None, paragraphs)), 2)


SITE = Site(loader=ArxivLoader, search=ArxivSearch)
