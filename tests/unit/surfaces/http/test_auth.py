"""Credentials at the door: who calls is known, the token stays outside, and a refusal says how to do better."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from dowse.auth.authenticator import BearerAuthenticator, TokenBook
from dowse.auth.tokens import digest
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.core.errors import DowseError
from dowse.core.models import Principal
from dowse.core.protocols import Authenticator, Door
from dowse.core.runtime import ANONYMOUS, CallContext
from dowse.surfaces.http.auth import AuthMiddleware, anonymous, check_body
from dowse.surfaces.http.doors import Doors
from tests.fakes import FakeClock
from tests.fakes.asgi import HOST, Inside, ask
from tests.support.tables import each_row

TOKEN = "alice-has-a-long-token"


@pytest.fixture
def tokens(clock: FakeClock) -> BearerAuthenticator:
    return BearerAuthenticator(TokenBook({"alice": SecretStr(TOKEN)}, None, clock))


class Allowing:
    """An authenticator that knows one principal."""

    def __init__(self, principal: Principal) -> None:
        self._principal = principal

    async def authenticate(self, token: str) -> Principal | None:
        return self._principal if token == TOKEN else None


def door(authenticator: Authenticator | None, *, takes_jwt: bool = False) -> tuple[AuthMiddleware, Inside]:
    inside = Inside()
    return AuthMiddleware(inside, authenticator, "dowse", takes_jwt=takes_jwt), inside


def bearer(value: bytes) -> list[tuple[bytes, bytes]]:
    return [HOST, (b"authorization", value)]


@pytest.mark.parametrize("scheme", [b"Bearer", b"bearer", b"BEARER"])
async def test_a_good_token_says_who_calls_and_goes_no_further(tokens: BearerAuthenticator, scheme: bytes) -> None:
    checked, inside = door(tokens)
    assert (await ask(checked, bearer(scheme + b" " + TOKEN.encode()))).status == 200
    (scope,) = inside.scopes
    assert scope["state"]["principal"] == Principal("alice")
    assert scope["headers"] == [HOST]


async def test_without_tokens_every_caller_is_anonymous_and_no_header_goes_further() -> None:
    checked, inside = door(None)
    assert (await ask(checked, bearer(b"Bearer whatever"))).status == 200
    assert inside.scopes[0]["state"]["principal"] == replace(ANONYMOUS, client="127.0.0.1")
    assert inside.scopes[0]["headers"] == [HOST]


@each_row(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("somewhere", "somewhere"),
        ("", ""),
    ],
)
def test_a_client_without_a_token_is_known_by_its_address_or_its_network(host: str, network: str) -> None:
    assert anonymous(host) == replace(ANONYMOUS, client=network)


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/readyz",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ],
)
async def test_health_and_metadata_are_open(tokens: BearerAuthenticator, path: str) -> None:
    checked, _ = door(tokens)
    assert (await ask(checked, path=path)).status == 200


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/mcp",
            "/v1/mcp",
            "/metrics",
            "/nothing",
            "/healthz/",
            "/healthz/mcp",
            "//healthz",
            "/HEALTHZ",
            "*",
            "",
        ),
        *("/.well-known/oauth-protected-resources", "/.well-known/", "http://localhost/healthz", "/readyz?/healthz"),
    ],
)
async def test_everything_else_needs_a_token(tokens: BearerAuthenticator, path: str) -> None:
    checked, inside = door(tokens)
    assert (await ask(checked, path=path)).status == 401
    assert inside.scopes == []


@pytest.mark.parametrize(
    ("headers", "reason", "challenge"),
    [
        ([HOST], "missing", 'Bearer realm="dowse"'),
        (bearer(b"Bearer wrong"), "wrong", 'Bearer realm="dowse", error="invalid_token"'),
        (bearer(b"Basic " + TOKEN.encode()), "malformed", 'Bearer realm="dowse", error="invalid_token"'),
        (bearer(b"Bearer " + TOKEN.encode() + b" more"), "malformed", 'Bearer realm="dowse", error="invalid_token"'),
        (bearer(b"Bearer " + b"a" * 4097), "oversized", 'Bearer realm="dowse", error="invalid_token"'),
        ([*bearer(b"Bearer " + TOKEN.encode()) * 2], "duplicated", 'Bearer realm="dowse", error="invalid_token"'),
    ],
)
async def test_a_refusal_is_one_line_in_the_log_and_names_the_scheme(
    tokens: BearerAuthenticator,
    caplog: pytest.LogCaptureFixture,
    headers: list[tuple[bytes, bytes]],
    reason: str,
    challenge: str,
) -> None:
    caplog.set_level(logging.INFO, "dowse")
    checked, inside = door(tokens)
    told = await ask(checked, headers, client=("203.0.113.9", 5))
    assert (told.status, told.headers["www-authenticate"], told.headers["connection"]) == (401, challenge, "close")
    assert set(told.json()) == {"error"}
    assert inside.scopes == []
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("INFO", "caller refused")
    assert record.__dict__["dowse_fields"] == {"status": 401, "reason": reason, "client": "203.0.113.9"}


async def test_the_longest_token_is_let_to_the_comparison(clock: FakeClock) -> None:
    long = "a" * 4096
    checked, inside = door(BearerAuthenticator(TokenBook({"long": SecretStr(long)}, None, clock)))
    assert (await ask(checked, bearer(b"Bearer " + long.encode()))).status == 200
    assert len(inside.scopes) == 1


@pytest.mark.parametrize(
    ("path", "document"), [("/mcp", "/mcp"), ("/v1/mcp", "/v1/mcp"), ("/metrics", "/mcp"), ("/x", "/mcp")]
)
async def test_with_an_issuer_the_refusal_says_where_tokens_come_from(
    tokens: BearerAuthenticator, path: str, document: str
) -> None:
    checked, _ = door(tokens, takes_jwt=True)
    told = await ask(checked, [(b"host", b"search.example.org")], path, scheme="https")
    url = f"https://search.example.org/.well-known/oauth-protected-resource{document}"
    assert told.headers["www-authenticate"] == f'Bearer realm="dowse", resource_metadata="{url}"'


@pytest.mark.parametrize(("contracts", "status"), [(None, 200), (["dowse", "jan"], 200), (["jan"], 403), ([], 403)])
async def test_a_token_for_other_contracts_opens_nothing_here(
    caplog: pytest.LogCaptureFixture, contracts: list[str] | None, status: int
) -> None:
    caplog.set_level(logging.INFO, "dowse")
    allowed = None if contracts is None else frozenset(contracts)
    checked, inside = door(Allowing(Principal("alice", contracts=allowed)))
    told = await ask(checked, bearer(b"Bearer " + TOKEN.encode()))
    assert told.status == status
    assert len(inside.scopes) == (status == 200)
    if status == 403:
        assert told.headers["www-authenticate"] == 'Bearer realm="dowse", error="insufficient_scope"'
        assert told.json() == {"error": "this token is not for the tools of the contract dowse"}
        assert caplog.records[0].__dict__["dowse_fields"]["caller"] == "alice"


@pytest.mark.promise("token-scopes")
@pytest.mark.parametrize(
    ("scopes", "path", "status"),
    [
        (None, "/mcp", 200),
        (None, "/metrics", 200),
        (["tools"], "/mcp", 200),
        (["tools"], "/v1/mcp", 200),
        (["tools"], "/metrics", 403),
        (["metrics"], "/metrics", 200),
        (["metrics"], "/mcp", 403),
        (["metrics"], "/anything/else", 403),
        (["tools", "metrics"], "/metrics", 200),
    ],
)
async def test_a_scope_opens_its_part_of_the_server_only(scopes: list[str] | None, path: str, status: int) -> None:
    allowed = None if scopes is None else frozenset(scopes)
    checked, inside = door(Allowing(Principal("alice", scopes=allowed)))
    told = await ask(checked, bearer(b"Bearer " + TOKEN.encode()), path)
    assert told.status == status
    assert len(inside.scopes) == (status == 200)
    if status == 403:
        needed = "metrics" if path == "/metrics" else "tools"
        assert told.json() == {"error": f"this token does not have the scope {needed}"}
        assert told.headers["www-authenticate"] == 'Bearer realm="dowse", error="insufficient_scope"'


@pytest.mark.promise("token-expires")
async def test_an_expired_token_is_refused_and_the_log_names_its_owner(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[alice]\nhash = "sha256:{digest(TOKEN)}"\nexpires = 2026-11-15T12:00:10Z\n')
    file.chmod(0o600)
    checked, _ = door(BearerAuthenticator(TokenBook({}, file, clock)))
    assert (await ask(checked, bearer(b"Bearer " + TOKEN.encode()))).status == 200
    clock.advance(10)
    told = await ask(checked, bearer(b"Bearer " + TOKEN.encode()))
    assert (told.status, told.json()) == (401, {"error": "the bearer token is invalid or expired"})
    (line,) = [record for record in caplog.records if record.getMessage() == "expired token refused"]
    assert line.__dict__["dowse_fields"] == {"caller": "alice", "fix": "dowse token rotate alice"}


async def test_what_looks_like_a_jwt_is_refused_where_none_are_taken(tokens: BearerAuthenticator) -> None:
    assert await tokens.authenticate("a.b.c") is None


async def search(_request: HttpRequest, _context: CallContext) -> HttpReply:
    return HttpReply()


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    return HttpReply({"error": str(error)}, 401)


DOORS = Doors([Wire("tavily", Door.TAVILY, ("/v",), (HttpEndpoint(("POST",), "/search", "web_search", search, fail),))])


async def test_a_client_that_leaves_within_a_body_with_its_token_is_refused(tokens: BearerAuthenticator) -> None:
    inside = Inside()
    checked = AuthMiddleware(inside, tokens, "dowse", takes_jwt=False, doors=DOORS)
    left = await ask(checked, [HOST], "/v/search", message={"type": "http.disconnect"})
    assert (left.status, inside.scopes) == (401, [])


def test_a_token_in_a_body_is_compared_only_with_an_admitted_one() -> None:
    match = DOORS.find("/v/search")
    assert match is not None
    scope = {"type": "http", "headers": [HOST], "state": {}, "client": None}
    check_body(scope, b'{"api_key": "another-token"}', match)
