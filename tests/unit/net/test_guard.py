from __future__ import annotations

import asyncio
import re
import socket
from ipaddress import ip_address

import pytest

from dowse.core.wire_errors import HostNotFound, WireDenied
from dowse.net.guard import Address, Guard, explain_denial, is_public, reserve_port
from tests.fakes import FakeClock
from tests.support.tables import each_row

# As long as a name can be.
LONGEST = ".".join(["a" * 49] * 5) + ".com"
assert len(LONGEST) == 253


class Names:
    """A DNS of our own that counts what it is asked."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = {name.replace("_", "."): addresses for name, addresses in answers.items()}
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        if host.rstrip(".") not in self.answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return self.answers[host.rstrip(".")]


@each_row(
    ("url", "href"),
    [
        ("https://example.com/a?b=c", "https://example.com/a?b=c"),
        ("HTTP://EXAMPLE.com:80", "http://example.com/"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://example.com:8000/", "http://example.com:8000/"),
        ("http://example.com./", "http://example.com./"),
        ("http://metadatabase.com/", "http://metadatabase.com/"),
        ("http://notlocalhost.com/", "http://notlocalhost.com/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
        (f"http://{LONGEST}/", f"http://{LONGEST}/"),
        (f"http://{LONGEST}./", f"http://{LONGEST}./"),
        ("http://" + "a" * 63 + ".example.com/", "http://" + "a" * 63 + ".example.com/"),
    ],
)
def test_ordinary_url_passes_in_its_canonical_spelling(url: str, href: str) -> None:
    assert Guard().judge(url).href == href


@each_row(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "http://",
        "http:///",
        "http://user@example.com/",
        "http://:secret@example.com/",
        "http://example.com:22/",
        "http://example.com:6379/",
        "http://example.com:0/",
        "http://example.com:65536/",
        "https://example.com:10250/",
        "http://intranet/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://localhost../",
        "http://a.localhost/",
        "http://printer.local/",
        "http://x.internal/",
        "http://metadata/",
        "http://metadata.google.internal/",
        "http://metadata.example.com/",
        "http://api.default.svc.cluster.local/",
        "http://host.docker.internal/",
        "http://instance-data/",
        f"http://{LONGEST}a/",
        "http://" + ".".join(["a" * 60] * 5) + ".com/",
        "http://\ud800.example.com/",
    ],
)
def test_url_is_refused_by_its_spelling(url: str) -> None:
    with pytest.raises(WireDenied):
        Guard().judge(url)


def test_relative_redirect_is_judged_against_the_page_that_sent_it() -> None:
    assert Guard().judge("../c?d", base="https://example.com/a/b/").href == "https://example.com/a/c?d"
    assert Guard().judge("//other.example/", base="https://example.com/").href == "https://other.example/"


@each_row(
    ("pair", "url"),
    [
        ("wiki:80", "http://wiki/"),
        ("wiki:8888", "http://WIKI.:8888/"),
        ("localhost:3000", "http://localhost:3000/"),
        ("127.0.0.1:9200", "http://127.1:9200/"),
        ("[::1]:9200", "http://[0::1]:9200/"),
        ("WIKI.Internal:443", "https://wiki.internal/"),
    ],
)
async def test_allowed_pair_is_opened(pair: str, url: str) -> None:
    guard = Guard((pair,), Names(wiki=["10.0.0.5"], localhost=["127.0.0.1"], wiki_internal=["10.0.0.5"]))
    with pytest.raises(WireDenied):
        await Guard().resolve(Guard().judge(url))

    addresses = await guard.resolve(guard.judge(url))

    assert addresses
    assert not any(is_public(address) for address in addresses)


async def test_allowed_pair_opens_neither_another_port_nor_another_host() -> None:
    guard = Guard(("127.0.0.1:8080",))

    for url in ("http://127.0.0.1/", "http://127.0.0.1:8000/", "http://127.0.0.2:8080/", "http://[::1]:8080/"):
        with pytest.raises(WireDenied):
            await guard.resolve(guard.judge(url))


@each_row(
    "address",
    [
        "169.254.169.254",
        "169.254.10.10",
        "fe80::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd20:ce::254",
    ],
)
async def test_metadata_and_link_local_stay_closed_for_an_allowed_pair(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    guard = Guard((f"{host}:80", "wiki:80"), Names(wiki=[address]))

    for url in (f"http://{host}/", "http://wiki/"):
        with pytest.raises(WireDenied):
            await guard.resolve(guard.judge(url))


OWN = ip_address("93.184.216.34")


async def test_public_address_of_this_machine_is_refused_unless_its_pair_is_listed() -> None:
    """Whatever listens beside us is none of the web's business."""
    names = Names(here_example=["93.184.216.34"], there_example=["93.184.216.35"], mapped_example=["::ffff:5db8:d822"])

    def guard(*pairs: str, own: frozenset[Address] = frozenset([OWN])) -> Guard:
        return Guard(pairs, names, own_addresses=lambda: own)

    for url in (
        "http://93.184.216.34/",
        "http://here.example/",
        "http://mapped.example/",
        "http://[::ffff:5db8:d822]/",
    ):
        with pytest.raises(WireDenied):
            await guard().resolve(guard().judge(url))
        assert await guard(own=frozenset()).resolve(guard().judge(url))
    assert await guard().resolve(guard().judge("http://there.example/")) == [ip_address("93.184.216.35")]
    listed = guard("here.example:80")
    assert await listed.resolve(listed.judge("http://here.example/")) == [OWN]
    with pytest.raises(WireDenied):
        await listed.resolve(listed.judge("http://here.example:8080/"))


