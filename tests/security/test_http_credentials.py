"""Who gets in: bearer tokens good and bad at the real server, and where a token never goes.

Goals G10 and G53 of the security list. What is refused runs no tool and touches no provider.
"""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from dowse.auth.tokens import digest
from tests.conftest import Server
from tests.doubles import PROVIDERS, PocketWeb
from tests.http import LEGACY, MODERN, HttpServer
from tests.rawhttp import Header, exchange, request
from tests.security.doors import AUTHORIZED, BODY, OTHER, PATHS, SEARCH, TOKEN, address, gets_in, post, settings

pytestmark = pytest.mark.promise("http-tokens")

TAIL = TOKEN[-1]


PLACES = ("authorization", "x-api-key", "x-subscription-token")


def basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


GOOD_CREDENTIALS: dict[str, list[Header]] = {
    "bearer": [AUTHORIZED],
    "bearer in other case": [("authorization", f"bEARER {OTHER}")],
    "bare": [("Authorization", TOKEN)],
    "X-API-Key": [("X-API-Key", TOKEN)],
    "X-Subscription-Token": [("x-subscription-token", TOKEN)],
    "password": [("Authorization", basic("anybody", TOKEN))],
    "password without a user": [("Authorization", basic("", TOKEN))],
    "the same in two places": [AUTHORIZED, ("X-API-Key", TOKEN)],
}
BAD_CREDENTIALS: dict[str, list[Header]] = {
    "missing": [],
    "empty": [("Authorization", "")],
    "scheme only": [("Authorization", "Bearer")],
    "scheme and blank": [("Authorization", "Bearer ")],
    "wrong": [("Authorization", "Bearer wrong")],
    "truncated": [("Authorization", f"Bearer {TOKEN[:-1]}")],
    "longer by one": [("Authorization", f"Bearer {TOKEN}{TAIL}")],
    "first character missing": [("Authorization", f"Bearer {TOKEN[1:]}")],
    "other case": [("Authorization", f"Bearer {TOKEN.swapcase()}")],
    "one character off": [("Authorization", f"Bearer {TOKEN[:-1]}{'A' if TAIL != 'A' else 'B'}")],
    "reversed": [("Authorization", f"Bearer {TOKEN[::-1]}")],
    "its hash": [("Authorization", f"Bearer {digest(TOKEN)}")],
    "its hash as written": [("Authorization", f"Bearer sha256:{digest(TOKEN)}")],
    "its name": [("Authorization", "Bearer alice")],
    "name and token": [("Authorization", f"Bearer alice:{TOKEN}")],
    "basic": [("Authorization", f"Basic {TOKEN}")],
    "token scheme": [("Authorization", f"Token {TOKEN}")],
    "no blank": [("Authorization", f"Bearer{TOKEN}")],
    "two blanks": [("Authorization", f"Bearer  {TOKEN}")],
    "a tab": [("Authorization", f"Bearer\t{TOKEN}")],
    "a colon": [("Authorization", f"Bearer: {TOKEN}")],
    "an equals sign": [("Authorization", f"Bearer={TOKEN}")],
    "quoted": [("Authorization", f'Bearer "{TOKEN}"')],
    "two tokens": [("Authorization", f"Bearer {TOKEN} {OTHER}")],
    "two tokens with a comma": [("Authorization", f"Bearer {TOKEN},{OTHER}")],
    "two schemes": [("Authorization", f"Bearer {TOKEN}, Bearer {TOKEN}")],
    "scheme twice": [("Authorization", f"Bearer Bearer {TOKEN}")],
    "header twice": [AUTHORIZED, AUTHORIZED],
    "header twice, one good": [AUTHORIZED, ("Authorization", "Bearer wrong")],
    "header twice, one empty": [("Authorization", ""), AUTHORIZED],
    "header of another's twice": [AUTHORIZED, ("authorization", f"Bearer {OTHER}")],
    "blank inside": [("Authorization", f"Bearer {TOKEN[:9]} {TOKEN[9:]}")],
    "beyond ASCII": [("Authorization", f"Bearer {TOKEN}é")],
    "beyond ASCII in another place": [("Authorization", f"Bearer é{TOKEN}".encode("latin-1"))],
    "full-width": [("Authorization", f"Bearer {TOKEN.replace('4', '４', 1)}")],
    "zero-width": [("Authorization", f"Bearer {TOKEN}\u200b")],
    "over 4096 bytes": [("Authorization", "Bearer " + "a" * 4097)],
    "of 100,000 bytes": [("Authorization", "Bearer " + "a" * 100_000)],
    "over 16 kilobytes": [("Authorization", "Bearer " + TOKEN * 350)],
    "percent-encoded": [("Authorization", f"Bearer {TOKEN.replace('_', '%5F')}")],
    "three parts": [("Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.")],
    "in a cookie": [("Cookie", f"Authorization=Bearer {TOKEN}; token={TOKEN}")],
    "wrong in X-API-Key": [("X-API-Key", TOKEN[:-1])],
    "scheme in X-API-Key": [("X-API-Key", f"Bearer {TOKEN}")],
    "X-API-Key twice": [("X-API-Key", TOKEN), ("X-API-Key", TOKEN)],
    "wrong in X-Subscription-Token": [("X-Subscription-Token", "wrong")],
    "bare and wrong": [("Authorization", TOKEN[:-1])],
    "basic with the token as user": [("Authorization", basic(TOKEN, ""))],
    "basic with a wrong password": [("Authorization", basic("alice", TOKEN[1:]))],
    "basic without a colon": [("Authorization", f"Basic {b64encode(TOKEN.encode()).decode()}")],
    "basic that is no base64": [("Authorization", "Basic ***")],
    "tokens of two callers": [AUTHORIZED, ("X-API-Key", OTHER)],
    "a good and a wrong one": [AUTHORIZED, ("X-Subscription-Token", "wrong")],
    "a good and an empty one": [AUTHORIZED, ("X-API-Key", "")],
    "in X-Authorization": [("X-Authorization", f"Bearer {TOKEN}")],
    "for the proxy": [("Proxy-Authorization", f"Bearer {TOKEN}")],
    "in X-Forwarded-Authorization": [("X-Forwarded-Authorization", f"Bearer {TOKEN}")],
    "in MCP's own headers": [("Mcp-Session-Id", TOKEN), ("Mcp-Token", TOKEN)],
}


