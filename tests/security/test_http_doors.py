"""Which names the server answers to: the real server, spoken to by the byte, on every route.

Goals G11 and G12 of the security list. What is refused runs no tool and touches no provider.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import forked
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import SERVE
from tests.rawhttp import Header, exchange, request
from tests.security.doors import AUTHORIZED, PATHS, TOKEN, address, gets_in, post, settings

BAD_HOSTS: list[str | bytes] = [
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example",
    "localhost.evil.example:{port}",
    "evil.example#localhost",
    "evil.example/localhost",
    "evil.example?localhost",
    "localhost@evil.example",
    "user:password@localhost:{port}",
    "localhost.",
    "localhost.:{port}",
    "127.0.0.1.",
    "127.0.0.1.nip.io:{port}",
    "127.1",
    "127.0.0.2:{port}",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.000.000.001",
    "0.0.0.0:{port}",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "[::1%lo]",
    "::1",
    "[::1",
    "localhost:",
    "localhost:0",
    "localhost:65536",
    "localhost:080",
    "localhost:{port}:{port}",
    "localhost:port",
    "localhost:-1",
    "localhost, localhost",
    "localhost localhost",
    "localhost;evil.example",
    "http://localhost",
    "*",
    "",
    "loca\tlhost",
    "lo%63alhost",
    b"\xc2\xb9\xc2\xb2\xe2\x81\xb7.0.0.1",
    b"localhost\xe3\x80\x82",
]


async def test_a_host_that_is_not_ours_is_refused_and_no_tool_runs(server: Server, web: PocketWeb) -> None:
    """DNS rebinding reaches us under the attacker's name; other spellings of ours are not guessed at."""
    async with server.here(settings(web)) as http:
        port = urlsplit(http.origin).port
        for host in (f"127.0.0.1:{port}", f"LocalHost:{port}", "[::1]", "localhost:1"):
            assert await gets_in(http, ("Host", host), AUTHORIZED), host
        web.reset()
        for bad in BAD_HOSTS:
            host_value = bad if isinstance(bad, bytes) else bad.format(port=port)
            answer = await post(http, ("Host", host_value), AUTHORIZED)
            assert (answer.status, answer.ended) == (421, True), bad
        assert web.serper.requests == []


