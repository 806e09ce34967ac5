"""A double of MediaWiki's API, as every Wikipedia has it: errors come with the status of a success."""

from __future__ import annotations

from aiohttp import web

from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.sites import SiteDouble

_EVERYWHERE = frozenset({"action", "format", "formatversion", "variant", "uselang", "maxlag"})
_KNOWN = {
    "query": frozenset({"titles", "pageids", "revids", "prop", "ppprop", "rvprop", "inprop", "redirects"})
    | {"converttitles"},
    "parse": frozenset({"page", "pageid", "oldid", "prop", "redirects"})
    | {"disableeditsection", "disablelimitreport", "disabletoc"},
}
_ONE_OF = {"query": ("titles", "pageids", "revids"), "parse": ("page", "pageid", "oldid")}


class WikipediaApi(SiteDouble):
    """Knows the pages a test gives it; any other title is one without a page."""

    name = "wikipedia"
    variable = "WIKIPEDIA_API_URL"

    @property
    def endpoint(self) -> str:
        return f"{self.path}/w/api.php"

    def page(self, query: str, parse: str = "", **asked: str) -> WikipediaApi:
        """A page by what it is asked for (`titles="Otter"`), and its text by its number or revision (`pageid="7"`)."""
        texts = {name: value for name, value in asked.items() if name in _ONE_OF["parse"]}
        self.has("/w/api.php", query, params={"action": "query", **_without(asked, texts)})
        if parse:
            self.has("/w/api.php", parse, params={"action": "parse", **texts})
        return self

    def checks(self, seen: SeenRequest) -> web.Response | None:
        refusal = super().checks(seen)
        if refusal is not None:
            return refusal
        action = seen.params.get("action", "")
        if action not in _KNOWN:
            return self.problem("badvalue", f'Unrecognized value for parameter "action": {action}.')
        if seen.params.get("format") != "json" or seen.params.get("formatversion") != "2":
            return self.problem("badvalue", "Only the second version of JSON is spoken here.")
        unknown = sorted(set(seen.params) - _EVERYWHERE - _KNOWN[action])
        if unknown:
            # The real API only warns of them; a typing error in ours must not go unnoticed.
            return self.problem("badparam", f"Unrecognized parameter: {unknown[0]}.")
        given = [name for name in _ONE_OF[action] if name in seen.params]
        if len(given) != 1:
            return self.problem("invalidparammix", f"One of {', '.join(_ONE_OF[action])} is needed, and only one.")
        return None

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.params["action"] == "parse":
            return self.problem("missingtitle", "The page you specified doesn't exist.")
        title = seen.params.get("titles", "")
        return web.json_response(
            {"batchcomplete": True, "query": {"pages": [{"ns": 0, "title": title, "missing": True}]}}
        )

    def problem(self, code: str, info: str) -> web.Response:
        body = {"error": {"code": code, "info": info, "docref": "See the documentation."}, "servedby": "pocket"}
        return web.json_response(body, headers={"MediaWiki-API-Error": code})


def _without(asked: dict[str, str], texts: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name not in texts}
