"""No denied address is ever dialled, however it is spelled; controls show what would be reached."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.wire_errors import WireDenied, WireFailed
from dowse.net.guard import Guard, is_closed, is_public, parse_address
from tests.fakes.wire import BuildClient as Build

pytestmark = pytest.mark.promise("ssrf-addresses")

LOOPBACK_SPELLINGS = [
    # B1, numeric
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "017700000001",
    "0177.1",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "127.0.0.01",
    "00000177.0.0.1",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    # B2, mapped
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    # B8, Unicode
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    # B10, tab and newline inside
    "127.0\t.0\n.1",
]
OTHER_LITERALS = [
    # B2, compatible and translated; B3, transition
    "[::7f00:1]",
    "[::ffff:0:7f00:1]",
    "[2002:7f00:1::]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[2001:0:7f00:1::]",
    "[2606:4700::5efe:7f00:1]",
    "[2606:4700::200:5efe:a00:1]",
    # B5, unspecified, broadcast, multicast
    "[::]",
    "[::1]",
    "255.255.255.255",
    "239.255.255.250",
    "224.0.0.1",
    "[ff02::1]",
    # B6, private, CGNAT, link-local, metadata
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "169.254.169.254",
    "169.254.170.2",
    "192.0.0.192",
    "168.63.129.16",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "[fe80::1]",
    "[fec0::1]",
    "0xa9fea9fe",
    "2852039166",
    # documentation, benchmarking, reserved
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "240.0.0.1",
    "192.88.99.1",
    "[2001:db8::1]",
    "[100::1]",
    "[4000::1]",
]
UNPARSABLE = [
    # B4, zone ids; B10 and B11
    "[fe80::1%25lo]",
    "[fe80::1%lo]",
    "[::1%25@h]",
    "[v1.x]",
    "256.1.1.1",
    "1.2.3.4.5",
    "127.0.0.1:65536",
    "a:b@127.0.0.1:80:81",
    "127.0.0.1\x00.example.com",
]


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("host", LOOPBACK_SPELLINGS)
async def test_spelling_of_loopback_reaches_nothing(host: str, canary, client: Build) -> None:
    """Acceptance case 47."""
    url = f"http://{host}:{canary.port}/"
    with pytest.raises(WireDenied):
        await client().get(url, timeout_s=30, max_bytes=100)
    assert canary.connections == 0

    pairs = [f"{name}:{canary.port}" for name in ("127.0.0.1", "0.0.0.0", "[::ffff:7f00:1]")]
    control = await client(*pairs).get(url, timeout_s=30, max_bytes=100)
    assert (control.body, canary.connections) == (b"secret", 1)


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("host", LOOPBACK_SPELLINGS + OTHER_LITERALS + UNPARSABLE)
async def test_denied_literal_is_not_dialled(host: str, dials: list[str], client: Build) -> None:
    """Acceptance case 47."""
    with pytest.raises(WireDenied):
        await client().get(f"http://{host}/", timeout_s=30, max_bytes=100)
    assert dials == []


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("host", LOOPBACK_SPELLINGS + OTHER_LITERALS)
async def test_name_that_leads_to_a_denied_address_is_not_dialled(host: str, dials: list[str], client: Build) -> None:
    """Acceptance case 47. The answer of the DNS is judged, not the name (`127.0.0.1.nip.io`, a CNAME to the inside)."""
    literal = Guard((f"{host}:80",)).judge(f"http://{host}:8080/").host.strip("[]")
    names = {"127.0.0.1.nip.io": [[literal]]}

    with pytest.raises(WireDenied):
        await client(names=names).get("http://127.0.0.1.nip.io/", timeout_s=30, max_bytes=100)
    assert dials == []

    address = parse_address(literal)
    assert address is not None
    if not is_closed(address):
        with pytest.raises(WireFailed):
            await client("127.0.0.1.nip.io:80", names=names).get(
                "http://127.0.0.1.nip.io/", timeout_s=30, max_bytes=100
            )
        assert [parse_address(dialled) for dialled in dials] == [address]


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700::1111]", "[::ffff:8.8.8.8]", "0x08080808"])
async def test_public_address_is_dialled(host: str, dials: list[str], client: Build) -> None:
    """The control of all cases above: the recorder sees a dial when there is one."""
    with pytest.raises(WireFailed):
        await client().get(f"http://{host}/", timeout_s=30, max_bytes=100)
    assert len(dials) == 1


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1%1", "fd00:ec2::254", "100.100.100.200"])
async def test_metadata_address_is_not_dialled_even_for_an_opened_pair(
    address: str, dials: list[str], client: Build
) -> None:
    """Acceptance case 47, the override: it opens private hosts, never credentials."""
    names = {"wiki": [[address]]}

    with pytest.raises(WireDenied):
        await client("wiki:80", names=names).get("http://wiki/", timeout_s=30, max_bytes=100)

    assert dials == []


def _spellings(address: IPv4Address) -> list[str]:
    """The forms `inet_aton` knows: one to four parts, each decimal, octal or hexadecimal."""
    number = int(address)
    octets = list(address.packed)
    part_lists = [
        [number],
        [octets[0], number & 0xFF_FFFF],
        [octets[0], octets[1], number & 0xFFFF],
        octets,
    ]
    formats: list[Callable[[int], str]] = [str, lambda part: f"0{part:o}", hex, lambda part: f"0X00{part:X}"]
    return [".".join(form(part) for part in parts) for parts in part_lists for form in formats]


@given(st.ip_addresses(v=4))
def test_every_spelling_of_an_ipv4_address_is_judged_like_the_address(address: IPv4Address) -> None:
    for spelling in _spellings(address):
        assert Guard().judge(f"http://{spelling}/").host == str(address)


@given(
    st.one_of(
        st.ip_addresses(network=block)
        for block in ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12")
    )
    | st.one_of(st.ip_addresses(network=block) for block in ("192.0.0.0/24", "192.168.0.0/16", "224.0.0.0/3"))
)
async def test_any_spelling_of_a_denied_ipv4_address_is_denied(address: IPv4Address) -> None:
    guard = Guard()
    assert not is_public(address)
    for spelling in _spellings(address):
        with pytest.raises(WireDenied):
            await guard.resolve(guard.judge(f"http://{spelling}/"))
