"""Wikipedia in every language: articles, old versions of them, and disambiguation pages, through MediaWiki's API.

The first request resolves the address and tells what kind of page it is, the second gets its text. `maxlag` is for
programs nobody waits for; here somebody does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from dowse.core import urls
from dowse.core.errors import BadAnswer, PageUnreadable, RateLimited, Redirected, Unavailable
from dowse.core.models import NO_READABLE_CONTENT, Deadline, Status, Text
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.net.json_api import Json, string
from dowse.sites import compose
from dowse.sites.kit import TIMEOUT_S, Kit, asking
from dowse.sites.wikipedia.address import Address, address_in
from dowse.sites.wikipedia.page import WITHOUT, Arranged, arrange, facts, first_items, prepare

NAME = "wikipedia"
VARIABLE = "WIKIPEDIA_MAX_CHARS"

# Articles, and what the project writes about itself and for its readers. The numbers are the same in every language.
_ARTICLE, _PROJECT, _HELP = 0, 4, 12
_MOST_MEANINGS = 40
_OVERLOADED = frozenset({"maxlag", "ratelimited", "readonly"})
_PAUSE_S = 5.0
_NO_PAGE = frozenset({"missingtitle", "nosuchpageid", "nosuchrevid", "invalidtitle", "pagecannotexist"})


@dataclass(frozen=True, slots=True)
class _Page:
    """What the API knows of a page besides its text."""

    number: int
    title: str
    revision: str
    changed: str
    is_current: bool
    is_disambiguation: bool
    about: str
    redirected_from: str
    section: str


class Wikipedia:
    """The loader; `WIKIPEDIA_API_URL` takes the place of every language's own API."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: Kit) -> None:
        self._api = kit.api(NAME)
        self._extractor = kit.extractor
        self._api_url = kit.settings.wikipedia_api_url
        self._max_chars = kit.settings.wikipedia_max_chars
        agent = one_line(kit.settings.wikipedia_user_agent)
        self._headers = {"User-Agent": agent} if agent else {}

    def accepts(self, url: Url) -> bool:
        return address_in(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        address = address_in(parsed) if parsed else None
        if parsed is None or address is None:
            raise PageUnreadable(Status.ERROR, "not an article of Wikipedia")
        patience = asking(deadline)
        page = await self._find(address, patience)
        html = await self._html(address, page, patience)
        # Some articles have megabytes; the loop is for everybody.
        prepared = await asyncio.to_thread(prepare, html, keeps_links=page.is_disambiguation)
        link = _link(address, page)
        article, *infoboxes = await self._extractor.render(
            [prepared.article, *prepared.infoboxes],
            url=link,
            timeout_s=deadline.remaining_s(),
            without=WITHOUT,
        )
        if not article.strip():
            raise PageUnreadable(Status.ERROR, NO_READABLE_CONTENT)
        if page.is_disambiguation:
            return self._meanings(address, page, article)
        anchor = unquote(parsed.href.partition("#")[2]) or page.section
        known = [facts(box, page.title) for box in infoboxes]
        arranged = await asyncio.to_thread(arrange, article, anchor.replace(" ", "_"))
        return self._article(address, page, arranged, known)

    def _article(self, address: Address, page: _Page, arranged: Arranged, infoboxes: list[str]) -> Text:
        facts = [*_facts(address, page), "References and navigation boxes are left out"]
        if arranged.named:
            title = compose.label(arranged.named_title)
            facts.append(f"The section {title}, to which the address leads, follows the introduction")
        box = "\n".join(filter(None, infoboxes))
        return compose.page(
            _link(address, page),
            page.title,
            [
                compose.Part(f"# {compose.title(page.title)}", facts, arranged.lead),
                arranged.named,
                compose.Part("## Infobox", body=box) if box else "",
            ],
            max_chars=self._max_chars,
            variable=VARIABLE,
            listed=compose.Listed("sections", arranged.sections, len(arranged.sections)),
        )

    def _meanings(self, address: Address, page: _Page, article: str) -> Text:
        shown, total = first_items(article, _MOST_MEANINGS)
        link = _link(address, page)
        return compose.page(
            link,
            page.title,
            [
                compose.Part(f"# {compose.title(page.title)}", [*_facts(address, page), "Disambiguation page"]),
                compose.Part("## Meanings", body=compose.shifted(shown, 1)),
            ],
            max_chars=self._max_chars,
            variable=VARIABLE,
            rest=f"{_MOST_MEANINGS} of {total} meanings are shown; all are at {link}" if total > _MOST_MEANINGS else "",
        )

    async def _find(self, address: Address, deadline: Deadline) -> _Page:
        """The page behind the address, redirects followed; one that is no article is left to the general reader."""
        params = {
            "action": "query",
            "prop": "info|pageprops|revisions",
            "ppprop": "disambiguation|wikibase-shortdesc",
            "rvprop": "ids|timestamp",
            **address.asked,
        }
        if "revids" not in address.asked:
            params |= {"redirects": "1", "converttitles": "1"}
        answer = await self._ask(address, params, deadline)
        query = answer.get("query")
        query = query if isinstance(query, dict) else {}
        page = _object(query.get("pages"), 0)
        if page.get("ns") not in (_ARTICLE, _PROJECT, _HELP) or page.get("missing") or page.get("invalid"):
            raise PageUnreadable(Status.NOT_FOUND, "not an article")
        return _read_page(page, query, is_old="revids" in address.asked)

    async def _html(self, address: Address, page: _Page, deadline: Deadline) -> str:
        params = {
            "action": "parse",
            "prop": "text",
            "disableeditsection": "1",
            "disablelimitreport": "1",
            "disabletoc": "1",
            **({"pageid": str(page.number)} if page.is_current else {"oldid": page.revision}),
            **({"variant": address.variant} if address.variant else {}),
        }
        parsed = (await self._ask(address, params, deadline)).get("parse")
        text = string(parsed, "text") if isinstance(parsed, dict) else ""
        if not text:
            raise BadAnswer(NAME, "the answer has no text")
        return text

    async def _ask(self, address: Address, params: Mapping[str, str], deadline: Deadline) -> Json:
        url = self._api_url or f"https://{address.language}.wikipedia.org/w/api.php"
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
        """MediaWiki's errors come with the status of a success; the code tells them apart."""
        code, said = string(error, "code"), string(error, "info")
        lag = error.get("lag")
        if code in _OVERLOADED:
            pause_s = max(_PAUSE_S, lag) if isinstance(lag, int | float) else _PAUSE_S
            return RateLimited(NAME, f"code {one_line(code, 40)}", retry_after_s=pause_s)
        if code in _NO_PAGE:
            return PageUnreadable(Status.NOT_FOUND, "Wikipedia has no such page")
        if code.startswith("internal_api_error"):
            return Unavailable(NAME, "an error inside its API")
        return self._api.not_read(said)


def _read_page(page: Json, query: Json, *, is_old: bool) -> _Page:
    number, last = page.get("pageid"), page.get("lastrevid")
    title = one_line(string(page, "title"), 300)
    if not isinstance(number, int) or not title:
        raise BadAnswer(NAME, "the answer names no page")
    props = page.get("pageprops")
    props = props if isinstance(props, dict) else {}
    revision = _object(page.get("revisions"), 0)
    shown = revision.get("revid")
    return _Page(
        number=number,
        title=title,
        revision=str(shown) if isinstance(shown, int) else "",
        changed=compose.day(revision.get("timestamp")),
        is_current=not is_old or not isinstance(shown, int) or shown == last,
        is_disambiguation="disambiguation" in props,
        about=string(props, "wikibase-shortdesc"),
        redirected_from=string(_object(query.get("redirects"), 0), "from"),
        section=string(_object(query.get("redirects"), -1), "tofragment"),
    )


def _object(items: object, index: int) -> Json:
    """One object out of a list, which may be none."""
    item = items[index] if isinstance(items, list) and items else None
    return item if isinstance(item, dict) else {}


def _link(address: Address, page: _Page) -> str:
    """The address of the page itself, whatever spelling led to it and whoever's API told of it."""
    if page.is_current:
        return _current(address, page)
    query = f"title={_quoted(page.title)}&oldid={page.revision}"
    return f"https://{address.language}.wikipedia.org/w/index.php?{query}"


def _current(address: Address, page: _Page) -> str:
    return f"https://{address.language}.wikipedia.org/{address.variant or 'wiki'}/{_quoted(page.title)}"


def _quoted(title: str) -> str:
    return quote(title.replace(" ", "_"), safe="/:,;@!*~$-._()")


def _facts(address: Address, page: _Page) -> list[str]:
    when = "Last change:" if page.is_current else "Old version of"
    return [
        f"Link: {_link(address, page)}",
        f"Language: {address.variant or address.language}",
        f"{when} {page.changed}" if page.changed else "",
        "" if page.is_current else f"Current version: {_current(address, page)}",
        f"Redirected from: {compose.label(page.redirected_from)}" if page.redirected_from else "",
        f"About: {compose.label(page.about, 200)}" if page.about else "",
    ]
