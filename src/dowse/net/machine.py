"""The addresses of this machine: a page that leads back to it would speak to whatever listens beside us."""

from __future__ import annotations

from collections.abc import Callable

from dowse.core.models import Clock
from dowse.net.addresses import Address, parse_address

# A laptop changes its network now and then; asking costs a system call per interface.
_REMEMBERED_S = 30.0


def interface_addresses() -> frozenset[Address]:
    """What is configured on the interfaces; empty where a sandbox does not let us ask.

    Whether an address can be bound or dialled would tell nothing: some networks route every address to the machine.
    """
    import ifaddr

    try:
        ips = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips]
    except OSError:
        return frozenset()
    # An IPv6 address comes with its flow and its zone.
    found = (parse_address(ip if isinstance(ip, str) else ip[0]) for ip in ips)
    return frozenset(address for address in found if address is not None)


class OwnAddresses:
    """A set of addresses that is looked up again from time to time."""

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
