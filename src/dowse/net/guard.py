"""SSRF guard: judges a URL and every address of its host before anything is dialled."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cached_property, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Protocol

from dowse.core import urls
from dowse.core.models import Clock
from dowse.core.runtime import SystemClock
from dowse.core.urls import Url
from dowse.core.wire_errors import HostNotFound, WireDenied

_SCHEMES = ("http", "https")
_PORTS = (80, 443, 8000, 8080, 8443)
_MAX_HOST_CHARS = 253
_METADATA_NAMES = ("metadata.", "instance-data")
_OWNER = "the person who runs this server"
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

Address = IPv4Address | IPv6Address

# IANA special-purpose registry; 168.63.129.16 is Azure's virtual host service on an otherwise public address.
_DENIED_V4 = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("127.0.0.0/8"),
    IPv4Network("168.63.129.16/32"),
    IPv4Network("169.254.0.0/16"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.0.2.0/24"),
    IPv4Network("192.31.196.0/24"),
    IPv4Network("192.52.193.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("192.168.0.0/16"),
    IPv4Network("192.175.48.0/24"),
    IPv4Network("198.18.0.0/15"),
    IPv4Network("198.51.100.0/24"),
    IPv4Network("203.0.113.0/24"),
    IPv4Network("224.0.0.0/4"),
    IPv4Network("240.0.0.0/4"),
)
# Everything outside 2000::/3 is denied by construction: loopback, NAT64, ULA, link-local, multicast, v4-compatible.
_GLOBAL_V6 = IPv6Network("2000::/3")
_DENIED_V6 = (
    IPv6Network("2001::/23"),
    IPv6Network("2001:db8::/32"),
    IPv6Network("2002::/16"),
    IPv6Network("2620:4f:8000::/48"),
    IPv6Network("3fff::/20"),
)
# Cloud metadata services hold credentials, so not even an operator's allow list opens them.
_CLOSED_V4 = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("100.100.100.200/32"),
    IPv4Network("192.0.0.192/32"),
    IPv4Network("168.63.129.16/32"),
)
_CLOSED_V6 = (
    IPv6Network("fe80::/10"),
    IPv6Network("fd00:ec2::23/128"),
    IPv6Network("fd00:ec2::254/128"),
    IPv6Network("fd20:ce::254/128"),
)
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
_LOW_32 = 0xFFFF_FFFF
# The pages of a minute come from few addresses, and parsing one costs as much as the rest of the guard.
_remembered = lru_cache(maxsize=512)


@_remembered
def parse_address(text: str) -> Address | None:
    """Parse an address in canonical spelling, brackets allowed; `None` for a name."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


@_remembered
def is_public(ip: Address) -> bool:
    """Whether a host on the public internet can have this address."""
    if isinstance(ip, IPv4Address):
        return not any(ip in block for block in _DENIED_V4)
    if ip.scope_id is not None:
        return False
    if ip.ipv4_mapped is not None:
        return is_public(ip.ipv4_mapped)
    if ip not in _GLOBAL_V6 or any(ip in block for block in _DENIED_V6):
        return False
    # ISATAP tunnels to the IPv4 address in its low half, under a prefix that looks global.
    is_isatap = (int(ip) >> 32) & _LOW_32 in _ISATAP
    return not is_isatap or is_public(_low_ipv4(ip))


def is_closed(ip: Address) -> bool:
    """Whether the address is closed by any settings: link-local and cloud metadata, in any embedding."""
    if isinstance(ip, IPv4Address):
        return any(ip in block for block in _CLOSED_V4)
    if ip.scope_id is not None or any(ip in block for block in _CLOSED_V6):
        return True
    # The low half covers mapped, compatible, translated, NAT64 and ISATAP forms. That it also hits an unrelated
    # address whose low half looks link-local is fine: only allowed pairs of an operator are checked here.
    inner = (_low_ipv4(ip), _nat64(ip, 48), ip.sixtofour, *(ip.teredo or ()))
    return any(is_closed(embedded) for embedded in inner if embedded is not None)


def behind(ip: Address, nat64_prefixes: Iterable[IPv6Network]) -> Address:
    """The effective address: the IPv4 address inside a mapped or NAT64 form, otherwise `ip` itself."""
    if isinstance(ip, IPv4Address) or ip.scope_id is not None:
        return ip
    prefix = next((prefix for prefix in nat64_prefixes if ip in prefix), None)
    if prefix is not None:
        return _nat64(ip, prefix.prefixlen)
    return ip.ipv4_mapped or ip


def _low_ipv4(ip: IPv6Address) -> IPv4Address:
    return IPv4Address(int(ip) & _LOW_32)


def _nat64(ip: IPv6Address, prefix_length: int) -> IPv4Address:
    """RFC 6052: the four octets after the prefix, without the ninth octet of the address, which is always zero."""
    octets = ip.packed[:8] + ip.packed[9:]
    start = prefix_length // 8 if prefix_length <= 64 else 11
    return IPv4Address(octets[start : start + 4])


