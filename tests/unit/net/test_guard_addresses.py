from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from hypothesis import given
from hypothesis import strategies as st

from dowse.net.guard import behind, is_closed, is_public, parse_address
from tests.support.tables import each_row

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
    "2600::5efe:168.63.129.17",
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


# As IANA lists them, and one of a cloud; the first and the last lines of IPv6 are all that is not global unicast.
BLOCKS = [
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
    *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4"),
    *("::/3", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    *("4000::/3", "6000::/3", "8000::/1"),
]
NETWORKS = [ip_network(block) for block in BLOCKS]


@each_row("block", NETWORKS)
def test_block_is_denied_from_its_first_address_to_its_last(block: IPv4Network | IPv6Network) -> None:
    first, last = block.network_address, block.broadcast_address
    for address in (first, last, first + block.num_addresses // 2, first + block.num_addresses // 3):
        assert not is_public(address)
        if block.version == 4:
            assert not is_public(ip_address(f"::ffff:{address}"))


@each_row("block", NETWORKS)
def test_neighbours_of_a_block_are_public_unless_another_block_has_them(block: IPv4Network | IPv6Network) -> None:
    space = IPv4Address if block.version == 4 else IPv6Address
    before, behind = int(block.network_address) - 1, int(block.broadcast_address) + 1
    neighbours = [space(number) for number in (before, behind) if 0 <= number < 2**block.max_prefixlen]
    for address in neighbours:
        assert is_public(address) != any(address in other for other in NETWORKS if other.version == block.version)


@each_row("address", PUBLIC)
def test_public_address_may_be_dialled(address: str) -> None:
    assert is_public(ip_address(address))


@each_row("address", DENIED)
def test_special_purpose_address_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@each_row("address", CLOSED)
def test_link_local_and_metadata_stay_closed_in_every_wrapping(address: str) -> None:
    assert is_closed(ip_address(address))


@each_row("address", OPENABLE)
def test_private_address_can_be_opened_by_the_operator(address: str) -> None:
    assert not is_closed(ip_address(address))
    assert not is_public(ip_address(address))


CLOSED_BLOCKS = [
    *("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32"),
    *("fe80::/10", "fd00:ec2::23/128", "fd00:ec2::254/128", "fd20:ce::254/128"),
]


@each_row("block", [ip_network(block) for block in CLOSED_BLOCKS])
def test_closed_block_ends_where_it_ends(block: IPv4Network | IPv6Network) -> None:
    first, last = block.network_address, block.broadcast_address
    assert is_closed(first)
    assert is_closed(last)
    assert is_closed(first + block.num_addresses // 2)
    assert not is_closed(first - 1)
    assert not is_closed(last + 1)


# RFC 6052, section 2.4: one IPv4 address below a prefix of each length.
NAT64 = {
    "2001:db8::/32": "2001:db8:c000:221::",
    "2001:db8:100::/40": "2001:db8:1c0:2:21::",
    "2001:db8:122::/48": "2001:db8:122:c000:2:2100::",
    "2001:db8:122:300::/56": "2001:db8:122:3c0:0:221::",
    "2001:db8:122:344::/64": "2001:db8:122:344:c0:2:2100::",
    "2001:db8:122:344::/96": "2001:db8:122:344::192.0.2.33",
}


@each_row(("prefix", "address"), NAT64.items())
def test_ipv4_address_is_found_below_a_nat64_prefix_of_any_length(prefix: str, address: str) -> None:
    prefixes = [IPv6Network("2001:db9::/32"), IPv6Network(prefix)]
    assert behind(ip_address(address), prefixes) == IPv4Address("192.0.2.33")
    assert behind(ip_address(address), prefixes[:1]) == ip_address(address)


@each_row(
    ("address", "answering"),
    [
        ("8.8.8.8", "8.8.8.8"),
        ("2606:4700::1111", "2606:4700::1111"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("64:ff9b::10.0.0.1%eth0", "64:ff9b::10.0.0.1%eth0"),
        ("64:ff9b::10.0.0.1", "10.0.0.1"),
    ],
)
def test_other_addresses_answer_for_themselves(address: str, answering: str) -> None:
    assert behind(ip_address(address), [IPv6Network("64:ff9b::/96")]) == ip_address(answering)


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


@each_row(
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
