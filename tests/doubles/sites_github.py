"""Double of GitHub's REST and GraphQL APIs: recorded answers, and its refusals of tokens, versions and queries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_github_schema import objection
from tests.doubles.sites_searching import SearchedSite, stamp

# It opens nothing; it looks like a real one so that redaction is tested against the real thing.
TOKEN = "ghp_q3V8nR2tKx7LmZ0wYc5JfB9sHd4GuPe1AoTi"
VERSION = "2022-11-28"
_MEDIA_TYPES = ("application/vnd.github+json", "application/vnd.github.object+json")
_DOCUMENTATION = "https://docs.github.com/rest"
_SEARCHES = ("/search/repositories", "/search/issues")
_QUALIFIER = re.compile(r"\b(is|created):(\S+)")
_SEARCH_FIELDS = frozenset({"q", "sort", "order", "per_page", "page"})
_LONGEST_QUERY = 256
_NO_AGENT = (
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
    "(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required).\n"
)


class GithubApi(SearchedSite):
    """Answers to GraphQL are told apart by the variables of the query, as others are by their parameters."""

    name = "github"
    variable = "GITHUB_API_URL"

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key or TOKEN, origin)

    @property
    def _graphql(self) -> str:
        return f"{self.path}/graphql"

    def answer(self, seen: SeenRequest) -> web.Response:
        variables = seen.json.get("variables") if seen.json else None
        if seen.path == self._graphql and isinstance(variables, dict):
            said = {name: str(value) for name, value in variables.items() if value is not None}
            seen = replace(seen, params={"after": "", **said})
        return super().answer(seen)

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if not seen.headers.get("user-agent"):
            return web.Response(status=403, text=_NO_AGENT)
        authorization = seen.headers.get("authorization")
        if authorization is not None and authorization != f"Bearer {self.key}":
            return self.error(401, "Bad credentials")
        if seen.headers.get("x-github-api-version") != VERSION:
            return self.error(400, "The API version in the X-GitHub-Api-Version header is not supported.")
        if seen.headers.get("accept") not in _MEDIA_TYPES:
            return self.error(415, "Unsupported 'Accept' header. Must accept 'application/json'.")
        if seen.path == self._graphql:
            return self._checked_query(seen, is_known=authorization is not None)
        if seen.method != "GET":
            return self.error(404, "Not Found")
        return self._checked_search(seen.params) if self._is_search(seen) else None

    def _is_search(self, seen: SeenRequest) -> bool:
        return seen.path.removeprefix(self.path) in _SEARCHES

    def _checked_search(self, params: dict[str, str]) -> web.Response | None:
        text = _QUALIFIER.sub("", params.get("q", "")).strip()
        if not text or len(text) > _LONGEST_QUERY or set(params) - _SEARCH_FIELDS:
            return self.error(422, "Validation Failed")
        return None

    def _searched(self, seen: SeenRequest) -> web.Response:
        asked, wants_issues = seen.params["q"], seen.path.endswith("/issues")
        qualifiers = dict(_QUALIFIER.findall(asked))
        if wants_issues and not re.search(r"\bis:(issue|pull-request)\b", asked):
            return self.error(422, "Query must include 'is:issue' or 'is:pull-request'")
        since, _, until = qualifiers.get("created", "*..*").replace("*", "").partition("..")
        most = int(seen.params.get("per_page", "30"))
        found = self.matches(_QUALIFIER.sub("", asked), most, since=since, until=until)
        shaped = [(_issue if wants_issues else _repository)(*each) for each in enumerate(found, 1)]
        return web.json_response({"total_count": len(found), "incomplete_results": False, "items": shaped})

    def missing(self, seen: SeenRequest) -> web.Response:
        if self._is_search(seen):
            return self._searched(seen)
        if seen.path != self._graphql:
            return self.error(404, "Not Found")
        name = f"{seen.params.get('owner')}/{seen.params.get('name')}"
        error = {
            "type": "NOT_FOUND",
            "path": ["repository"],
            "locations": [{"line": 3, "column": 3}],
            "message": f"Could not resolve to a Repository with the name '{name}'.",
        }
        return web.json_response({"data": {"repository": None}, "errors": [error]})

    def error(self, status: int, message: str) -> web.Response:
        body = {"message": message, "documentation_url": _DOCUMENTATION, "status": str(status)}
        return web.json_response(body, status=status)

    def _checked_query(self, seen: SeenRequest, *, is_known: bool) -> web.Response | None:
        if not is_known:
            return self.error(401, "This endpoint requires you to be authenticated.")
        if seen.method != "POST":
            return self.error(404, "Not Found")
        query, variables = (seen.json or {}).get("query"), (seen.json or {}).get("variables")
        if not isinstance(query, str) or not isinstance(variables, dict):
            return self.error(400, "Problems parsing JSON")
        wrong = objection(query, variables)
        return web.json_response({"errors": [{"message": wrong}]}) if wrong else None


def _repository(number: int, listing: Listing) -> dict[str, object]:
    return {
        "id": number,
        "name": f"page-{number}",
        "full_name": f"pocket/page-{number}",
        "private": False,
        "html_url": listing.url,
        "description": f"{listing.title}: {listing.snippet}",
        "fork": False,
        "created_at": stamp(listing),
        "pushed_at": stamp(listing),
        "stargazers_count": 100 - number,
        "language": "Python",
        "topics": listing.keywords.split()[:5],
        "score": 1.0,
    }


def _issue(number: int, listing: Listing) -> dict[str, object]:
    return {
        "id": number,
        "number": number,
        "title": listing.title,
        "html_url": listing.url,
        "repository_url": "https://api.github.com/repos/pocket/pages",
        "user": {"login": "otter42"},
        "labels": [],
        "state": "closed",
        "comments": 2,
        "created_at": stamp(listing),
        "body": listing.snippet,
        "score": 1.0,
    }
