"""Repositories on GitHub, or issues where something went wrong: https://docs.github.com/en/rest/search/search."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr

from dowse.core.allowances import Rate
from dowse.core.errors import ProviderError, RateLimited
from dowse.core.models import Deadline, Hit, Query
from dowse.net.clients import Reply
from dowse.net.json_api import Api, Json, first_hits, hit, items, string, whole
from dowse.sites.answer import Answer
from dowse.sites.github import limits as limits
from dowse.sites.period import Period, period_of
from dowse.sites.shape import speaks_of_trouble
from dowse.sites.words import keywords

_KEY_VARIABLE = "GITHUB_TOKEN"
# It takes 256 characters without qualifiers, and looks for every word.
_LONGEST_QUERY, _MOST_WORDS = 256, 8
_MOST = 50
_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_NOISE = frozenset("github repo repository repositories issue issues".split())


class Github:
    """Implements `OpenApi`."""

    name = "github"
    title = "GitHub"

    def __init__(self, api: Api, base_url: str, token: SecretStr | None = None) -> None:
        # Searching has a limit of its own: https://docs.github.com/en/rest/search/search#rate-limit.
        self.rate = Rate(30 if token else 10, 60.0)
        self._api = replace(api, key_variable=_KEY_VARIABLE if token else "", own_failure=_failure)
        self._base = base_url.rstrip("/")
        self._headers = _HEADERS | ({"Authorization": f"Bearer {token.get_secret_value()}"} if token else {})

    def address(self, query: Query) -> str:
        return f"{self._base}/search/{'issues' if speaks_of_trouble(query.text) else 'repositories'}"

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        is_trouble = speaks_of_trouble(query.text)
        text = keywords(query.text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE)
        created = _created(period_of(query, deadline.clock.today()))
        params = {
            "q": " ".join(filter(None, [text, "is:issue" if is_trouble else "", created])),
            "per_page": str(min(query.num_results, _MOST)),
        }
        body = await self._api.get(self.address(query), deadline, headers=self._headers, params=params)
        found = items(self.name, body, "items")
        return Answer(first_hits(map(_issue if is_trouble else _repository, found), query.num_results))


def _failure(reply: Reply) -> ProviderError | None:
    if not limits.is_limit(reply):
        return None
    wait_s = limits.wait_s(reply.headers)
    return RateLimited(Github.name, f"HTTP {reply.status}", retry_after_s=wait_s, http_status=reply.status)


def _created(period: Period) -> str:
    return f"created:{period.first or '*'}..{period.last or '*'}" if period else ""


def _repository(item: Json) -> Hit | None:
    name, about = string(item, "full_name"), string(item, "description")
    facts = [string(item, "language"), f"{whole(item, 'stargazers_count')} stars"]
    snippet = f"{about} ({', '.join(filter(None, facts))})"
    return _hit(item, f"{name}: {about}" if about else name, snippet)


def _issue(item: Json) -> Hit | None:
    repository = "/".join(string(item, "repository_url").split("/")[-2:])
    title = f"{string(item, 'title')} · Issue #{whole(item, 'number')} · {repository}"
    return _hit(item, title, f"{string(item, 'state')}: {string(item, 'body')}")


def _hit(item: Json, title: str, snippet: str) -> Hit | None:
    return hit(title, string(item, "html_url"), snippet, engine=Github.name, published=string(item, "created_at"))