async def test_bad_credentials_are_refused_and_no_tool_runs(server: Server, web: PocketWeb) -> None:
    async with server.http(settings(web)) as http:
        host: Header = ("Host", address(http))
        for kind, headers in GOOD_CREDENTIALS.items():
            assert await gets_in(http, host, *headers), kind
        assert (await post(http, host, path=f"/t/{TOKEN}/mcp")).status == 200
        web.reset()
        for kind, headers in BAD_CREDENTIALS.items():
            answer = await post(http, host, *headers)
            assert (answer.status, answer.ended) == (401, True), kind
            presented = any(name.lower() in PLACES for name, _ in headers)
            error = ', error="invalid_token"' if presented else ""
            assert answer.headers["www-authenticate"] == f'Bearer realm="dowse"{error}', kind
            assert set(answer.json()) == {"error"}, kind
        for path in (
            f"/t/{TOKEN[:-1]}/mcp",
            "/t//mcp",
            f"/t/{TOKEN}%20/mcp",
            f"/T/{TOKEN}/mcp",
        ):
            assert (await post(http, host, path=path)).status == 401, path
        assert (await post(http, host, AUTHORIZED, path=f"/t/{OTHER}/mcp")).status == 401
        for query in (
            f"?api_key={TOKEN}",
            f"?access_token={TOKEN}",
            f"?token={TOKEN}",
            f"?Authorization=Bearer%20{TOKEN}",
            f"#{TOKEN}",
        ):
            assert (await post(http, host, path=f"/mcp{query}")).status in (400, 401), query
        assert web.serper.requests == []
        assert web.pages.requests == []
    refused = [json.loads(line) for line in server.log.splitlines() if '"caller refused"' in line]
    assert len(refused) >= len(BAD_CREDENTIALS)
    reasons = {"missing", "malformed", "wrong", "duplicated", "oversized", "different"}
    assert {line["reason"] for line in refused} == reasons
    assert {line["client"] for line in refused} == {"127.0.0.1"}
    for secret in (TOKEN, TOKEN[:-1], TOKEN[1:], OTHER, digest(TOKEN)):
        assert secret not in server.log


async def test_the_refusal_comes_before_a_byte_of_the_body(server: Server, web: PocketWeb) -> None:
    """The body is announced and never sent: whoever waited for it would not answer."""
    async with server.here(settings(web)) as http:
        host: Header = ("Host", address(http))
        announced: list[Header] = [("Content-Length", str(size)) for size in (1, len(BODY), 10**9)]
        for header in (*announced, ("Transfer-Encoding", "chunked")):
            for more in ([], [("Authorization", "Bearer wrong")], [("Expect", "100-continue")]):
                answer = await exchange(http.origin, request("POST", "/mcp", [host, header, *more]))
                assert (answer.status, answer.ended) == (401, True), (header, more)


