"""GitHub's two APIs as one page needs them: a bounded number of requests, and the token goes nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Self, TypeVar

from dowse.errors import BadAnswer, KeyRejected, NotRead, PageUnreadable, ProviderError, RateLimited
from dowse.loaders.kit import TIMEOUT_S, Kit
from dowse.models import Deadline, Status
from dowse.net.clients import Reply
from dowse.providers.api import Api, Json, string

NAME = "github"
TOKEN_VARIABLE = "GITHUB_TOKEN"
MOST_REQUESTS = 6
_ENTERPRISE_REST, _ENTERPRISE_GRAPHQL = "/api/v3", "/api/graphql"
_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
# What GitHub asks for where it does not say when to come back.
_UNSAID_WAIT_S = 60.0

T = TypeVar("T")


class GithubApi(Api):
    """GitHub says with a 403 that a limit is reached, and with a 404 or a redirect that a page is not there."""

    __slots__ = ()

    def _judged(self, reply: Reply) -> Reply:
        status = reply.status
        if 300 <= status < 400:
            # Followed, the token would go where an answer says; people's browsers are sent on as well.
            raise PageUnreadable(Status.NOT_FOUND, "GitHub's API says that the repository has moved")
        if status in (404, 410, 451):
            raise PageUnreadable(Status.NOT_FOUND, f"GitHub's API does not have the page: HTTP {status}")
        if _is_limit(reply):
            advice = "" if self.key_variable else f"; with {TOKEN_VARIABLE} the limit is higher"
            wait_s = _wait_s(reply.headers)
            raise RateLimited(self.provider, f"HTTP {status}{advice}", retry_after_s=wait_s, http_status=status)
        if status in (401, 403) and not self.key_variable:
            raise PageUnreadable(Status.BLOCKED, f"GitHub's API does not show the page to everybody: HTTP {status}")
        return super()._judged(reply)


@dataclass
class Session:
    """The requests for one page. Raises `ProviderError`, or `PageUnreadable` for what the API does not have."""

    api: GithubApi
    base: str
    token: str
    deadline: Deadline
    warnings: list[str] = field(default_factory=list)
    requests_left: int = MOST_REQUESTS

    @classmethod
    def start(cls, kit: Kit, token: str, deadline: Deadline) -> Self:
        api = GithubApi(NAME, kit.client, TIMEOUT_S, TOKEN_VARIABLE if token else "", kit.redactor)
        return cls(api, kit.settings.github_api_url.rstrip("/"), token, deadline)

    @property
    def graphql_url(self) -> str:
        """Beside the REST API; on servers of GitHub Enterprise both have a name of their own."""
        if self.base.endswith(_ENTERPRISE_REST):
            return self.base.removesuffix(_ENTERPRISE_REST) + _ENTERPRISE_GRAPHQL
        return f"{self.base}/graphql"

    async def get(self, path: str, **params: str) -> Json:
        return await self._rest(
            lambda headers: self.api.get(self.base + path, self.deadline, headers=headers, params=params)
        )

    async def get_list(self, path: str, **params: str) -> list[Json]:
        return await self._rest(
            lambda headers: self.api.get_list(self.base + path, self.deadline, headers=headers, params=params)
        )

    async def try_list(self, path: str, what: str = "", **params: str) -> list[Json]:
        """The same for a part that a page can do without: a failure is a warning, if it has a name to say."""
        try:
            return await self.get_list(path, **params)
        except (ProviderError, PageUnreadable):
            self._miss(what)
            return []

    async def try_get(self, path: str, what: str = "", **params: str) -> Json | None:
        """The same for one object; that there is none is no failure."""
        try:
            return await self.get(path, **params)
        except PageUnreadable:
            return None
        except ProviderError:
            self._miss(what)
            return None

    async def query(self, text: str, variables: Mapping[str, object]) -> Json:
        """The repository in the answer to a GraphQL query; half of the time is left for another way."""
        deadline = self.deadline.capped(self.deadline.remaining_s() / 2)
        self._count()
        try:
            answer = await self.api.post(
                self.graphql_url,
                deadline,
                headers=self._headers(),
                body={"query": text, "variables": dict(variables)},
            )
        except KeyRejected as error:
            self._drop_token(error)
            raise
        data = answer.get("data")
        repository = data.get("repository") if isinstance(data, dict) else None
        # Errors beside an answer concern single fields of it, which are then null.
        if isinstance(repository, dict):
            return repository
        raise self._query_failure(answer)

    async def _rest(self, call: Callable[[Mapping[str, str]], Awaitable[T]]) -> T:
        """One request, and another one without the token if that was rejected: most pages are public."""
        self._count()
        try:
            return await call(self._headers())
        except KeyRejected as error:
            self._drop_token(error)
        self._count()
        return await call(self._headers())

    def _miss(self, what: str) -> None:
        if what:
            self.warnings.append(f"{what} could not be loaded from GitHub")

    def _count(self) -> None:
        if self.requests_left <= 0:
            raise NotRead(NAME, "the page takes too many requests")
        self.requests_left -= 1

    def _headers(self) -> dict[str, str]:
        return {**_HEADERS, "Authorization": f"Bearer {self.token}"} if self.token else dict(_HEADERS)

    def _drop_token(self, error: KeyRejected) -> None:
        if self.token:
            self.token, self.api = "", replace(self.api, key_variable="")
            self.warnings.append(f"GitHub rejected {TOKEN_VARIABLE} (HTTP {error.http_status}); it was not used")

    def _query_failure(self, answer: Json) -> Exception:
        errors = answer.get("errors")
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        match first.get("type"):
            case "NOT_FOUND":
                return PageUnreadable(Status.NOT_FOUND, "GitHub's API does not have the page")
            case "RATE_LIMITED":
                return RateLimited(NAME, "the limit of its GraphQL API is reached")
        said = self.api.redactor.message(string(first, "message"))
        return BadAnswer(NAME, "its GraphQL API answered with an error", said=said)


def _is_limit(reply: Reply) -> bool:
    """A 403 may also be a refusal; a limit has a time when it ends, or says its name."""
    if reply.status == 429:
        return True
    headers = reply.headers
    is_said = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return reply.status == 403 and (is_said or b"rate limit" in reply.body[:4096].lower())


def _wait_s(headers: Mapping[str, str]) -> float:
    retry_after, reset = headers.get("retry-after", "").strip(), headers.get("x-ratelimit-reset", "").strip()
    if retry_after.isdecimal():
        return float(retry_after[:9]) or _UNSAID_WAIT_S
    now = _server_time(headers)
    if headers.get("x-ratelimit-remaining") != "0" or not reset.isdecimal() or now is None:
        return _UNSAID_WAIT_S
    return max(1.0, float(reset[:12]) - now.timestamp())


def _server_time(headers: Mapping[str, str]) -> datetime | None:
    """When the answer was sent by the clock of who sent it: ours may be off by more than the wait."""
    try:
        return parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, OverflowError):
        return None
