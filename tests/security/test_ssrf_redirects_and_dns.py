"""Bypass classes B12 and B13: each hop is judged and looked up once, before it is dialled."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.wire_errors import TooManyRedirects, WireDenied, WireFailed
from tests.fakes.wire import BuildClient as Build
from tests.fakes.wire import Serve

pytestmark = pytest.mark.promise("ssrf-redirects", "ssrf-rebinding")

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


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", REDIRECT_TARGETS)
async def test_redirect_inside_is_refused_before_connecting(location: str, status: int, listen, client: Build) -> None:
    """Acceptance case 47, redirects."""
    site, canary = await listen(), await listen()
    site.redirects_to(location.format(port=canary.port), status)
    names = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}

    with pytest.raises(WireDenied):
        await client(f"127.0.0.1:{site.port}", names=names).get(
            f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100
        )

    assert (site.connections, canary.connections) == (1, 0)


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("location", REDIRECT_TARGETS[:6])
async def test_redirect_would_have_reached_the_canary(location: str, listen, client: Build) -> None:
    """Acceptance case 47, the control: with the pairs open, the same redirects arrive."""
    site, canary = await listen(), await listen()
    site.redirects_to(location.format(port=canary.port))
    names = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}
    pairs = [f"{host}:{canary.port}" for host in INSIDE]

    fetched = await client(f"127.0.0.1:{site.port}", *pairs, names=names).get(
        f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100
    )

    assert (fetched.body, canary.connections) == (b"secret", 1)


async def test_redirect_loop_ends_after_five_hops(canary, client: Build) -> None:
    canary.redirects_to("/again")

    with pytest.raises(TooManyRedirects):
        await client(f"127.0.0.1:{canary.port}").get(f"http://127.0.0.1:{canary.port}/", timeout_s=30, max_bytes=100)

    assert canary.connections == 6


class Maze:
    """A site of redirects: `/3` leads to `/2` and so on, and `/0` to the target."""

    def __init__(self, target: str, status: int) -> None:
        self._target, self._status = target, status
        self.visited: list[bytes] = []

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1]
        self.visited.append(path)
        left = int(path[1:])
        location = f"/{left - 1}" if left else self._target
        writer.write(f"HTTP/1.1 {self._status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()


REACHABLE = REDIRECT_TARGETS[:6]
CHAINS = [
    (hops, REACHABLE[number % len(REACHABLE)], (301, 302, 303, 307, 308)[number % 5])
    for number, hops in enumerate(hops for hops in range(5) for _ in range(6))
]


@pytest.mark.parametrize(("hops", "target", "status"), CHAINS)
async def test_chain_of_redirects_is_refused_at_the_hop_that_leads_inside(
    hops: int, target: str, status: int, listen, serve: Serve, client: Build
) -> None:
    canary = await listen()
    maze = Maze(target.format(port=canary.port), status)
    port = await serve(maze.talk)
    names = {"inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}
    url, way = f"http://127.0.0.1:{port}/{hops}", [b"/%d" % left for left in range(hops, -1, -1)]

    with pytest.raises(WireDenied):
        await client(f"127.0.0.1:{port}", names=names).get(url, timeout_s=30, max_bytes=100)
    assert (maze.visited, canary.connections) == (way, 0)

    opened = client(f"127.0.0.1:{port}", *(f"{host}:{canary.port}" for host in INSIDE), names=names)
    assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"secret"
    assert canary.connections == 1


@pytest.mark.parametrize(
    "header",
    [
        'Alt-Svc: h2="127.0.0.1:{port}"; ma=3600',
        'Alt-Svc: h3=":{port}", http/1.1="127.0.0.1:{port}"',
        "Content-Location: http://127.0.0.1:{port}/",
        "Link: <http://127.0.0.1:{port}/>; rel=preload",
        "Location: http://127.0.0.1:{port}/",
        "Refresh: 0; url=http://127.0.0.1:{port}/",
    ],
)
async def test_header_that_names_another_place_is_not_followed(header: str, listen, client: Build) -> None:
    """Bypass class B16, and those of B13 that are no redirects: not in this request, nor in the next."""
    site, canary = await listen(), await listen()
    line = header.format(port=canary.port)
    site.answer = f"HTTP/1.1 200 OK\r\n{line}\r\nContent-Length: 4\r\n\r\npage".encode()
    opened = client(f"127.0.0.1:{site.port}", f"127.0.0.1:{canary.port}")

    for _ in range(2):
        assert (await opened.get(f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100)).body == b"page"

    assert (site.connections, canary.connections) == (2, 0)


async def test_redirect_cannot_add_headers_of_its_own(listen, client: Build) -> None:
    """Carriage returns in a location are no line ends in the request that follows."""
    site, target = await listen(), await listen()
    site.redirects_to(f"http://127.0.0.1:{target.port}/a%0d%0aX-Evil:%201?b\tc")

    await client(f"127.0.0.1:{site.port}", f"127.0.0.1:{target.port}").get(
        f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100
    )

    assert target.requests[0].startswith(b"GET /a%0d%0aX-Evil:%201?b%09c HTTP/1.1\r\n")
    assert b"\r\nX-Evil" not in target.requests[0]


class Flipping:
    """A name server with a TTL of 0: public when checked, private when asked again."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked += 1
        return self.answers[(self.asked - 1) % len(self.answers)]


async def test_rebinding_name_is_dialled_at_the_checked_address(dials: list[str], client: Build) -> None:
    names = Flipping(["93.184.216.34"], ["127.0.0.1"])
    opened = client(resolver=names)

    with pytest.raises(WireFailed):
        await opened.get("http://rebind.example/", timeout_s=30, max_bytes=100)

    assert (names.asked, set(dials)) == (1, {"93.184.216.34"})


async def test_five_hundred_flips_never_reach_inside(dials: list[str], client: Build) -> None:
    names = Flipping(["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["169.254.169.254"])
    opened = client(resolver=names)

    for _ in range(500):
        with pytest.raises((WireFailed, WireDenied)):
            await opened.get("http://rebind.example/", timeout_s=30, max_bytes=100)

    assert (names.asked, set(dials), len(dials)) == (500, {"93.184.216.34"}, 125)


async def test_each_hop_is_looked_up_once_and_judged_anew(listen, client: Build) -> None:
    """The second answer for the same name is one that no allow list opens."""
    site = await listen()
    site.redirects_to("/next")
    names = Flipping(["127.0.0.1"], ["169.254.169.254"])
    opened = client(f"rebind.example:{site.port}", resolver=names)

    with pytest.raises(WireDenied):
        await opened.get(f"http://rebind.example:{site.port}/", timeout_s=30, max_bytes=100)

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
        await client(names={"mixed.example": [answers]}).get("http://mixed.example/", timeout_s=30, max_bytes=100)

    assert dials == []
    with pytest.raises(WireFailed):
        await client(names={"mixed.example": [["93.184.216.34", "2606:4700::1111"]]}).get(
            "http://mixed.example/", timeout_s=30, max_bytes=100
        )
    assert {"93.184.216.34", "2606:4700::1111"} == set(dials)
