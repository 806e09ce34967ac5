"""Names, schemes, delimiters and the environment: nothing but the judged URL decides where a request goes."""

from __future__ import annotations

import statistics
import time
from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.app import App
from dowse.core.wire_errors import WireDenied, WireFailed
from dowse.fetch.robots import RobotsFiles
from dowse.net import wire
from dowse.net.clients import ConfiguredClient
from dowse.net.guard import Guard
from dowse.settings.sources import load
from tests.fakes import FakeClock
from tests.fakes.wire import BuildClient as Build

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


@pytest.mark.promise("case-47")
@pytest.mark.parametrize("host", [*INSIDE_NAMES, "LOCALHOST.", "ⓛocalhost", "local\xadhost", "localhoſt"])
async def test_inside_name_is_refused_without_a_lookup(host: str, canary, client: Build) -> None:
    """Acceptance case 47 and bypass classes B7 and B8."""
    everything = {name: [["127.0.0.1"]] for name in INSIDE_NAMES}
    url = f"http://{host}:{canary.port}/"
    with pytest.raises(WireDenied):
        await client(names=everything).get(url, timeout_s=30, max_bytes=100)
    assert canary.connections == 0

    pairs = [f"{name.rstrip('.')}:{canary.port}" for name in everything]
    control = await client(*pairs, names=everything).get(url, timeout_s=30, max_bytes=100)
    assert (control.body, canary.connections) == (b"secret", 1)


@pytest.mark.promise("case-48")
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
        await opened.get(url.format(port=canary.port), timeout_s=30, max_bytes=100)

    assert canary.connections == 0
    await opened.get(f"http://127.0.0.1:{canary.port}/", timeout_s=30, max_bytes=100)
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
        await opened.get(url.format(port=canary.port), timeout_s=30, max_bytes=100)

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
        await client(names={"example.com": [["127.0.0.1"]]}).get(url, timeout_s=30, max_bytes=100)
    assert canary.connections == 0

    control = await client(f"127.0.0.1:{canary.port}").get(url, timeout_s=30, max_bytes=100)
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

    fetched = await client(f"127.0.0.1:{site.port}").get(f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100)

    assert (fetched.status, site.connections, canary.connections) == (200, 1, 0)
    assert b"authorization" not in site.requests[0].lower()


async def test_environment_cannot_send_a_key_through_a_proxy(hostile_environment: None, canary, listen) -> None:
    """Bypass class B15 for the client that carries keys."""
    site = await listen()
    client = ConfiguredClient("dowse/test")

    await client.send("GET", f"http://127.0.0.1:{site.port}/", headers={"X-Api-Key": "key"}, timeout_s=30)
    await client.close()

    assert (site.connections, canary.connections) == (1, 0)
    assert b"authorization" not in site.requests[0].lower()


async def test_socket_refuses_an_address_that_was_not_checked(canary) -> None:
    """The belt: aiohttp asks no resolver about a literal, so the socket is the last place to stop it."""
    url = Guard((f"127.0.0.1:{canary.port}",)).judge(f"http://127.0.0.1:{canary.port}/")

    async with wire.open_pinned_session(None) as session:
        with pytest.raises(WireFailed):
            async with wire.exchange(2):
                await wire.get(session, url, [ip_address("127.0.0.2")], {})
        with pytest.raises(LookupError):
            await session.get(url.href)
        assert canary.connections == 0

        assert (await wire.get(session, url, [ip_address("127.0.0.1")], {})).status == 200


async def test_refusal_says_nothing_of_what_is_behind_an_address(canary, client: Build) -> None:
    """Bypass class B24: an open, a closed and a filtered address look the same. `tests/slow` has the times."""
    assert len(await refusal_medians(canary.port, client)) == 6


async def refusal_medians(port: int, client: Build) -> list[float]:
    """How long a refusal of each address takes; all say the same."""
    opened = client(names={name: [[address]] for name, address in BEHIND.items()})
    urls = [f"http://127.0.0.1:{port}/", "http://127.0.0.1:8080/", "http://10.255.255.1/"]
    urls += [f"http://{name}/" for name in BEHIND]
    texts, medians = set(), []
    for url in urls:
        times = []
        for _ in range(9):
            started = time.perf_counter()
            with pytest.raises(WireDenied) as refusal:
                await opened.get(url, timeout_s=30, max_bytes=100)
            times.append(time.perf_counter() - started)
            texts.add(str(refusal.value))
        medians.append(statistics.median(times))

    assert texts == {"address not allowed"}
    return medians


BEHIND = {"open.example": "127.0.0.1", "closed.example": "127.0.0.99", "filtered.example": "10.255.255.1"}


async def test_robots_file_of_an_inside_address_is_not_asked_for(canary, client: Build, clock: FakeClock) -> None:
    """Bypass class B22: what is fetched on behalf of a page goes through the same guard."""
    page = f"http://127.0.0.1:{canary.port}/page"
    assert await RobotsFiles(client(), clock).allows(page)
    assert canary.connections == 0

    assert await RobotsFiles(client(f"127.0.0.1:{canary.port}"), clock).allows(page)
    assert canary.requests[0].startswith(b"GET /robots.txt ")


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
def test_caller_has_no_knob_for_the_way_a_page_is_fetched(contract: str) -> None:
    """Bypass class B23: endpoints, proxies and headers come from the operator only."""
    app = App(load({}, {"DOWSE_CONTRACT": contract}).settings)
    names = {name.lower() for tool in app.contract.tools for name in tool.input_schema()["properties"]}
    assert names
    for word in ("base", "endpoint", "proxy", "header", "cookie", "agent", "auth", "flag", "resolve", "verify"):
        assert not [name for name in names if word in name]


PARTS = (*"abz09.:/\\@#?[]%;&=+-_ \t\n\r\x00", "％", "。", "①", "ß", "\xad", "é", "127.0.0.1", "localhost", ".com")
HOSTILE = st.lists(st.sampled_from(PARTS), max_size=24).map("".join)


@settings(max_examples=1000)
@given(st.sampled_from(["http://", "https://", "http:", "//", ""]), HOSTILE)
def test_what_is_judged_is_what_is_dialled(start: str, rest: str) -> None:
    """Bypass class B10: whatever the guard lets through, aiohttp's parser sees the same host, port and bytes."""
    try:
        judged = Guard().judge(start + rest, base="http://base.example/a/")
    except WireDenied:
        return
    target = wire.request_target(judged)
    assert (target.scheme, target.raw_host, target.port) == (judged.scheme, judged.host.strip("[]"), judged.port)
    assert target.user is None
    path, _, query = judged.href.partition("://")[2].partition("/")[2].partition("#")[0].partition("?")
    # An empty query is left off, mark and all.
    assert target.raw_path_qs == "/" + path + ("?" + query if query else "")
