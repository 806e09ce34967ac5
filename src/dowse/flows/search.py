"""A search: find results, fuse them, read their pages concurrently, and choose the passages that answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from types import MappingProxyType

from dowse.core.digests import OFF_TOPIC, Digest, Source
from dowse.core.errors import (
    AllProvidersFailed,
    NoInstance,
    NoProvider,
    Offline,
    PageUnreadable,
    ProviderError,
    Unreachable,
)
from dowse.core.models import (
    LOCAL,
    Attempt,
    Clock,
    Deadline,
    Depth,
    Hit,
    Page,
    Principal,
    Query,
    Result,
    SearchOutcome,
    Stats,
    Status,
)
from dowse.core.protocols import Disclosures, Extractor, Observer, Progress, Scrubber, SearchWatcher
from dowse.core.runtime import no_progress
from dowse.core.text import count_noun
from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import truncate
from dowse.flows.age import AgeFilter, resolve_ages
from dowse.flows.find import Finder, Findings
from dowse.flows.read import Hold, ReadFlow
from dowse.rank.fuse import fuse
from dowse.rank.sources import Placed, SiteRules, order
from dowse.settings.providers import suggest_providers

# Providers never get the whole deadline: the rest is for reading.
_SEARCH_SHARE = 0.8
# The rest is for passage retrieval.
_READ_SHARE = 0.95
_LONGEST_RESERVE_S = 1.0
# Rounds of reading further hits in the places of near-duplicates, each of which takes as long as a page does.
_REPLACEMENTS = 2
_NO_PASSAGES = "passage retrieval timed out; pages are shown from their beginning"
_SET_A_KEY = f"{suggest_providers()} in the environment of this server, then restart it."
NO_PROVIDER = f"No search provider is configured. {_SET_A_KEY} Or set DOWSE_KEYLESS=on to search without a key."
KEYLESS_FAILED = f"No search provider is configured, and all keyless providers failed. {_SET_A_KEY}"
_CHECK_NETWORK = "Check the network of this server, and DOWSE_PROXY if it needs a proxy."


class _Unwatched:
    """Implements `protocols.SearchWatcher` for a search without a watcher."""

    async def found(self, attempts: Sequence[Attempt], hits: Sequence[Hit]) -> None: ...

    async def page_read(self, hit: Hit, page: Page) -> None: ...


UNWATCHED = _Unwatched()


class SearchFlow:
    """Finds pages and reads them."""

    def __init__(
        self,
        finder: Finder,
        reader: ReadFlow,
        extractor: Extractor,
        rules: SiteRules,
        *,
        clock: Clock,
        observer: Observer,
        scrubber: Scrubber,
        disclosures: Disclosures,
        offline: bool = False,
        index_owners: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._index_owners = index_owners
        self._scrubber = scrubber
        self._disclosures = disclosures
        self._finder = finder
        self._reader = reader
        self._extractor = extractor
        self._rules = rules
        self._clock = clock
        self._observer = observer
        self._offline = offline

    async def search(
        self,
        query: Query,
        deadline: Deadline,
        *,
        depth: Depth = Depth.NORMAL,
        fetch_content: bool = True,
        max_tokens: int = 0,
        share: float = 1.0,
        offline: bool = False,
        checks_ages: bool = False,
        progress: Progress = no_progress,
        caller: Principal = LOCAL,
        watcher: SearchWatcher = UNWATCHED,
    ) -> SearchOutcome:
        """Raises `Offline`, `NoProvider` or `AllProvidersFailed`; a page that fails is a result.

        With `checks_ages` results are judged and ordered by the period of the query, as far as their dates are known.
        At most `max_tokens` tokens of all pages together are shown, or a share of those; 0 to cut nothing.
        """
        if offline or self._offline:
            raise Offline("search")
        if not self._finder.providers:
            raise NoProvider(NO_PROVIDER)
        started = self._clock.now()
        # From here on the query is only used with its secrets masked.
        text, scrubbed = self._scrubber.scrub(query.text)
        query = replace(query, text=text)
        until = deadline.cap(deadline.remaining_s() * _SEARCH_SHARE) if fetch_content else deadline
        findings = await self._find(query, depth, until, progress, caller)
        search_ms = self._ms(started)
        ages = AgeFilter.of(query if checks_ages else Query(""), self._clock.today())
        if checks_ages:
            findings = self._resolve_ages(findings)
        placed, left_out = self._place(findings, ages, query.num_results)
        count = min(len(placed), query.num_results)
        self._observer.search_completed(
            findings.providers[0], query.text, count, search_ms, cache=findings.freshness.state
        )
        await watcher.found(findings.attempts, [each.hit for each in placed[:count]])
        if fetch_content:
            with self._reader.holding(caller) as hold:
                reading = _Reading(query, ages, deadline, max_tokens, share, progress, caller, hold, watcher)
                results, remarks = await self._read_distinct(reading, placed)
        else:
            results, remarks = _select([_result(each, _unread(each), ages=ages) for each in placed[:count]], ages)
        general = (*scrubbed, *findings.warnings, *self._disclosures.news())
        warnings = (*general, *left_out, *remarks)
        return _outcome(query, findings, results, warnings, _Times(search_ms, self._ms(started)))

    async def _find(
        self, query: Query, depth: Depth, until: Deadline, progress: Progress, caller: Principal
    ) -> Findings:
        try:
            return await self._finder.find(query, depth, until, progress, caller)
        except AllProvidersFailed as failed:
            raise self._explain(failed) from failed

    def _resolve_ages(self, findings: Findings) -> Findings:
        told_at = self._clock.utc() - timedelta(seconds=findings.freshness.age_s)
        resolve = partial(resolve_ages, now=told_at)
        answers = tuple(
            (name, replace(found, hits=resolve(found.hits), spare=resolve(found.spare)))
            for name, found in findings.answers
        )
        return replace(findings, answers=answers)

    def _place(self, findings: Findings, ages: AgeFilter, wanted: int) -> tuple[list[Placed], tuple[str, ...]]:
        """The hits in the order in which they are read, and remarks on hits left out of the wanted number."""
        lists = [(name, found.hits + found.spare) for name, found in findings.answers]
        fused = fuse(lists, self._index_owners)
        ordered = order(fused, self._rules)
        placed = ages.defer(ordered, [ages.judge(each.hit, _unread(each)) for each in ordered])
        blocked = sum(self._rules.is_blocked(each.hit.url) for each in fused[:wanted])
        other = sum(each not in placed for each in ordered[:wanted])
        return placed, (*_describe_blocked(blocked), *ages.describe_left_out(other))

    def _explain(self, failed: AllProvidersFailed) -> AllProvidersFailed:
        """The failure with advice: about the network, or about a key."""
        needs_key = self._finder.has_only_keyless and any(error.was_asked for error in failed.errors)
        return AllProvidersFailed(
            failed.errors,
            failed.attempts,
            failed.warnings,
            advice=KEYLESS_FAILED if needs_key else "",
            summary=_describe_outage(failed.errors),
        )

    async def _read_distinct(self, reading: _Reading, placed: Sequence[Placed]) -> tuple[list[Result], tuple[str, ...]]:
        """Results with their pages; the next hits are read in the places of near-duplicates."""
        wanted = reading.query.num_results
        chosen, spare = list(placed[:wanted]), list(placed[wanted:])
        pages = await self._read(reading, chosen)
        results, remarks = await self._digest(reading, chosen, pages)
        for _ in range(_REPLACEMENTS):
            next_hits = spare[: len(chosen) - len(results)] if len(results) < wanted else []
            if not next_hits or reading.deadline.passed:
                break
            chosen, spare = chosen + next_hits, spare[len(next_hits) :]
            pages += await self._read(reading, next_hits)
            results, remarks = await self._digest(reading, chosen, pages)
        return results, (*_warnings(pages), *remarks)

    async def _read(self, reading: _Reading, placed: Sequence[Placed]) -> list[Page]:
        """The pages of the results, read concurrently; some time is left to look for passages."""
        deadline, progress = reading.deadline, reading.progress
        reserve_s = min(_LONGEST_RESERVE_S, deadline.remaining_s() * (1 - _READ_SHARE))
        until = deadline.cap(deadline.remaining_s() - reserve_s)
        wanted = sum(not each.hit.is_media for each in placed)
        done = 0

        await progress(f"read 0 of {wanted} pages")

        async def read(each: Placed) -> Page:
            nonlocal done
            if each.hit.is_media:
                return _unread(each)
            page = await self._reader.read(each.hit.url, until, for_search=True, caller=reading.caller)
            page = await reading.hold(page)
            await reading.watcher.page_read(each.hit, page)
            done += 1
            await progress(f"read {done} of {wanted} pages")
            return page

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read(each)) for each in placed]
        return [task.result() for task in tasks]

    async def _digest(
        self, reading: _Reading, placed: Sequence[Placed], pages: Sequence[Page]
    ) -> tuple[list[Result], tuple[str, ...]]:
        """The results with the passages of their pages, in order, and warnings about finding those."""
        digests, remarks = await self._digests(reading, pages)
        results = [_result(*each, ages=reading.ages) for each in zip(placed, pages, digests, strict=True)]
        chosen, left_out = _select(_sort(_drop_duplicates(results)), reading.ages)
        return chosen, (*remarks, *left_out)

    async def _digests(self, reading: _Reading, pages: Sequence[Page]) -> tuple[list[Digest | None], tuple[str, ...]]:
        """The passages of each page that was read; `duplicate_of` is an index into all of the pages."""
        numbers = [number for number, page in enumerate(pages) if page.status.readable]
        digests: list[Digest | None] = [None] * len(pages)
        if not numbers:
            return digests, ()
        sources = [source_of(pages[number]) for number in numbers]
        try:
            timeout_s = reading.deadline.remaining_s()
            made = await self._extractor.digest(
                reading.query.text, sources, reading.max_tokens, timeout_s=timeout_s, share=reading.share
            )
            remarks: tuple[str, ...] = ()
        except PageUnreadable:
            # In a thread: these may be long pages.
            max_tokens = int(reading.max_tokens * reading.share)
            made, remarks = await asyncio.to_thread(beginnings, sources, max_tokens), (_NO_PASSAGES,)
        for number, digest in zip(numbers, made, strict=True):
            digests[number] = (
                digest if digest.duplicate_of is None else replace(digest, duplicate_of=numbers[digest.duplicate_of])
            )
        return digests, remarks

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the pages of a search are read: for which query, until when, within which budget, and for which caller."""

    query: Query
    ages: AgeFilter
    deadline: Deadline
    max_tokens: int
    share: float
    progress: Progress
    caller: Principal
    hold: Hold
    watcher: SearchWatcher


