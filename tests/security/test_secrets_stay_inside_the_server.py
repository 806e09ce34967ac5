"""Acceptance case 34 over HTTP, metrics and `dowse doctor`: provider keys and callers' tokens stay inside."""

from __future__ import annotations

import asyncio
import base64
import html
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from dowse.settings import READERS, SPECS
from dowse.stores.coordination import FAILURES_TO_OPEN
from tests import forked
from tests.canaries import (
    BAD_SETTINGS,
    CANARIES,
    FILE_DIGEST,
    FILE_TOKEN,
    QUICK,
    TOKENS_FILE,
    TOML,
    Output,
    all_that_could_be_said,
    calls_with,
    leaks,
    repeated,
    run,
    settings,
)
from tests.conftest import Server
from tests.doubles import MISBEHAVIOURS, PROVIDERS, PocketWeb
from tests.http import LEGACY, MODERN, SERVE, HttpServer, call, call_headers

pytestmark = pytest.mark.promise("case-34", "secret-output")

STATUSES = (200, 401, 500)
KEYS = {name: CANARIES[f"{name.upper()}_API_KEY"] for name in READERS if not SPECS[name].source}
ERAS = pytest.mark.parametrize("era", [LEGACY, MODERN])
CALLERS = {"alice": CANARIES["DOWSE_TOKENS"], "ci": FILE_TOKEN}


@pytest.fixture
async def web() -> AsyncIterator[PocketWeb]:
    """The pocket web with canaries for keys."""
    async with PocketWeb(KEYS) as pocket_web:
        yield pocket_web


@pytest.fixture
def output(tmp_path: Path) -> Output:
    # The servers of this test write their log there.
    return Output(tmp_path / "server.log")


@pytest.fixture
def tokens(tmp_path: Path) -> dict[str, str]:
    """A tokens file beside the tokens of the settings."""
    file = tmp_path / "tokens.toml"
    file.write_text(TOKENS_FILE)
    file.chmod(0o600)
    return {"DOWSE_TOKENS_FILE": str(file)}


class Callers:
    """Calls tools as everybody who has a token, and keeps whatever comes back, headers included."""

    def __init__(self, http: HttpServer, output: Output, era: str) -> None:
        self._http = http
        self._output = output
        self._era = era

    async def call(
        self, tool: str, arguments: dict[str, object], caller: str = "alice", *, stream: bool = False
    ) -> int:
        message = call(tool, arguments, version=self._era, progress_token="p" if stream else None)
        headers = {**call_headers("web_search", self._era), "Authorization": f"Bearer {CALLERS[caller]}"}
        if self._era == MODERN:
            headers["Mcp-Name"] = tool.encode("ascii", "replace").decode()
        return await self._kept(self._http.session.post(self._http.url, json=message, headers=headers))

    async def get(self, path: str, token: str = CALLERS["alice"], **headers: str) -> int:
        given = {"Authorization": f"Bearer {token}", **headers}
        return await self._kept(self._http.session.get(self._http.origin + path, headers=given))

    async def metrics(self) -> bytes:
        assert await self.get("/metrics") == 200
        return self._output.written[-1]

    async def _kept(self, request: object) -> int:
        async with request as response:  # type: ignore[attr-defined]  # aiohttp's own context manager
            self._output.written.append(f"{response.headers}\n".encode() + await response.read())
            return int(response.status)


async def test_no_misbehaviour_of_a_provider_brings_a_secret_out_over_http(
    server: Server, output: Output, tokens: dict[str, str]
) -> None:
    """The providers side by side, each first in the order of a server of its own: some of them make it wait."""
    await asyncio.gather(*(misbehaves(provider, server, output, tokens) for provider in PROVIDERS))
    assert output.leaks() == []


async def misbehaves(provider: str, server: Server, output: Output, tokens: dict[str, str]) -> None:
    """Searches with a provider that does everything that can be done wrong, each in the other era than the last."""
    search: dict[str, object] = {"query": "python", "num_results": 1, "fetch_content": False}
    async with PocketWeb(KEYS) as web, server.http(settings(web, provider, **tokens, **QUICK)) as http:
        asked = getattr(web, provider)
        old, new = Callers(http, output, LEGACY), Callers(http, output, MODERN)
        # Providers begin with different eras, so that each trouble is met in both.
        for number, trouble in enumerate(sorted(MISBEHAVIOURS), PROVIDERS.index(provider)):
            # A success in between, or the breaker would open and nothing more would be asked.
            if number % (FAILURES_TO_OPEN - 1) == 0:
                asked.works()
                assert await old.call("web_search", search) == 200
            asked.fails(trouble)
            failing = (
                new.call("web_search", search, "ci", stream=True) if number % 2 else old.call("web_search", search)
            )
            assert await failing == 200, trouble
        assert len(asked.requests) > len(MISBEHAVIOURS)
        assert await old.get("/metrics") == 200
    assert any(b'provider="' in written for written in output.written)


