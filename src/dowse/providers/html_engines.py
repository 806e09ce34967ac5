"""Search engines without an API, asked through their HTML forms: DuckDuckGo and Mojeek.

Both ban addresses for minutes and longer. Requests are two seconds apart, nothing is retried, a challenge page is
never solved, and an unknown page is not mistaken for an empty list of results.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import ClassVar, Self
from urllib.parse import urlsplit

from dowse.core.errors import BadAnswer, Blocked, PageUnreadable, ProviderError, Skipped, TimedOut
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Clock, Deadline, Found, Hit, Query, Status, TimeRange
from dowse.core.protocols import ListingReader
from dowse.net.clients import Reply
from dowse.net.json_api import Api, first_hits, hit, media, plain
from dowse.providers import relevance
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import divide_hits, fit
from dowse.providers.politeness import Manners
from dowse.providers.table import Kit
from dowse.settings.providers import DUCKDUCKGO, MOJEEK, list_credentials
from dowse.settings.spec import ProviderSpec

LOWEST_GAP_S = 2.0
BAN_S = 600.0
# DuckDuckGo's challenge page comes with 202; the others refuse.
_REFUSED = (202, 401, 403, 418, 429)
_ADVICE = (
    f"it bans addresses that send many requests, for some minutes; set {list_credentials()} "
    "for searches that are not refused"
)
# Country first, then language; of several for one language or country the first is meant.
REGIONS = (
    "us-en uk-en ca-en au-en ie-en in-en nz-en ph-en sg-en za-en my-en de-de at-de ch-de fr-fr ca-fr be-fr ch-fr es-es "
    "mx-es ar-es cl-es co-es pe-es pt-pt br-pt it-it ch-it nl-nl be-nl se-sv dk-da no-no fi-fi pl-pl cz-cs sk-sk hu-hu "
    "ro-ro bg-bg gr-el hr-hr sl-sl ee-et lv-lv lt-lt ru-ru ua-uk tr-tr il-he xa-ar id-id my-ms th-th vn-vi ph-tl jp-jp "
    "kr-kr cn-zh tw-tzh hk-tzh ct-ca"
).split()
# ISO codes that differ from DuckDuckGo's.
_LANGUAGES = {"ja": "jp", "ko": "kr", "nb": "no", "nn": "no", "zh-tw": "tzh", "zh-hk": "tzh", "zh-hant": "tzh"}
_COUNTRIES = {"gb": "uk"}
_TIMES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m", TimeRange.YEAR: "y"}
_SAFETY = ("-2", "-1", "1")
# `!w` and a backslash send the visitor on to another site instead of showing results.
_SHORTCUTS = re.compile(r"(?<!\S)[!\\]{1,9}(?=\S)")
_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 31, TimeRange.YEAR: 366}
_FORMATS = {Category.NEWS: "news", Category.IMAGES: "images"}


class HtmlEngine(ABC):
    """Base of the engines; a subclass fills in the form."""

    spec: ClassVar[ProviderSpec]

    def __init__(
        self,
        api: Api,
        endpoint: str,
        *,
        listings: ListingReader,
        manners: Manners,
        disclosure: Disclosure,
        clock: Clock,
    ) -> None:
        self.name = self.spec.name
        self.categories = self.spec.limits.categories
        self.timeout_s = api.timeout_s
        self._api = replace(api, own_failure=self._refusal)
        self._endpoint = endpoint
        self._listings = listings
        self._manners = manners
        self._disclosure = disclosure
        self._clock = clock
        self._free_at = 0.0
        self._party = party(self.spec.title, endpoint)

    @classmethod
    def make(cls, kit: Kit) -> Self:
        name = cls.spec.name
        return cls(
            kit.api(name),
            kit.settings.endpoint(name),
            listings=kit.listings,
            manners=kit.manners,
            disclosure=kit.disclosure,
            clock=kit.clock,
        )

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, self.spec.limits)
        await self._turn(deadline)
        self._disclosure.tell(self._party, self.name)
        reply = await self.ask(query, self._manners.headers(language=query.language), deadline)
        if reply.status in _REFUSED:
            raise self._make_ban(f"HTTP {reply.status}", reply.status)
        hits, suggestions = self._read(await self._listing(reply, query, deadline))
        relevance.check_relevance(self.name, query.text, hits)
        return replace(divide_hits(hits, query.num_results), suggestions=suggestions, warnings=warnings)

    @abstractmethod
    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        """Send the form for a query within the limits."""

    async def _turn(self, deadline: Deadline) -> None:
        """Wait for the next slot. Raises `Skipped` if it comes after the deadline."""
        now = self._clock.now()
        start = max(now, self._free_at)
        if start - now >= deadline.remaining_s():
            raise Skipped(self.name, f"its turn would come too late: one request is sent every {LOWEST_GAP_S:.0f} s")
        self._free_at = start + LOWEST_GAP_S
        if start > now:
            await self._clock.sleep(start - now)
        await self._manners.turn()

    async def _listing(self, reply: Reply, query: Query, deadline: Deadline) -> Listing:
        body = Body(self._endpoint, reply.body, HTML, "utf-8")
        try:
            return await self._listings.listing(self.name, body, query.text, timeout_s=deadline.remaining_s())
        except PageUnreadable as error:
            kind = TimedOut if error.status is Status.TIMEOUT else BadAnswer
            raise kind(self.name, f"its page could not be read: {error.detail}") from error

    def _read(self, listing: Listing) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """Results and suggestions; raises for a challenge page or an unknown one."""
        if listing.outcome is Outcome.BLOCKED:
            raise self._make_ban(listing.detail)
        if listing.outcome is Outcome.UNKNOWN:
            reason = listing.detail or "neither results nor anything known stands on it"
            raise BadAnswer(self.name, f"its page has changed or is another one: {reason}")
        hits = first_hits([_hit(row) for row in listing.rows], len(listing.rows))
        return hits, plain(listing.suggestions)

    def _refusal(self, reply: Reply) -> ProviderError | None:
        """Translate a refusal: without a key, each is a ban for a while."""
        return self._make_ban(f"HTTP {reply.status}", reply.status) if reply.status in _REFUSED else None

    def _make_ban(self, reason: str, status: int | None = None) -> Blocked:
        return Blocked(self.name, f"{reason}; {_ADVICE}", retry_after_s=BAN_S, http_status=status)


def _hit(row: Row) -> Hit | None:
    found = hit(row.title, row.url, row.snippet, published=row.published)
    return media(found, image_url=row.image_url, thumbnail=row.thumbnail, duration=row.duration)


class DuckDuckGo(HtmlEngine):
    spec = DUCKDUCKGO

    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        if "Sec-Fetch-Site" in headers:
            # A browser sends a form from a page of the same site.
            page = urlsplit(self._endpoint)
            headers = {**headers, "Origin": f"{page.scheme}://{page.netloc}", "Sec-Fetch-Site": "same-origin"}
        return await self._api.post_form(self._endpoint, deadline, headers=headers, form=_form(query))


def _form(query: Query) -> dict[str, str]:
    safety = "" if query.safe_search is None else _SAFETY[min(query.safe_search, 2)]
    optional = {"kl": region(query.language, query.country), "df": _TIMES.get(query.time_range, ""), "kp": safety}
    fields = {"q": _SHORTCUTS.sub("", query.text)}
    return fields | {name: value for name, value in optional.items() if value}


def region(language: str, country: str) -> str:
    """DuckDuckGo's code for a language, such as `de` or `pt-BR`, and a country; empty without one."""
    tag = language.lower().replace("_", "-")
    base, _, of_language = tag.partition("-")
    language = _LANGUAGES.get(tag) or _LANGUAGES.get(base, base)
    country = (country or of_language).lower()
    country = _COUNTRIES.get(country, country)
    if not language and not country:
        return ""
    fitting = [name for name in REGIONS if language in ("", name.partition("-")[2])]
    nearest = (name for name in fitting if country in ("", name.partition("-")[0]))
    return [*nearest, *fitting, ""][0]


class Mojeek(HtmlEngine):
    spec = MOJEEK

    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        params = _params(query, self._clock.today())
        return await self._api.get_reply(self._endpoint, deadline, headers=headers, params=params)


def _params(query: Query, today: date) -> dict[str, str]:
    language, _, of_language = query.language.lower().replace("_", "-").partition("-")
    optional = {
        "lb": _code(language),
        "arc": _code(query.country.lower() or of_language),
        "since": _since(query, today),
        "safe": "" if query.safe_search is None else str(min(query.safe_search, 1)),
        "fmt": _FORMATS.get(query.category, ""),
    }
    return {"q": query.text} | {name: value for name, value in optional.items() if value}


def _code(name: str) -> str:
    """A code of two letters; any other value, such as `all`, means none."""
    return name if len(name) == 2 else ""


def _since(query: Query, today: date) -> str:
    """The first day, in Mojeek's format."""
    if query.start_date:
        return query.start_date[:10].replace("-", "")
    days = _DAYS.get(query.time_range)
    return f"{today - timedelta(days=days):%Y%m%d}" if days else ""


make_duckduckgo, make_mojeek = DuckDuckGo.make, Mojeek.make
