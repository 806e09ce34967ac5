"""Public SearXNG instances: at most two are asked for a query, in rotation, politely and without trust."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from dowse.core import urls
from dowse.core.errors import (
    BadAnswer,
    Blocked,
    NoInstance,
    ProviderError,
    RateLimited,
    Redirected,
    Skipped,
    Unavailable,
)
from dowse.core.models import Clock, Deadline, Found, Query
from dowse.core.protocols import ListingReader
from dowse.core.wire_errors import WireError
from dowse.net.clients import Fetched, UntrustedClient
from dowse.net.json_api import retry_after_s, wire_failure
from dowse.net.json_fields import parse_json
from dowse.providers.disclosure import Disclosure
from dowse.providers.limits import fit
from dowse.providers.politeness import Manners
from dowse.providers.searxng.instance import Instance, Misbehaviour
from dowse.providers.searxng.pool import InstancePool
from dowse.providers.searxng.protocol import (
    Preferences,
    SearxngAnswer,
    check,
    from_json,
    from_listing,
    gather,
    health_address,
    parameters,
    read_page,
    search_address,
    web_page,
)
from dowse.providers.searxng.several import Failures, Misbehaved, ask_in_turn, summarise
from dowse.settings.providers import SEARXNG_POOL as SPEC

MAX_BYTES = 1_000_000
_MAX_PAGES = 2
_PROBE = Query("weather", num_results=1)
_ADVICE = "try again later, or set SEARXNG_URL to an instance of your own"
_REDIRECTS = (301, 302, 303, 307, 308)
_NO_PREFERENCES = Preferences()

# New in each process and never stored: the hashes cannot be searched for queries.
_SALT = secrets.token_bytes(32)
_WORD = re.compile(r"\w+")
# From here on scripts are written without blanks; two characters say as much as three letters.
_DENSE = "\u2e80"
_FEWEST_RESULTS = 3
_REMEMBERED = 5
_REMEMBERED_URLS = 500
_RELATED_SHARE = 0.2


class SearxngPool:
    """Search provider over the pool of public instances."""

    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(
        self, client: PublicClient, instances: InstancePool, disclosure: Disclosure, *, timeout_s: float
    ) -> None:
        self.timeout_s = timeout_s
        self.instances = instances
        self._client = client
        self._disclosure = disclosure
        self._fingerprints = Fingerprints()

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, SPEC.limits)

        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._ask(instance, query, deadline)

        found = await ask_in_turn(self.instances, ask, deadline, self._failure)
        return replace(found, warnings=warnings + self.instances.warnings() + found.warnings)

    async def _ask(self, instance: Instance, query: Query, deadline: Deadline) -> Found:
        self._disclosure.tell(f"the public SearXNG instance {urls.host_of(instance.url)}", self.name)
        visit = PublicVisit(self._client, instance.url, query, json=instance.json)

        def judge(answer: SearxngAnswer) -> None:
            self._check_honesty(instance, query, answer)
            check(self.name, query, answer)

        found = await gather(query, visit.get_page, judge, deadline, max_pages=_MAX_PAGES)
        if visit.json != instance.json and visit.json is not None:
            await self.instances.report_format(instance.url, json=visit.json)
        return found

    def _check_honesty(self, instance: Instance, query: Query, answer: SearxngAnswer) -> None:
        """Raise `Misbehaved` for odd links, and for results that were given to unrelated queries."""
        if answer.odd_links:
            raise Misbehaved(self.name, Misbehaviour.STRANGE_LINKS)
        fingerprint = Fingerprint.of(query.text, (found.url for found in answer.hits))
        if self._fingerprints.contradict(instance.url, fingerprint):
            raise Misbehaved(self.name, Misbehaviour.SAME_RESULTS)

    def _failure(self, failures: Failures) -> NoInstance:
        detail = f"{summarise(failures)}; {_ADVICE}"
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, detail, retry_after_s=wait_s, instances=tuple(failures))


@dataclass(frozen=True, slots=True)
class PublicClient:
    """Requests to public instances. Implements `pool.Prober`."""

    provider: str
    client: UntrustedClient
    manners: Manners
    listings: ListingReader
    clock: Clock
    check_timeout_s: float

    async def get(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        """Get a page, following one redirect within the host. Raises `Redirected` for one that leads out."""
        fetched = await self._hop(url, headers, deadline)
        if fetched.status not in _REDIRECTS:
            return fetched
        fetched = await self._hop(self._redirect_target(url, fetched.headers), headers, deadline)
        if fetched.status in _REDIRECTS:
            raise BadAnswer(self.provider, "it redirects again and again")
        return fetched

    async def ping(self, url: str) -> None:
        headers, deadline = self.manners.headers(), Deadline.after(self.clock, self.check_timeout_s)
        fetched = await self.get(health_address(url), headers, deadline)
        error = failure_of(self.provider, fetched, self.clock)
        # Instances without this page, or that hide it, are up to say so.
        if isinstance(error, RateLimited | Unavailable):
            raise error

    async def probe(self, url: str) -> bool:
        visit = PublicVisit(self, url, _PROBE, json=None)
        answer = await visit.get_page(1, Deadline.after(self.clock, self.check_timeout_s))
        if answer.odd_links:
            raise Misbehaved(self.provider, Misbehaviour.STRANGE_LINKS)
        check(self.provider, _PROBE, answer)
        return bool(visit.json)

    async def _hop(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        await self.manners.turn()
        timeout_s = deadline.remaining_s()
        if not timeout_s:
            raise Skipped(self.provider, "other instances were called until the deadline")
        try:
            return await self.client.get(url, timeout_s=timeout_s, max_bytes=MAX_BYTES, headers=headers, follows=False)
        except WireError as error:
            raise wire_failure(self.provider, error, timeout_s, too_large=BadAnswer) from error

    def _redirect_target(self, url: str, headers: Mapping[str, str]) -> str:
        """The target of a redirect; neither another host, nor plain http after https."""
        here, there = urls.parse(url), urls.parse(headers.get("location", ""), url)
        if here is None or there is None or there.host != here.host or there.scheme not in (here.scheme, "https"):
            raise Redirected(self.provider, "it redirects to another host")
        return there.href


class PublicVisit:
    """One query at one instance: the same browser headers for all of its requests.

    `json` says whether the instance answers in JSON, `None` as long as that is unknown.
    """

    def __init__(self, client: PublicClient, url: str, query: Query, *, json: bool | None) -> None:
        self.json = json
        self._client = client
        self._url = url
        self._query = query
        self._headers = client.manners.headers(language=query.language)

    async def get_page(self, number: int, deadline: Deadline) -> SearxngAnswer:
        """Get a page of results as JSON, or as the web page where JSON is refused."""
        refuses_json = self.json is False
        fetched = await self._get(number, deadline, as_json=not refuses_json)
        if fetched.status == 403 and not refuses_json:
            fetched = await self._get(number, deadline, as_json=False)
        if error := failure_of(self._client.provider, fetched, deadline.clock):
            raise error
        is_page = "html" in fetched.headers.get("content-type", "")
        answer = await self._from_page(fetched, deadline) if is_page else self._from_json(fetched)
        self.json = not is_page
        return answer

    async def _get(self, number: int, deadline: Deadline, *, as_json: bool) -> Fetched:
        query = urlencode(parameters(self._query, number, _NO_PREFERENCES, as_json=as_json))
        return await self._client.get(f"{search_address(self._url)}?{query}", self._headers, deadline)

    def _from_json(self, fetched: Fetched) -> SearxngAnswer:
        try:
            body = parse_json(fetched.body)
        except ValueError as error:
            raise BadAnswer(self._client.provider, "the body is neither JSON nor a web page") from error
        if not isinstance(body, dict):
            raise BadAnswer(self._client.provider, "the body is not a JSON object")
        return from_json(self._client.provider, body, self._query)

    async def _from_page(self, fetched: Fetched, deadline: Deadline) -> SearxngAnswer:
        body = web_page(fetched.url, fetched.headers, fetched.body)
        provider, reader = self._client.provider, self._client.listings
        listing = await read_page(provider, reader, body, self._query, timeout_s=deadline.remaining_s())
        return from_listing(provider, listing, self._query)


def failure_of(provider: str, fetched: Fetched, clock: Clock) -> ProviderError | None:
    """The error of a status, `None` for a success; 202 is a challenge page."""
    status, detail = fetched.status, f"HTTP {fetched.status}"
    if 200 <= status < 300 and status != 202:
        return None
    if status == 429:
        wait_s = retry_after_s(fetched.headers, clock)
        return RateLimited(provider, f"{detail} of its limiter", retry_after_s=wait_s, http_status=status)
    if status in (202, 401, 403):
        return Blocked(provider, f"{detail}: it does not serve programs", http_status=status)
    kind = Unavailable if status == 408 or status >= 500 else BadAnswer
    return kind(provider, detail, http_status=status)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Salted hashes of a query's word pieces and of its results."""

    pieces: frozenset[bytes]
    results: bytes

    @classmethod
    def of(cls, query: str, urls: Iterable[str]) -> Fingerprint:
        """The results count as a set."""
        distinct = sorted(set(urls))
        results = _hash("\n".join(distinct)) if len(distinct) >= _FEWEST_RESULTS else b""
        return cls(frozenset(map(_hash, _pieces(query))), results)

    def contradicts(self, other: Fingerprint) -> bool:
        """Whether the same results were given for queries with next to nothing in common."""
        if not self.results or self.results != other.results:
            return False
        fewer = min(len(self.pieces), len(other.pieces))
        return len(self.pieces & other.pieces) < _RELATED_SHARE * fewer


class Fingerprints:
    """The last fingerprints of each instance, in memory only: they are no history of searches."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, deque[Fingerprint]] = OrderedDict()

    def contradict(self, url: str, fingerprint: Fingerprint) -> bool:
        """Add a fingerprint; returns whether the instance gave the same results for an unrelated query."""
        seen = self._seen.setdefault(url, deque(maxlen=_REMEMBERED))
        found = any(map(fingerprint.contradicts, seen))
        seen.append(fingerprint)
        self._seen.move_to_end(url)
        while len(self._seen) > _REMEMBERED_URLS:
            self._seen.popitem(last=False)
        return found


def _pieces(query: str) -> Iterable[str]:
    """Pieces of three letters, so that `otter` and `otters` have some in common."""
    for word in _WORD.findall(query.casefold()):
        size = 2 if word[0] >= _DENSE else 3
        yield from (word[start : start + size] for start in range(max(1, len(word) - size + 1)))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8, key=_SALT).digest()
