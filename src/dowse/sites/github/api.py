"""GitHub's two APIs: requests, rate limits, failures, and the search for repositories and issues."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Self, TypeVar

from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer, KeyRejected, NotRead, PageUnreadable, ProviderError, RateLimited
from dowse.core.models import Clock, Deadline, Hit, Principal, Query, Status
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, first_hits, hit, objects, results, string, whole
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.sites.github.targets import NAME, Repository
from dowse.sites.query import Period, keywords, period_of
from dowse.sites.shapes import is_about_error
from dowse.sites.site import SiteHits

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
_MISSING = "GitHub's API does not have the page"
# How long a repository counts as public after GitHub has said so.
_VISIBILITY_S = 300.0
_MOST_REPOSITORIES = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PrivateAccess:
    """The private repositories that a caller may read; each is `owner/name` or `owner/*`, in lower case."""

    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, caller: Principal, entries: Iterable[str]) -> Self:
        """By the entries of GITHUB_PRIVATE: those without a name are for the owner of the process."""
        wanted = "" if caller.is_owner else f"@{caller.name}"
        parts = [entry.partition("@") for entry in entries]
        return cls(frozenset(name.lower() for name, at, whom in parts if at + whom == wanted))

    def covers(self, name: str) -> bool:
        owner = name.lower().partition("/")[0]
        return bool(owner) and not self.names.isdisjoint({name.lower(), f"{owner}/*"})


class Visibilities:
    """Whether repositories are public, by the API's own word, remembered for a while; the oldest is evicted first."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[bool, float]] = OrderedDict()

    def recall(self, repository: Repository, clock: Clock) -> bool | None:
        is_public, seen_at = self._seen.get(str(repository).lower(), (None, 0.0))
        return is_public if clock.now() - seen_at < _VISIBILITY_S else None

    def remember(self, repository: Repository, clock: Clock, *, is_public: bool) -> None:
        name = str(repository).lower()
        self._seen.pop(name, None)
        self._seen[name] = (is_public, clock.now())
        if len(self._seen) > _MOST_REPOSITORIES:
            self._seen.popitem(last=False)


@dataclass
class GithubSession:
    """A bounded number of requests for one page. Raises `ProviderError`, or `PageUnreadable` for a missing page."""

    api: Api
    base: str
    token: str
    deadline: Deadline
    visibilities: Visibilities
    access: PrivateAccess
    warnings: list[str] = field(default_factory=list)
    requests_left: int = MOST_REQUESTS
    is_short: bool = False
    """Whether a part of the page could not be loaded."""

    async def get_repository(self, repository: Repository) -> Json:
        """The repository. A private one that the caller may not read is missing."""
        try:
            found = await self.get(repository.api_path)
        except PageUnreadable:
            self._remember(repository, is_public=False)
            raise
        is_public = found.get("private") is False and found.get("visibility", "public") == "public"
        self._admit(repository, string(found, "full_name"), is_public=is_public)
        return found

    async def require_readable(self, repository: Repository) -> None:
        """Raise `PageUnreadable` for a repository that the caller may not read, as for a missing one."""
        if not self.token:
            return  # An anonymous request gets public pages only.
        is_public = self.visibilities.recall(repository, self.deadline.clock)
        if is_public is None or (not is_public and self.access.covers(str(repository))):
            self.requests_left += 1  # The check is no part of the page.
            await self.get_repository(repository)
        elif not is_public:
            raise missing()

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
            is_public = repository.get("isPrivate") is False and repository.get("visibility") == "PUBLIC"
            asked = Repository(str(variables["owner"]), str(variables["name"]))
            # Of a renamed repository, the visibility and the name are those of the present one.
            self._admit(asked, string(repository, "nameWithOwner"), is_public=is_public)
            return repository
        raise _query_failure(answer, headers, self.api.redactor)

    def _admit(self, repository: Repository, full_name: str, *, is_public: bool) -> None:
        self._remember(repository, is_public=is_public)
        # Whatever has become of the token: another request may have dropped it after this one was sent with it.
        if not is_public and not self.access.covers(full_name):
            raise missing()

    def _remember(self, repository: Repository, *, is_public: bool) -> None:
        # The answer to an anonymous request says nothing about what the token shows.
        if self.token:
            self.visibilities.remember(repository, self.deadline.clock, is_public=is_public)

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
            self.token, self.api = "", with_failures(self.api, has_token=False)
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
        # With a token, private repositories would be found too.
        self._visible = "is:public" if token else ""

    def address(self, query: Query) -> str:
        return f"{self._base}/search/{'issues' if is_about_error(query.text) else 'repositories'}"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        is_error = is_about_error(query.text)
        text = keywords(query.text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE)
        created = _date_filter(period_of(query, deadline.clock.today()))
        params = {
            "q": " ".join(filter(None, [text, "is:issue" if is_error else "", self._visible, created])),
            "per_page": str(min(query.num_results, _MOST)),
        }
        body = await self._api.get(self.address(query), deadline, headers=self._headers, params=params)
        read = _issue_hit if is_error else _repository_hit
        return SiteHits(first_hits([read(item) for item in results(NAME, body, "items")], query.num_results))


def missing() -> PageUnreadable:
    """One error for all pages without an answer, so that a private page does not differ from a missing one."""
    return PageUnreadable(Status.NOT_FOUND, _MISSING)


def _headers(token: str, accept: str = _JSON) -> dict[str, str]:
    authorization = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Accept": accept, **_VERSION, **authorization}


def with_failures(api: Api, *, has_token: bool) -> Api:
    """The client with the failures of GitHub, some of which depend on the token."""
    own_failure = partial(_reply_failure, has_token=has_token)
    return replace(api, key_variable=TOKEN_VARIABLE if has_token else "", own_failure=own_failure)


def _reply_failure(reply: Reply, *, has_token: bool) -> ProviderError | None:
    """A rate limit, or `None` where the status decides. Raises `PageUnreadable` for a missing page."""
    status = reply.status
    if 300 <= status < 400:
        # A followed redirect would send the token to an address from an answer.
        # Reported as missing: a private repository that was renamed must not differ from one that never was.
        raise missing()
    if status in (404, 410, 451):
        raise missing()
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
        return missing()
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
    if item.get("private") is not False:
        return None
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
