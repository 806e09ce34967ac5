"""JSON Web Tokens at the real server: the issuer's for this server, or none; and how a client finds the issuer."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives import serialization

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.fakes.issuer import AUDIENCE, ISSUER, In, Issuer, at, issuing, private_key
from tests.http import HttpServer
from tests.rawhttp import exchange, request
from tests.security.doors import OTHER, SEARCH, TOKEN, address
from tests.security.doors import settings as with_tokens


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing() as running:
        yield running


def settings(web: PocketWeb, issuer: Issuer, **more: str) -> dict[str, str]:
    jwt = {"DOWSE_JWT_ISSUER": ISSUER, "DOWSE_JWT_AUDIENCE": AUDIENCE, "DOWSE_JWKS_URL": issuer.url}
    return {**web.environment("serper"), **jwt, **more}


async def status_of(http: HttpServer, token: str) -> int:
    async with http.post("web_search", SEARCH, headers={"Authorization": f"Bearer {token}"}) as answer:
        return answer.status


def encoded(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def hs256_with_the_public_key() -> str:
    """The classic: the verifier takes the published key for a shared secret."""
    public = private_key("rsa").public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": at(In(300))}
    signed = f"{encoded({'alg': 'HS256', 'typ': 'JWT', 'kid': 'rsa'})}.{encoded(claims)}"
    return f"{signed}.{encoded(hmac.new(pem, signed.encode(), hashlib.sha256).digest())}"


def bad_tokens(issuer: Issuer) -> dict[str, str]:
    header, payload, signature = issuer.token().split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    unsigned = f"{encoded({'alg': 'none'})}.{payload}."
    return {
        "wrong issuer": issuer.token(iss="https://evil.example/"),
        "wrong audience": issuer.token(aud="https://other.example.org/mcp"),
        "expired": issuer.token(exp=In(-120)),
        "not yet valid": issuer.token(nbf=In(120)),
        "unsigned": unsigned,
        "unsigned, with a signature": unsigned + signature,
        "HS256 with the public key": hs256_with_the_public_key(),
        "unknown key": issuer.token(header={"kid": "nobody"}),
        "another key under a known id": issuer.token(key="rsa-evil", header={"kid": "rsa"}),
        "no exp": issuer.token(exp=None),
        "no sub": issuer.token(sub=None),
        "no iss": issuer.token(iss=None),
        "no aud": issuer.token(aud=None),
        "critical extension": issuer.token(header={"crit": ["exp"]}),
        "tampered": f"{header}.{encoded({**claims, 'sub': 'root'})}.{signature}",
        "truncated": f"{header}.{payload}.{signature[:-4]}",
        "nested header": f"{encoded(b'[' * 2000)}.{payload}.{signature}",
    }


async def test_only_a_good_token_of_the_issuer_gets_in(server: Server, web: PocketWeb, issuer: Issuer) -> None:
    async with server.http(settings(web, issuer)) as http:
        assert await status_of(http, issuer.token()) == 200
        web.reset()
        bad = bad_tokens(issuer)
        assert {kind: await status_of(http, token) for kind, token in bad.items()} == dict.fromkeys(bad, 401)
        assert web.serper.requests == []
        assert issuer.asked == 1, "made-up key ids do not make us ask the issuer each time"
        assert await status_of(http, issuer.token()) == 200
    for token in (*bad.values(), issuer.token()):
        assert token not in server.log


async def test_both_kinds_of_tokens_open_one_server(server: Server, web: PocketWeb, issuer: Issuer) -> None:
    async with server.here({**with_tokens(web), **settings(web, issuer)}) as http:
        for token in (TOKEN, OTHER, issuer.token()):
            assert await status_of(http, token) == 200
        assert await status_of(http, "wrong") == 401


async def test_an_issuer_that_cannot_be_asked_is_401_and_an_error_in_the_log(
    server: Server, web: PocketWeb, issuer: Issuer
) -> None:
    issuer.status = 500
    async with server.here({**with_tokens(web), **settings(web, issuer)}) as http:
        assert await status_of(http, issuer.token()) == 401
        assert await status_of(http, TOKEN) == 200, "other tokens do not need the issuer"
    assert '"level": "error", "event": "keys of the token issuer could not be fetched"' in server.log


async def test_each_subject_has_limits_of_its_own(server: Server, web: PocketWeb, issuer: Issuer) -> None:
    async with server.here(settings(web, issuer, DOWSE_LIMIT_WEB_SEARCH="1/h")) as http:
        refused = []
        for subject in ("ada", "ada", "bob"):
            headers = {"Authorization": f"Bearer {issuer.token(sub=subject)}"}
            async with http.post("web_search", SEARCH, headers=headers) as answer:
                refused.append((await answer.json())["result"].get("isError", False))
        assert refused == [False, True, False]


async def test_a_client_without_a_token_is_led_to_the_issuer(server: Server, web: PocketWeb, issuer: Issuer) -> None:
    async with server.here(settings(web, issuer)) as http:
        host = ("Host", address(http))
        refused = await exchange(http.origin, request("POST", "/mcp", [host]))
        document = f"{http.origin}/.well-known/oauth-protected-resource/mcp"
        assert refused.headers["www-authenticate"] == f'Bearer realm="dowse", resource_metadata="{document}"'
        for path in (urlsplit(document).path, "/.well-known/oauth-protected-resource"):
            told = await exchange(http.origin, request("GET", path, [host]))
            assert (told.status, told.json()) == (
                200,
                {
                    "resource": AUDIENCE,
                    "authorization_servers": [ISSUER],
                    "bearer_methods_supported": ["header"],
                    "resource_name": "dowse",
                },
            )
    assert issuer.asked == 0
