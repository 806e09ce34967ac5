"""Bypass classes B12 and B13: each hop is judged and looked up once, before it is dialled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dowse.errors import WireDenied, WireFailed
from dowse.net.clients import TooManyRedirects, UntrustedClient
from dowse.net.guard import Guard

Build = Callable[..., UntrustedClient]

REDIRECT_TARGETS = [
    "http://127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://localhost:{port}/",
    "http://inside.example:{port}/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/",
    "http://[fe80::1]/",
    "http://user@127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "data:text/html,hi",
    "javascript:alert(1)",
    "http://[broken/",
]
INSIDE = ("127.0.0.1", "[::ffff:7f00:1]", "localhost", "inside.example")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", REDIRECT_TARGETS)
async def test_redirect_inside_is_refused_before_connecting(location: str, status: int, listen, client: Build) -> None:
    """Acceptance case 47, redirects."""
    site, canary = await listen(), await listen()
    site.redirects_to(location.format(port=canary.port), status)
    names = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}

    with pytest.raises(WireDenied):
        await client(f"127.0.0.1:{site.port}", names=names).get(
            f"http://127.0.0.1:{site.port}/", timeout_s=2, max_bytes=100
        )

    assert (site.connections, canary.connections) == (1, 0)


@pytest.mark.parametrize("location", REDIRECT_TARGETS[:6])
async def test_redirect_would_have_reached_the_canary(location: str, listen, client: Build) -> None:
    """Acceptance case 47, the control: with the pairs open, the same redirects arrive."""
    site, canary = await listen(), await listen()
    site.redirects_to(location.format(port=canary.port))
    names = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}
    pairs = [f"{host}:{canary.port}" for host in INSIDE]

    fetched = await client(f"127.0.0.1:{site.port}", *pairs, names=names).get(
        f"http://127.0.0.1:{site.port}/", timeout_s=2, max_bytes=100
    )

    assert (fetched.body, canary.connections) == (b"secret", 1)


async def test_refresh_header_is_not_followed(listen, client: Build) -> None:
    site, canary = await listen(), await listen()
    refresh = f"Refresh: 0; url=http://127.0.0.1:{canary.port}/"
    site.answer = f"HTTP/1.1 200 OK\r\n{refresh}\r\nContent-Length: 4\r\n\r\npage".encode()
    pairs = (f"127.0.0.1:{site.port}", f"127.0.0.1:{canary.port}")

    fetched = await client(*pairs).get(f"http://127.0.0.1:{site.port}/", timeout_s=2, max_bytes=100)

    assert (fetched.body, canary.connections) == (b"page", 0)


async def test_redirect_loop_ends_after_five_hops(canary, client: Build) -> None:
    canary.redirects_to("/again")

    with pytest.raises(TooManyRedirects):
        await client(f"127.0.0.1:{canary.port}").get(f"http://127.0.0.1:{canary.port}/", timeout_s=2, max_bytes=100)

    assert canary.connections == 6


class Flipping:
    """A name server with a TTL of 0: public when checked, private when asked again."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked += 1
        return self.answers[(self.asked - 1) % len(self.answers)]


async def test_rebinding_name_is_dialled_at_the_checked_address(dials: list[str]) -> None:
    names = Flipping(["93.184.216.34"], ["127.0.0.1"])
    client = UntrustedClient(Guard(resolver=names), "dowse/test")

    with pytest.raises(WireFailed):
        await client.get("http://rebind.example/", timeout_s=2, max_bytes=100)

    assert (names.asked, set(dials)) == (1, {"93.184.216.34"})


async def test_five_hundred_flips_never_reach_inside(dials: list[str]) -> None:
    names = Flipping(["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["169.254.169.254"])
    client = UntrustedClient(Guard(resolver=names), "dowse/test")

    for _ in range(500):
        with pytest.raises((WireFailed, WireDenied)):
            await client.get("http://rebind.example/", timeout_s=2, max_bytes=100)

    assert (names.asked, set(dials), len(dials)) == (500, {"93.184.216.34"}, 125)


async def test_each_hop_is_looked_up_once_and_judged_anew(listen) -> None:
    """The second answer for the same name is one that no allow list opens."""
    site = await listen()
    site.redirects_to("/next")
    names = Flipping(["127.0.0.1"], ["169.254.169.254"])
    client = UntrustedClient(Guard((f"rebind.example:{site.port}",), names), "dowse/test")

    with pytest.raises(WireDenied):
        await client.get(f"http://rebind.example:{site.port}/", timeout_s=2, max_bytes=100)

    assert (names.asked, site.connections) == (2, 1)


@pytest.mark.parametrize(
    "answers",
    [
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["93.184.216.34", "::1"],
        ["2606:4700::1111", "10.0.0.1"],
        ["93.184.216.34", "fe80::1%eth0"],
        ["93.184.216.34", "::ffff:169.254.169.254"],
    ],
)
async def test_one_private_answer_among_public_ones_refuses_the_host(
    answers: list[str], dials: list[str], client: Build
) -> None:
    with pytest.raises(WireDenied):
        await client(names={"mixed.example": [answers]}).get("http://mixed.example/", timeout_s=2, max_bytes=100)

    assert dials == []
    with pytest.raises(WireFailed):
        await client(names={"mixed.example": [["93.184.216.34", "2606:4700::1111"]]}).get(
            "http://mixed.example/", timeout_s=2, max_bytes=100
        )
    assert {"93.184.216.34", "2606:4700::1111"} == set(dials)


async def test_second_fetch_of_a_name_is_not_served_by_the_connection_of_the_first(listen) -> None:
    """A pooled connection would skip the check of the second answer."""
    site = await listen()
    names = Flipping(["127.0.0.1"], ["169.254.169.254"])
    client = UntrustedClient(Guard((f"rebind.example:{site.port}",), names), "dowse/test")
    url = f"http://rebind.example:{site.port}/"

    assert (await client.get(url, timeout_s=2, max_bytes=100)).status == 200
    with pytest.raises(WireDenied):
        await client.get(url, timeout_s=2, max_bytes=100)
    assert site.connections == 1
