"""MediaWiki's API at Wikipedia: pages by URL, their HTML, failures, and the search. https://www.mediawiki.org/wiki/API"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote

from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, RateLimited, Redirected, Unavailable
from dowse.core.models import Deadline, Hit, Query, Status
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.net.json_api import Api
from dowse.net.json_fields import (
    Json,
    first_hits,
    first_object,
    hit,
    mapping,
    objects,
    required_mapping,
    results,
    string,
)
from dowse.settings import Settings
from dowse.sites.compose import day
from dowse.sites.query import keywords, without_tags
from dowse.sites.site import SiteHits

NAME = "wikipedia"
# Namespaces with the same numbers in every language: articles, project pages and help.
_NAMESPACES = (0, 4, 12)
_PAUSE_S = 5.0
_NO_PAGE = frozenset({"missingtitle", "nosuchpageid", "nosuchrevid", "invalidtitle", "pagecannotexist"})
_HOST = re.compile(r"((?!www\.)[a-z]{2,3}(?:-[a-z]{1,9}){0,2}|simple)(?:\.m)?\.wikipedia\.org")
# Languages with several scripts or spellings have a path for each: /zh-hant/…, /sr-el/…
_WITH_VARIANTS = frozenset({"crh", "gan", "kk", "ku", "sh", "shi", "sr", "tg", "uz", "zh"})
_NO_TITLE = re.compile(r"[#<>\[\]{}|\x00-\x1f\x7f\ufffd]")
_NUMBER = re.compile("[0-9]{1,18}")
_TITLE_BYTES = 255
# Paths of pages that the parameters name.
_WITHOUT_TITLE = ("/", "/w/index.php", "/wiki/")
# Parameters of other views than the page.
_OTHER_VIEWS = frozenset({"diff", "direction", "veaction", "search", "section"})
_ENDPOINT = "https://{}.wikipedia.org/w/api.php"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
# Language tags that differ from the name of the edition.
_EDITIONS = {"nb": "no"}
_LONGEST_QUERY = 300  # CirrusSearch refuses more.
_LONGEST_PART = 255  # No title, no host and no path of articles is longer.
_MOST = 50
_OVERLOADED = frozenset({"maxlag", "readonly"})


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The page of a URL; `asked` selects it by title, page or revision in the parameters of the API."""

    language: str
    asked: Mapping[str, str]
    variant: str = ""


@dataclass(frozen=True, slots=True)
class PageInfo:
    """A page without its text."""

    number: int
    title: str
    revision: str
    changed: str
    is_current: bool
    is_disambiguation: bool
    about: str
    redirected_from: str
    section: str


class WikipediaApi:
    """Requests for a page; `WIKIPEDIA_API_URL` takes the place of every language's own endpoint."""

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._api_url = settings.wikipedia_api_url
        self._headers = _user_agent_headers(settings)

    async def find(self, address: PageAddress, deadline: Deadline) -> PageInfo:
        """The page of an address, after redirects. Raises `PageUnreadable` for other namespaces."""
        params = {
            "action": "query",
            "prop": "info|pageprops|revisions",
            "ppprop": "disambiguation|wikibase-shortdesc",
            "rvprop": "ids|timestamp",
            **address.asked,
        }
        if "revids" not in address.asked:
            params |= {"redirects": "1", "converttitles": "1"}
        query = mapping(await self._call(address, params, deadline), "query")
        page = first_object(query.get("pages"))
        if page.get("ns") not in _NAMESPACES or page.get("missing") or page.get("invalid"):
            raise PageUnreadable(Status.NOT_FOUND, "not an article")
        return _read_page(page, query, is_old="revids" in address.asked)

    async def fetch_html(self, address: PageAddress, page: PageInfo, deadline: Deadline) -> str:
        params = {
            "action": "parse",
            "prop": "text",
            "disableeditsection": "1",
            "disablelimitreport": "1",
            "disabletoc": "1",
            **({"pageid": str(page.number)} if page.is_current else {"oldid": page.revision}),
            **({"variant": address.variant} if address.variant else {}),
        }
        text = string(mapping(await self._call(address, params, deadline), "parse"), "text")
        if not text:
            raise BadAnswer(NAME, "the answer has no text")
        return text

    async def _call(self, address: PageAddress, params: Mapping[str, str], deadline: Deadline) -> Json:
        url = self._api_url or _ENDPOINT.format(address.language)
        params = {"format": "json", "formatversion": "2", **params}
        try:
            answer = await self._api.get(url, deadline, headers=self._headers, params=params)
        except Redirected as elsewhere:
            raise PageUnreadable(Status.NOT_FOUND, "there is no Wikipedia in this language") from elsewhere
        error = answer.get("error")
        if isinstance(error, dict):
            raise self._failure(error)
        return answer

    def _failure(self, error: Json) -> Exception:
        """Errors come with the status 200; their code tells them apart."""
        code, said = string(error, "code"), string(error, "info")
        lag = error.get("lag")
        if code in _OVERLOADED or code == "ratelimited":
            pause_s = max(_PAUSE_S, lag) if isinstance(lag, int | float) else _PAUSE_S
            return RateLimited(NAME, f"code {one_line(code, 40)}", retry_after_s=pause_s)
        if code in _NO_PAGE:
            return PageUnreadable(Status.NOT_FOUND, "Wikipedia has no such page")
        if code.startswith("internal_api_error"):
            return Unavailable(NAME, "an error inside its API")
        return self._api.not_read(said)