@dataclass(frozen=True, slots=True)
class _Times:
    """How long finding took, and the whole search."""

    search_ms: int
    total_ms: int


def source_of(page: Page) -> Source:
    """A page as a source for passage retrieval."""
    return Source(page.text, page.title, page.final_url or page.url, page.facts.description)


def beginnings(sources: Sequence[Source], max_tokens: int) -> tuple[Digest, ...]:
    """The beginning of each page, within a budget over all of them; 0 to cut nothing."""
    if not max_tokens:
        return tuple(Digest(source.text) for source in sources)
    granted = divide_budget([estimate_tokens(source.text[: 4 * max_tokens]) for source in sources], max_tokens)
    return tuple(Digest(truncate(source.text, tokens)) for source, tokens in zip(sources, granted, strict=True))


def _unread(placed: Placed) -> Page:
    return Page(placed.hit.url, Status.NOT_FETCHED, final_url=placed.hit.url)


def _result(placed: Placed, page: Page, digest: Digest | None = None, *, ages: AgeFilter) -> Result:
    remarks = ((placed.remark,) if placed.remark else ()) + (_remarks(page, digest) if digest else ())
    timing = ages.judge(placed.hit, page)
    return Result(placed.hit, page, 1.0, digest, placed.found_by, placed.indexes, remarks=remarks, timing=timing)


