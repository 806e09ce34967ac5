"""The doors in order: what a whole application answers at each of them, without a server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from opentelemetry import trace
from starlette.types import ASGIApp

from dowse.app import App
from dowse.auth.tokens import digest
from dowse.core.errors import ConfigError
from dowse.settings.sources import load
from dowse.surfaces.http.asgi import TraceContextMiddleware, build_asgi
from dowse.surfaces.http.mcp import Drain
from tests.fakes.asgi import HOST, Inside, ask

TOKEN = "alice-has-a-long-token"
TOKENS = {"DOWSE_TOKENS": f"alice:{TOKEN}"}
BEARER = (b"authorization", f"Bearer {TOKEN}".encode())
PAGE = {"DOWSE_ALLOWED_ORIGINS": "https://app.example.org", **TOKENS}
ORIGIN = (b"origin", b"https://app.example.org")
JWT = {
    "DOWSE_JWT_ISSUER": "https://id.example.org/",
    "DOWSE_JWT_AUDIENCE": "dowse",
    "DOWSE_JWKS_URL": "https://id.example.org/jwks",
}
DOCUMENT = "/.well-known/oauth-protected-resource"


Build = Callable[[dict[str, str]], ASGIApp]


@pytest.fixture
async def built() -> AsyncIterator[Build]:
    """Builds the surface of an application, which is closed in the end: to tell about itself it opens its store."""
    async with AsyncExitStack() as apps:

        def build(settings: dict[str, str]) -> ASGIApp:
            app = App(load({}, settings).settings)
            apps.push_async_exit(app)
            return build_asgi(app, Drain())

        yield build


@pytest.mark.parametrize("path", ["/mcp", "/v1/mcp", "/healthz", "/readyz", "/nothing", "/", "/metrics", DOCUMENT])
@pytest.mark.parametrize("settings", [{}, TOKENS, JWT])
async def test_host_and_origin_are_checked_on_every_path(built: Build, path: str, settings: dict[str, str]) -> None:
    asgi = built(settings)
    assert (await ask(asgi, [(b"host", b"evil.example"), BEARER], path)).status == 421
    assert (await ask(asgi, [HOST, BEARER, (b"origin", b"https://evil.example")], path)).status == 403
    assert (await ask(asgi, [HOST, BEARER], path, method="GET")).status not in (421, 403)


async def test_the_host_is_checked_before_the_token(built: Build) -> None:
    """A page that reaches us by a name of its own learns nothing about tokens."""
    asgi = built(TOKENS)
    assert (await ask(asgi, [(b"host", b"evil.example")])).status == 421
    assert (await ask(asgi)).status == 401


@pytest.mark.parametrize("path", ["/nothing", "/mcp", "/metrics"])
async def test_without_a_token_no_caller_learns_what_there_is(built: Build, path: str) -> None:
    asgi = built(TOKENS)
    assert (await ask(asgi, path=path, method="GET")).status == 401
    assert (await ask(asgi, [HOST, BEARER], "/nothing", method="GET")).status == 404


NO_SANDBOX = {"DOWSE_BROWSER": "auto", "DOWSE_BROWSER_SANDBOX": "off"}
WARNED = b"ready\nChromium runs without its sandbox: DOWSE_BROWSER_SANDBOX is off.\n"


@pytest.mark.promise("hidden-browser-sandbox")
async def test_the_details_of_readiness_warn_of_a_browser_without_its_sandbox(built: Build) -> None:
    asgi = built({**TOKENS, **NO_SANDBOX})
    told = await ask(asgi, [HOST, BEARER], "/readyz", method="GET", query_string=b"verbose")
    assert (told.status, told.body) == (200, WARNED)
    without_tokens = await ask(built(NO_SANDBOX), path="/readyz", method="GET", query_string=b"verbose")
    assert (without_tokens.status, without_tokens.body) == (200, WARNED)


@pytest.mark.promise("hidden-browser-sandbox")
async def test_without_a_token_readiness_has_no_details(built: Build) -> None:
    asgi = built({**TOKENS, **NO_SANDBOX})
    assert (await ask(asgi, path="/readyz", method="GET", query_string=b"verbose")).status == 401
    for query in (b"", b"verbose=1", b"verbose&x", b"x"):
        told = await ask(asgi, path="/readyz", method="GET", query_string=query)
        assert (told.status, told.body) == (200, b"ready\n"), query


async def test_details_of_readiness_are_one_word_without_a_browser(built: Build) -> None:
    asgi = built({**NO_SANDBOX, "DOWSE_BROWSER": "off"})
    assert (await ask(asgi, path="/readyz", method="GET", query_string=b"verbose")).body == b"ready\n"


async def test_a_browser_may_ask_before_it_calls_from_an_added_origin(built: Build) -> None:
    asgi = built(PAGE)
    wanted = b"authorization,content-type,mcp-protocol-version,mcp-method,mcp-name"
    preflight = [(b"access-control-request-method", b"POST"), (b"access-control-request-headers", wanted)]
    told = await ask(asgi, [HOST, ORIGIN, *preflight], method="OPTIONS")
    assert (told.status, told.headers["access-control-allow-origin"]) == (200, "https://app.example.org")
    assert "access-control-allow-credentials" not in told.headers
    for other in (b"https://evil.example", b"null", b"https://app.example.org.evil.example"):
        assert (await ask(asgi, [HOST, (b"origin", other), *preflight], method="OPTIONS")).status == 403


async def test_a_page_can_read_why_it_was_refused(built: Build) -> None:
    told = await ask(built(PAGE), [HOST, ORIGIN])
    assert (told.status, told.headers["access-control-allow-origin"]) == (401, "https://app.example.org")
    assert "WWW-Authenticate" in told.headers["access-control-expose-headers"]


async def test_without_added_origins_no_page_is_told_anything(built: Build) -> None:
    told = await ask(built(TOKENS), [HOST, (b"origin", b"http://localhost:3000")])
    assert (told.status, "access-control-allow-origin" in told.headers) == (401, False)


@pytest.mark.parametrize(
    ("path", "audience", "resource"),
    [
        ("", "dowse", "https://search.example.org/mcp"),
        ("/mcp", "dowse", "https://search.example.org/mcp"),
        ("/v1/mcp", "dowse", "https://search.example.org/v1/mcp"),
        ("/mcp", "https://public.example.org/mcp", "https://public.example.org/mcp"),
    ],
)
async def test_the_metadata_document_tells_where_tokens_come_from(
    built: Build, path: str, audience: str, resource: str
) -> None:
    asgi = built({**JWT, "DOWSE_JWT_AUDIENCE": audience, "DOWSE_ALLOWED_HOSTS": "search.example.org"})
    host = [(b"host", b"search.example.org")]
    told = await ask(asgi, host, DOCUMENT + path, method="GET", scheme="https")
    assert (told.status, told.json()) == (
        200,
        {
            "resource": resource,
            "authorization_servers": ["https://id.example.org/"],
            "bearer_methods_supported": ["header"],
            "resource_name": "dowse",
        },
    )


@pytest.mark.parametrize("path", ["", "/mcp", "/v1/mcp"])
@pytest.mark.parametrize("settings", [{}, TOKENS])
async def test_without_an_issuer_there_is_no_metadata_document(
    built: Build, path: str, settings: dict[str, str]
) -> None:
    assert (await ask(built(settings), path=DOCUMENT + path, method="GET")).status == 404


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({}, False),
        ({"DOWSE_ALLOWED_HOSTS": "search.example.org"}, True),
        ({"DOWSE_TRUSTED_PROXIES": "127.0.0.1"}, True),
        ({"DOWSE_TRUSTED_PROXIES": "127.0.0.1", **TOKENS}, False),
        ({"DOWSE_ALLOWED_HOSTS": "search.example.org", **JWT}, False),
    ],
)
async def test_a_proxy_in_front_of_a_server_without_tokens_is_warned_of(
    built: Build, caplog: pytest.LogCaptureFixture, settings: dict[str, str], warned: bool
) -> None:
    caplog.set_level(logging.WARNING, "dowse")
    built(settings)
    expected = ["no tokens are set, so every client of the reverse proxy has access"] if warned else []
    assert [record.getMessage() for record in caplog.records] == expected


def test_a_tokens_file_that_is_not_in_order_stops_the_server_and_nothing_else(tmp_path: Path) -> None:
    """At a shell and on stdio nobody needs a token, so nobody needs the file."""
    app = App(load({}, {"DOWSE_TOKENS_FILE": str(tmp_path / "none.toml")}).settings)
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        build_asgi(app, Drain())


async def test_the_tokens_file_is_found_from_home(built: Build, tmp_path: Path) -> None:
    """Tests have a home of their own."""
    (tmp_path / "tokens.toml").write_text(f'[ci]\nhash = "sha256:{digest(TOKEN)}"\n')
    asgi = built({"DOWSE_TOKENS_FILE": "~/tokens.toml"})
    assert (await ask(asgi, path="/nothing")).status == 401
    assert (await ask(asgi, [HOST, BEARER], "/nothing")).status == 404


PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Tracing(Inside):
    """Remembers which trace a request is part of."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[tuple[str, str]] = []

    async def __call__(self, *asgi: object) -> None:
        current = trace.get_current_span().get_span_context()
        self.spans.append((f"{current.trace_id:032x}", f"{current.span_id:016x}"))
        await super().__call__(*asgi)


@pytest.mark.parametrize(
    ("traceparent", "expected"),
    [
        (PARENT, ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")),
        ("nonsense", ("0" * 32, "0" * 16)),
        (None, ("0" * 32, "0" * 16)),
    ],
)
async def test_the_trace_of_the_caller_goes_on(traceparent: str | None, expected: tuple[str, str]) -> None:
    inside = Tracing()
    headers = [(b"traceparent", traceparent.encode())] if traceparent else []
    await ask(TraceContextMiddleware(inside), [HOST, *headers])
    assert inside.spans == [expected]
    assert not trace.get_current_span().get_span_context().is_valid, "and ends with the request"
