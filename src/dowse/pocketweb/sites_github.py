"""Double of GitHub's REST and GraphQL APIs: recorded answers, and its refusals of tokens, versions and queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aiohttp import web

from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.sites import SiteDouble
from dowse.pocketweb.sites_github_schema import objection

# It opens nothing; it looks like a real one so that redaction is tested against the real thing.
TOKEN = "ghp_q3V8nR2tKx7LmZ0wYc5JfB9sHd4GuPe1AoTi"
VERSION = "2022-11-28"
_MEDIA_TYPES = ("application/vnd.github+json", "application/vnd.github.object+json")
_DOCUMENTATION = "https://docs.github.com/rest"
_NO_AGENT = (
    "Request forbidden by administrative rules. Please make sure your request has a User-Agent header "
    "(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required).\n"
)


class GithubApi(SiteDouble):
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
        return None if seen.method == "GET" else self.missing(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
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
