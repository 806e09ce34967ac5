"""`Host` and `Origin`: the server's own names and addresses, the ones the owner added, and nothing else."""

from __future__ import annotations

import pytest

from dowse.core.errors import ConfigError
from dowse.settings.sources import load
from dowse.surfaces.http.hosts import HostCheckMiddleware
from tests.fakes.asgi import HOST, Inside, ask
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("http-hosts")


def door(**settings: str) -> tuple[HostCheckMiddleware, Inside]:
    inside = Inside()
    return HostCheckMiddleware(inside, load({}, settings).settings), inside


async def status_of_host(door: HostCheckMiddleware, host: str, **scope: object) -> int:
    return (await ask(door, [(b"host", host.encode("latin-1"))], **scope)).status


@each_row(
    "host",
    ["localhost", "LOCALHOST", "localhost:1", "localhost:65535", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:80"],
)
async def test_loopback_names_are_always_the_servers_own(host: str) -> None:
    checked, inside = door()
    assert await status_of_host(checked, host) == 200
    assert len(inside.scopes) == 1


@each_row(
    ("server", "host", "status"),
    [
        (("192.168.1.5", 8000), "192.168.1.5:8000", 200),
        (("192.168.1.5", 8000), "192.168.1.6:8000", 421),
        (("2001:db8::5", 8000), "[2001:db8::5]:8000", 200),
        (("2001:db8::5", 8000), "[2001:DB8::5]:8000", 200),
        (("2001:db8::5", 8000), "[2001:db8:0::5]:8000", 421),
        (None, "192.168.1.5", 421),
    ],
)
async def test_the_address_that_was_connected_to_is_the_servers_own(server: object, host: str, status: int) -> None:
    checked, _ = door(DOWSE_HOST="0.0.0.0")
    assert await status_of_host(checked, host, server=server) == status


@pytest.mark.parametrize(
    ("listens_on", "host", "status"),
    [
        ("search.lan", "search.lan:8000", 200),
        ("search.lan", "other.lan:8000", 421),
        ("0.0.0.0", "0.0.0.0:8000", 421),
        ("::", "[::]:8000", 421),
        ("fd00::5", "[fd00::5]:8000", 200),
    ],
)
async def test_the_name_it_was_told_to_listen_on_is_the_servers_own(listens_on: str, host: str, status: int) -> None:
    checked, _ = door(DOWSE_HOST=listens_on)
    assert await status_of_host(checked, host) == status


@each_row(
    ("host", "scheme", "status"),
    [
        ("search.example.org", "http", 200),
        ("Search.Example.Org:9000", "http", 200),
        ("search.example.org.", "http", 421),
        ("www.search.example.org", "http", 421),
        ("example.org", "http", 421),
        ("ported.example.org:8443", "http", 200),
        ("ported.example.org", "http", 421),
        ("ported.example.org:8444", "http", 421),
        ("tls.example.org", "https", 200),
        ("tls.example.org", "http", 421),
        ("tls.example.org:443", "http", 200),
        ("plain.example.org", "http", 200),
        ("plain.example.org:80", "http", 200),
        ("plain.example.org", "https", 421),
        ("plain.example.org:8080", "http", 421),
        ("[fd00::80]", "http", 200),
        ("[fd00::80]:81", "http", 421),
    ],
)
async def test_an_added_host_is_good_for_every_port_unless_it_names_one(host: str, scheme: str, status: int) -> None:
    named = "search.example.org,ported.example.org:8443,tls.example.org:443,plain.example.org:80,[fd00::80]:80"
    checked, inside = door(DOWSE_ALLOWED_HOSTS=named)
    assert await status_of_host(checked, host, scheme=scheme) == status
    assert len(inside.scopes) == (status == 200)


@each_row("host", ["localhost:65536", "localhost:0", "localhost:", "local host", "", "localhost/", "évil"])
async def test_what_is_no_host_and_port_is_not_ours(host: str) -> None:
    checked, inside = door()
    assert await status_of_host(checked, host) == 421
    assert inside.scopes == []


async def test_the_start_and_end_of_the_server_pass() -> None:
    inside = Inside()
    await ask(HostCheckMiddleware(inside, load({}, {}).settings), [], type="lifespan")
    assert inside.scopes[0]["type"] == "lifespan"


@pytest.mark.parametrize("headers", [[], [HOST, HOST], [HOST, (b"host", b"evil.example")]])
async def test_a_request_has_exactly_one_host(headers: list[tuple[bytes, bytes]]) -> None:
    checked, inside = door()
    told = await ask(checked, headers)
    assert told.status == 421
    assert "DOWSE_ALLOWED_HOSTS" in told.json()["error"]
    assert told.headers["connection"] == "close"
    assert inside.scopes == []


@each_row(
    "origin",
    [
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]:8000",
        "https://app.example.org",
        "http://search.example.org",
        "https://search.example.org:444",
    ],
)
async def test_pages_of_this_server_and_of_added_origins_may_call(origin: str) -> None:
    checked, _ = door(DOWSE_ALLOWED_HOSTS="search.example.org", DOWSE_ALLOWED_ORIGINS="https://app.example.org")
    assert (await ask(checked, [HOST, (b"origin", origin.encode())])).status == 200


@pytest.mark.parametrize(
    ("name", "value"), [("DOWSE_ALLOWED_HOSTS", "me@a.example"), ("DOWSE_ALLOWED_ORIGINS", "https://me@a.example")]
)
def test_a_name_has_no_user(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} takes "):
        load({}, {name: value})


@pytest.mark.parametrize("origin", ["https://tls.example.org", "http://plain.example.org"])
async def test_an_origin_that_was_added_with_the_default_port_is_what_a_browser_sends(origin: str) -> None:
    """Browsers leave the default port out, so that is how it is kept and told to them."""
    settings = load({}, {"DOWSE_ALLOWED_ORIGINS": "https://TLS.example.org:443,http://plain.example.org:80/"}).settings
    assert settings.allowed_origins == ("https://tls.example.org", "http://plain.example.org")
    told = await ask(HostCheckMiddleware(Inside(), settings), [HOST, (b"origin", origin.encode())])
    assert told.status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://app.example.org", "https://app.example.org:444", "https://app.example.org/", "https://example.org"],
)
async def test_an_added_origin_is_good_for_itself_only(origin: str) -> None:
    checked, inside = door(DOWSE_ALLOWED_ORIGINS="https://app.example.org")
    told = await ask(checked, [HOST, (b"origin", origin.encode())])
    assert told.status == 403
    assert "DOWSE_ALLOWED_ORIGINS" in told.json()["error"]
    assert inside.scopes == []


@each_row("origin", ["null", "", "http://localhost/", "http://localhost:0", "ws://localhost", "localhost"])
async def test_what_is_no_origin_of_ours_is_foreign(origin: str) -> None:
    checked, inside = door()
    assert (await ask(checked, [HOST, (b"origin", origin.encode())])).status == 403
    assert inside.scopes == []


async def test_two_origins_are_none() -> None:
    checked, inside = door()
    good = (b"origin", b"http://localhost")
    assert (await ask(checked, [HOST, good])).status == 200
    assert (await ask(checked, [HOST, good, good])).status == 403
    assert len(inside.scopes) == 1