async def test_everything_but_health_needs_a_token(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        host: Header = ("Host", address(http))
        for path in PATHS:
            answer = await exchange(http.origin, request("GET", path, [host]))
            is_open = path in ("/healthz", "/readyz")
            # Without an issuer there is no metadata document, which is no secret.
            assert answer.status == (200 if is_open else 404 if path.startswith("/.well-known") else 401), path
        for path in ("/healthz", "/readyz"):
            answer = await exchange(http.origin, request("GET", path, [host]))
            assert answer.body in (b"ok\n", b"ready\n"), "bare"


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors inside nested groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


@pytest.mark.parametrize("era", [LEGACY, MODERN, "auto"])
async def test_a_real_client_gets_in_with_its_token_and_not_without(server: Server, web: PocketWeb, era: str) -> None:
    async with server.here(settings(web)) as http:
        async with http.client("legacy" if era == LEGACY else era, TOKEN) as client:
            answer = await client.call_tool("web_search", SEARCH)
            assert not answer.is_error
        web.reset()
        with pytest.raises(BaseExceptionGroup) as refused:
            async with http.client("legacy" if era == LEGACY else era, TOKEN[:-1]) as client:
                await client.call_tool("web_search", SEARCH)
        assert [type(error) for error in leaves(refused.value)] == [MCPError]
        assert web.serper.requests == []
    assert '"status": 401, "reason": "wrong"' in server.log


def entry(name: str, token: str, more: str = "") -> str:
    return f'[{name}]\nhash = "sha256:{digest(token)}"\n{more}\n'


async def status_until(http: HttpServer, token: str, wanted: int) -> int:
    """The status of a call with this token, asked until it is the wanted one or the file must have been seen."""
    end = time.monotonic() + 30
    while True:
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post("web_search", SEARCH, headers=headers) as answer:
            if answer.status == wanted or time.monotonic() > end:
                return answer.status


async def test_a_token_is_revoked_and_another_made_without_a_restart(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(entry("ci", TOKEN))
    async with server.http({**web.environment("serper"), "DOWSE_TOKENS_FILE": str(file)}) as http:
        assert await status_until(http, TOKEN, 200) == 200
        assert await status_until(http, OTHER, 401) == 401
        file.write_text(entry("new", OTHER))
        assert await status_until(http, TOKEN, 401) == 401
        assert await status_until(http, OTHER, 200) == 200
        file.write_text("[[[")
        assert await status_until(http, OTHER, 200) == 200
        file.unlink()
        assert await status_until(http, OTHER, 200) == 200
    assert "tokens file read again" in server.log


async def test_limits_and_contracts_of_a_token_come_from_the_file(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    file = tmp_path / "tokens.toml"
    free = "dowse_another-token-without-any-limits-at-all-000"
    limited = entry("ci", TOKEN, 'limits = { web_search = "2/h" }\ncontracts = ["dowse"]')
    file.write_text(limited + entry("elsewhere", OTHER, 'contracts = ["jan", "kindly"]') + entry("free", free))
    file.chmod(0o600)
    async with server.http({**web.environment("serper"), "DOWSE_TOKENS_FILE": str(file)}) as http:
        errors = []
        for token in (TOKEN, TOKEN, TOKEN, free):
            async with http.post("web_search", SEARCH, headers={"Authorization": f"Bearer {token}"}) as answer:
                assert answer.status == 200
                result = (await answer.json())["result"]
                errors.append(result["content"][0]["text"] if result.get("isError") else "")
        assert [bool(error) for error in errors] == [False, False, True, False]
        assert "web_search is limited to 2 calls in 3600 seconds" in errors[2]
        web.reset()
        headers = {"Authorization": f"Bearer {OTHER}"}
        async with http.post("web_search", SEARCH, headers=headers) as answer:
            assert answer.status == 403
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="dowse", error="insufficient_scope"'
            assert (await answer.json())["error"].endswith("contract dowse")
        assert web.serper.requests == []


async def test_the_token_of_a_caller_travels_nowhere(server: Server, web: PocketWeb) -> None:
    """G53: what opens our door is sent to no provider and to no page, and is in no answer and no log."""
    everything = {**web.environment(*PROVIDERS), "DOWSE_TOKENS": f"alice:{TOKEN}"}
    answers = []
    async with server.http({**everything, "DOWSE_LOG_LEVEL": "debug"}) as http:
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Trace": "kept"}
        for version in (LEGACY, MODERN):
            for provider in PROVIDERS:
                arguments = {"query": f"python {provider}", "num_results": 2}
                async with http.post("web_search", arguments, version=version, headers=headers) as answer:
                    assert answer.status == 200
                    answers.append(await answer.text())
                # The next one is asked from now on.
                getattr(web, provider).fails("500")
            async with http.post("get_content", {"url": web.page("/articles/python-315")}, headers=headers) as answer:
                answers.append(await answer.text())
            for double in web.doubles:
                double.works()
    seen = [*web.pages.requests, *(each for double in web.doubles for each in double.requests)]
    assert {each.path.split("/")[1] for each in seen} >= {*PROVIDERS, "articles"}
    for each in seen:
        assert TOKEN not in f"{each.path} {each.params} {each.headers} {each.body!r}"
        assert TOKEN[6:] not in f"{each.path} {each.params} {each.headers} {each.body!r}"
    assert TOKEN not in "".join(answers)
    assert TOKEN not in server.log
    assert digest(TOKEN) not in server.log


async def test_the_key_of_a_provider_follows_no_redirect(server: Server, web: PocketWeb) -> None:
    async with PocketWeb() as elsewhere, server.http(settings(web)) as http:
        target = elsewhere.page("/serper/search")
        for status in (301, 302, 303, 307, 308):
            web.reset()
            web.serper.replies(json={}, status=status, headers={"Location": target})
            async with http.post("web_search", SEARCH, headers={"Authorization": f"Bearer {TOKEN}"}) as answer:
                assert (await answer.json())["result"]["isError"]
            (seen,) = web.serper.requests
            assert seen.headers["x-api-key"] == web.serper.key, "it was there to be taken along"
        assert elsewhere.serper.requests == []
        assert elsewhere.pages.requests == []