def _remarks(page: Page, digest: Digest) -> tuple[str, ...]:
    off_topic = (OFF_TOPIC,) if digest.is_off_topic and digest.text != page.text else ()
    return (*(f"sorted down: {issue}" for issue in digest.quality_issues), *off_topic)


def _drop_duplicates(results: Sequence[Result]) -> list[Result]:
    """Only the first of near-duplicate results, which names the others."""
    others: dict[int, list[str]] = {}
    for result in results:
        if result.digest and result.digest.duplicate_of is not None:
            others.setdefault(result.digest.duplicate_of, []).append(result.hit.url)
    return [
        replace(result, duplicates=tuple(others.get(number, ())))
        for number, result in enumerate(results)
        if result.digest is None or result.digest.duplicate_of is None
    ]


def _sort(results: Sequence[Result]) -> list[Result]:
    """In the order of fusion, but poor pages after the others, and unread pages last."""
    return sorted(
        results, key=lambda result: (_is_failure(result.page), bool(result.digest and result.digest.quality_issues))
    )


def _select(ranked: Sequence[Result], ages: AgeFilter) -> tuple[list[Result], tuple[str, ...]]:
    """The results with their scores, without those of another time, and a remark on these."""
    kept = ages.select(ranked, [result.timing for result in ranked])
    scored = [replace(result, score=_score(rank)) for rank, result in enumerate(kept)]
    return scored, ages.describe_left_out(len(ranked) - len(kept))


