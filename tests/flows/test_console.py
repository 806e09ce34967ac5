"""The console over real HTTP: who may enter, what each page may load, and that it can be switched off."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from http.cookies import SimpleCookie
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from dowse.app import App
from dowse.auth import sessions
from dowse.core.tokens import estimate_tokens
from dowse.settings.sources import load
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.support.eventually import eventually
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("console-closed")

ANA, WATCHER, WIRES = "a-token-of-ana-0000", "a-token-of-a-watcher", "a-token-of-a-wire-00"
PAGES = ("/", "/console/dashboard", "/console/setup")
POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
    "img-src": "'self'", "form-action": "'self'", "frame-ancestors": "'none'", "base-uri": "'none'",
}  # fmt: skip
FIRST_VIEW_BYTES = 80_000
MARK = {"X-Dowse-Console": "1"}
# A fence has a marker that differs from call to call, and ages grow.
VOLATILE = re.compile(r"\b[0-9a-f]{8,}\b|\d+ (?:ms|s|seconds?)\b")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def closed(module_server: Server, module_web: PocketWeb, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server with tokens: of all rights, for watching only, and for wires only."""
    from dowse.auth.tokens import digest

    file = tmp_path_factory.mktemp("tokens") / "tokens.toml"
    entries = {"watcher": (WATCHER, "console"), "wire": (WIRES, "wires")}
    file.write_text(
        "".join(
            f'[{name}]\nhash = "sha256:{digest(token)}"\nscopes = ["{scope}"]\n'
            for name, (token, scope) in entries.items()
        )
    )
    file.chmod(0o600)
    settings = {
        **module_web.environment("serper"),
        "DOWSE_STATE": "memory:",
        "DOWSE_TOKENS": f"ana:{ANA}",
        "DOWSE_TOKENS_FILE": str(file),
    }
    async with module_server.here(settings) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_server(module_server: Server, module_web: PocketWeb) -> AsyncIterator[HttpServer]:
    async with module_server.here({**module_web.environment("serper"), "DOWSE_STATE": "memory:"}) as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_web(web: PocketWeb) -> None:
    web.reset()


Shown = tuple[int, Mapping[str, str], str]


async def get(http: HttpServer, path: str, method: str = "GET", **options: Any) -> Shown:
    async with http.session.request(method, http.origin + path, allow_redirects=False, **options) as response:
        return response.status, response.headers, await response.text()


async def log_in(http: HttpServer, token: str, **headers: str) -> Shown:
    sent = {"Origin": http.origin, "Sec-Fetch-Site": "same-origin", **headers}
    async with aiohttp.ClientSession() as session:
        url = f"{http.origin}/console/login"
        async with session.post(url, data={"token": token}, headers=sent, allow_redirects=False) as response:
            return response.status, response.headers, await response.text()


async def cookie_of(http: HttpServer, token: str) -> dict[str, str]:
    """The headers of a browser that has logged in."""
    status, headers, text = await log_in(http, token)
    assert status == 303, text
    ((name, morsel),) = SimpleCookie(headers["Set-Cookie"]).items()
    return {"Cookie": f"{name}={morsel.value}"}


async def test_only_the_login_page_and_static_files_are_open(closed: HttpServer) -> None:
    for path in PAGES:
        status, headers, _ = await get(closed, path)
        assert (status, headers["Location"]) == (303, "/console/login")
    status, _, page = await get(closed, "/console/login")
    assert status == 200
    for address in re.findall(r'(?:href|src)="(/console/static/[^"]+)"', page):
        assert (await get(closed, address))[0] == 200
    for path in ("/console/static/pages.py", "/console/static/..%2fpages.py", "/console/static/nothing"):
        assert (await get(closed, path))[0] in (401, 404)
    assert (await get(closed, "/api/v1/stats"))[0] == 401
    assert (await get(closed, "/console/elsewhere"))[0] == 401


