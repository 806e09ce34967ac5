"""Acceptance case 34: no secret ever leaves, in any spelling, on any path, at any log level.

Every secret is a canary. The real server and the real commands are driven through everything that can go wrong
while upstreams repeat what they were sent; then all that was written is searched for each canary.
"""

from __future__ import annotations

import asyncio
import html
import traceback
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from dowse.core.errors import ConfigError
from dowse.settings import READERS, SPECS, sources
from dowse.stores.coordination import FAILURES_TO_OPEN
from tests import forked
from tests.canaries import (
    BAD_SETTINGS,
    CANARIES,
    QUICK,
    TOML,
    Output,
    all_that_could_be_said,
    calls_with,
    how_a_key_is_named,
    leaks,
    repeated,
    run,
    settings,
    spellings,
)
from tests.conftest import Server
from tests.doubles import MISBEHAVIOURS, PROVIDERS, PocketWeb, closed_port
from tests.stdio import Message, serving
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("case-34", "secret-output")

STATUSES = (200, 400, 401, 429, 500)
KEYS = {name: CANARIES[f"{name.upper()}_API_KEY"] for name in READERS if not SPECS[name].source}


@pytest.fixture
async def web() -> AsyncIterator[PocketWeb]:
    """The pocket web with canaries for keys."""
    async with PocketWeb(KEYS) as pocket_web:
        yield pocket_web


@pytest.fixture
def output(tmp_path: Path) -> Output:
    log = tmp_path / "stderr"
    log.touch()
    return Output(log)


def is_error(answer: Message) -> bool:
    return bool(answer["result"]["isError"])


async def test_no_misbehaviour_of_a_provider_brings_a_secret_out(server: Server, output: Output) -> None:
    """The providers side by side, each first in the order of a server of its own: some of them make it wait."""
    await asyncio.gather(*(misbehaves(provider, server, output) for provider in PROVIDERS))
    assert output.leaks() == []


async def misbehaves(provider: str, server: Server, output: Output) -> None:
    """Searches with a provider that does everything that can be done wrong."""
    async with PocketWeb(KEYS) as web:
        asked = getattr(web, provider)
        async with serving(server.environment(settings(web, provider, **QUICK)), output.log) as bare:
            for number, trouble in enumerate(sorted(MISBEHAVIOURS)):
                # A success in between, or the breaker would open and nothing more would be asked.
                if number % (FAILURES_TO_OPEN - 1) == 0:
                    asked.works()
                    await bare.call("web_search", query="python", fetch_content=False)
                asked.fails(trouble)
                answer = await bare.call("web_search", query="python", num_results=1, fetch_content=False)
                assert "result" in answer, trouble
            output.written.append(await bare.end())
        assert len(asked.requests) > len(MISBEHAVIOURS)


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_an_upstream_that_repeats_a_secret_in_any_spelling_is_not_quoted(
    server: Server, web: PocketWeb, output: Output, contract: str
) -> None:
    """Each spelling with one status; `tests/slow` has them all."""
    messages = all_that_could_be_said() + how_a_key_is_named()
    shares = {status: messages[number :: len(STATUSES)] for number, status in enumerate(STATUSES)}
    await upstream_repeats_secrets(server, web, output, contract, shares)


async def upstream_repeats_secrets(
    server: Server, web: PocketWeb, output: Output, contract: str, messages: Mapping[int, Sequence[str]]
) -> None:
    """Serper answers with each status and message in turn, and none of it comes out."""
    async with serving(server.environment(settings(web, DOWSE_CONTRACT=contract)), output.log) as bare:
        for status, said_with_it in messages.items():
            web.serper.requests.clear()
            told = len(bare.lines)
            for said in said_with_it:
                # A success in between, or the breaker would open and nothing more would be asked.
                web.serper.works().finds_nothing()
                await bare.call("web_search", query="python")
                web.serper.replies(json={"error": f"it broke: {said}"}, status=status)
                await bare.call("web_search", query="python", num_results=1)
            assert len(web.serper.requests) == 2 * len(said_with_it)
            # The caller is told what the upstream said (a kindly one only when no other provider answered); the log is
            # not, because it may repeat the query.
            if status in (400, 401) or (status != 200 and contract == "dowse"):
                assert b"it broke: [redacted]" in b"".join(bare.lines[told:]), status
        output.written.append(await bare.end())
    assert b"it broke" not in output.log.read_bytes()
    assert output.leaks() == []


@pytest.mark.parametrize("filler", [144, 160])
async def test_a_message_that_is_cut_in_the_middle_of_a_key_shows_no_part_of_it(
    server: Server, web: PocketWeb, output: Output, filler: int
) -> None:
    """Long messages are shortened: what is left of a key must be masked as the whole would have been."""
    address = "https://upstream.example/" + "a" * filler + "?k="
    for provider in PROVIDERS:
        key = CANARIES.get(f"{provider.upper()}_API_KEY", CANARIES["SEARXNG_HEADERS_JSON"])
        getattr(web, provider).replies(json={"error": address + key}, status=500)
    async with serving(server.environment(settings(web)), output.log) as bare:
        assert is_error(await bare.call("web_search", query="python", num_results=1))
        output.written.append(await bare.end())
    assert output.leaks() == []