# A laptop changes its network now and then; listing costs a system call per interface.
_INTERFACES_S = 30.0


def interface_addresses() -> frozenset[Address]:
    """The addresses of all interfaces; empty where a sandbox forbids to list them.

    Binding or dialling an address would prove nothing: some networks route every address to the machine.
    """
    import ifaddr

    try:
        ips = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips]
    except OSError:
        return frozenset()
    # An IPv6 address is a tuple with its flow and zone.
    found = (parse_address(ip if isinstance(ip, str) else ip[0]) for ip in ips)
    return frozenset(address for address in found if address is not None)


class OwnAddresses:
    """Addresses of this machine, refreshed from time to time: a page must not reach other listeners on it."""

    def __init__(self, clock: Clock, enumerate_now: Callable[[], frozenset[Address]] = interface_addresses) -> None:
        self._clock = clock
        self._enumerate_now = enumerate_now
        self._known: frozenset[Address] = frozenset()
        self._until = float("-inf")

    def __contains__(self, address: Address) -> bool:
        now = self._clock.now()
        if now >= self._until:
            self._known, self._until = self._enumerate_now(), now + _INTERFACES_S
        return address in self._known


_ours: set[tuple[str, int]] = set()


@contextmanager
def reserve_port(listener: socket.socket) -> Iterator[None]:
    """While inside, the guard denies the port of this listener, whatever the operator has allowed."""
    place = listener.getsockname()[:2]
    _ours.add(place)
    try:
        yield
    finally:
        _ours.discard(place)


def is_listening_port(port: int) -> bool:
    """Whether this process listens on the port, at any address."""
    return any(port == taken for _, taken in _ours)


class NameResolver(Protocol):
    """Resolves a name; a seam, so that tests own the DNS."""

    async def __call__(self, host: str, port: int) -> list[str]: ...


async def look_up(host: str, port: int) -> list[str]:
    """All addresses of a name in the order to try them; raises `OSError`.

    asyncio looks names up in its thread pool, and the end of a loop waits for that pool: a resolver that hangs would
    delay shutdown by half a minute. Daemon threads are not waited for.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def work() -> None:
        outcome = _look_up_now(host, port)
        if not loop.is_closed():
            loop.call_soon_threadsafe(_deliver, answer, outcome)

    threading.Thread(target=work, name="dowse-dns", daemon=True).start()
    return await answer


def _look_up_now(host: str, port: int) -> list[str] | OSError | UnicodeError:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as failure:  # a label that IDNA refuses is a UnicodeError
        return failure
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _deliver(answer: asyncio.Future[list[str]], outcome: list[str] | OSError | UnicodeError) -> None:
    if answer.done():
        return
    if isinstance(outcome, list):
        answer.set_result(outcome)
    else:
        answer.set_exception(outcome)


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
                may_be_disclosed = await self._may_be_disclosed(target)
        except (WireDenied, TimeoutError):
            return ""
        return target.href.partition("#")[0] if may_be_disclosed else ""

    @cached_property
    def stranger(self) -> Guard:
        """The same guard without the operator's allow list."""
        stranger = copy(self)
        stranger._allowed = frozenset()
        return stranger

    async def _may_be_disclosed(self, url: Url) -> bool:
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
        addresses = list(map(parse_address, answers))
        if not addresses:
            raise HostNotFound
        checked = [address for address in addresses if address is not None]
        if len(checked) != len(addresses):
            raise WireDenied
        return checked


def explain_denial(url: str) -> str:
    """Why the guard denies a URL, as far as its spelling tells, and how it can be opened."""
    parsed = urls.parse(url)
    if parsed is None or parsed.scheme not in _SCHEMES:
        return "only http and https addresses can be read"
    if parsed.has_userinfo:
        return "an address with a user name or a password is not read; leave them out"
    return _explain_place(parsed)


def _explain_place(url: Url) -> str:
    literal, name = parse_address(url.host), _name(url)
    if name.startswith(_METADATA_NAMES) or (literal and is_closed(literal)):
        return "link-local and cloud metadata addresses are never read"
    opening = f"{_OWNER} can open this one with DOWSE_ALLOW_PRIVATE={name}:{url.port}"
    if _is_denied_name(name) or (literal and not is_public(literal)):
        return f"private addresses are closed; {opening}"
    if url.port not in _PORTS:
        return f"port {url.port} is closed; {opening}"
    return (
        f"it leads to a private address, and these are closed; {_OWNER} can open one with DOWSE_ALLOW_PRIVATE=host:port"
    )


def _name(url: Url) -> str:
    return url.host.rstrip(".").lower()


def _is_denied_name(name: str) -> bool:
    if parse_address(name) is not None:
        return False
    is_single_label = "." not in name
    return is_single_label or name.startswith("metadata.") or name.endswith(_DENIED_ENDINGS)