async def test_a_token_opens_the_console_until_logout(closed: HttpServer) -> None:
    status, headers, _ = await log_in(closed, ANA)
    cookie = headers["Set-Cookie"]
    assert (status, headers["Location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict", "Path=/", f"Max-Age={sessions.SESSION_S}"} <= set(cookie.split("; "))
    assert "Secure" not in cookie, "a browser would drop it over plain HTTP"
    assert ANA not in cookie
    own = await cookie_of(closed, ANA)
    for path in PAGES:
        status, _, page = await get(closed, path, headers=own)
        assert status == 200
        assert "ana" in page
    form = {**own, "Origin": closed.origin}
    status, headers, _ = await get(closed, "/console/logout", "POST", headers=form)
    assert (status, headers["Location"]) == (303, "/console/login")
    assert 'dowse_session=""' in headers["Set-Cookie"] and "Max-Age=0" in headers["Set-Cookie"]


async def test_over_tls_the_cookie_is_secure_and_of_this_host_alone(server: Server, web: PocketWeb) -> None:
    settings = {"DOWSE_TOKENS": f"ana:{ANA}", "DOWSE_TRUSTED_PROXIES": "127.0.0.1", "DOWSE_STATE": "memory:"}
    async with server.here({**web.environment("serper"), **settings}) as http:
        host = http.origin.removeprefix("http://")
        status, headers, _ = await log_in(http, ANA, Origin=f"https://{host}", **{"X-Forwarded-Proto": "https"})
    assert status == 303
    assert headers["Set-Cookie"].startswith("__Host-dowse_session=")
    assert "Secure" in headers["Set-Cookie"]


@each_row("token", ["wrong-token-0000000", "", "a,b", "é", "x" * 9000, ANA + "\n" + ANA])
async def test_a_wrong_token_is_refused_in_one_sentence(closed: HttpServer, token: str) -> None:
    status, headers, page = await log_in(closed, token)
    assert (status, "Set-Cookie" in headers) == (401, False)
    assert "This token is not accepted" in page
    assert token not in page or not token


async def test_a_token_for_wires_does_not_open_the_console(closed: HttpServer) -> None:
    status, headers, page = await log_in(closed, WIRES)
    assert (status, "Set-Cookie" in headers) == (403, False)
    assert "needs the scope" in page


async def test_a_token_for_watching_sees_the_dashboard_and_cannot_search(closed: HttpServer, web: PocketWeb) -> None:
    own = await cookie_of(closed, WATCHER)
    status, headers, _ = await get(closed, "/", headers=own)
    assert (status, headers["Location"]) == (303, "/console/dashboard")
    status, _, page = await get(closed, "/console/dashboard", headers=own)
    assert (status, 'href="/">Try it' in page) == (200, False)
    assert (await get(closed, "/api/v1/stats", headers={**own, **MARK}))[0] == 200
    status, _, text = await get(closed, "/api/v1/search?query=python", headers={**own, **MARK})
    assert (status, "scope" in text) == (403, True)
    assert web.serper.requests == []


@each_row(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "SELF", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "SELF", "Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost:1"},
    ],
)
async def test_a_forged_form_does_nothing(closed: HttpServer, headers: dict[str, str]) -> None:
    sent = {name: closed.origin if value == "SELF" else value for name, value in headers.items()}
    for path in ("/console/login", "/console/logout"):
        status, got, _ = await get(closed, path, "POST", data={"token": ANA}, headers=sent)
        assert "Set-Cookie" not in got
        assert status in (303, 403) if path.endswith("logout") else status == 403


