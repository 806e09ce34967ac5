"""A double of MediaWiki's API, as every Wikipedia has it: errors come with the status of a success."""

from __future__ import annotations

from html import escape
from urllib.parse import unquote

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite

_EVERYWHERE = frozenset({"action", "format", "formatversion", "variant", "uselang", "maxlag"})
_KNOWN = {
    "query": frozenset({"titles", "pageids", "revids", "prop", "ppprop", "rvprop", "inprop", "redirects"})
    | {"converttitles"},
    "parse": frozenset({"page", "pageid", "oldid", "prop", "redirects"})
    | {"disableeditsection", "disablelimitreport", "disabletoc"},
}
_SEARCH = frozenset({"list", "srsearch", "srlimit", "sroffset", "srprop", "srnamespace", "meta", "siprop"})
_LONGEST_SEARCH = 300
_ARTICLES = "/wiki/"
_ONE_OF = {"query": ("titles", "pageids", "revids"), "parse": ("page", "pageid", "oldid")}


class WikipediaApi(SearchedSite):
    """Knows the pages a test gives it; any other title is one without a page. What its search finds is elsewhere."""

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
        if refusal is not None or seen.path.startswith(self.path + _ARTICLES):
            return refusal
        action = seen.params.get("action", "")
        if action not in _KNOWN:
            return self.problem("badvalue", f'Unrecognized value for parameter "action": {action}.')
        if seen.params.get("format") != "json" or seen.params.get("formatversion") != "2":
            return self.problem("badvalue", "Only the second version of JSON is spoken here.")
        is_search = action == "query" and "list" in seen.params
        unknown = sorted(set(seen.params) - _EVERYWHERE - (_SEARCH if is_search else _KNOWN[action]))
        if unknown:
            # The real API only warns of them; a typing error in ours must not go unnoticed.
            return self.problem("badparam", f"Unrecognized parameter: {unknown[0]}.")
        if is_search:
            return self._checked_search(seen.params)
        given = [name for name in _ONE_OF[action] if name in seen.params]
        if len(given) != 1:
            return self.problem("invalidparammix", f"One of {', '.join(_ONE_OF[action])} is needed, and only one.")
        return None

    def _checked_search(self, params: dict[str, str]) -> web.Response | None:
        if params["list"] != "search" or not params.get("srsearch"):
            return self.problem("missingparam", 'The "srsearch" parameter must be set.')
        if len(params["srsearch"]) > _LONGEST_SEARCH:
            return self.problem("cirrussearch-query-too-long", "The search request is longer than it may be.")
        limit = params.get("srlimit", "10")
        if not limit.isdecimal() or not 1 <= int(limit) <= 500:
            return self.problem("badinteger", f'Invalid value "{limit}" for integer parameter "srlimit".')
        return None

    def _searched(self, params: dict[str, str]) -> web.Response:
        found = self.matches(params["srsearch"], int(params.get("srlimit", "10")))
        answer: dict[str, object] = {
            "searchinfo": {"totalhits": len(found)},
            "search": [_result(listing, number, params) for number, listing in enumerate(found, 1)],
        }
        if params.get("meta") == "siteinfo":
            answer["general"] = {
                "mainpage": "Main Page",
                "base": f"{self._origin()}{self.path}{_ARTICLES}Main_Page",
                "sitename": "Wikipedia",
                "server": self._origin(),
                "articlepath": f"{self.path}{_ARTICLES}$1",
                "lang": "en",
            }
        return web.json_response({"batchcomplete": True, "query": answer})

    def _article(self, title: str) -> web.Response:
        """An article is the page of the corpus with its title."""
        found = [item for item in self.matches(title, 50) if _title(item) == title]
        if not found:
            return web.Response(text="<h1>There is no such article</h1>", content_type="text/html", status=404)
        return web.Response(status=302, headers={"Location": found[0].url})

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.path.startswith(self.path + _ARTICLES):
            return self._article(unquote(seen.path.removeprefix(self.path + _ARTICLES)).replace("_", " "))
        if "list" in seen.params:
            return self._searched(seen.params)
        if seen.params["action"] == "parse":
            return self.problem("missingtitle", "The page you specified doesn't exist.")
        title = seen.params.get("titles", "")
        return web.json_response(
            {"batchcomplete": True, "query": {"pages": [{"ns": 0, "title": title, "missing": True}]}}
        )

    def problem(self, code: str, info: str) -> web.Response:
        body = {"error": {"code": code, "info": info, "docref": "See the documentation."}, "servedby": "pocket"}
        return web.json_response(body, headers={"MediaWiki-API-Error": code})


def _title(listing: Listing) -> str:
    """Titles of MediaWiki have no such characters."""
    return listing.title.translate(str.maketrans("", "", "#<>[]{}|"))


def _result(listing: Listing, number: int, params: dict[str, str]) -> dict[str, object]:
    snippet = escape(listing.snippet)
    for word in filter(str.isalnum, params["srsearch"].split()):
        snippet = snippet.replace(word, f'<span class="searchmatch">{word}</span>')
    facts: dict[str, object] = {"ns": 0, "title": _title(listing), "pageid": number}
    return facts | {"snippet": snippet if "snippet" in params.get("srprop", "snippet") else ""}


def _without(asked: dict[str, str], texts: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name not in texts}
