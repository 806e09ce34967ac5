"""An identity provider on loopback: publishes keys, signs tokens, and misbehaves when a test says so."""

from __future__ import annotations

import asyncio
import functools
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.utils import base64url_encode

ISSUER = "https://id.example.org/"
AUDIENCE = "https://search.example.org/mcp"
Claims = dict[str, object]


@dataclass(frozen=True, slots=True)
class In:
    """A moment so many seconds after a token is made: a test may run minutes after it was collected."""

    seconds: int


def at(value: object) -> object:
    return int(time.time()) + value.seconds if isinstance(value, In) else value


@functools.cache
def private_key(name: str) -> Any:
    """A key pair that is made once: `rsa…`, `ec…` or `ed…`, another one for each name."""
    if name.startswith("rsa"):
        return rsa.generate_private_key(65537, 2048)
    return ec.generate_private_key(ec.SECP256R1()) if name.startswith("ec") else ed25519.Ed25519PrivateKey.generate()


def published(name: str, **changes: object) -> dict[str, object]:
    """The public half of a key as a JWK."""
    algorithm: Any = {"rs": RSAAlgorithm, "ec": ECAlgorithm, "ed": OKPAlgorithm}[name[:2]]
    jwk = algorithm.to_jwk(private_key(name).public_key(), as_dict=True)
    return {**jwk, "kid": name, "use": "sig", **changes}


def _segment(values: Claims) -> bytes:
    kept = {name: at(value) for name, value in values.items() if value is not None}
    return base64url_encode(json.dumps(kept).encode())


class Issuer:
    """What is published, and how often it was asked for."""

    def __init__(self) -> None:
        self.keys = [published("rsa")]
        self.asked = 0
        self.status = 200
        self.text = ""
        self.url = ""
        self.arrived = asyncio.Event()
        self._may_answer = asyncio.Event()
        self._may_answer.set()

    def hang(self) -> None:
        """Take requests and say nothing; `arrived` tells that one is there."""
        self.arrived.clear()
        self._may_answer.clear()

    def answer(self) -> None:
        """Answer after all, the requests that wait included."""
        self._may_answer.set()

    def token(self, *, key: str = "rsa", alg: str = "RS256", header: Claims | None = None, **claims: object) -> str:
        """A good token, or one with other claims; `None` leaves a claim or a header out."""
        good: Claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": In(0), "exp": In(300)}
        head: Claims = {"alg": alg, "typ": "JWT", "kid": key, **(header or {})}
        # Put together by hand: the library would not sign claims and headers that make no sense.
        signed = b".".join(map(_segment, (head, {**good, **claims})))
        signature = jwt.get_algorithm_by_name(alg).sign(signed, private_key(key))
        return b".".join((signed, base64url_encode(signature))).decode()

    async def publish(self, _request: web.Request) -> web.Response:
        self.asked += 1
        self.arrived.set()
        await self._may_answer.wait()
        if self.status in (301, 302, 307, 308):
            return web.Response(status=self.status, headers={"Location": f"{self.url}/moved"})
        return web.Response(status=self.status, text=self.text or json.dumps({"keys": self.keys}))

    async def moved(self, _request: web.Request) -> web.Response:
        return web.json_response({"keys": self.keys})


@asynccontextmanager
async def issuing() -> AsyncIterator[Issuer]:
    issuer = Issuer()
    app = web.Application()
    app.router.add_get("/jwks", issuer.publish)
    app.router.add_get("/jwks/moved", issuer.moved)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    issuer.url = f"http://127.0.0.1:{runner.addresses[0][1]}/jwks"
    try:
        yield issuer
    finally:
        issuer.answer()
        await runner.cleanup()
