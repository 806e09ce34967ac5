"""arXiv's API: its Atom feed, and a search over papers. https://info.arxiv.org/help/api/user-manual.html"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer
from dowse.core.models import Deadline, Hit, Query
from dowse.core.text import one_line
from dowse.net.json_api import Api
from dowse.net.json_fields import first_hits, hit
from dowse.settings import Settings
from dowse.sites.query import Period, keywords, period_of
from dowse.sites.site import SiteHits

NAME = "arxiv"
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_FIELD_CHARS = 20_000
_MOST_AUTHORS = 10_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"(?<![\d.])\d{4}\.\d{4,5}(?![\d.])")
# The terms of use ask for three seconds between requests, and for one at a time.
_PAUSE_S = 3.0
_LONGEST_QUERY, _MOST_WORDS = 200, 8
_MOST = 50
_NOISE = frozenset("al arxiv et paper papers preprint preprints publication research study".split())
_TERM = re.compile(r"\w{2,60}")
_VERSION = re.compile(r"v\d{1,3}$")


class NotAFeed(ValueError):
    """The answer is not an Atom feed of arXiv."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One entry of the feed; `address` ends with the number of the paper and its version."""

    address: str
    title: str
    abstract: str
    authors: Sequence[str]
    submitted: str
    updated: str
    categories: Sequence[str]
    comment: str
    journal: str
    doi: str
    pdf: str


class ArxivSearch:
    """Implements `SiteSearch`."""

    rate = Rate(1, _PAUSE_S)

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._api_url = settings.arxiv_api_url
        self._headers = user_agent_headers(settings)

    def address(self, _query: Query) -> str:
        return self._api_url

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        numbers = _NUMBER.findall(query.text)
        asked = (
            {"id_list": ",".join(numbers[:_MOST])}
            if numbers
            else {"search_query": _terms(query.text, period_of(query, deadline.clock.today())), "sortBy": "relevance"}
        )
        params = {**asked, "max_results": str(min(query.num_results, _MOST))}
        reply = await self._api.get_reply(self._api_url, deadline, headers=self._headers, params=params)
        try:
            papers = await asyncio.to_thread(read_papers, reply.body)
        except NotAFeed as error:
            raise BadAnswer(NAME, str(error)) from error
        return SiteHits(first_hits(list(map(_hit, papers)), query.num_results), _PAUSE_S)


def user_agent_headers(settings: Settings) -> dict[str, str]:
    agent = one_line(settings.arxiv_user_agent)
    return {"User-Agent": agent} if agent else {}


def read_first_paper(body: bytes) -> Paper | None:
    """The first entry of a feed; `None` for an empty feed and for an error. Raises `NotAFeed`."""
    entry = _parse(body).find(f"{_ATOM}entry")
    return None if entry is None else _read_paper(entry)


def read_papers(body: bytes) -> list[Paper]:
    """All papers of a feed, in its order. Raises `NotAFeed`."""
    entries = _parse(body).findall(f"{_ATOM}entry")
    return [paper for entry in entries if (paper := _read_paper(entry))]


def _read_paper(entry: ElementTree.Element) -> Paper | None:
    """One entry; `None` for one that reports an error."""
    address, title = _text(entry, f"{_ATOM}id"), one_line(_text(entry, f"{_ATOM}title"))
    if not title or "/api/errors" in address:
        return None
    return Paper(
        address=address,
        title=title,
        abstract=_text(entry, f"{_ATOM}summary"),
        authors=_names(entry),
        submitted=_day(entry, f"{_ATOM}published"),
        updated=_day(entry, f"{_ATOM}updated"),
        categories=_categories(entry),
        comment=one_line(_text(entry, f"{_ARXIV}comment")),
        journal=one_line(_text(entry, f"{_ARXIV}journal_ref")),
        doi=one_line(_text(entry, f"{_ARXIV}doi")),
        pdf=_pdf(entry),
    )


def _parse(body: bytes) -> ElementTree.Element:
    try:
        # Decoded first: bytes may declare another encoding, in which a DTD with entities would go unnoticed.
        text = body.decode("utf-8")
        if "<!DOCTYPE" in text:
            raise NotAFeed("it has a document type, which may define entities")
        root = ElementTree.fromstring(text)
    except (UnicodeDecodeError, ElementTree.ParseError) as error:
        raise NotAFeed("it is not XML") from error
    if root.tag != f"{_ATOM}feed":
        raise NotAFeed("it is not a feed")
    return root


def _text(parent: ElementTree.Element, name: str) -> str:
    return (parent.findtext(name) or "").strip()[:_FIELD_CHARS]


def _day(entry: ElementTree.Element, name: str) -> str:
    found = _DAY.match(_text(entry, name))
    return found[0] if found else ""


def _names(entry: ElementTree.Element) -> list[str]:
    authors = entry.findall(f"{_ATOM}author")[:_MOST_AUTHORS]
    return [name for author in authors if (name := one_line(_text(author, f"{_ATOM}name"), 100))]


def _categories(entry: ElementTree.Element) -> list[str]:
    """The categories of a paper, the primary one first."""
    primary = entry.find(f"{_ARXIV}primary_category")
    terms = [node.get("term", "") for node in [primary, *entry.findall(f"{_ATOM}category")] if node is not None]
    return list(dict.fromkeys(one_line(term, 60) for term in terms if term))


def _pdf(entry: ElementTree.Element) -> str:
    links = entry.findall(f"{_ATOM}link")
    return next((link.get("href", "") for link in links if link.get("title") == "pdf"), "")


def _terms(text: str, period: Period) -> str:
    words = _TERM.findall(keywords(text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE))
    terms = [f"all:{word}" for word in words[:_MOST_WORDS]]
    if period:
        first = f"{period.first:%Y%m%d}0000" if period.first else "199101010000"
        last = f"{period.last:%Y%m%d}2359" if period.last else "299912312359"
        terms.append(f"submittedDate:[{first} TO {last}]")
    return " AND ".join(terms)


def _hit(paper: Paper) -> Hit | None:
    # The feed names its own site without TLS, and the newest version at the time of the feed.
    url = _VERSION.sub("", paper.address.replace("http://arxiv.org/", "https://arxiv.org/", 1))
    return hit(paper.title, url, paper.abstract, engine=NAME, published=paper.submitted)
