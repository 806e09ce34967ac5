"""Stack Exchange's API 2.3: a whole question in at most six requests, rate limits and failures, and the search.

https://api.stackexchange.com/docs/error-handling and https://api.stackexchange.com/docs/throttle
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from html import unescape

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer, KeyRejected, NotRead, PageUnreadable, ProviderError, RateLimited, Unavailable
from dowse.core.models import Clock, Deadline, Hit, Query, Status
from dowse.core.text import count_noun
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import (
    Json,
    as_mapping,
    drop_empty,
    first_hits,
    first_object,
    hit,
    items,
    parse_json,
    results,
    string,
    strings,
    whole,
)
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.settings.model import reveal
from dowse.sites.compose import day
from dowse.sites.query import keywords, period_of, without_tags
from dowse.sites.site import LoaderKit, SiteHits

NAME = "stackexchange"
KEY_VARIABLE = "STACKEXCHANGE_KEY"
_PAGE_SIZE = 100
_ANSWER_PAGES = 2
_EVERY_METHOD = "*"
# Error ids, nearly all of which come with the status 400.
_BAD_PARAMETER, _THROTTLED, _DOWN = 400, 502, (500, 503)
_WAIT = re.compile(r"available in (\d{1,7}) seconds")
_DAY_S = 24 * 3600
_LONGEST_QUERY = 240
_MOST = 50
_DEFAULT = "stackoverflow"
# Topics of the other sites by their words; everything else goes to Stack Overflow.
_SITES = {
    "askubuntu": re.compile(r"(?i)\b(?:ubuntu|apt-get|snapd)\b"),
    "serverfault": re.compile(r"(?i)\b(?:active directory|dhcp|haproxy|iptables|postfix|sysadmin|vlan)\b"),
    "unix": re.compile(r"(?i)\b(?:archlinux|debian|fedora|linux|posix|systemd|zsh)\b"),
    "superuser": re.compile(r"(?i)\b(?:excel|macos|outlook|powershell|windows)\b"),
}


@dataclass(frozen=True, slots=True)
class PostAddress:
    """A question, an answer or a comment that a URL names; 0 for each that it does not."""

    host: str
    site: str
    question: int = 0
    answer: int = 0
    comment: int = 0


@dataclass(slots=True)
class QuestionThread:
    """A question with its answers, and `comments` by post; `missing` and `warnings` name the parts that failed."""

    question: Json
    answers: list[Json] = field(default_factory=list)
    comments: dict[int, list[Json]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class StackApi:
    """Client that keeps the pauses which the API asks for, by method and for all methods."""

    def __init__(self, kit: LoaderKit) -> None:
        settings = kit.settings
        self._api = replace(kit.api(NAME, KEY_VARIABLE), own_failure=self._failure)
        self._redactor = kit.redactor
        self._base = settings.stackexchange_api_url.rstrip("/")
        self._params = {"filter": settings.stackexchange_filter, "key": reveal(settings.stackexchange_key)}
        self._closed_until: dict[str, float] = {}

    async def get(self, method: str, ids: str, deadline: Deadline, params: dict[str, str]) -> tuple[list[Json], bool]:
        """The items of one page, and whether there are more pages."""
        clock = deadline.clock
        wait_s = max(self._closed_until.get(name, 0.0) for name in (method, _EVERY_METHOD)) - clock.now()
        if wait_s > 0:
            raise RateLimited(NAME, "the pause that it asked for is not over", retry_after_s=wait_s)
        sent = drop_empty({**self._params, **params})
        body = await self._api.get(f"{self._base}/{method.format(ids)}", deadline, headers={}, params=sent)
        for closed, pause_s in (
            (method, _backoff_s(body)),
            (_EVERY_METHOD, _quota_pause_s(body, clock)),
        ):
            if pause_s:
                self._closed_until[closed] = clock.now() + pause_s
        return items(NAME, body, "items"), body.get("has_more") is True

    def _failure(self, reply: Reply) -> ProviderError | None:
        number, message = _read_error(reply)
        if known := _find_failure(reply, self._redactor):
            return known
        # An unknown site or number is no failure of the API, and the page may still exist.
        said = self._redactor.message(message)
        return NotRead(NAME, said=said) if number == _BAD_PARAMETER else None


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """The requests for one question; answers are loaded until there are `enough_chars` of them."""

    api: StackApi
    address: PostAddress
    deadline: Deadline
    enough_chars: int

    async def load(self) -> QuestionThread:
        """The question with the answers and comments that could be loaded. Raises only without a question."""
        number = self.address.question or await self._find_question(self.address.answer)
        questions, _ = await self._get("questions/{}", number)
        if not questions:
            raise PageUnreadable(Status.ERROR, "Stack Exchange has no such question")
        found = QuestionThread(questions[0])
        if not string(found.question, "title") or not string(found.question, "body_markdown", "body"):
            raise BadAnswer(NAME, "the question came without title or text; check STACKEXCHANGE_FILTER")
        try:
            await self._add_answers(number, found)
        except ProviderError as error:
            found.warnings.append(f"some answers could not be loaded: {error}")
        try:
            await self._add_comments(number, found)
        except ProviderError as error:
            found.missing.append("the comments are missing")
            found.warnings.append(f"the comments could not be loaded: {error}")
        return found

    async def _find_question(self, answer: int) -> int:
        answers, _ = await self._get("answers/{}", answer)
        question = whole(first_object(answers), "question_id")
        if not question:
            raise PageUnreadable(Status.ERROR, "Stack Exchange has no such answer")
        return question

    async def _add_answers(self, number: int, found: QuestionThread) -> None:
        """The answers with the highest scores, the accepted one and the linked one."""
        has_more, page, answers = whole(found.question, "answer_count") > 0, 0, dict[int, Json]()
        while has_more and page < _ANSWER_PAGES and _chars(answers.values()) < self.enough_chars:
            page += 1
            more, has_more = await self._get("questions/{}/answers", number, sort="votes", page=str(page))
            # By number: an answer that is voted down meanwhile appears on the next page again.
            answers |= {whole(answer, "answer_id"): answer for answer in more}
            found.answers = list(answers.values())
        absent = {whole(found.question, "accepted_answer_id"), self.address.answer} - set(answers) - {0}
        if absent and has_more:
            more, _ = await self._get("answers/{}", *sorted(absent))
            found.answers += [answer for answer in more if whole(answer, "question_id") == number]

    async def _add_comments(self, number: int, found: QuestionThread) -> None:
        """The hundred comments with the highest scores over all posts, in one request."""
        posts = [number, *filter(None, (whole(answer, "answer_id") for answer in found.answers))]
        if len(posts) > _PAGE_SIZE:
            found.missing.append(f"comments are shown on {_PAGE_SIZE} of {len(posts)} posts")
        comments, has_more = await self._get("posts/{}/comments", *posts[:_PAGE_SIZE], sort="votes")
        for comment in comments:
            found.comments.setdefault(whole(comment, "post_id"), []).append(comment)
        if has_more:
            found.missing.append(f"of the comments, the {len(comments)} with the highest scores are shown")

    async def _get(self, method: str, *ids: int, **params: str) -> tuple[list[Json], bool]:
        sent = {"site": self.address.site, "pagesize": str(_PAGE_SIZE), **params}
        if "sort" in params:
            sent["order"] = "desc"
        return await self.api.get(method, ";".join(map(str, ids)), self.deadline, sent)


class StackExchangeSearch:
    """Implements `SiteSearch`: https://api.stackexchange.com/docs/advanced-search."""

    # Faster clients are banned for a while.
    rate = Rate(30, 1.0)

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = replace(api, own_failure=lambda reply: _find_failure(reply, api.redactor))
        self._base = settings.stackexchange_api_url.rstrip("/")
        self._key = settings.stackexchange_key

    def address(self, _query: Query) -> str:
        return f"{self._base}/search/advanced"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        period = period_of(query, deadline.clock.today())
        optional = {
            "fromdate": str(period.starts_at or ""),
            "todate": str(period.ends_at or ""),
            "key": reveal(self._key),
        }
        params = {
            "q": keywords(query.text, max_chars=_LONGEST_QUERY),
            "site": _site_of(query),
            "sort": "relevance",
            "order": "desc",
            "pagesize": str(min(query.num_results, _MOST)),
            "filter": "withbody",
        } | drop_empty(optional)
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        pause_s = max(_backoff_s(body), _quota_pause_s(body, deadline.clock))
        return SiteHits(first_hits(list(map(_hit, results(NAME, body, "items"))), query.num_results), pause_s)


