"""Papers on arXiv: https://info.arxiv.org/help/api/user-manual.html, one request that answers with a feed."""

from __future__ import annotations

import asyncio
import re

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer
from dowse.core.models import Deadline, Hit, Query
from dowse.core.text import one_line
from dowse.net.json_api import Api, first_hits, hit
from dowse.sites.answer import Answer
from dowse.sites.arxiv import feed
from dowse.sites.period import Period, period_of
from dowse.sites.words import keywords

NUMBER = re.compile(r"(?<![\d.])\d{4}\.\d{4,5}(?![\d.])")
# Its terms of use ask for three seconds between requests, and for one at a time.
_PAUSE_S = 3.0
_LONGEST_QUERY, _MOST_WORDS = 200, 8
_MOST = 50
_NOISE = frozenset("al arxiv et paper papers preprint preprints publication research study".split())
_TERM = re.compile(r"\w{2,60}")
_VERSION = re.compile(r"v\d{1,3}$")


class Arxiv:
    """Implements `OpenApi`."""

    name = "arxiv"
    title = "arXiv"
    rate = Rate(1, _PAUSE_S)

    def __init__(self, api: Api, api_url: str, *, user_agent: str = "") -> None:
        self._api = api
        self._api_url = api_url
        agent = one_line(user_agent)
        self._headers = {"User-Agent": agent} if agent else {}

    def address(self, _query: Query) -> str:
        return self._api_url

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        numbers = NUMBER.findall(query.text)
        asked = (
            {"id_list": ",".join(numbers[:_MOST])}
            if numbers
            else {"search_query": _terms(query.text, period_of(query, deadline.clock.today())), "sortBy": "relevance"}
        )
        params = {**asked, "max_results": str(min(query.num_results, _MOST))}
        reply = await self._api.get_reply(self._api_url, deadline, headers=self._headers, params=params)
        try:
            papers = await asyncio.to_thread(feed.papers, reply.body)
        except feed.NotAFeed as error:
            raise BadAnswer(self.name, str(error)) from error
        return Answer(first_hits(map(_hit, papers), query.num_results), _PAUSE_S)


def _terms(text: str, period: Period) -> str:
    words = _TERM.findall(keywords(text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE))
    terms = [f"all:{word}" for word in words[:_MOST_WORDS]]
    if period:
        first = f"{period.first:%Y%m%d}0000" if period.first else "199101010000"
        last = f"{period.last:%Y%m%d}2359" if period.last else "299912312359"
        terms.append(f"submittedDate:[{first} TO {last}]")
    return " AND ".join(terms)


def _hit(paper: feed.Paper) -> Hit | None:
    # The feed still names the site without TLS, and the version that was newest when it was made.
    url = _VERSION.sub("", paper.address.replace("http://arxiv.org/", "https://arxiv.org/", 1))
    return hit(paper.title, url, paper.abstract, engine=Arxiv.name, published=paper.submitted)