async def test_a_missing_or_doubled_host_is_refused(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        good: Header = ("Host", address(http))
        assert await gets_in(http, good, AUTHORIZED)
        web.reset()
        assert (await post(http, AUTHORIZED, version="1.0")).status == 421
        # What HTTP/1.1 itself forbids does not get as far as our check.
        assert (await post(http, AUTHORIZED)).status == 400
        assert (await post(http, good, good, AUTHORIZED)).status == 400
        assert (await post(http, good, ("Host", "evil.example"), AUTHORIZED)).status == 400
        assert web.serper.requests == []


async def test_another_name_in_the_request_line_opens_nothing(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        good: Header = ("Host", address(http))
        for target in ("http://evil.example/mcp", f"{http.origin}/mcp", "/mcp/../mcp", "//mcp", "*"):
            answer = await post(http, good, AUTHORIZED, path=target)
            assert answer.status in (404, 421), target
        assert web.serper.requests == []


BAD_ORIGINS: list[str] = [
    "null",
    "",
    "*",
    "https://evil.example",
    "http://evil.example:{port}",
    "http://localhost.evil.example",
    "http://127.0.0.1.nip.io",
    "http://localhost.",
    "http://localhost:{port}/",
    "http://localhost:{port}/mcp",
    "http://localhost:{port}?x",
    "http://localhost:{port}#x",
    "http://user@localhost:{port}",
    "http://localhost@evil.example",
    "http://localhost:0",
    "http://localhost:65536",
    "http://localhost:",
    "http://2130706433",
    "http://0x7f000001",
    "http://127.1",
    "http://0.0.0.0:{port}",
    "http://[::]",
    "http://[::ffff:127.0.0.1]",
    "HTTP://localhost",
    "localhost",
    "//localhost",
    "file://",
    "file://localhost",
    "ws://localhost:{port}",
    "chrome-extension://abcdefghijklmnop",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://localhost http://evil.example",
    "http://localhost, http://evil.example",
    "http:/localhost",
    "http:localhost",
    "http://",
    "https://app.example.org.evil.example",
    "https://app.example.org:8443",
    "http://app.example.org",
]


async def test_an_origin_that_is_not_ours_is_refused_and_no_tool_runs(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web, DOWSE_ALLOWED_ORIGINS="https://app.example.org")) as http:
        port = urlsplit(http.origin).port
        host: Header = ("Host", address(http))
        for origin in (f"http://127.0.0.1:{port}", "https://localhost", "https://app.example.org"):
            assert await gets_in(http, host, ("Origin", origin), AUTHORIZED), origin
        web.reset()
        for bad in BAD_ORIGINS:
            answer = await post(http, host, ("Origin", bad.format(port=port)), AUTHORIZED)
            assert (answer.status, answer.ended) == (403, True), bad
        doubled: Header = ("Origin", "https://app.example.org")
        assert (await post(http, host, doubled, doubled, AUTHORIZED)).status == 403
        assert web.serper.requests == []


@pytest.mark.parametrize("tokens", [True, False])
async def test_host_and_origin_are_checked_on_every_route(server: Server, web: PocketWeb, tokens: bool) -> None:
    environment = settings(web) if tokens else web.environment("serper")
    async with server.here(environment) as http:
        host: Header = ("Host", address(http))
        for path in PATHS:
            for method in ("GET", "POST", "OPTIONS", "DELETE"):
                wrong_host = request(method, path, [("Host", "evil.example"), AUTHORIZED])
                assert (await exchange(http.origin, wrong_host)).status == 421, (method, path)
                wrong_origin = request(method, path, [host, ("Origin", "https://evil.example"), AUTHORIZED])
                assert (await exchange(http.origin, wrong_origin)).status == 403, (method, path)
            good = await exchange(http.origin, request("GET", path, [host, AUTHORIZED]))
            assert good.status in (200, 404, 405), path
    assert '"caller refused"' in server.log


async def test_forwarded_headers_are_believed_from_trusted_proxies_only(server: Server, web: PocketWeb) -> None:
    forwarded: list[Header] = [
        ("X-Forwarded-For", "203.0.113.9"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "search.example.org"),
    ]
    evil: list[Header] = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Host", "evil.example")]
    named = settings(web, DOWSE_ALLOWED_HOSTS="search.example.org:443")
    async with server.http({**named, "DOWSE_TRUSTED_PROXIES": "127.0.0.0/8"}) as http:
        host: Header = ("Host", address(http))
        assert await gets_in(http, ("Host", "proxy.internal"), *forwarded, AUTHORIZED)
        assert (await post(http, host, *evil, AUTHORIZED)).status == 421
        assert (await post(http, ("Host", "proxy.internal"), *forwarded)).status == 401
    lines = [json.loads(line) for line in server.log.splitlines() if '"caller refused"' in line]
    assert [(line["status"], line["client"]) for line in lines] == [(421, "203.0.113.9"), (401, "203.0.113.9")]
    async with server.http({**named, "DOWSE_TRUSTED_PROXIES": "10.0.0.0/8"}) as http:
        host = ("Host", address(http))
        assert await gets_in(http, host, *evil, AUTHORIZED), "they change nothing"
        assert (await post(http, ("Host", "proxy.internal"), *forwarded, AUTHORIZED)).status == 421
        assert (await post(http, host, *evil)).status == 401
    assert (
        json.loads([line for line in server.log.splitlines() if '"caller refused"' in line][-1])["client"]
        == "127.0.0.1"
    )


async def run(server: Server, environment: dict[str, str], *command: str) -> tuple[int, str]:
    """Exit code and last words of a server that does not start."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=server.environment(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode is not None
    return process.returncode, said.decode()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_beyond_loopback_it_does_not_start_without_tokens(server: Server, host: str) -> None:
    code, said = await run(server, {}, *forked.dowse(*SERVE, "--host", host))
    assert code == 2
    assert said.startswith(f"dowse: Refusing to listen on {host} without tokens")
    assert "dowse token new" in said


async def test_beyond_loopback_it_starts_with_tokens(server: Server, web: PocketWeb) -> None:
    async with server.http(settings(web), "--host", "0.0.0.0") as http:
        port = urlsplit(http.origin).port
        local = f"http://127.0.0.1:{port}"
        answer = await exchange(local, request("GET", "/healthz", [("Host", f"127.0.0.1:{port}")]))
        assert answer.status == 200
        answer = await exchange(local, request("GET", "/mcp", [("Host", f"127.0.0.1:{port}")]))
        assert answer.status == 401


async def test_a_tokens_file_that_is_not_in_order_stops_the_start(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[ci]\nhash = "{TOKEN}"\n')
    code, said = await run(server, {"DOWSE_TOKENS_FILE": str(file)}, *forked.dowse(*SERVE))
    assert code == 2
    assert said.startswith(f"dowse: The tokens file {file}: ci takes hash =")
    assert TOKEN not in said
