"""SSRF guard: judges a URL and every address of its host before anything is dialled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import copy
from functools import cached_property
from ipaddress import IPv6Network
from typing import Protocol

from dowse.core import urls
from dowse.core.errors import WireDenied, WireFailed
from dowse.core.models import Clock
from dowse.core.runtime import SystemClock
from dowse.core.urls import Url
from dowse.net.addresses import Address, OwnAddresses, behind, interface_addresses, is_closed, is_public, parse_address
from dowse.net.sockets import is_listening_port, look_up

_SCHEMES = ("http", "https")
_PORTS = (80, 443, 8000, 8080, 8443)
_MAX_HOST_CHARS = 253
# Long enough for a resolver that retries after the usual five seconds.
_LOOK_UP_S = 6.0
# Pages of one site come in a row; whether its name may be disclosed does not change in between.
_REMEMBERED_S, _REMEMBERED_HOSTS = 10.0, 256
# Defence in depth: the address decides, but these names never mean a public page. They cover `*.svc.cluster.local` and
# `host.docker.internal` too; `metadata` and `instance-data` alone are single labels.
_DENIED_ENDINGS = (".localhost", ".local", ".internal")
# Names of private networks. They may be read if they resolve to a public address, but are never disclosed.
_HOME_ENDINGS = (
    ".lan",
    ".home",
    ".corp",
    ".intranet",
    ".private",
    ".localdomain",
    ".svc",
    ".consul",
    ".onion",
    ".arpa",
)


class HostNotFound(WireFailed):
    """The name has no address, so no other fetcher will find the page either."""

    def __init__(self) -> None:
        super().__init__("host not found")


class NameResolver(Protocol):
    """Resolves a name; a seam, so that tests own the DNS."""

    async def __call__(self, host: str, port: int) -> list[str]: ...


class Guard:
    """Judges URLs and addresses. Every refusal is the same `WireDenied`: reasons would map the network for a caller."""

    def __init__(
        self,
        allow_private: tuple[str, ...] = (),
        resolver: NameResolver = look_up,
        clock: Clock | None = None,
        *,
        nat64_prefixes: tuple[str, ...] = (),
        own_addresses: Callable[[], frozenset[Address]] = interface_addresses,
    ) -> None:
        self._allowed = frozenset(pair.lower() for pair in allow_private)
        self._resolver = resolver
        self._clock = clock or SystemClock()
        self._nat64 = tuple(map(IPv6Network, nat64_prefixes))
        self._own = OwnAddresses(self._clock, own_addresses)
        self._tellable: dict[str, tuple[float, bool]] = {}

    def judge(self, url: str, base: str = "") -> Url:
        """Parse a URL and check its spelling; `base` is the page of a redirect hop. Raises `WireDenied`."""
        parsed = urls.parse(url, base)
        if parsed is None or parsed.scheme not in _SCHEMES or parsed.has_userinfo:
            raise WireDenied
        # No name has an empty label, but one could hide an address from code that strips the dots.
        if len(_name(parsed)) > _MAX_HOST_CHARS or ".." in parsed.host:
            raise WireDenied
        if not self.opens(parsed) and (parsed.port not in _PORTS or _is_denied_name(_name(parsed))):
            raise WireDenied
        return parsed

    async def resolve(self, url: Url) -> list[Address]:
        """Look up the addresses to dial, once (against DNS rebinding); a single private one refuses the host."""
        literal = parse_address(url.host)
        addresses = [literal] if literal is not None else await self._look_up(url)
        for address in addresses:
            answering = behind(address, self._nat64)
            is_private = not is_public(answering) or answering in self._own
            if is_private and (is_closed(answering) or not self.opens(url) or self._is_us(answering, url.port)):
                raise WireDenied
        return addresses

    async def for_others(self, url: str, *, look_up_s: float = _LOOK_UP_S) -> str:
        """The URL to hand to a third party for fetching; empty for one that must not be disclosed.

        An address that only the allow list opens is private, so it is judged without the list. A name that is unknown
        here may be known elsewhere; one that takes too long may yet prove private. Fragments are left off: no server
        sees them.
        """
        try:
            target = self.stranger.judge(url)
            async with asyncio.timeout(look_up_s):
                may_be_told = await self._may_be_told(target)
        except (WireDenied, TimeoutError):
            return ""
        return target.href.partition("#")[0] if may_be_told else ""

    @cached_property
    def stranger(self) -> Guard:
        """The same guard without the operator's allow list."""
        stranger = copy(self)
        stranger._allowed = frozenset()
        return stranger

    async def _may_be_told(self, url: Url) -> bool:
        place, now = f"{_name(url)}:{url.port}", self._clock.now()
        known = self._tellable.get(place)
        if known is not None and now < known[0]:
            return known[1]
        answer = not _name(url).endswith(_HOME_ENDINGS) and await self._is_elsewhere(url)
        if len(self._tellable) >= _REMEMBERED_HOSTS:
            self._tellable.clear()
        self._tellable[place] = (now + _REMEMBERED_S, answer)
        return answer

    async def _is_elsewhere(self, url: Url) -> bool:
        """Whether all addresses of a name are public, or none is known."""
        try:
            await self.stranger.resolve(url)
        except WireDenied:
            return False
        except HostNotFound:
            # A host of the allow list is private until the name server says otherwise.
            return not self.opens(url)
        return True

    def opens(self, url: Url) -> bool:
        """Whether the operator's allow list has exactly this host and port."""
        return f"{_name(url)}:{url.port}" in self._allowed

    def _is_us(self, address: Address, port: int) -> bool:
        """Whether one of the server's own listeners would answer: a page must not call the server through itself."""
        is_here = address.is_loopback or address.is_unspecified or address in self._own
        return is_here and is_listening_port(port)

    async def _look_up(self, url: Url) -> list[Address]:
        try:
            answers = await self._resolver(url.host, url.port)
        except (OSError, UnicodeError) as error:
            raise HostNotFound from error
        addresses = [parse_address(answer) for answer in answers]
        if not addresses:
            raise HostNotFound
        checked = [address for address in addresses if address is not None]
        if len(checked) != len(addresses):
            raise WireDenied
        return checked


def _name(url: Url) -> str:
    return url.host.rstrip(".").lower()


def _is_denied_name(name: str) -> bool:
    if parse_address(name) is not None:
        return False
    is_single_label = "." not in name
    return is_single_label or name.startswith("metadata.") or name.endswith(_DENIED_ENDINGS)