async def test_an_expired_or_changed_cookie_leads_to_the_login_page(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_TOKENS": f"ana:{ANA}"}
    async with server.here(settings) as http:
        own = await cookie_of(http, ANA)
        name, _, value = own["Cookie"].partition("=")
        assert (await get(http, "/", headers=own))[0] == 200
        changed = value[:30] + ("A" if value[30] != "A" else "B") + value[31:]
        for other in (changed, value[:-8], "", "x", ANA, "%00"):
            status, headers, _ = await get(http, "/", headers={"Cookie": f"{name}={other}"})
            assert (status, headers["Location"]) == (303, "/console/login"), other


@pytest.mark.promise("console-cookie")
async def test_the_cookie_counts_for_the_console_only(closed: HttpServer, web: PocketWeb) -> None:
    own = await cookie_of(closed, ANA)
    search = "/api/v1/search?query=python&fetch_content=false"
    assert (await get(closed, search, headers={**own, **MARK}))[0] == 200
    web.serper.requests.clear()
    for headers in (
        {},
        {**MARK, "Sec-Fetch-Site": "cross-site"},
        {**MARK, "Sec-Fetch-Site": "same-site"},
        {**MARK, "Origin": "http://localhost:1"},
    ):
        assert (await get(closed, search, headers={**own, **headers}))[0] in (401, 403), headers
    async with closed.post("web_search", {"query": "python"}, headers={**own, **MARK}) as response:
        assert response.status == 401
    for path in ("/compat/searxng/search?q=python&format=json", "/metrics", "/readyz?verbose"):
        assert (await get(closed, path, headers={**own, **MARK}))[0] == 401, path
    assert web.serper.requests == []


async def test_replicas_on_one_store_read_each_others_cookies(server: Server, web: PocketWeb, tmp_path: Any) -> None:
    settings = {
        **web.environment("serper"),
        "DOWSE_STATE": f"sqlite:///{tmp_path / 'state.db'}",
        "DOWSE_TOKENS": f"ana:{ANA}",
    }
    async with server.here(settings) as one, server.here(settings) as other:
        own = await cookie_of(one, ANA)
        assert (await get(other, "/", headers=own))[0] == 200


async def test_without_tokens_there_is_no_login_and_other_sites_are_refused(
    open_server: HttpServer, web: PocketWeb
) -> None:
    status, headers, _ = await get(open_server, "/console/login")
    assert (status, headers["Location"]) == (303, "/")
    for site in ("same-origin", "none"):
        assert (await get(open_server, "/", headers={"Sec-Fetch-Site": site}))[0] == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert (await get(open_server, "/", headers=link))[0] == 200, "a link of another page may lead here"
    for site in ("cross-site", "same-site"):
        for extra in ({}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}):
            sent = {"Sec-Fetch-Site": site, **extra}
            status, _, text = await get(open_server, "/api/v1/search?query=python", headers=sent)
            assert (status, "another site" in text) == (403, True)
    framed = {**link, "Sec-Fetch-Dest": "iframe"}
    assert (await get(open_server, "/", headers=framed))[0] == 403
    assert web.serper.requests == []


@pytest.mark.promise("console-policy")
async def test_a_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(open_server: HttpServer) -> None:
    for path in PAGES:
        _, headers, page = await get(open_server, path)
        policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        assert policy.items() >= POLICY.items()
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?! type=\"module\" src=)|javascript:", page)
        for address in re.findall(r'(?:href|src|action)="([^"]+)"', page):
            assert address.startswith(("/", "#")) and not address.startswith("//"), address


@pytest.mark.promise("console-small")
async def test_the_first_view_is_small(open_server: HttpServer) -> None:
    for path in PAGES:
        _, _, page = await get(open_server, path)
        files = re.findall(r'(?:href|src)="(/console/static/[^"]+)"', page)
        seen: set[str] = set()
        size = len(page.encode())
        while files:
            name = files.pop()
            if name in seen:
                continue
            seen.add(name)
            status, headers, text = await get(open_server, name)
            assert (status, "immutable" in headers["Cache-Control"]) == (200, "?" in name), name
            assert (await get(open_server, name, headers={"If-None-Match": headers["ETag"]}))[0] == 304
            size += len(text.encode())
            files += [f"/console/static/{each}" for each in re.findall(r"from '\./([\w.]+)'", text)]
        assert len(seen) >= 3
        assert size <= FIRST_VIEW_BYTES, path


async def test_every_argument_of_a_tool_is_a_field(open_server: HttpServer, web: PocketWeb) -> None:
    from dowse.contracts.web_search import search_params

    _, _, page = await get(open_server, "/")
    app = App(load({"DOWSE_STATE": "memory:"}, {}).settings)
    for param in search_params(app.settings):
        assert f'id="search-{"main" if param.name == "query" else param.name}"' in page, param.name


