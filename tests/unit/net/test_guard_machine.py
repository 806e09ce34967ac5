from __future__ import annotations

from ipaddress import ip_address
from types import SimpleNamespace

import ifaddr
import pytest

from dowse.net.guard import Address, OwnAddresses, interface_addresses
from tests.fakes import FakeClock


def test_addresses_of_this_machine_hold_its_loopback() -> None:
    assert ip_address("127.0.0.1") in interface_addresses()


def test_all_addresses_of_all_interfaces_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = [
        SimpleNamespace(ips=[SimpleNamespace(ip="192.0.2.7"), SimpleNamespace(ip=("fe80::1", 0, 4))]),
        SimpleNamespace(ips=[SimpleNamespace(ip=("2606:4700::7", 0, 0)), SimpleNamespace(ip="no address")]),
        SimpleNamespace(ips=[]),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    assert interface_addresses() == set(map(ip_address, ("192.0.2.7", "fe80::1", "2606:4700::7")))


def test_sandbox_that_hides_the_interfaces_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError

    monkeypatch.setattr(ifaddr, "get_adapters", refuse)
    assert interface_addresses() == frozenset()


def test_addresses_are_asked_for_again_after_half_a_minute(clock: FakeClock) -> None:
    here, there = ip_address("192.0.2.7"), ip_address("192.0.2.8")
    answers: list[frozenset[Address]] = [frozenset([here]), frozenset([there])]
    own = OwnAddresses(clock, lambda: answers.pop(0))

    assert here in own
    clock.advance(29.9)
    assert here in own
    assert there not in own
    clock.advance(0.1)
    assert there in own
    assert here not in own
