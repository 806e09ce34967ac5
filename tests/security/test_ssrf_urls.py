"""Names, schemes, delimiters and the environment: nothing but the judged URL decides where a request goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from dowse.errors import WireDenied, WireFailed
from dowse.net import wire
from dowse.net.addresses import parse_address
from dowse.net.clients import ConfiguredClient, UntrustedClient

Build = Callable[..., UntrustedClient]

INSIDE_NAMES = (
    "localhost",
    "localhost.",
    "a.localhost",
    "printer.local",
    "db.internal",
    "metadata",
    "metadata.google.internal",
    "instance-data",
    "host.docker.internal",
    "api.default.svc.cluster.local",
    "intranet",
)


@pytest.mark.parametrize("host", [*INSIDE_NAMES, "LOCALHOST.", "ⓛocalhost", "local\xadhost"])
async def test_inside_name_is_refused_without_a_lookup(host: str, canary, client: Build) -> None:
    """Acceptance case 47 and bypass classes B7 and B8."""
    everything = {name: [["127.0.0.1"]] for name in INSIDE_NAMES}
    url = f"http://{host}:{canary.port}/"
    with pytest.raises(WireDenied):
        await client(names=everything).get(url, timeout_s=2, max_bytes=100)
    assert canary.connections == 0

    pairs = [f"{name.rstrip('.')}:{canary.port}" for name in everything]
    control = await client(*pairs, names=everything).get(url, timeout_s=2, max_bytes=100)
    assert (control.body, canary.connections) == (b"secret", 1)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname",
        "file://localhost/etc/hostname",
        "file://127.0.0.1/etc/hostname",
        "ftp://127.0.0.1:{port}/",
        "data:text/html,<h1>hi</h1>",
        "javascript:fetch('http://127.0.0.1:{port}/')",
        "view-source:http://127.0.0.1:{port}/",
        "gopher://127.0.0.1:{port}/_x",
        "dict://127.0.0.1:{port}/x",
        "ws://127.0.0.1:{port}/",
        "blob:http://127.0.0.1:{port}/x",
        "jar:http://127.0.0.1:{port}/!/x",
        "about:blank",
        "unix:///var/run/docker.sock",
    ],
)
async def test_other_scheme_is_refused_without_side_effects(url: str, canary, client: Build) -> None:
    """Acceptance case 48. The pair is open, so only the scheme can be the reason."""
    opened = client(f"127.0.0.1:{canary.port}", f"localhost:{canary.port}")

    with pytest.raises(WireDenied):
        await opened.get(url.format(port=canary.port), timeout_s=2, max_bytes=100)

    assert canary.connections == 0
    await opened.get(f"http://127.0.0.1:{canary.port}/", timeout_s=2, max_bytes=100)
    assert canary.connections == 1


@pytest.mark.parametrize(
    "url",
    [
        # B9: userinfo is refused even where the host itself would be fine
        "http://example.com@127.0.0.1:{port}/",
        "http://user:secret@127.0.0.1:{port}/",
        "http://127.0.0.1:{port};@example.com/",
        "http://127.0.0.1%2f@example.com/",
    ],
)
async def test_userinfo_is_refused(url: str, canary, client: Build) -> None:
    opened = client(f"127.0.0.1:{canary.port}", names={"example.com": [["127.0.0.1"]]})

    with pytest.raises(WireDenied):
        await opened.get(url.format(port=canary.port), timeout_s=2, max_bytes=100)

    assert canary.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}\\@example.com/",
        "http:127.0.0.1:{port}",
        "http:\\\\127.0.0.1:{port}/",
        " http://127.0.0.1:{port}/",
        "ht\ntp://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}#@example.com/",
        "http://127.0.0.1:{port}?@example.com/",
        "http:////127.0.0.1:{port}/",
    ],
)
async def test_host_on_which_parsers_disagree_is_judged_as_a_browser_reads_it(url: str, canary, client: Build) -> None:
    """Bypass class B10: 127.0.0.1 is the host here, so it is refused, and reached only when it is open."""
    url = url.format(port=canary.port)
    with pytest.raises(WireDenied):
        await client(names={"example.com": [["127.0.0.1"]]}).get(url, timeout_s=2, max_bytes=100)
    assert canary.connections == 0

    control = await client(f"127.0.0.1:{canary.port}").get(url, timeout_s=2, max_bytes=100)
    assert (control.body, canary.connections) == (b"secret", 1)


PROXY_VARIABLES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]


@pytest.fixture
def hostile_environment(canary, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))


async def test_environment_cannot_send_a_page_through_a_proxy(
    hostile_environment: None, canary, listen, client: Build
) -> None:
    """Bypass class B15, proxies and netrc."""
    site = await listen()

    fetched = await client(f"127.0.0.1:{site.port}").get(f"http://127.0.0.1:{site.port}/", timeout_s=2, max_bytes=100)

    assert (fetched.status, site.connections, canary.connections) == (200, 1, 0)
    assert b"authorization" not in site.requests[0].lower()


async def test_environment_cannot_send_a_key_through_a_proxy(hostile_environment: None, canary, listen) -> None:
    """Bypass class B15 for the client that carries keys."""
    site = await listen()
    client = ConfiguredClient("dowse/test")

    await client.send("GET", f"http://127.0.0.1:{site.port}/", headers={"X-Api-Key": "key"}, timeout_s=2)
    await client.close()

    assert (site.connections, canary.connections) == (1, 0)
    assert b"authorization" not in site.requests[0].lower()


async def test_socket_refuses_an_address_that_was_not_checked(canary) -> None:
    """The belt: aiohttp asks no resolver about a literal, so the socket is the last place to stop it."""
    url = f"http://127.0.0.1:{canary.port}/"
    checked = parse_address("127.0.0.2")
    assert checked is not None

    with pytest.raises(WireFailed):
        async with wire.exchange(2), wire.pinned_session([checked], None) as session:
            await session.get(url)
    assert canary.connections == 0

    loopback = parse_address("127.0.0.1")
    assert loopback is not None
    async with wire.exchange(2), wire.pinned_session([loopback], None) as session:
        assert (await session.get(url)).status == 200


async def test_refusal_takes_no_time_and_says_nothing(canary, client: Build) -> None:
    """Bypass class B24: an open, a closed and a filtered address look the same from outside."""
    texts = set()
    async with asyncio.timeout(1):
        for url in (f"http://127.0.0.1:{canary.port}/", "http://127.0.0.1:8080/", "http://10.255.255.1/"):
            with pytest.raises(WireDenied) as refusal:
                await client().get(url, timeout_s=30, max_bytes=100)
            texts.add(str(refusal.value))

    assert texts == {"address not allowed"}