@pytest.mark.promise("console-off")
async def test_off_removes_the_console(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_CONSOLE": "off"}) as http:
        for path in (*PAGES, "/console/login", "/console/static/console.css"):
            assert (await get(http, path))[0] == 404
        assert (await get(http, "/api/v1/search?query=python&fetch_content=false"))[0] == 200


@pytest.mark.promise("console-numbers")
async def test_the_statistics_are_those_of_the_metrics(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper", "tavily"), "DOWSE_STATE": "memory:"}) as http:
        web.serper.fails("500")
        for number in range(3):
            await get(http, f"/api/v1/search?query=secret+bridge+{number}&num_results=1")
        await get(http, "/api/v1/search")
        async with http.post("web_search", {"query": "secret harbour", "fetch_content": False}) as response:
            assert response.status == 200
        _, _, metrics = await get(http, "/metrics")
        _, _, text = await get(http, "/api/v1/stats")
    stats = json.loads(text)
    for period in (stats["hour"], stats["day"]):
        assert period["calls"] == _sum(metrics, "dowse_calls_total") == 5
        assert period["errors"] == _sum(metrics, "dowse_call_errors_total") == 1
        assert period["cache_lookups"] == _sum(metrics, "dowse_cache_total") > 0
        assert period["pages"] == _sum(metrics, "dowse_pages_total") == 3
        assert period["usd"] == pytest.approx(_sum(metrics, "dowse_provider_cost_usd_total")) and period["usd"] > 0
        tries = {(each["name"], each["operation"]): each for each in period["providers"]}
        assert tries["serper", "search"]["failures"] == {"unavailable": 4}
        assert sum(each["tries"] for each in tries.values()) == _sum(metrics, "dowse_provider_attempts_total")
        doors = {each["name"]: each["calls"] for each in period["doors"]}
        assert doors == {"rest": 4, "mcp": 1}
    assert "secret" not in text


@pytest.mark.promise("console-numbers")
async def test_statistics_come_as_a_stream_that_ends_with_the_server(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_STATE": "memory:"}) as http:
        headers = {"Accept": "text/event-stream"}
        async with http.session.get(f"{http.origin}/api/v1/stats", headers=headers) as response:
            assert response.headers["Content-Type"] == "text/event-stream"
            assert (await _next_stats(response))["hour"]["calls"] == 0
            await get(http, "/api/v1/search?query=python&fetch_content=false")
            while (await _next_stats(response))["hour"]["calls"] != 1:
                pass
            http.stop()
            assert await response.content.read() == b""


async def test_statistics_are_told_while_all_places_of_calls_are_taken(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_MAX_CALLS": "1"}) as http:
        web.serper.fails("hang")
        hanging = asyncio.create_task(get(http, "/api/v1/search?query=python"))
        await asyncio.wait_for(web.serper.arrived(), 30)
        assert (await get(http, "/api/v1/search?query=perl"))[0] == 503
        assert (await get(http, "/api/v1/stats"))[0] == 200
        hanging.cancel()


async def _next_stats(response: aiohttp.ClientResponse) -> Any:
    async with asyncio.timeout(30):
        event = await response.content.readuntil(b"\n\n")
    name, data = event.decode().strip().split("\n")
    assert name == "event: stats"
    return json.loads(data.removeprefix("data: "))


def _sum(metrics: str, name: str) -> float:
    """The sum of a metric over all of its labels."""
    return sum(float(line.rpartition(" ")[2]) for line in metrics.splitlines() if line.startswith(f"{name}{{"))


@pytest.mark.promise("console-same-text")
async def test_the_text_for_the_model_is_that_of_the_tool(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), **REMEMBERING, "DOWSE_STATE": "memory:", "DOWSE_STRUCTURED": "off"}
    calls = [
        ("/search", "web_search", {"query": "harbour bridge", "num_results": 2, "max_tokens": 300}),
        ("/search", "web_search", {"query": "harbour bridge", "response_format": "concise"}),
        ("/read", "get_content", {"url": web.page("/articles/python-315"), "max_tokens": 400}),
        ("/answer", "answer_question", {"question": "When did the harbour bridge reopen?"}),
    ]
    async with server.here(settings) as http:
        for path, tool, arguments in calls:
            # The first call fills the cache for both of the others.
            for _ in range(2):
                async with http.session.post(
                    f"{http.origin}/api/v1{path}", json={**arguments, "model_text": True}
                ) as response:
                    found = await response.json()
            async with http.post(tool, arguments) as response:
                content = (await response.json())["result"]["content"]
            told = "\n\n".join(each["text"] for each in content)
            assert VOLATILE.sub("#", found["model_text"]) == VOLATILE.sub("#", told), tool
            assert found["model_tokens"] == estimate_tokens(found["model_text"])
        async with http.session.post(f"{http.origin}/api/v1/search", json=calls[0][2]) as response:
            assert "model_text" not in await response.json()


@pytest.mark.promise("console-numbers")
async def test_two_replicas_on_one_valkey_show_the_same_totals(server: Server, web: PocketWeb, valkey_url: str) -> None:
    settings = {**web.environment("serper"), "DOWSE_STATE": valkey_url}
    async with server.here(settings) as one, server.here(settings) as other:
        for http, number in ((one, 0), (one, 1), (other, 2)):
            await get(http, f"/api/v1/search?query=bridge+{number}&fetch_content=false")

        async def agree() -> bool:
            told = [json.loads((await get(http, "/api/v1/stats"))[2])["hour"] for http in (one, other)]
            return [each["calls"] for each in told] == [3, 3] and told[0]["providers"] == told[1]["providers"]

        await eventually(agree)
