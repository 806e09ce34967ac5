"""Wikipedia: articles and disambiguation pages in every language, and a search over them."""

from __future__ import annotations

import asyncio
from urllib.parse import quote, unquote

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import NO_READABLE_CONTENT, Deadline, Status, Text
from dowse.core.urls import Url
from dowse.sites.compose import Part, PartList, compose_page, label, shift_headings, title
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, request_deadline
from dowse.sites.wikipedia.api import NAME, PageAddress, PageInfo, WikipediaApi, WikipediaSearch, find_address
from dowse.sites.wikipedia.article import WITHOUT, Arranged, arrange, cut_items, list_infobox, prepare

VARIABLE = "WIKIPEDIA_MAX_CHARS"
_MOST_MEANINGS = 40


class WikipediaLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = WikipediaApi(kit.settings, kit.api(NAME))
        self._extractor = kit.extractor
        self._max_chars = kit.settings.wikipedia_max_chars

    def accepts(self, url: Url) -> bool:
        return find_address(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        address = find_address(parsed) if parsed else None
        if parsed is None or address is None:
            raise PageUnreadable(Status.ERROR, "not an article of Wikipedia")
        requests = request_deadline(deadline)
        page = await self._api.find(address, requests)
        html = await self._api.fetch_html(address, page, requests)
        # In a thread: some articles have megabytes.
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
            return self._compose_meanings(address, page, article)
        anchor = unquote(parsed.href.partition("#")[2]) or page.section
        boxes = [list_infobox(box, page.title) for box in infoboxes]
        arranged = await asyncio.to_thread(arrange, article, anchor.replace(" ", "_"))
        return self._compose_article(address, page, arranged, boxes)

    def _compose_article(self, address: PageAddress, page: PageInfo, arranged: Arranged, infoboxes: list[str]) -> Text:
        facts = [*_facts(address, page), "References and navigation boxes are left out"]
        if arranged.named:
            section = label(arranged.named_title)
            facts.append(f"The section {section}, to which the address leads, follows the introduction")
        box = "\n".join(filter(None, infoboxes))
        return compose_page(
            _link(address, page),
            page.title,
            [
                Part(f"# {title(page.title)}", facts, arranged.lead),
                arranged.named,
                Part("## Infobox", body=box) if box else "",
            ],
            max_chars=self._max_chars,
            variable=VARIABLE,
            listed=PartList("sections", arranged.sections, len(arranged.sections)),
        )

    def _compose_meanings(self, address: PageAddress, page: PageInfo, article: str) -> Text:
        shown, total = cut_items(article, _MOST_MEANINGS)
        link = _link(address, page)
        return compose_page(
            link,
            page.title,
            [
                Part(f"# {title(page.title)}", [*_facts(address, page), "Disambiguation page"]),
                Part("## Meanings", body=shift_headings(shown, 1)),
            ],
            max_chars=self._max_chars,
            variable=VARIABLE,
            rest=f"{_MOST_MEANINGS} of {total} meanings are shown; all are at {link}" if total > _MOST_MEANINGS else "",
        )


def _link(address: PageAddress, page: PageInfo) -> str:
    """The canonical URL of the page, or of its old version."""
    if page.is_current:
        return _current_link(address, page)
    query = f"title={_quote_title(page.title)}&oldid={page.revision}"
    return f"https://{address.language}.wikipedia.org/w/index.php?{query}"


def _current_link(address: PageAddress, page: PageInfo) -> str:
    return f"https://{address.language}.wikipedia.org/{address.variant or 'wiki'}/{_quote_title(page.title)}"


def _quote_title(name: str) -> str:
    return quote(name.replace(" ", "_"), safe="/:,;@!*~$-._()")


def _facts(address: PageAddress, page: PageInfo) -> list[str]:
    when = "Last change:" if page.is_current else "Old version of"
    return [
        f"Link: {_link(address, page)}",
        f"Language: {address.variant or address.language}",
        f"{when} {page.changed}" if page.changed else "",
        "" if page.is_current else f"Current version: {_current_link(address, page)}",
        f"Redirected from: {label(page.redirected_from)}" if page.redirected_from else "",
        f"About: {label(page.about, 200)}" if page.about else "",
    ]


SITE = Site(loader=WikipediaLoader, search=WikipediaSearch)