def _site_of(query: Query) -> str:
    """The site of a requested domain, else of the topic of the query."""
    for domain in query.include_domains:
        site = domain.lower().removeprefix("www.").removesuffix(".com").removesuffix(".stackexchange")
        if site in (_DEFAULT, *_SITES) or domain.lower().endswith(".stackexchange.com"):
            return site
    return next((site for site, words in _SITES.items() if words.search(query.text)), _DEFAULT)


def _hit(item: Json) -> Hit | None:
    accepted = ", one accepted" if "accepted_answer_id" in item else ""
    facts = count_noun(whole(item, "answer_count"), "answer") + accepted
    tags = ", ".join(strings(item.get("tags"))[:5])
    snippet = f"{facts}; {tags}. {without_tags(string(item, 'body'))}"
    return hit(
        unescape(string(item, "title")),
        string(item, "link"),
        snippet,
        engine=NAME,
        published=day(item.get("creation_date")),
    )


def _read_error(reply: Reply) -> tuple[int, str]:
    """The id and the message of an error; 0 for an answer that does not come from the API."""
    try:
        body = parse_json(reply.body)
    except ValueError:
        return 0, ""
    fields = as_mapping(body)
    return whole(fields, "error_id"), string(fields, "error_message")


def _find_failure(reply: Reply, redactor: Redactor) -> ProviderError | None:
    """The error of an error id; `None` where the HTTP status decides."""
    number, message = _read_error(reply)
    said, wait = redactor.message(message), _WAIT.search(message)
    if number == _THROTTLED:
        return RateLimited(NAME, said=said, retry_after_s=float(wait[1]) if wait else None)
    if number in _DOWN:
        return Unavailable(NAME, said=said)
    if number == _BAD_PARAMETER and message.startswith("`key`"):
        return KeyRejected(NAME, said=said, advice=f"check {KEY_VARIABLE}")
    return None


def _backoff_s(body: Json) -> float:
    """The pause that the API asks for on the method of this answer."""
    return float(min(max(0, whole(body, "backoff")), _DAY_S))


def _quota_pause_s(body: Json, clock: Clock) -> float:
    """The pause on all methods once the quota is used up: it is renewed at midnight UTC."""
    return _seconds_to_midnight(clock.utc()) if body.get("quota_remaining") == 0 else 0.0


def _seconds_to_midnight(now: datetime) -> float:
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()


def _chars(posts: Iterable[Json]) -> int:
    return sum(len(string(post, "body_markdown", "body")) for post in posts)
