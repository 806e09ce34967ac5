"""Where a token may stand at REST and the wires, and what is refused there: before a body, or after little of it.

Each door of the server is tried: a wire that is added is tried as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from dowse.app import App
from dowse.auth.tokens import digest
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, TokenPlace, Wire
from dowse.core.errors import Unauthorized
from dowse.settings import sources
from dowse.surfaces.http.credentials import MAX_KEYED_BODY_BYTES
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.rawhttp import Header, RawAnswer, exchange, request
from tests.security.doors import AUTHORIZED, OTHER, TOKEN, address, settings
from tests.security.test_http_credentials import BAD_CREDENTIALS, GOOD_CREDENTIALS, PLACES

pytestmark = pytest.mark.promise("http-token-places")

JSON: Header = ("Content-Type", "application/json")
FORM: Header = ("Content-Type", "application/x-www-form-urlencoded")
WIRES = App(sources.load({"DOWSE_STATE": "memory:"}, {}).settings).wires
BAD_TOKENS = (
    *(TOKEN[:-1], TOKEN[1:], TOKEN + "x", TOKEN.swapcase(), TOKEN[::-1], digest(TOKEN), "wrong", "", " "),
    *(f"{TOKEN} ", f"alice:{TOKEN}", f"Bearer {TOKEN}", f"{TOKEN},{OTHER}", f"{TOKEN}\u200b", "é", "alice"),
)
BAD_VALUES = (*BAD_TOKENS, None, 5, [TOKEN], {"api_key": TOKEN}, True)


def posts() -> Iterator[tuple[Wire, str, HttpEndpoint]]:
    """An endpoint of each door that takes a body, with its path."""
    for wire in WIRES:
        endpoint = next(each for each in wire.endpoints if "POST" in each.methods and "{" not in each.path)
        yield wire, wire.mounts[0] + endpoint.path, endpoint


async def send(http: HttpServer, path: str, body: bytes, *headers: Header) -> RawAnswer:
    return await exchange(http.origin, request("POST", path, [("Host", address(http)), *headers], body))


async def announce(http: HttpServer, path: str, *headers: Header) -> RawAnswer:
    """The head of a request whose body never comes."""
    announced: Header = ("Content-Length", "1000")
    return await exchange(http.origin, request("POST", path, [("Host", address(http)), JSON, announced, *headers]))


def is_let_in(answer: RawAnswer) -> bool:
    """What comes behind the door may refuse the call for other reasons."""
    return answer.status not in (401, 403)


async def test_every_place_of_a_token_opens_every_door(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        for wire, path, _ in posts():
            for kind, headers in GOOD_CREDENTIALS.items():
                assert is_let_in(await send(http, path, b"{}", JSON, *headers)), (wire.name, kind)
            for prefix in (f"/t/{TOKEN}", f"/t/{quote(TOKEN, safe='').replace('_', '%5F')}"):
                assert is_let_in(await send(http, prefix + path, b"{}", JSON)), wire.name
            body = json.dumps({"api_key": TOKEN}).encode()
            assert is_let_in(await send(http, path, body, JSON)), wire.name
            assert is_let_in(await send(http, path, f"api_key={TOKEN}".encode(), FORM)), wire.name
            assert is_let_in(await send(http, path, body, JSON, AUTHORIZED)), wire.name
            query = await send(http, f"{path}?api_key={TOKEN}", b"{}", JSON)
            assert is_let_in(query) == (TokenPlace.QUERY in wire.token_places), wire.name


async def test_bad_credentials_in_front_of_a_body_are_refused_before_it_is_read(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        for wire, path, endpoint in posts():
            status = refusal_of(endpoint).status
            web.reset()
            bad = {kind: headers for kind, headers in BAD_CREDENTIALS.items() if has_token(headers)}
            for kind, headers in bad.items():
                answer = await announce(http, path, *headers)
                assert (answer.status, answer.ended) == (status, True), (wire.name, kind)
                assert answer.headers["content-type"] == (refusal_of(endpoint).media_type or "application/json"), (
                    wire.name,
                    kind,
                )
            for token in filter(None, BAD_TOKENS):
                assert (await announce(http, f"/t/{quote(token, safe='')}{path}")).status == status, (wire.name, token)
                if TokenPlace.QUERY in wire.token_places:
                    answer = await announce(http, f"{path}?api_key={quote(token, safe='')}")
                    assert answer.status == status, (wire.name, token)
            assert (await announce(http, f"/t/{OTHER}{path}", AUTHORIZED)).status == status
            assert web.serper.requests == []


def has_token(headers: list[Header]) -> bool:
    """Whether something stands where a token may stand: otherwise it may still be in the body."""
    return any(name.lower() in PLACES for name, _ in headers)


def refusal_of(endpoint: HttpEndpoint) -> HttpReply:
    """How a door refuses a caller: some APIs say 403 where others say 401."""
    reply = endpoint.fail(Unauthorized("no"), HttpRequest())
    assert reply.status in (401, 403)
    return reply


async def test_bad_credentials_in_a_body_are_refused_after_a_little_of_it(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        for wire, path, endpoint in posts():
            status = refusal_of(endpoint).status
            web.reset()
            for value in BAD_VALUES:
                body = json.dumps({"query": "python", "api_key": value}).encode()
                answer = await send(http, path, body, JSON)
                assert answer.status == status, (wire.name, value)
            for token in BAD_TOKENS:
                answer = await send(http, path, f"query=python&api_key={quote(token)}".encode(), FORM)
                assert answer.status == status, (wire.name, token)
            two = f"api_key={TOKEN}&api_key={OTHER}".encode()
            assert (await send(http, path, two, FORM)).status == status
            for broken in (
                b"",
                b"{}",
                b"[]",
                b'"api_key"',
                b"{",
                b'{"api_key": ' + b"[" * 5000,
                b'{"a": {"api_key": 1}}',
            ):
                assert (await send(http, path, broken, JSON)).status == status, (wire.name, broken[:20])
            assert web.serper.requests == []


async def test_a_body_with_the_only_token_is_short(server: Server, web: PocketWeb) -> None:
    """Of a caller that is not known yet, no more than 64 kB are read."""
    whole = {"api_key": TOKEN, "query": "python", "fetch_content": False, "filler": ""}
    room = MAX_KEYED_BODY_BYTES - len(json.dumps(whole))
    async with server.here(settings(web)) as http:
        fits = json.dumps({**whole, "filler": "a" * room}).encode()
        assert len(fits) == MAX_KEYED_BODY_BYTES
        assert (await send(http, "/api/v1/search", fits, JSON)).status == 200
        too_long = json.dumps({**whole, "filler": "a" * (room + 1)}).encode()
        assert (await send(http, "/api/v1/search", too_long, JSON)).status == 401
        announced: list[Header] = [("Host", address(http)), JSON, ("Content-Length", str(MAX_KEYED_BODY_BYTES + 1))]
        answer = await exchange(http.origin, request("POST", "/api/v1/search", announced))
        assert (answer.status, answer.ended) == (401, True)
        web.reset()
        # With its token in front, the same body is admitted.
        assert (await send(http, "/api/v1/search", too_long, JSON, AUTHORIZED)).status == 200


async def test_a_body_with_another_token_than_the_header_is_refused(server: Server, web: PocketWeb) -> None:
    async with server.here(settings(web)) as http:
        for wire, path, endpoint in posts():
            status = refusal_of(endpoint).status
            body = json.dumps({"query": "python", "api_key": OTHER}).encode()
            answer = await send(http, path, body, JSON, AUTHORIZED)
            assert answer.status == status, wire.name
        assert web.serper.requests == []
    assert '"reason": "different"' in server.log


async def test_a_token_of_the_wires_opens_no_other_door(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    scoped = {"wires": TOKEN, "tools": OTHER, "metrics": f"{OTHER}m"}
    file.write_text(
        "\n".join(
            f'[{scope}]\nhash = "sha256:{digest(token)}"\nscopes = ["{scope}"]' for scope, token in scoped.items()
        )
    )
    file.chmod(0o600)
    doors = {"/mcp": {"tools"}, "/metrics": {"metrics"}, "/readyz?verbose": {"tools"}}
    doors |= {path: {wire.scope} for wire, path, _ in posts()}
    async with server.here({**web.environment("serper"), "DOWSE_TOKENS_FILE": str(file)}) as http:
        for path, scopes in doors.items():
            for scope, token in scoped.items():
                for prefix, headers in (("", [("Authorization", f"Bearer {token}")]), (f"/t/{token}", [])):
                    answer = await send(http, prefix + path, b"{}", JSON, *headers)
                    assert is_let_in(answer) == (scope in scopes), (path, scope)


async def test_a_token_in_the_path_is_nowhere_else(server: Server, web: PocketWeb) -> None:
    """Neither in the log, nor in metrics, nor in an answer, whether it is good or bad."""
    bad = "dowse_bad-4mVv0J8yQm1q6h3sWZtq0bX9nKcR2aLfE7uYpD5"
    answers = []
    async with server.http({**settings(web), "DOWSE_LOG_LEVEL": "debug"}) as http:
        for token in (TOKEN, bad):
            for path in ("/api/v1/search", "/api/v1/nothing", "/mcp", "/nothing", "/metrics", "/healthz", "", "/t/x"):
                for body in (b'{"query": "python", "fetch_content": false}', b"{"):
                    answer = await send(http, f"/t/{token}{path}", body, JSON)
                    answers.append(f"{answer.headers} {answer.body.decode()}")
        web.serper.fails("500")
        failed = await send(http, f"/t/{TOKEN}/api/v1/search", b'{"query": "perl"}', JSON)
        assert failed.status >= 500
        metrics = await exchange(http.origin, request("GET", "/metrics", [("Host", address(http)), AUTHORIZED]))
        answers += [failed.body.decode(), metrics.body.decode()]
    for token in (TOKEN, bad):
        assert token not in "".join(answers)
        assert token not in server.log
        assert quote(token, safe="") not in server.log
    assert '"door": "rest"' in server.log