class WikipediaSearch:
    """Implements `SiteSearch` in the language of the query: https://www.mediawiki.org/wiki/API:Search."""

    # For clients with a user agent of their own: https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits.
    rate = Rate(200, 60.0)

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._api_url = settings.wikipedia_api_url
        self._headers = _user_agent_headers(settings)

    def address(self, query: Query) -> str:
        return self._api_url or _ENDPOINT.format(_language(query))

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        address = self.address(query)
        params = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "list": "search",
            "srsearch": keywords(query.text, max_chars=_LONGEST_QUERY, most=30),
            "srlimit": str(min(query.num_results, _MOST)),
            "srprop": "snippet",
            # The base URL of articles, which the results lack.
            "meta": "siteinfo",
            "siprop": "general",
        }
        body = await self._api.get(address, deadline, headers=self._headers, params=params)
        if isinstance(error := body.get("error"), dict):
            raise _search_failure(error)
        found = required_mapping(NAME, body, "query")
        base = _articles(found, address)
        return SiteHits(first_hits([_hit(item, base) for item in results(NAME, found, "search")], query.num_results))


def find_address(url: Url | None) -> PageAddress | None:
    """The page that a URL names; `None` where it names none, or another view than the page itself."""
    if url is None or not url.is_page:
        return None
    host, query = _HOST.fullmatch(url.name), _read_view(url)
    if host is None or query is None:
        return None
    language = host[1]
    title, variant = _read_path(url.path, language)
    if not title and url.path not in _WITHOUT_TITLE:
        return None
    selector = _selector(title or query.get("title", ""), query)
    return PageAddress(language, selector, variant or _read_variant(query, language)) if selector else None


def _read_variant(query: Mapping[str, str], language: str) -> str:
    variant = query.get("variant", "")
    return variant if _is_variant(variant, language) else ""


def _read_path(path: str, language: str) -> tuple[str, str]:
    """The title and the variant of `/wiki/Title` or `/zh-hant/Title`; empty for other paths."""
    first, _, rest = path.removeprefix("/").partition("/")
    variant = first if _is_variant(first, language) else ""
    return (unquote(rest), variant) if variant or first == "wiki" else ("", "")


def _read_view(url: Url) -> dict[str, str] | None:
    """The parameters of a URL that shows a page; `None` for an edit, a diff and the like."""
    try:
        query = dict(parse_qsl(url.query, max_num_fields=50))
    except ValueError:
        return None
    is_view = query.get("action", "view") == "view" and _OTHER_VIEWS.isdisjoint(query)
    return query if is_view else None


def _is_variant(segment: str, language: str) -> bool:
    return language in _WITH_VARIANTS and re.fullmatch(rf"{language}(-[a-z]{{2,8}})?", segment) is not None


def _selector(title: str, query: Mapping[str, str]) -> dict[str, str]:
    """A revision takes precedence over a page number, and that over a title, as on the site itself."""
    for name, parameter in (("oldid", "revids"), ("curid", "pageids")):
        if name in query:
            number = query[name]
            return {parameter: number} if _NUMBER.fullmatch(number) else {}
    if _NO_TITLE.search(title):
        return {}
    title = " ".join(title.replace("_", " ").split())
    return {"titles": title} if title and len(title.encode()) <= _TITLE_BYTES else {}


def _read_page(page: Json, query: Json, *, is_old: bool) -> PageInfo:
    number, last = page.get("pageid"), page.get("lastrevid")
    title = one_line(string(page, "title"), 300)
    if not isinstance(number, int) or not title:
        raise BadAnswer(NAME, "the answer names no page")
    props, revision = mapping(page, "pageprops"), first_object(page.get("revisions"))
    redirects = objects(query.get("redirects")) or [{}]
    shown = revision.get("revid")
    return PageInfo(
        number=number,
        title=title,
        revision=str(shown) if isinstance(shown, int) else "",
        changed=day(revision.get("timestamp")),
        is_current=not is_old or not isinstance(shown, int) or shown == last,
        is_disambiguation="disambiguation" in props,
        about=string(props, "wikibase-shortdesc"),
        redirected_from=string(redirects[0], "from"),
        section=string(redirects[-1], "tofragment"),
    )


def _language(query: Query) -> str:
    label = query.language.lower().partition("-")[0]
    label = _EDITIONS.get(label, label)
    return label if _LANGUAGE.fullmatch(label) else "en"


def _search_failure(error: Json) -> ProviderError:
    """Errors come with the status 200."""
    code = one_line(string(error, "code"), 60)
    if code == "ratelimited":
        return RateLimited(NAME)
    return (Unavailable if code in _OVERLOADED else BadAnswer)(NAME, said=code)


def _articles(found: Json, address: str) -> str:
    """The URL of articles, with `$1` for the title."""
    general = mapping(found, "general")
    server, path = (string(general, name)[:_LONGEST_PART] for name in ("server", "articlepath"))
    # The server may come without a scheme.
    parsed = urls.parse(server or "/", base=address)
    if parsed is None:
        raise BadAnswer(NAME, "the answer does not say where the articles are")
    return parsed.href.rstrip("/") + (path or "/wiki/$1")


def _hit(item: Json, base: str) -> Hit | None:
    title = string(item, "title")[:_LONGEST_PART]
    url = base.replace("$1", quote(title.replace(" ", "_"), safe="/:,()!*@;~", errors="replace"), 1)
    return hit(title, url, without_tags(string(item, "snippet")), engine=NAME)


def _user_agent_headers(settings: Settings) -> dict[str, str]:
    agent = one_line(settings.wikipedia_user_agent)
    return {"User-Agent": agent} if agent else {}