async def test_all_providers_failing_together_tell_no_secret(server: Server, web: PocketWeb, output: Output) -> None:
    async with serving(server.environment(settings(web, **QUICK)), output.log) as bare:
        for trouble in ("echo_key", "500", "redirect", "hang"):
            for provider in PROVIDERS:
                getattr(web, provider).fails(trouble)
            assert is_error(await bare.call("web_search", query="python"))
        output.written.append(await bare.end())
    assert output.leaks() == []


async def test_endpoints_that_refuse_the_connection_tell_no_secret(
    server: Server, web: PocketWeb, output: Output
) -> None:
    nobody = f"http://127.0.0.1:{closed_port()}/search"
    refused = {f"{name}_SEARCH_ENDPOINT": nobody for name in ("SERPER", "EXA", "TAVILY")}
    refused["SEARXNG_URL"] = settings(web)["SEARXNG_URL"].replace(str(web.port), str(closed_port()))
    async with serving(server.environment(settings(web, **refused)), output.log) as bare:
        assert is_error(await bare.call("web_search", query="python"))
        output.written.append(await bare.end())
    assert output.leaks() == []


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_titles_snippets_and_pages_that_contain_the_keys_are_masked(
    server: Server, web: PocketWeb, output: Output, contract: str
) -> None:
    for number, secret in enumerate(CANARIES.values()):
        words = "".join(f"<p>{html.escape(text)}</p>" for text in repeated(secret))
        page = f"<html><head><title>{html.escape(secret)}</title></head><body><main>{words}</main></body></html>"
        web.pages.serves(f"/leak/{number}", page)
        web.pages.serves(f"/text/{number}", "\n".join(repeated(secret)), content_type="text/plain")
    links = [f"/leak/{number}" for number in range(len(CANARIES))]
    found = [
        {"title": f"t {s}", "url": web.page(u), "snippet": f"s {s}"}
        for s, u in zip(CANARIES.values(), links, strict=True)
    ]
    web.serper.finds(found)
    async with serving(server.environment(settings(web, DOWSE_CONTRACT=contract)), output.log) as bare:
        answers = [await bare.call("get_content", url=web.page(path)) for path in leaking_paths()]
        answers.append(await bare.call("web_search", query="python", num_results=len(links)))
        output.written.append(await bare.end())
    assert not any(map(is_error, answers))
    assert b"[redacted]" in output.written[0]
    assert output.leaks() == []


def leaking_paths() -> list[str]:
    return [f"/{kind}/{number}" for kind in ("leak", "text") for number in range(len(CANARIES))]


async def test_a_page_that_repeats_the_headers_it_was_sent_has_nothing_to_tell(
    server: Server, web: PocketWeb, output: Output
) -> None:
    web.pages.fails("/echo", "echo_key")
    async with serving(server.environment(settings(web)), output.log) as bare:
        await bare.call("get_content", url=web.page("/echo"))
        await bare.call("web_search", query="python", num_results=3)
        output.written.append(await bare.end())
    assert len(web.pages.requests) == 4
    for request in web.pages.requests:
        assert not set(request.headers) & {"authorization", "proxy-authorization", "cookie", "x-api-key", "x-gate-key"}
        assert leaks(f"{request.path} {request.params} {request.headers} {request.body!r}") == []
    assert output.leaks() == []


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_redirect_of_a_provider_is_not_followed_so_no_key_goes_along(
    server: Server, web: PocketWeb, output: Output, provider: str
) -> None:
    asked = getattr(web, provider)
    async with serving(server.environment(settings(web, provider)), output.log) as bare:
        for trouble in ("redirect", "redirect_loop"):
            asked.reset()
            asked.fails(trouble, redirect_to=web.page("/elsewhere"))
            answer = await bare.call("web_search", query=f"python {trouble}", num_results=1, fetch_content=False)
            assert answer["result"]["structuredContent"]["attempts"][0]["outcome"] == "redirected"
            assert len(asked.requests) == 1
            assert web.pages.requests == []
        output.written.append(await bare.end())
    assert output.leaks() == []


async def test_arguments_that_contain_a_key_are_not_repeated(server: Server, web: PocketWeb, output: Output) -> None:
    async with serving(server.environment(settings(web)), output.log) as bare:
        for secret in CANARIES.values():
            for tool, arguments in calls_with(secret):
                await bare.call(tool, **arguments)
        output.written.append(await bare.end())
    assert output.leaks() == []


