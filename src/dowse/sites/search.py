"""Search over the open APIs of several sites, as one provider of the keyless pool."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import (
    Blocked,
    Busy,
    KeyRejected,
    Misconfigured,
    NotCovered,
    ProviderError,
    RateLimited,
    Skipped,
    TimedOut,
    Transient,
)
from dowse.core.models import Clock, Deadline, Found, Hit, Query
from dowse.core.protocols import Limiter
from dowse.core.text import enclose
from dowse.language.scripts import AGGLUTINATED
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import divide_hits, fit
from dowse.providers.relevance import is_relevant
from dowse.providers.table import Kit
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.settings.providers import OPEN as SPEC
from dowse.settings.sites import SITES, SiteSpec
from dowse.sites.query import keywords, language_of
from dowse.sites.shapes import choose
from dowse.sites.site import SiteHits, SiteSearch
from dowse.sites.table import import_site

# Requested from each API: unrelated hits are dropped, and some are found twice.
_LEAST_PER_API = 10
# Share of the time for one request; the rest is for merging.
_SHARE = 0.9
# Further wait for the slower APIs once one has found something.
_GRACE_S = 1.5
_DEFAULT_PAUSE_S, _LONGEST_PAUSE_S = 60.0, 24 * 3600.0
_PIECE = re.compile(r"[^\W_]{1,40}")
# Scripts without blanks between words.
_UNSPACED = re.compile(f"[{AGGLUTINATED}]")
_ENDING = re.compile(r"(?<=[a-z]{4})(?:ing|ed|es|s)$")


@dataclass(frozen=True, slots=True)
class OpenApi:
    """A site and the adapter of its API."""

    spec: SiteSpec
    adapter: SiteSearch


_Outcome = SiteHits | ProviderError
_Outcomes = Mapping[str, _Outcome]


def open_apis(settings: Settings, client: ConfiguredClient, redactor: Redactor) -> list[OpenApi]:
    """The open APIs that the settings name."""
    timeout_s = settings.providers[SPEC.name].timeout_s
    apis = []
    for name in settings.open_apis:
        make = import_site(name).search
        assert make is not None, f"{name} is declared with search domains but has no search"
        apis.append(OpenApi(SITES[name], make(settings, Api(name, client, timeout_s, "", redactor))))
    return apis


def make_search(kit: Kit) -> OpenApiSearch:
    apis = open_apis(kit.settings, kit.client, kit.redactor)
    return OpenApiSearch(apis, kit.disclosure, kit.limiter, timeout_s=kit.settings.providers[SPEC.name].timeout_s)


class OpenApiSearch:
    """Implements `protocols.SearchProvider`: calls the APIs that fit the query at once and merges their results.

    An API is skipped during a pause that it asked for, and while its rate limit is used up.
    """

    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(
        self,
        apis: Sequence[OpenApi],
        disclosure: Disclosure,
        limiter: Limiter | None = None,
        *,
        timeout_s: float,
        grace_s: float = _GRACE_S,
    ) -> None:
        self.timeout_s = timeout_s
        self._apis = {api.spec.name: api for api in apis}
        self._disclosure = disclosure
        self._limiter = limiter
        self._grace_s = grace_s
        self._paused_until: dict[str, float] = {}

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, SPEC.limits)
        apis = self._choose(fitted, deadline.clock)
        asked = replace(fitted, num_results=max(fitted.num_results, _LEAST_PER_API), language=language_of(fitted))
        outcomes = await self._call_all(apis, asked, deadline)
        answers = [outcome.hits for outcome in outcomes.values() if isinstance(outcome, SiteHits)]
        errors = [outcome for outcome in outcomes.values() if isinstance(outcome, ProviderError)]
        hits = merge_hits(fitted, answers)
        if not hits:
            raise NotCovered(self.name, _describe(outcomes)) if answers else _combine(errors)
        # Other failures need no action where there are results.
        rejected = tuple(f"{error}; it was left out." for error in errors if isinstance(error, KeyRejected))
        found = divide_hits(hits[query.earlier :], fitted.num_results - query.earlier)
        return replace(found, warnings=warnings + rejected)

    def _choose(self, query: Query, clock: Clock) -> list[OpenApi]:
        names = choose(query, [api.spec for api in self._apis.values()])
        if not names:
            raise _OutOfScope(self.name, "none of the APIs in DOWSE_OPEN_APIS fits the query")
        ready = [self._apis[name] for name in names if self._paused_until.get(name, 0.0) <= clock.now()]
        if not ready:
            raise Skipped(self.name, f"{', '.join(names)} asked for a pause that is not over")
        return ready

    async def _call_all(self, apis: Sequence[OpenApi], query: Query, deadline: Deadline) -> _Outcomes:
        """The results or the failure of each API; a slow one is cancelled after the grace period."""
        share = deadline.cap(_SHARE * min(self.timeout_s, deadline.remaining_s()))
        tasks = {asyncio.create_task(self._call(api, query, share)): api.spec.name for api in apis}
        try:
            late = await self._wait(set(tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return {
            name: TimedOut(name, "others answered first") if task in late else task.result()
            for task, name in tasks.items()
        }

    async def _wait(self, pending: set[asyncio.Task[_Outcome]]) -> set[asyncio.Task[_Outcome]]:
        """Wait for the tasks, after the first hits only for the grace period; returns the ones that are not done."""
        has_found = False
        while pending:
            grace_s = self._grace_s if has_found else None
            done, pending = await asyncio.wait(pending, timeout=grace_s, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                break
            has_found = has_found or any(_has_hits(task.result()) for task in done)
        return pending

    async def _call(self, api: OpenApi, query: Query, deadline: Deadline) -> _Outcome:
        name, adapter = api.spec.name, api.adapter
        if busy := await self._check_rate(name, adapter.rate):
            return busy
        self._disclosure.tell(party(api.spec.title, adapter.address(query)), self.name)
        try:
            found = await adapter.search(query, deadline)
        except (RateLimited, Blocked) as error:
            self._pause(name, error.retry_after_s or _DEFAULT_PAUSE_S, deadline.clock)
            return error
        except ProviderError as error:
            return error
        self._pause(name, found.pause_s, deadline.clock)
        return found

    async def _check_rate(self, name: str, rate: Rate | None) -> Busy | None:
        """The error for an API with a used-up rate limit."""
        if self._limiter is None or rate is None:
            return None
        wait_s = (await self._limiter.admit(f"open:{name}", rate)).wait_s
        return Busy(name, f"it takes {rate.in_words()}", retry_after_s=wait_s) if wait_s else None

    def _pause(self, name: str, seconds: float, clock: Clock) -> None:
        until = clock.now() + min(seconds, _LONGEST_PAUSE_S)
        self._paused_until[name] = max(until, self._paused_until.get(name, 0.0))


def merge_hits(query: Query, answers: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The related hits of all answers at the requested domains, one for each page.

    Sorted by the words that they share with the query, then by rank: the orders of different APIs are not comparable.
    """
    asked = _terms(keywords(query.text, max_chars=500, most=60))
    admitted = [[hit for hit in hits if _is_admitted(hit, query)] for hits in answers]
    ranked = chain.from_iterable(map(enumerate, admitted))
    pages: dict[str, Hit] = {}
    for _, hit in sorted(ranked, key=lambda entry: (-_shared(asked, entry[1]), entry[0])):
        if is_relevant(query.text, [hit]):
            pages.setdefault(urls.identity(hit.url), hit)
    return list(pages.values())


