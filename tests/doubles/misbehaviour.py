"""Everything a server can do wrong, by name; providers and pages misbehave alike."""

from __future__ import annotations

import asyncio
import functools
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from aiohttp import web

from tests.doubles.script import Step

ErrorAnswer = Callable[[int, str], web.Response]

STATUSES = {
    400: "The request could not be understood.",
    401: "The key was not recognised.",
    402: "Payment is required.",
    403: "Access is forbidden.",
    404: "There is nothing at this address.",
    408: "The request took too long to arrive.",
    410: "This was removed for good.",
    429: "Too many requests.",
    432: "The limit of the plan is reached.",
    433: "The pay-as-you-go limit is reached.",
    451: "Unavailable for legal reasons.",
    500: "Something broke on our side.",
    502: "The upstream server sent nonsense.",
    503: "Down for maintenance.",
    504: "The upstream server did not answer.",
}
ELSEWHERE = "/elsewhere"
BOMB_BYTES = 100 * 1000 * 1000
TRICKLE_S = 0.05

_CHALLENGE = """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="360"></head>
<body class="no-js"><div class="main-wrapper" role="main"><div class="main-content">
<h1 class="zone-name-title">pocket.example</h1>
<p id="challenge-running">Checking that you are a human. This may take a few seconds.</p>
<form id="challenge-form" action="/?__cf_chl_f_tk=abc" method="POST"><input type="hidden" name="md" value="x"></form>
<noscript><div id="challenge-error-text">Enable JavaScript and cookies to continue</div></noscript>
</div></div><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=0"></script>
<div class="footer">Ray ID: <code>0123456789abcdef</code></div></body></html>"""
_HTML = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a misbehaviour needs to know beyond the request: how errors look here, and its options."""

    error: ErrorAnswer
    retry_after: int | str | None = None
    redirect_to: str = ELSEWHERE


Misbehaviour = Callable[[web.Request, Trouble], Awaitable[web.StreamResponse]]


def misbehave(name: str, trouble: Trouble) -> Step:
    """The named misbehaviour as a step of a script; an unknown name is an error at once, not at the request."""
    if name not in MISBEHAVIOURS:
        raise ValueError(f"{name!r} is not a misbehaviour; there are {', '.join(sorted(MISBEHAVIOURS))}")
    act = MISBEHAVIOURS[name]

    async def step(request: web.Request) -> web.StreamResponse:
        return await act(request, trouble)

    return step


def _status(status: int, message: str) -> Misbehaviour:
    async def answer(_request: web.Request, trouble: Trouble) -> web.StreamResponse:
        response = trouble.error(status, message)
        if trouble.retry_after is not None:
            response.headers["Retry-After"] = str(trouble.retry_after)
        return response

    return answer


def _canned(body: str, content_type: str = "application/json", status: int = 200, **headers: str) -> Misbehaviour:
    async def answer(_request: web.Request, _trouble: Trouble) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(text=body, content_type=content_type, status=status, headers=named)

    return answer


async def _hang(_request: web.Request, _trouble: Trouble) -> web.StreamResponse:
    """Say nothing until the client leaves, which cancels this handler."""
    never: asyncio.Future[web.StreamResponse] = asyncio.get_running_loop().create_future()
    return await never


async def _stall(request: web.Request, trouble: Trouble) -> web.StreamResponse:
    """Headers and half a body, then silence: catches timeouts that only watch for the first byte."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"results": [')
    return await _hang(request, trouble)


async def _trickle(request: web.Request, _trouble: Trouble) -> NoReturn:
    """A byte now and then, for ever: each read succeeds, only a limit for the whole exchange ends it."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b"{")
    while True:
        await asyncio.sleep(TRICKLE_S)
        await response.write(b" ")


async def _huge(request: web.Request, _trouble: Trouble) -> NoReturn:
    """A body without end, as fast as the client takes it."""
    response = web.StreamResponse(headers={"Content-Type": "text/html; charset=utf-8"})
    await response.prepare(request)
    await response.write(b"<!DOCTYPE html><p>")
    while True:
        await response.write(b"word " * 13_000)


async def _reset(request: web.Request, _trouble: Trouble) -> web.StreamResponse:
    """A real RST: with zero linger the kernel throws the connection away instead of closing it."""
    if request.transport is not None:
        sock = request.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()


async def _wrong_length(request: web.Request, _trouble: Trouble) -> web.StreamResponse:
    """Promise more bytes than are sent, then close."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = 5000
    response.force_close()
    await response.prepare(request)
    await response.write(b'{"results": []}')
    return response


async def _bomb(_request: web.Request, _trouble: Trouble) -> web.StreamResponse:
    """A hundred kilobytes on the wire, a hundred megabytes once decompressed."""
    body = await asyncio.to_thread(_bomb_body)
    return web.Response(body=body, content_type="text/html", headers={"Content-Encoding": "gzip"})


@functools.cache
def _bomb_body() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: gzip framing
    block = bytes(BOMB_BYTES // 100)
    return b"".join([packer.compress(block) for _ in range(100)]) + packer.flush()


async def _redirect(request: web.Request, trouble: Trouble) -> web.StreamResponse:
    """307 for a POST: a client that follows would send its key and body along."""
    status = 302 if request.method in ("GET", "HEAD") else 307
    return web.Response(status=status, headers={"Location": trouble.redirect_to})


async def _redirect_loop(request: web.Request, _trouble: Trouble) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": request.path_qs})


async def _echo_key(request: web.Request, trouble: Trouble) -> web.StreamResponse:
    """An error that repeats the secrets it was sent, as careless servers do."""
    received = request.headers.get("X-API-Key") or request.headers.get("Authorization") or "none"
    sent = "; ".join(f"{name}={value}" for name, value in request.headers.items())
    return trouble.error(500, f"Internal error while serving key {received.removeprefix('Bearer ')} ({sent})")


MISBEHAVIOURS: dict[str, Misbehaviour] = {
    **{str(status): _status(status, message) for status, message in STATUSES.items()},
    "not_enough_credits": _status(400, "Not enough credits"),
    "hang": _hang,
    "stall": _stall,
    "trickle": _trickle,
    "huge": _huge,
    "bomb": _bomb,
    "reset": _reset,
    "wrong_length": _wrong_length,
    "broken_json": _canned('{"results": [{"title": "An answer that was cut o'),
    "json_array": _canned('[{"title": "A list where an object belongs"}]'),
    "json_null": _canned("null"),
    "empty_body": _canned(""),
    "html": _canned(_HTML, "text/html"),
    "challenge": _canned(_CHALLENGE, "text/html", 403, Server="cloudflare", cf_mitigated="challenge"),
    "redirect": _redirect,
    "redirect_loop": _redirect_loop,
    "echo_key": _echo_key,
}