async def test_public_address_of_this_machine_is_not_disclosed() -> None:
    guard = Guard(("here.example:80",), Names(here_example=[str(OWN)]), own_addresses=lambda: frozenset([OWN]))
    assert await guard.for_others("http://here.example/") == ""


class Bound(socket.socket):
    """A socket with an address of the test's choice, which is bound to none."""

    port = 4711

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", self.port


@each_row("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", str(OWN), "192.168.1.4"])
async def test_our_own_listener_is_refused_even_where_the_operator_opened_it(address: str) -> None:
    own = frozenset([OWN, ip_address("192.168.1.4")])
    with Bound() as listener:
        guard = Guard((f"us.example:{Bound.port}",), Names(us_example=[address]), own_addresses=lambda: own)
        url = guard.judge(f"http://us.example:{Bound.port}/")

        assert await guard.resolve(url) == [ip_address(address)]
        with reserve_port(listener), pytest.raises(WireDenied):
            await guard.resolve(url)
        assert await guard.resolve(url) == [ip_address(address)]


class BoundToIpv6(Bound):
    """With a flow and a zone behind the port, as IPv6 sockets have them."""

    def getsockname(self) -> tuple[str, int, int, int]:  # type: ignore[override]
        return "::1", self.port, 0, 0


async def test_our_own_ipv6_listener_is_refused_as_well() -> None:
    guard = Guard((f"[::1]:{Bound.port}",))
    url = guard.judge(f"http://[::1]:{Bound.port}/")
    with BoundToIpv6() as listener, reserve_port(listener), pytest.raises(WireDenied):
        await guard.resolve(url)
    assert await guard.resolve(url) == [ip_address("::1")]


async def test_another_port_of_this_machine_and_our_port_elsewhere_stay_open() -> None:
    with Bound() as listener, reserve_port(listener):
        pairs = (f"127.0.0.1:{Bound.port + 1}", f"10.0.0.1:{Bound.port}")
        guard = Guard(pairs)
        for pair in pairs:
            assert await guard.resolve(guard.judge(f"http://{pair}/"))


@pytest.mark.parametrize("prefix", ["2001:db8:64::/96", "64:ff9b::/96", "fd00:64::/96"])
async def test_address_below_a_nat64_prefix_of_the_network_is_judged_by_the_one_inside(prefix: str) -> None:
    start = prefix.removesuffix("/96")
    guard = Guard(
        ("listed.example:80",),
        Names(
            public_example=[f"{start}8.8.8.8"],
            private_example=[f"{start}10.0.0.1"],
            own_example=[f"{start}{OWN}"],
            listed_example=[f"{start}10.0.0.1"],
        ),
        nat64_prefixes=(prefix,),
        own_addresses=lambda: frozenset([OWN]),
    )
    for url in ("http://public.example/", "http://listed.example/", f"http://[{start}8.8.8.8]/"):
        assert await guard.resolve(guard.judge(url))
    for url in ("http://private.example/", "http://own.example/", f"http://[{start}10.0.0.1]/"):
        with pytest.raises(WireDenied):
            await guard.resolve(guard.judge(url))
    # What is below the prefix of somebody else is denied as ever.
    with pytest.raises(WireDenied):
        await Guard().resolve(guard.judge(f"http://[{start}8.8.8.8]/"))
    assert await guard.for_others(f"http://[{start}8.8.8.8]/")
    assert await guard.for_others(f"http://[{start}10.0.0.1]/") == ""