def _shared(asked: set[str], hit: Hit) -> int:
    """The number of words that a hit shares with the query."""
    return len(asked & _terms(f"{hit.title} {hit.snippet} {hit.url}"))


def _terms(text: str) -> set[str]:
    """Words without their endings, and pairs of characters in scripts without blanks."""
    terms: set[str] = set()
    for piece in _PIECE.findall(text.lower()):
        if _UNSPACED.search(piece):
            terms.update(piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
        else:
            terms.add(_ENDING.sub("", piece))
    return terms


def _is_admitted(hit: Hit, query: Query) -> bool:
    """Whether the page is at a requested domain and at none of the excluded ones."""
    page = urls.parse(hit.url)
    if page is None or urls.is_below(page.name, *query.exclude_domains):
        return False
    return not query.include_domains or urls.is_below(page.name, *query.include_domains)


def _has_hits(outcome: _Outcome) -> bool:
    return isinstance(outcome, SiteHits) and bool(outcome.hits)


def _describe(outcomes: _Outcomes) -> str:
    silent = [name for name, outcome in outcomes.items() if not isinstance(outcome, SiteHits)]
    looked = f"looked in {', '.join(name for name in outcomes if name not in silent)}"
    return looked + enclose("; ", ", ".join(silent), " did not answer")


class _OutOfScope(NotCovered):
    """None of the APIs fits the query, so none was asked."""

    was_asked = False


def _combine(errors: Sequence[ProviderError]) -> ProviderError:
    """One transient error for all APIs, so that the next provider of the pool is tried.

    It has a time to retry only where all were busy: a pause of one API is not a pause of all.
    """
    first = _most_telling(errors)
    kind = type(first) if isinstance(first, Transient) else Misconfigured
    others = [f"{error.provider}: {error.code}" for error in errors if error is not first]
    detail = "; ".join([f"{first.provider}: {first.logged_detail or first.code}", *others])
    waits_s = [error.retry_after_s for error in errors if isinstance(error, Busy) and error.retry_after_s]
    retry_after_s = min(waits_s) if len(waits_s) == len(errors) else None
    return kind(OpenApiSearch.name, detail, retry_after_s=retry_after_s, http_status=first.http_status)


def _most_telling(errors: Sequence[ProviderError]) -> ProviderError:
    """The first transient failure of an API that was called, else of a busy one, else the first of all."""
    transient = [error for error in errors if isinstance(error, Transient)]
    return next((error for error in transient if error.was_asked), (transient or errors)[0])
