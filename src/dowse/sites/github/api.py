"""GitHub's two APIs: requests, rate limits, failures, and the search for repositories and issues."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Self, TypeVar

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer, KeyRejected, NotRead, PageUnreadable, ProviderError, RateLimited
from dowse.core.models import Deadline, Hit, Query, Status
from dowse.net.clients import Reply
from dowse.net.json_api import Api, Json, first_hits, hit, objects, results, string, whole
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.sites.github.targets import NAME
from dowse.sites.query import Period, keywords, period_of
from dowse.sites.shapes import is_about_error
from dowse.sites.site import LoaderKit, SiteHits

MOST_REQUESTS = 6
_JSON = "application/vnd.github+json"
# Media type by which a folder is an object like a file, and a path need not be told apart before.
OBJECT = "application/vnd.github.object+json"
_VERSION = {"X-GitHub-Api-Version": "2022-11-28"}
TOKEN_VARIABLE = "GITHUB_TOKEN"
_LIMITS = {"RATE_LIMIT", "RATE_LIMITED"}
_REFUSALS = {"FORBIDDEN", "INSUFFICIENT_SCOPES"}
# The wait that GitHub documents for answers without a time.
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
_DEFAULT_WAIT_S = 60.0
# The search takes 256 characters without qualifiers, and every word must occur.
_LONGEST_QUERY, _MOST_WORDS = 256, 8
_MOST = 50
_NOISE = frozenset("github repo repository repositories issue issues".split())

T = TypeVar("T")


@dataclass
class GithubSession:
    """A bounded number of requests for one page. Raises `ProviderError`, or `PageUnreadable` for a missing page."""

    api: Api
    base: str
    token: str
    deadline: Deadline
    warnings: list[str] = field(default_factory=list)
    requests_left: int = MOST_REQUESTS
    is_short: bool = False
    """Whether a part of the page could not be loaded."""

    @classmethod
    def start(cls, kit: LoaderKit, token: str, deadline: Deadline) -> Self:
        api = _with_failures(kit.api(NAME), has_token=bool(token))
        return cls(api, kit.settings.github_api_url.rstrip("/"), token, deadline)

    async def get(self, path: str, *, accept: str = _JSON, **params: str) -> Json:
        return await self._rest(
            lambda headers: self.api.get(self.base + path, self.deadline, headers=headers, params=params), accept
        )

    async def get_list(self, path: str, **params: str) -> list[Json]:
        return await self._rest(
            lambda headers: self.api.get_list(self.base + path, self.deadline, headers=headers, params=params)
        )

    async def try_list(self, path: str, what: str = "", **params: str) -> list[Json]:
        """`get_list` for an optional part of a page: a failure becomes a warning that names it."""
        try:
            return await self.get_list(path, **params)
        except (ProviderError, PageUnreadable):
            self.miss(what)
            return []

    async def try_get(self, path: str, what: str = "", **params: str) -> Json | None:
        """`get` for an optional part of a page; `None` where it is missing or fails."""
        try:
            return await self.get(path, **params)
        except PageUnreadable:
            return None
        except ProviderError:
            self.miss(what)
            return None

    async def query(self, text: str, variables: Mapping[str, object]) -> Json:
        """The repository in the answer to a GraphQL query; half of the time is left for REST."""
        deadline = self.deadline.cap(self.deadline.remaining_s() / 2)
        body = {"query": text, "variables": dict(variables)}
        self._count()
        try:
            answer, headers = await self.api.post_with_headers(
                f"{self.base}/graphql", deadline, headers=_headers(self.token), body=body
            )
        except KeyRejected as error:
            self._drop_token(error)
            raise
        data = answer.get("data")
        repository = data.get("repository") if isinstance(data, dict) else None
        # Errors beside data concern single fields, which are then null.
        if isinstance(repository, dict):
            return repository
        raise _query_failure(answer, headers, self.api.redactor)

    def miss(self, what: str = "") -> None:
        self.is_short = True
        if what:
            self.warnings.append(f"{what} could not be loaded from GitHub")

    async def _rest(self, call: Callable[[Mapping[str, str]], Awaitable[T]], accept: str = _JSON) -> T:
        """One request, repeated without the token if it is rejected: most pages are public."""
        self._count()
        try:
            return await call(_headers(self.token, accept))
        except KeyRejected as error:
            self._drop_token(error)
        self._count()
        return await call(_headers(self.token, accept))

    def _count(self) -> None:
        if self.requests_left <= 0:
            raise NotRead(NAME, "the page takes too many requests")
        self.requests_left -= 1

    def _drop_token(self, error: KeyRejected) -> None:
        if self.token:
            self.token, self.api = "", _with_failures(self.api, has_token=False)
            self.warnings.append(f"GitHub rejected {TOKEN_VARIABLE} (HTTP {error.http_status}); it was not used")


class GithubSearch:
    """Implements `SiteSearch`: repositories, or issues for a query about an error."""

    def __init__(self, settings: Settings, api: Api) -> None:
        token = settings.github_token
        # The search has a rate limit of its own: https://docs.github.com/en/rest/search/search#rate-limit.
        self.rate = Rate(30 if token else 10, 60.0)
        self._api = replace(api, key_variable=TOKEN_VARIABLE if token else "", own_failure=_search_failure)
        self._base = settings.github_api_url.rstrip("/")
        self._headers = _headers(token.get_secret_value() if token else "")

    def address(self, query: Query) -> str:
        return f"{self._base}/search/{'issues' if is_about_error(query.text) else 'repositories'}"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        is_error = is_about_error(query.text)
        text = keywords(query.text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE)
        created = _date_filter(period_of(query, deadline.clock.today()))
        params = {
            "q": " ".join(filter(None, [text, "is:issue" if is_error else "", created])),
            "per_page": str(min(query.num_results, _MOST)),
        }
        body = await self._api.get(self.address(query), deadline, headers=self._headers, params=params)
        read = _issue_hit if is_error else _repository_hit
        return SiteHits(first_hits([read(item) for item in results(NAME, body, "items")], query.num_results))


def _headers(token: str, accept: str = _JSON) -> dict[str, str]:
    authorization = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Accept": accept, **_VERSION, **authorization}


def _with_failures(api: Api, *, has_token: bool) -> Api:
    """The client with the failures of GitHub, some of which depend on the token."""
    own_failure = partial(_reply_failure, has_token=has_token)
    return replace(api, key_variable=TOKEN_VARIABLE if has_token else "", own_failure=own_failure)


def _reply_failure(reply: Reply, *, has_token: bool) -> ProviderError | None:
    """A rate limit, or `None` where the status decides. Raises `PageUnreadable` for a missing page."""
    status = reply.status
    if 300 <= status < 400:
        # A followed redirect would send the token to an address from an answer.
        raise PageUnreadable(Status.NOT_FOUND, "GitHub's API says that the repository has moved")
    if status in (404, 410, 451):
        raise PageUnreadable(Status.NOT_FOUND, f"GitHub's API does not have the page: HTTP {status}")
    if _is_rate_limit(reply):
        advice = "" if has_token else f"; with {TOKEN_VARIABLE} the limit is higher"
        return RateLimited(NAME, f"HTTP {status}{advice}", retry_after_s=_wait_s(reply.headers), http_status=status)
    if status in (401, 403) and not has_token:
        raise PageUnreadable(
            Status.BLOCKED, f"GitHub's API does not show the page without access rights: HTTP {status}"
        )
    return None


def _query_failure(answer: Json, headers: Mapping[str, str], redactor: Redactor) -> Exception:
    """The failure of a GraphQL query; its answer has the status 200."""
    errors = objects(answer.get("errors"))
    types = {string(error, "type") for error in errors}
    if "NOT_FOUND" in types:
        return PageUnreadable(Status.NOT_FOUND, "GitHub's API does not have the page")
    if types & _LIMITS:
        return RateLimited(NAME, "the limit of its GraphQL API is reached", retry_after_s=_wait_s(headers))
    if types & _REFUSALS:
        return NotRead(NAME, f"its GraphQL API does not show the page to the owner of {TOKEN_VARIABLE}")
    said = redactor.message(string(errors[0], "message")) if errors else ""
    return BadAnswer(NAME, "its GraphQL API answered with an error", said=said)


def _is_rate_limit(reply: Reply) -> bool:
    """Whether an answer is a rate limit: a 403 is one only with a time to retry or the words."""
    if reply.status == 429:
        return True
    headers = reply.headers
    has_time = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return reply.status == 403 and (has_time or b"rate limit" in reply.body[:4096].lower())


def _wait_s(headers: Mapping[str, str]) -> float:
    retry_after, reset = headers.get("retry-after", "").strip(), headers.get("x-ratelimit-reset", "").strip()
    if retry_after.isdecimal():
        return float(retry_after[:9]) or _DEFAULT_WAIT_S
    now = _server_time(headers)
    if headers.get("x-ratelimit-remaining") != "0" or not reset.isdecimal() or now is None:
        return _DEFAULT_WAIT_S
    return max(1.0, float(reset[:12]) - now.timestamp())


def _server_time(headers: Mapping[str, str]) -> datetime | None:
    """The time by the clock of the server; the local one may be off by more than the wait."""
    try:
        return parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, OverflowError):
        return None


def _search_failure(reply: Reply) -> ProviderError | None:
    if not _is_rate_limit(reply):
        return None
    return RateLimited(NAME, f"HTTP {reply.status}", retry_after_s=_wait_s(reply.headers), http_status=reply.status)


def _date_filter(period: Period) -> str:
    return f"created:{period.first or '*'}..{period.last or '*'}" if period else ""


def _repository_hit(item: Json) -> Hit | None:
    name, about = string(item, "full_name"), string(item, "description")
    facts = [string(item, "language"), f"{whole(item, 'stargazers_count')} stars"]
    snippet = f"{about} ({', '.join(filter(None, facts))})"
    return _hit(item, f"{name}: {about}" if about else name, snippet)


def _issue_hit(item: Json) -> Hit | None:
    repository = "/".join(string(item, "repository_url").split("/")[-2:])
    title = f"{string(item, 'title')} · Issue #{whole(item, 'number')} · {repository}"
    return _hit(item, title, f"{string(item, 'state')}: {string(item, 'body')}")


def _hit(item: Json, title: str, snippet: str) -> Hit | None:
    return hit(title, string(item, "html_url"), snippet, engine=NAME, published=string(item, "created_at"))