async def test_metadata_below_a_nat64_prefix_stays_closed_for_an_allowed_pair() -> None:
    names = Names(wiki=["2001:db8:64::169.254.169.254"])
    guard = Guard(("wiki:80",), names, nat64_prefixes=("2001:db8:64::/96",))
    with pytest.raises(WireDenied):
        await guard.resolve(guard.judge("http://wiki/"))


async def test_name_is_looked_up_once_and_its_addresses_are_returned_in_order() -> None:
    names = Names(example_com=["93.184.216.34", "2606:4700::1111"])
    guard = Guard(resolver=names)

    addresses = await guard.resolve(guard.judge("https://example.com/"))

    assert addresses == [ip_address("93.184.216.34"), ip_address("2606:4700::1111")]
    assert names.asked == [("example.com", 443)]


async def test_public_literal_is_not_looked_up() -> None:
    names = Names()

    assert await Guard(resolver=names).resolve(Guard().judge("http://8.8.8.8/")) == [ip_address("8.8.8.8")]
    assert names.asked == []


async def test_answer_that_is_no_address_refuses_the_host() -> None:
    guard = Guard(resolver=Names(example_com=["93.184.216.34", "nonsense"]))

    with pytest.raises(WireDenied):
        await guard.resolve(guard.judge("http://example.com/"))


@pytest.mark.parametrize("answers", [Names(), Names(example_com=[])])
async def test_unknown_host_is_told_apart_from_a_refused_one(answers: Names) -> None:
    guard = Guard(resolver=answers)

    with pytest.raises(HostNotFound, match=r"^host not found$"):
        await guard.resolve(guard.judge("http://example.com/"))


async def test_label_that_idna_refuses_is_an_unknown_host() -> None:
    """`getaddrinfo` raises UnicodeError for it, before any lookup."""
    guard = Guard()

    with pytest.raises(HostNotFound):
        await guard.resolve(guard.judge(f"http://{'a' * 64}.example.com/"))


def test_refusal_tells_nothing_but_that_it_is_one() -> None:
    texts = set()
    for url in ("file:///etc/passwd", "http://localhost/", "http://user@example.com/", "http://example.com:22/"):
        with pytest.raises(WireDenied) as refusal:
            Guard().judge(url)
        texts.add(str(refusal.value))

    assert texts == {"address not allowed"}


PUBLIC = Names(example_org=["93.184.216.34"], mixed_example_org=["93.184.216.34", "10.0.0.5"], inner_org=["10.0.0.5"])