def _score(rank: int) -> float:
    return round(1 / (1 + 0.1 * rank), 3)


def _outcome(
    query: Query, findings: Findings, results: Sequence[Result], warnings: tuple[str, ...], times: _Times
) -> SearchOutcome:
    pages = [result.page for result in results]
    # Near-duplicates were read as well.
    read = sum(page.status.readable for page in pages) + sum(len(result.duplicates) for result in results)
    failed = sum(map(_is_failure, pages))
    found = [answer for _, answer in findings.answers]
    return SearchOutcome(
        query=query,
        engine=findings.providers[0],
        results=tuple(results),
        attempts=findings.attempts,
        answers=tuple(dict.fromkeys(chain.from_iterable(each.answers for each in found))),
        suggestions=tuple(dict.fromkeys(chain.from_iterable(each.suggestions for each in found))),
        warnings=warnings,
        stats=Stats(times.search_ms, times.total_ms, pages_read=read, pages_failed=failed),
        freshness=findings.freshness,
        providers=findings.providers,
        instances=found[0].instances,
    )


def _warnings(pages: Sequence[Page]) -> tuple[str, ...]:
    """Warnings of the readers, each once: a rejected key fails at every page in the same words."""
    return tuple(dict.fromkeys(f"while reading pages, {warning}" for page in pages for warning in page.warnings))


def _describe_outage(errors: Sequence[ProviderError]) -> str:
    """One sentence if no provider that was asked could be reached, else nothing.

    No public instance is known without the network either.
    """
    asked = {type(error): error for error in reversed(errors) if error.was_asked}
    if not {Unreachable} <= asked.keys() <= {Unreachable, NoInstance}:
        return ""
    first, is_alone = asked[Unreachable], len({error.provider for error in errors}) == 1
    what = str(first) if is_alone else f"Nothing could be reached ({first.detail})"
    return f"{what}. {_CHECK_NETWORK}"


def _describe_blocked(count: int) -> tuple[str, ...]:
    left_out = count_noun(count, "result was left out: its site is", "results were left out: their sites are")
    return (f"{left_out} on the list DOWSE_BLOCK",) if count else ()


def _is_failure(page: Page) -> bool:
    return not page.status.readable and page.status is not Status.NOT_FETCHED