async def test_offline_tells_no_secret(server: Server, web: PocketWeb, output: Output) -> None:
    async with serving(server.environment(settings(web, DOWSE_OFFLINE="true")), output.log) as bare:
        assert is_error(await bare.call("web_search", query="python"))
        assert is_error(await bare.call("get_content", url=web.page("/")))
        output.written.append(await bare.end())
    assert output.leaks() == []


CRASHING = """
from dowse.providers.serper import Serper
from dowse.surfaces.cli.main import main

async def crash(self, query, deadline):
    raise RuntimeError(f"a bug with {self._key.get_secret_value()} and {self!r} in {vars(self)!r}")

Serper.search = crash
raise SystemExit(main(["serve"]))
"""


async def test_a_crash_is_logged_without_the_key_in_its_traceback(
    server: Server, web: PocketWeb, output: Output, tmp_path: Path
) -> None:
    script = tmp_path / "crashing.py"
    script.write_text(CRASHING)
    async with serving(server.environment(settings(web)), output.log, forked.script(script)) as bare:
        answer = await bare.call("web_search", query="python")
        output.written.append(await bare.end())
    assert "internal error" in answer["result"]["content"][0]["text"]
    assert "RuntimeError: a bug with [redacted]" in output.log.read_text()
    assert output.leaks() == []


COMMANDS = [
    *(("search", "python", "--json"), ("search", "python"), ("search", "python", "--offline")),
    ("search", "python", "--full"),
]


@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize("works", [True, False])
async def test_the_command_line_tells_no_secret(
    server: Server, web: PocketWeb, output: Output, arguments: tuple[str, ...], works: bool
) -> None:
    said = " | ".join(all_that_could_be_said())
    web.serper.finds([{"title": secret, "url": web.page("/leak"), "snippet": secret} for secret in CANARIES.values()])
    web.pages.serves("/leak", f"<html><body><main><p>{html.escape(said)}</p></main></body></html>")
    for provider in () if works else PROVIDERS:
        getattr(web, provider).replies(json={"error": said}, status=500)
    code = await run(output, server.environment(settings(web)), *forked.dowse(*arguments))
    assert code == (0 if works and "--offline" not in arguments else 1)
    assert output.leaks() == []


async def test_reading_a_page_at_the_command_line_tells_no_secret(
    server: Server, web: PocketWeb, output: Output
) -> None:
    web.pages.serves("/leak", "\n".join(all_that_could_be_said()), content_type="text/plain")
    for flags in ([], ["--json"]):
        code = await run(output, server.environment(settings(web)), *forked.dowse("read", web.page("/leak"), *flags))
        assert code == 0
    assert output.leaks() == []


@pytest.mark.parametrize("flags", [(), ("--json",)])
@pytest.mark.parametrize("bad", [{}, *BAD_SETTINGS])
async def test_the_settings_in_force_tell_no_secret(
    server: Server, web: PocketWeb, output: Output, flags: tuple[str, ...], bad: dict[str, str]
) -> None:
    for command in ("config", "providers"):
        code = await run(output, server.environment(settings(web, **bad)), *forked.dowse(command, *flags))
        assert code == (2 if bad else 0)
    assert output.leaks() == []


@pytest.mark.parametrize("bad", BAD_SETTINGS)
async def test_a_refused_start_does_not_quote_a_secret(
    server: Server, web: PocketWeb, output: Output, bad: dict[str, str]
) -> None:
    assert await run(output, server.environment(settings(web, **bad)), *forked.dowse("serve")) == 2
    assert output.leaks() == []


@pytest.mark.parametrize("text", TOML)
async def test_a_configuration_file_that_is_refused_is_not_quoted(
    server: Server, web: PocketWeb, output: Output, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(text)
    assert await run(output, server.environment({"DOWSE_CONFIG": str(file)}), *forked.dowse("serve")) == 2
    assert output.leaks() == []


def test_settings_show_no_secret_when_they_are_printed(web: PocketWeb) -> None:
    loaded = sources.load(environ=settings(web))
    shown = loaded.settings
    assert shown.providers["serper"].api_key is not None
    assert shown.providers["serper"].api_key.get_secret_value() == CANARIES["SERPER_API_KEY"]
    assert leaks(f"{loaded!r}\n{shown!r}\n{shown}") == []


@pytest.mark.parametrize("bad", BAD_SETTINGS)
def test_the_traceback_of_a_refused_setting_shows_no_secret(web: PocketWeb, bad: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as refusal:
        sources.load(environ=settings(web, **bad))
    assert leaks("".join(traceback.format_exception(refusal.value))) == []


@each_row("name", CANARIES)
def test_a_leak_would_be_found_in_any_spelling(name: str) -> None:
    secret = CANARIES[name]
    for form, text in spellings(secret).items():
        assert any(leak.startswith(f"{name} as {form}") for leak in leaks(f"before {text} after")), form
    assert leaks(f"before {secret[:8]}…") != []
    assert leaks(f"before …{secret[-8:]}") != []
    assert leaks("nothing to see here") == []