@ERAS
async def test_an_upstream_that_repeats_secrets_is_not_quoted_over_http(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], era: str
) -> None:
    """Each spelling with one status; `tests/slow` has them all."""
    messages = all_that_could_be_said()
    shares = {status: messages[number :: len(STATUSES)] for number, status in enumerate(STATUSES)}
    await upstream_repeats_secrets_over_http(server, web, output, tokens, era, shares)


async def upstream_repeats_secrets_over_http(
    server: Server,
    web: PocketWeb,
    output: Output,
    tokens: dict[str, str],
    era: str,
    messages: Mapping[int, Sequence[str]],
) -> None:
    """Serper answers with each status and message in turn, and none of it comes out."""
    async with server.http(settings(web, **tokens)) as http:
        callers = Callers(http, output, era)
        for status, said_with_it in messages.items():
            told = len(output.written)
            for said in said_with_it:
                web.serper.works().finds_nothing()
                await callers.call("web_search", {"query": "python"})
                web.serper.replies(json={"error": f"it broke: {said}"}, status=status)
                await callers.call("web_search", {"query": "python", "num_results": 1})
            if status != 200:
                assert b"it broke: [redacted]" in b"".join(output.written[told:]), status
        await callers.metrics()
    assert b"it broke" not in output.log.read_bytes()
    assert output.leaks() == []


@ERAS
async def test_pages_and_results_that_contain_secrets_are_masked_over_http(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], era: str
) -> None:
    words = "".join(f"<p>{html.escape(text)}</p>" for secret in CANARIES.values() for text in repeated(secret))
    web.pages.serves("/leak", f"<html><head><title>t</title></head><body><main>{words}</main></body></html>")
    web.serper.finds([{"title": secret, "url": web.page("/leak"), "snippet": secret} for secret in CANARIES.values()])
    async with server.http(settings(web, **tokens)) as http:
        callers = Callers(http, output, era)
        for stream in (False, True):
            assert await callers.call("get_content", {"url": web.page("/leak")}, stream=stream) == 200
            assert await callers.call("web_search", {"query": "python"}, "ci", stream=stream) == 200
        await callers.metrics()
    assert b"[redacted]" in output.written[0]
    assert output.leaks() == []


@ERAS
async def test_arguments_and_names_of_tools_that_contain_a_secret_are_not_repeated_over_http(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], era: str
) -> None:
    async with server.http(settings(web, **tokens)) as http:
        callers = Callers(http, output, era)
        for secret in CANARIES.values():
            for tool, arguments in calls_with(secret):
                await callers.call(tool, arguments)
        metrics = await callers.metrics()
    assert b'tool="web_search"' in metrics
    assert output.leaks() == []


@ERAS
async def test_a_callers_token_goes_to_no_provider_and_to_no_page(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], era: str
) -> None:
    web.serper.fails("500")
    web.exa.fails("500")
    async with server.http(settings(web, **tokens)) as http:
        callers = Callers(http, output, era)
        for caller in CALLERS:
            assert await callers.call("web_search", {"query": "python", "num_results": 2}, caller) == 200
            assert await callers.call("get_content", {"url": web.page("/echo")}, caller) == 200
    seen = [*web.pages.requests, *(request for double in web.doubles for request in double.requests)]
    assert len(seen) >= 8
    for request in seen:
        sent = f"{request.path} {request.params} {request.headers} {request.body!r}"
        assert [leak for leak in leaks(sent) if "TOKENS" in leak or "file" in leak] == []
    assert output.leaks() == []


def nearly(token: str) -> list[str]:
    """What somebody sends who has most of a token, or all of it in the wrong form."""
    encoded = base64.b64encode(f"alice:{token}".encode()).decode()
    return [token[:-1], f"{token}x", token[::-1], token.swapcase(), f"{token}{token}", encoded, FILE_DIGEST]


async def test_refused_credentials_are_not_repeated(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str]
) -> None:
    async with server.http(settings(web, **tokens)) as http:
        callers = Callers(http, output, LEGACY)
        for token in CALLERS.values():
            for presented in nearly(token):
                assert await callers.get("/metrics", presented) == 401
            assert await callers.get(f"/metrics?token={FILE_TOKEN}&access_token={FILE_TOKEN}", "") == 401
            assert await callers.get("/metrics", Authorization=f"Basic {token}") == 401
            assert await callers.get(f"/{FILE_TOKEN}", token) == 404
            assert await callers.get("/metrics", token, Host=f"{FILE_TOKEN}.example") == 421
            assert await callers.get("/metrics", token, Origin=f"https://{FILE_TOKEN}.example") == 403
    assert b"401" in output.log.read_bytes()
    assert output.leaks() == []


CRASHING = """
from dowse.providers.serper import Serper
from dowse.surfaces.cli.main import main

async def crash(self, query, deadline):
    raise RuntimeError(f"a bug with {self._key.get_secret_value()} and {self!r} in {vars(self)!r}")

Serper.search = crash
raise SystemExit(main(["serve", "--http", "--port", "0"]))
"""


