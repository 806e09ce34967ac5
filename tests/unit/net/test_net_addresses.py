from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.net.addresses import is_closed, is_public, parse_address

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001:80e::200e",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2620:4f:8001::1",
    "::ffff:8.8.8.8",
    "2600::5efe:8.8.8.8",
    "3ffe::1",
]
DENIED = [
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.0.170",
    "192.0.0.171",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "192.175.48.1",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.0",
    "239.255.255.250",
    "240.0.0.0",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::7f00:1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:7f00:1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1:a9fe:a9:fe00::",
    "100::1",
    "100:0:0:1::1",
    "5f00::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:1ff:ffff::1",
    "2001:2::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "2620:4f:8000::1",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:10.0.0.1",
    "2606:4700::5efe:169.254.169.254",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
]
CLOSED = [
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fe80::1",
    "::1%lo",
    "::ffff:169.254.169.254",
    "::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1:a9fe:a9:fe00::",
    "2002:a9fe:a9fe::",
    "2001:0:a9fe:a9fe::",
    "2001:0:4136:e378:8000:63bf:5601:5601",
    "2606:4700::5efe:a9fe:a9fe",
]
OPENABLE = [
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "fc00::1",
    "::ffff:10.0.0.1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_may_be_dialled(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", DENIED)
def test_special_purpose_address_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", CLOSED)
def test_link_local_and_metadata_stay_closed_in_every_wrapping(address: str) -> None:
    assert is_closed(ip_address(address))


@pytest.mark.parametrize("address", OPENABLE)
def test_private_address_can_be_opened_by_the_operator(address: str) -> None:
    assert not is_closed(ip_address(address))
    assert not is_public(ip_address(address))


@given(st.ip_addresses(v=4))
def test_mapped_form_is_judged_like_the_ipv4_address_inside(address: IPv4Address) -> None:
    assert is_public(IPv6Address(f"::ffff:{address}")) == is_public(address)


@given(st.ip_addresses())
def test_what_stays_closed_as_ipv4_is_never_public(address: IPv4Address | IPv6Address) -> None:
    if isinstance(address, IPv4Address) and is_closed(address):
        assert not is_public(address)


@given(st.ip_addresses(v=6))
def test_only_the_global_unicast_block_or_a_mapped_form_is_public(address: IPv6Address) -> None:
    if is_public(address):
        assert int(address) >> 125 == 1 or address.ipv4_mapped is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1", IPv4Address("127.0.0.1")),
        ("[::1]", IPv6Address("::1")),
        ("::1", IPv6Address("::1")),
        ("example.com", None),
        ("", None),
    ],
)
def test_host_is_read_as_an_address_or_as_a_name(text: str, expected: IPv4Address | IPv6Address | None) -> None:
    assert parse_address(text) == expected
