"""IP addresses of the SSRF guard: public ones, always closed ones, and those of this machine.

The tables are kept here, since those of the standard library change with its version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from dowse.core.models import Clock

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
    """Whether the address is closed whatever the settings say: link-local and cloud metadata, in any embedding."""
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
_REMEMBERED_S = 30.0


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
            self._known, self._until = self._enumerate_now(), now + _REMEMBERED_S
        return address in self._known