@ERAS
async def test_a_crash_over_http_is_logged_without_the_key_in_its_traceback(
    server: Server, web: PocketWeb, output: Output, tmp_path: Path, era: str
) -> None:
    script = tmp_path / "crashing.py"
    script.write_text(CRASHING)
    async with server.http(settings(web), command=forked.script(script)) as http:
        callers = Callers(http, output, era)
        assert await callers.call("web_search", {"query": "python"}) == 200
        await callers.metrics()
    assert b"internal error" in output.written[0]
    assert "RuntimeError: a bug with [redacted]" in output.log.read_text()
    assert output.leaks() == []


BROKEN_FILES = [
    f'[ci]\nhash = "sha256:{FILE_DIGEST}\n',
    f'[ci]\nhash = "{FILE_TOKEN}"\n',
    f'[ci]\ntoken = "{FILE_TOKEN}"\n',
    f"[ci]\n{FILE_TOKEN} = 1\n",
    f"[{FILE_TOKEN}]\nhash = 1\n",
    f"{FILE_TOKEN}\n",
    f'{TOKENS_FILE}[ci2]\nhash = "sha256:{FILE_DIGEST}"\n',
]


@pytest.mark.parametrize("text", BROKEN_FILES)
async def test_a_tokens_file_that_is_refused_is_quoted_by_neither_server_nor_doctor(
    server: Server, web: PocketWeb, output: Output, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(text)
    environment = server.environment(settings(web, DOWSE_TOKENS_FILE=str(file)))
    assert await run(output, environment, *forked.dowse(*SERVE)) == 2
    assert await run(output, environment, *forked.dowse("doctor")) == 1
    assert b"problem tokens: The tokens file" in output.written[-2]
    assert output.leaks() == []


@pytest.mark.parametrize("flags", [[], ["--json"]])
async def test_doctor_tells_no_secret(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], flags: list[str]
) -> None:
    assert (
        await run(output, server.environment(settings(web, **tokens)), *forked.dowse("doctor", "--probe", *flags)) == 0
    )
    assert b"alice" in output.written[0]
    assert [len(getattr(web, provider).requests) for provider in PROVIDERS] == [1, 1, 1, 1]
    assert output.leaks() == []


@pytest.mark.parametrize("trouble", ["echo_key", "401", "403", "redirect", "broken_json", "reset"])
async def test_a_probe_that_fails_tells_no_secret(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], trouble: str
) -> None:
    for provider in PROVIDERS:
        getattr(web, provider).fails(trouble)
    for flags in ([], ["--json"]):
        assert (
            await run(output, server.environment(settings(web, **tokens)), *forked.dowse("doctor", "--probe", *flags))
            == 1
        )
    assert output.leaks() == []


async def test_a_probe_does_not_quote_an_upstream_that_repeats_every_secret(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str]
) -> None:
    """Each spelling with one status; `tests/slow` has both."""
    for status, messages in ((401, all_that_could_be_said()[::2]), (500, all_that_could_be_said()[1::2])):
        await probe_repeats_secrets(server, web, output, tokens, status, messages)


async def probe_repeats_secrets(
    server: Server, web: PocketWeb, output: Output, tokens: dict[str, str], status: int, messages: Sequence[str]
) -> None:
    """All providers answer a probe with the next messages, and none of it comes out."""
    environment = server.environment(settings(web, **tokens))
    for start in range(0, len(messages), len(PROVIDERS)):
        for provider, said in zip(PROVIDERS, messages[start : start + len(PROVIDERS)], strict=False):
            getattr(web, provider).works().replies(json={"error": f"it broke: {said}"}, status=status)
        assert await run(output, environment, *forked.dowse("doctor", "--probe", "--json")) == 1
    assert b"it broke: [redacted]" in b"".join(output.written)
    assert output.leaks() == []


@pytest.mark.parametrize("bad", BAD_SETTINGS)
async def test_doctor_does_not_quote_an_invalid_setting_that_may_be_secret(
    server: Server, web: PocketWeb, output: Output, bad: dict[str, str]
) -> None:
    for flags in ([], ["--json"]):
        assert await run(output, server.environment(settings(web, **bad)), *forked.dowse("doctor", *flags)) == 2
    assert next(iter(bad)).encode() in output.written[0]
    assert output.leaks() == []


@pytest.mark.parametrize("text", TOML)
async def test_doctor_does_not_quote_a_configuration_file(
    server: Server, output: Output, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(text)
    for flags in ([], ["--json"]):
        assert await run(output, server.environment({"DOWSE_CONFIG": str(file)}), *forked.dowse("doctor", *flags)) == 2
    assert output.leaks() == []


def test_a_token_or_a_hash_of_the_file_would_be_found() -> None:
    for name, secret in (("token of the file", FILE_TOKEN), ("hash of the file", FILE_DIGEST)):
        assert any(leak.startswith(f"{name} as raw") for leak in leaks(f"before {secret} after"))
        assert leaks(f"before {secret[:8]}…") != []
