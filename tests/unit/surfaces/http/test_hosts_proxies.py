"""`X-Forwarded-*` from a trusted proxy replaces what the connection says; from anybody else it changes nothing."""

from __future__ import annotations

import runpy

import pytest

from dowse.surfaces.http import hosts
from dowse.surfaces.http.hosts import ForwardedHeadersMiddleware
from tests.fakes.asgi import HOST, Inside, ask

FORWARDED = [
    HOST,
    (b"x-forwarded-for", b"203.0.113.9, 10.0.0.7"),
    (b"x-forwarded-proto", b"https"),
    (b"x-forwarded-host", b"search.example.org"),
]


@pytest.fixture
def inside() -> Inside:
    return Inside()


@pytest.fixture
def door(inside: Inside) -> ForwardedHeadersMiddleware:
    return ForwardedHeadersMiddleware(inside, ("10.0.0.0/8", "::1/128"))


@pytest.mark.parametrize("peer", ["10.0.0.7", "10.255.255.255", "::1"])
async def test_a_trusted_proxy_is_believed(door: ForwardedHeadersMiddleware, inside: Inside, peer: str) -> None:
    await ask(door, FORWARDED, client=(peer, 1))
    (scope,) = inside.scopes
    assert (scope["client"][0], scope["scheme"]) == ("203.0.113.9", "https")
    assert [value for name, value in scope["headers"] if name == b"host"] == [b"search.example.org"]


@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("11.0.0.1", 1), ("203.0.113.9", 1), ("testclient", 1), None])
async def test_no_other_is(door: ForwardedHeadersMiddleware, inside: Inside, client: tuple[str, int] | None) -> None:
    await ask(door, FORWARDED, client=client)
    (scope,) = inside.scopes
    assert (scope["client"], scope["scheme"], scope["headers"]) == (client, "http", FORWARDED)


async def test_a_proxy_that_forwards_no_host_leaves_the_host_alone(
    door: ForwardedHeadersMiddleware, inside: Inside
) -> None:
    await ask(door, FORWARDED[:3], client=("10.0.0.7", 1))
    assert [value for name, value in inside.scopes[0]["headers"] if name == b"host"] == [HOST[1]]


async def test_several_forwarded_hosts_stay_several(door: ForwardedHeadersMiddleware, inside: Inside) -> None:
    """So that the check of the host refuses them: which one was meant is anybody's guess."""
    await ask(door, [*FORWARDED, (b"x-forwarded-host", b"evil.example")], client=("10.0.0.7", 1))
    hosts = [value for name, value in inside.scopes[0]["headers"] if name == b"host"]
    assert hosts == [b"search.example.org", b"evil.example"]


async def test_a_caller_cannot_add_a_hop_that_is_believed(door: ForwardedHeadersMiddleware, inside: Inside) -> None:
    """What the caller wrote stands left of what the proxy added."""
    await ask(door, [HOST, (b"x-forwarded-for", b"127.0.0.1, 198.51.100.1")], client=("10.0.0.7", 1))
    assert inside.scopes[0]["client"][0] == "198.51.100.1"


def test_a_uvicorn_that_renames_its_private_types_still_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("uvicorn._types.ASGI3Application")
    assert "ForwardedHeadersMiddleware" in runpy.run_path(hosts.__file__)
