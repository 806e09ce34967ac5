"""GitHub's two APIs as one page needs them: a bounded number of requests, and the token goes nowhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self, TypeVar

from dowse.core.errors import KeyRejected, NotRead, PageUnreadable, ProviderError
from dowse.core.models import Deadline
from dowse.net.json_api import Api, Json
from dowse.sites.github import failures
from dowse.sites.github.failures import TOKEN_VARIABLE
from dowse.sites.github.urls import NAME
from dowse.sites.kit import Kit

MOST_REQUESTS = 6
_JSON = "application/vnd.github+json"
# A folder as an object with its entries, so that nobody has to know before what a path leads to.
OBJECT = "application/vnd.github.object+json"
_VERSION = {"X-GitHub-Api-Version": "2022-11-28"}

T = TypeVar("T")


@dataclass
class Session:
    """The requests for one page. Raises `ProviderError`, or `PageUnreadable` for what the API does not have."""

    api: Api
    base: str
    token: str
    deadline: Deadline
    warnings: list[str] = field(default_factory=list)
    requests_left: int = MOST_REQUESTS
    is_short: bool = False
    """Whether a part of the page could not be loaded."""

    @classmethod
    def start(cls, kit: Kit, token: str, deadline: Deadline) -> Self:
        api = _judging(kit.api(NAME), has_token=bool(token))
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
        """The same for a part that a page can do without: a failure is a warning, if it has a name to say."""
        try:
            return await self.get_list(path, **params)
        except (ProviderError, PageUnreadable):
            self.miss(what)
            return []

    async def try_get(self, path: str, what: str = "", **params: str) -> Json | None:
        """The same for one object; that there is none is no failure."""
        try:
            return await self.get(path, **params)
        except PageUnreadable:
            return None
        except ProviderError:
            self.miss(what)
            return None

    async def query(self, text: str, variables: Mapping[str, object]) -> Json:
        """The repository in the answer to a GraphQL query; half of the time is left for another way."""
        deadline = self.deadline.capped(self.deadline.remaining_s() / 2)
        body = {"query": text, "variables": dict(variables)}
        self._count()
        try:
            answer, headers = await self.api.post_with_headers(
                f"{self.base}/graphql", deadline, headers=self._headers(), body=body
            )
        except KeyRejected as error:
            self._drop_token(error)
            raise
        data = answer.get("data")
        repository = data.get("repository") if isinstance(data, dict) else None
        # Errors beside an answer concern single fields of it, which are then null.
        if isinstance(repository, dict):
            return repository
        raise failures.of_query(answer, headers, self.api.redactor)

    def miss(self, what: str = "") -> None:
        self.is_short = True
        if what:
            self.warnings.append(f"{what} could not be loaded from GitHub")

    async def _rest(self, call: Callable[[Mapping[str, str]], Awaitable[T]], accept: str = _JSON) -> T:
        """One request, and another one without the token if that was rejected: most pages are public."""
        self._count()
        try:
            return await call(self._headers(accept))
        except KeyRejected as error:
            self._drop_token(error)
        self._count()
        return await call(self._headers(accept))

    def _count(self) -> None:
        if self.requests_left <= 0:
            raise NotRead(NAME, "the page takes too many requests")
        self.requests_left -= 1

    def _headers(self, accept: str = _JSON) -> dict[str, str]:
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"Accept": accept, **_VERSION, **authorization}

    def _drop_token(self, error: KeyRejected) -> None:
        if self.token:
            self.token, self.api = "", _judging(self.api, has_token=False)
            self.warnings.append(f"GitHub rejected {TOKEN_VARIABLE} (HTTP {error.http_status}); it was not used")


def _judging(api: Api, *, has_token: bool) -> Api:
    """The way out with GitHub's own failures, some of which mean something else to who has no token."""
    own_failure = partial(failures.of_reply, has_token=has_token)
    return replace(api, key_variable=TOKEN_VARIABLE if has_token else "", own_failure=own_failure)