@pytest.mark.parametrize(
    ("url", "handed_out"),
    [
        ("https://example.org/guide?a=b", "https://example.org/guide?a=b"),
        ("HTTPS://EXAMPLE.org:443/a/../b#secret-fragment", "https://example.org/b"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("https://unknown.example.net/x", "https://unknown.example.net/x"),
    ],
)
async def test_a_public_or_unknown_address_may_be_told_to_others(url: str, handed_out: str) -> None:
    assert await Guard(resolver=PUBLIC).for_others(url) == handed_out


@each_row(
    "url",
    [
        *("", "not an address", "file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "data:,x"),
        *("https://user@example.org/", "https://user:pass@example.org/", "https://example.org:22/"),
        *(
            "http://intranet/",
            "http://localhost/",
            "http://printer.local/",
            "http://wiki.internal/",
            "http://a.local./",
        ),
        *("http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/"),
        *("http://10.0.0.5/", "http://192.168.1.1/", "http://172.16.0.1/", "http://169.254.169.254/latest/"),
        *("http://[::1]/", "http://[::ffff:10.0.0.5]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://0/"),
        *("http://inner.org/", "http://mixed.example.org/", "http://metadata.google.internal/"),
        *("http://\uff11\uff12\uff17.0.0.1/", "http://127.0.0.1./", "http://127.0.0.1../", "http://10.0.0.1%2e%2e/"),
        *("http://169.254.169.254../latest/", "http://a..example.org/", "http://nas.lan/", "http://wiki.corp./"),
        *("http://router.home.arpa/", "http://1.0.0.10.in-addr.arpa/", "http://db.service.consul/", "http://nas.home/"),
        *("http://wiki.intranet/", "http://a.private/", "http://b.localdomain/", "http://c.ns.svc/", "http://d.onion/"),
        *("http://./", "http://a./"),
    ],
)
async def test_a_private_address_is_not_disclosed_in_any_spelling(url: str) -> None:
    assert await Guard(resolver=PUBLIC).for_others(url) == ""


@pytest.mark.parametrize(
    "url", ["http://wiki/", "http://inner.org/", "http://127.0.0.1:9200/", "http://example.org:9200/"]
)
async def test_what_only_the_allow_list_opens_is_not_disclosed(url: str) -> None:
    pairs = ("wiki:80", "inner.org:80", "127.0.0.1:9200", "example.org:9200")
    guard = Guard(pairs, Names(wiki=["10.0.0.5"], inner_org=["10.0.0.5"], example_org=["93.184.216.34"]))
    assert await guard.resolve(guard.judge(url)), "it may be read here"
    assert await guard.for_others(url) == ""


async def test_what_the_allow_list_opens_is_not_disclosed_when_its_name_is_not_known_just_now() -> None:
    """With the private network down its name server is gone, and its names look like nobody's."""
    assert await Guard(("wiki.corp.example:443",), Names()).for_others("https://wiki.corp.example/hr?sig=x") == ""
    assert await Guard((), Names()).for_others("https://wiki.corp.example/hr")


async def test_a_listed_pair_that_is_public_anyway_may_be_told() -> None:
    assert await Guard(("example.org:443",), PUBLIC).for_others("https://example.org/") == "https://example.org/"


async def test_pages_of_one_site_in_a_row_need_one_look_up(clock: FakeClock) -> None:
    asked = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["10.0.0.5"]

    guard = Guard(resolver=resolver, clock=clock)
    assert await guard.for_others("https://example.org/a") == "https://example.org/a"
    clock.advance(9)
    assert await guard.for_others("https://example.org/b") == "https://example.org/b"
    assert asked == ["example.org"]
    clock.advance(1)
    for path in ("c", "d"):
        assert await guard.for_others(f"https://example.org/{path}") == ""
    assert asked == ["example.org"] * 2


async def test_what_may_be_told_is_remembered_for_a_few_hundred_sites() -> None:
    asked: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"]

    guard = Guard(resolver=resolver)
    for _ in range(2):
        for number in range(256):
            assert await guard.for_others(f"https://{number}.example.org/")
    assert len(asked) == 256
    await guard.for_others("https://256.example.org/")
    await guard.for_others("https://0.example.org/")
    assert asked[256:] == ["256.example.org", "0.example.org"]


async def test_a_name_whose_look_up_takes_too_long_is_not_disclosed() -> None:
    """It may yet turn out to be private."""

    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    assert await Guard(resolver=never).for_others("https://example.org/", look_up_s=0.01) == ""


async def test_an_answer_that_is_no_address_is_not_disclosed() -> None:
    assert await Guard(resolver=Names(example_org=["nonsense"])).for_others("https://example.org/") == ""


@each_row(
    ("url", "says"),
    [
        ("http://localhost:3000/", "private addresses are closed; .* DOWSE_ALLOW_PRIVATE=localhost:3000"),
        ("http://10.0.0.5/", "private addresses are closed; .* DOWSE_ALLOW_PRIVATE=10.0.0.5:80"),
        ("https://[::1]:8443/", r"private addresses are closed; .* DOWSE_ALLOW_PRIVATE=\[::1\]:8443"),
        ("http://printer.local/", "private addresses are closed; .* DOWSE_ALLOW_PRIVATE=printer.local:80"),
        ("https://example.org:22/", "port 22 is closed; .* DOWSE_ALLOW_PRIVATE=example.org:22"),
        ("https://intern.example.org/", "it leads to a private address, .* DOWSE_ALLOW_PRIVATE=host:port"),
        ("http://169.254.169.254/", "link-local and cloud metadata addresses are never read"),
        ("http://metadata.google.internal/", "link-local and cloud metadata addresses are never read"),
        ("http://user:secret@example.org/", "an address with a user name or a password is not read; .*"),
        ("ftp://example.org/", "only http and https addresses can be read"),
        ("file:///etc/passwd", "only http and https addresses can be read"),
        ("no address", "only http and https addresses can be read"),
    ],
)
def test_a_denial_is_explained_by_the_spelling_of_the_url(url: str, says: str) -> None:
    assert re.fullmatch(says, explain_denial(url))
