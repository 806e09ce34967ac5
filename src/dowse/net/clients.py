"""The two HTTP clients: one for endpoints from the settings, one for untrusted URLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from dowse.core import urls
from dowse.core.wire_errors import TooManyRedirects, WireFailed
from dowse.net.decode import ACCEPTED
from dowse.net.guard import Guard

if TYPE_CHECKING:
    from dowse.core.models import Validators


if TYPE_CHECKING:
    from ssl import SSLContext

    import aiohttp

    from dowse.core.urls import Url
    from dowse.net.guard import Address
    from dowse.net.upstream import UpstreamProxy

    OpenSession = Callable[[], aiohttp.ClientSession]

_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_NOT_MODIFIED = 304
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,application/json;q=0.8,*/*;q=0.5"
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True, slots=True)
class Reply:
    """Response of a configured endpoint; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Fetched:
    """Response of the last redirect hop; `body` is empty unless the status is a success.

    `is_unchanged` says that a conditional request was answered with 304.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_unchanged: bool = False


class ConfiguredClient:
    """The configured client, for endpoints from the settings: any address, carries keys, follows no redirect.

    `open_session` replaces the session of pooled connections; `proxy` is the proxy that all connections pass.
    """

    def __init__(
        self, user_agent: str, open_session: OpenSession | None = None, *, proxy: UpstreamProxy | None = None
    ) -> None:
        self.proxy = proxy
        self._user_agent = user_agent
        self._open_session = open_session
        self._session: aiohttp.ClientSession | None = None

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None = None,
        json: object | None = None,
        form: Mapping[str, str] | None = None,
        timeout_s: float,
        max_bytes: int = 5_000_000,
        is_enough: Callable[[bytes], bool] | None = None,
        codings: str = ACCEPTED,
    ) -> Reply:
        """Send one request; a redirect is an answer too. `timeout_s` bounds all of it, `codings` are offered.

        `is_enough` receives every piece of the body, and returns true to stop reading before the end.
        """
        from dowse.net import wire

        endpoint = urls.parse_web(url)
        if endpoint is None:
            raise WireFailed("the endpoint is not a valid address")
        async with wire.exchange(timeout_s):
            response = await self._open().request(
                method,
                wire.request_target(endpoint),
                headers={"User-Agent": self._user_agent, "Accept-Encoding": codings, **headers},
                params=params,
                json=json,
                data=form,
                allow_redirects=False,
            )
            try:
                body = await wire.read_body(response, max_bytes, is_enough, codings)
            finally:
                # Closes the connection if the body was not read to its end; otherwise the pool has it back already.
                response.close()
            return Reply(response.status, wire.read_headers(response), body)

    def prepare(self) -> None:
        """Import aiohttp and open the session ahead of the first request."""
        self._open()

    async def close(self) -> None:
        """Close the pooled connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            from dowse.net import wire

            self._session = self._open_session() if self._open_session else wire.open_pooled_session(self.proxy)
        return self._session


class UntrustedClient:
    """Client of untrusted URLs: the SSRF guard judges and resolves each redirect hop before it is dialled."""

    def __init__(
        self,
        guard: Guard,
        user_agent: str,
        *,
        tls: SSLContext | None = None,
        open_session: OpenSession | None = None,
        proxy: UpstreamProxy | None = None,
    ) -> None:
        self._guard = guard
        self._proxy = proxy
        self._user_agent = user_agent
        self._tls = tls
        self._open_session = open_session
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self,
        url: str,
        *,
        timeout_s: float,
        max_bytes: int,
        accept: str = _ACCEPT,
        earlier: Earlier | None = None,
        headers: Mapping[str, str] | None = None,
        follows: bool = True,
    ) -> Fetched:
        """The response after at most five redirect hops; `timeout_s` bounds all of them together.

        `headers` override the client's own and go to every hop, so they must hold no secret of a single host.
        Without `follows` the first redirect is the response, with its `location`.
        """
        target = self._guard.judge(url)
        from dowse.net import wire

        async with wire.exchange(timeout_s):
            for _ in range(_MAX_REDIRECTS + 1):
                # Also for a pooled connection: the name may resolve to another address by now.
                addresses = await self._guard.resolve(target)
                conditions = earlier.conditions(target.href) if earlier else {}
                own = {"User-Agent": self._user_agent, "Accept": accept, **conditions}
                answer = await self._hop(target, addresses, _merge_headers(headers or {}, own), max_bytes)
                if not follows or answer.status not in _REDIRECTS or "location" not in answer.headers:
                    # A 304 to an unconditional request says nothing about the earlier copy.
                    return replace(answer, is_unchanged=bool(conditions) and answer.status == _NOT_MODIFIED)
                target = self._guard.judge(answer.headers["location"], base=target.href)
            raise TooManyRedirects

    async def close(self) -> None:
        """Close the pooled connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _hop(self, target: Url, addresses: list[Address], headers: Mapping[str, str], max_bytes: int) -> Fetched:
        from dowse.net import wire

        if self._session is None:
            open_session = self._open_session or partial(wire.open_pinned_session, self._tls, self._proxy)
            self._session = open_session()
        response = await wire.get(self._session, target, addresses, headers)
        try:
            # Of a failure only the status counts; its body could only turn it into a timeout or a size error.
            succeeded = 200 <= response.status < 300
            body = await wire.read_body(response, max_bytes) if succeeded else b""
        finally:
            # Closes the connection if the body was not read to its end; otherwise the pool has it back already.
            response.close()
        received = wire.read_headers(response)
        if "location" in received:
            received = {**received, "location": _ascii(received["location"])}
        return Fetched(target.href, response.status, received, body)


def _merge_headers(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """The headers of both; for the same name, in any case, that of `first`."""
    names = set(map(str.lower, first))
    return {**first, **{name: value for name, value in second.items() if name.lower() not in names}}


def _ascii(location: str) -> str:
    """Percent-encode non-ASCII bytes as a browser does, whatever their charset."""
    return quote(location, safe=_PRINTABLE, errors="surrogateescape")


_LONGEST_VALUE = 1000
# As a condition it matches anything.
_ANYTHING = "*"


@dataclass(frozen=True, slots=True)
class Earlier:
    """Conditional request (RFC 9110, section 13): URL and validators of an earlier copy of a page."""

    url: str
    validators: Validators

    def conditions(self, url: str) -> dict[str, str]:
        """Conditional headers for a request to this URL; none for another URL, or if a validator is malformed."""
        if _document(url) != _document(self.url):
            return {}
        given = {"If-None-Match": self.validators.etag, "If-Modified-Since": self.validators.last_modified}
        conditions = {name: value for name, value in given.items() if value}
        return conditions if all(map(_is_sendable, conditions.values())) else {}


def _document(url: str) -> str:
    return url.partition("#")[0]


def _is_sendable(value: str) -> bool:
    """Whether a validator may be sent back: one short line, which aiohttp accepts too."""
    return len(value) <= _LONGEST_VALUE and value.isascii() and value.isprintable() and value != _ANYTHING
