"""The clients of the Python API over the pocket web: in this process and of a running server, with the same results."""

from __future__ import annotations

import asyncio
import dataclasses
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date

import pytest

from dowse import AsyncClient, Client, SearchResult, SearchResults
from dowse.core.errors import (
    AllProvidersFailed,
    ConfigError,
    InvalidRequest,
    LimitReached,
    NoProvider,
    Offline,
    Unauthorized,
    Unreachable,
)
from dowse.core.models import Status
from tests.conftest import FORGETFUL, UNHEDGED, UNPACED, Server
from tests.doubles import PocketWeb

QUERY = "python 3.15 release highlights"
TOKEN = "t" * 40
HTML = "<main><h1>Otters</h1><p>An otter weighs about <b>nine</b> kilograms, and swims well in cold water.</p></main>"
DOCUMENTS = ["Kettles boil water.", "An otter weighs about nine kilograms."]
# Times and places differ from call to call.
_VOLATILE = {"stats", "attempts", "fetch_time_ms", "responded_at", "cache", "cache_age_s"}

Make = Callable[..., AsyncClient]


def settings_of(web: PocketWeb, **more: object) -> dict[str, object]:
    environment = {**web.environment("serper"), **FORGETFUL, **UNPACED, **UNHEDGED, "DOWSE_STATE": "memory:"}
    return {name.lower(): value for name, value in environment.items()} | more


@asynccontextmanager
async def local(web: PocketWeb, **more: object) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(**settings_of(web, **more)) as client:
        yield client


@asynccontextmanager
async def remote(server: Server, web: PocketWeb, **environment: str) -> AsyncIterator[AsyncClient]:
    settings = {**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_TOKENS": f"ana:{TOKEN}", **environment}
    async with server.here(settings) as http, AsyncClient(base_url=http.origin, token=TOKEN) as client:
        yield client


def stable(result: object) -> object:
    """A result without times."""
    assert dataclasses.is_dataclass(result)
    return _without(dataclasses.asdict(result))  # type: ignore[arg-type]  # an instance


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without(each) for name, each in value.items() if name not in _VOLATILE}
    return [_without(each) for each in value] if isinstance(value, list | tuple) else value


async def test_a_search_gives_typed_frozen_results_with_passages(web: PocketWeb) -> None:
    async with local(web) as client:
        found = await client.search(QUERY, num_results=2, max_tokens=300)
    assert isinstance(found, SearchResults)
    assert (found.engine, len(found)) == ("serper", 2)
    for result in found:
        assert isinstance(result, SearchResult)
        assert result.status.readable
        assert result.passages
        for passage in result.passages:
            assert result.page_content[passage.start : passage.end] == passage.text
            assert "[…]" not in passage.text
    assert any(len(result.passages) > 1 for result in found)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.query = "other"  # type: ignore[misc]  # that is the test


@pytest.mark.promise("python-same-results")
async def test_results_are_the_same_in_this_process_and_from_a_server(server: Server, web: PocketWeb) -> None:
    async def results(client: AsyncClient) -> list[object]:
        page, missing = web.page("/articles/python-315"), web.page("/missing")
        return [
            stable(found)
            for found in (
                await client.search(QUERY, num_results=2, max_tokens=500),
                await client.search(QUERY, num_results=999, fetch_content=False),
                await client.read(page, question="lazy imports", max_tokens=200),
                await client.read_many([page, missing]),
                await client.read_many([page]),
                await client.answer("what is new in python 3.15?"),
                await client.extract(HTML, url="https://example.org/otters"),
                await client.rerank("how heavy is an otter", DOCUMENTS),
            )
        ]

    async with local(web) as client:
        here = await results(client)
    async with remote(server, web) as client:
        assert await results(client) == here


async def test_sloppy_values_are_clamped_with_a_note(web: PocketWeb) -> None:
    async with local(web) as client:
        found = await client.search(QUERY, num_results=999, start_date=date(2020, 1, 31), fetch_content=False)
    assert "num_results is at most 50; 999 was read as 50" in found.warnings


async def test_unknown_arguments_and_settings_are_type_errors(web: PocketWeb) -> None:
    async with local(web) as client:
        with pytest.raises(TypeError, match="num_result"):
            await client.search(QUERY, num_result=2)  # type: ignore[call-arg]  # that is the test
    with pytest.raises(TypeError, match=r"serper_key is not a setting of dowse; did you mean serper_api_key\?"):
        AsyncClient(serper_key="x")
    with pytest.raises(ConfigError, match="takes"):
        Client(deadline_s="soon")


async def test_keyword_arguments_override_the_environment(web: PocketWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in web.environment("serper", "tavily").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DOWSE_SEARCH_ORDER", "serper,tavily")
    async with AsyncClient(search_order=["tavily", "serper"], state="memory:") as client:
        assert (await client.search(QUERY, fetch_content=False)).engine == "tavily"


async def test_errors_are_typed_and_hold_no_key(web: PocketWeb) -> None:
    key = web.environment("serper")["SERPER_API_KEY"]
    web.serper.replies(status=400, json={"message": f"bad key {key}"})
    async with local(web) as client:
        with pytest.raises(AllProvidersFailed) as failed:
            await client.search(QUERY)
        with pytest.raises(InvalidRequest, match="query"):
            await client.search("")
        with pytest.raises(Offline):
            await client.search(QUERY, offline_mode=True)
    assert {attempt.provider for attempt in failed.value.attempts} == {"serper"}
    error = failed.value
    assert "bad key [redacted]" in str(error)
    shown = "".join(traceback.format_exception(error)) + "".join(
        "".join(traceback.format_exception(each)) for each in error.errors
    )
    assert key not in f"{shown} {error.attempts} {error.warnings}"
    async with AsyncClient(keyless="off", state="memory:") as client:
        with pytest.raises(NoProvider):
            await client.search(QUERY)


async def test_errors_of_a_server_are_the_same_types(server: Server, web: PocketWeb) -> None:
    web.serper.fails("500")
    async with remote(server, web, DOWSE_LIMIT_WEB_SEARCH="3/10m") as client:
        with pytest.raises(AllProvidersFailed) as failed:
            await client.search(QUERY)
        with pytest.raises(InvalidRequest, match="query"):
            await client.search("")
        with pytest.raises(Offline):
            await client.search(QUERY, offline_mode=True)
        with pytest.raises(LimitReached) as limited:
            await client.search(QUERY)
    assert {attempt.outcome for attempt in failed.value.attempts} == {"unavailable"}
    assert str(failed.value).startswith("serper is unavailable: HTTP 500")
    assert 0 < limited.value.retry_after_s <= 600


async def test_a_wrong_token_and_a_server_that_is_none_are_typed_errors(server: Server, web: PocketWeb) -> None:
    async with remote(server, web) as client:
        assert (await client.search(QUERY, fetch_content=False)).results
    async with (
        server.here({**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_TOKENS": f"ana:{TOKEN}"}) as http,
        AsyncClient(base_url=http.origin, token="w" * 40) as stranger,
    ):
        with pytest.raises(Unauthorized):
            await stranger.search(QUERY)
    async with AsyncClient(base_url="http://127.0.0.1:9") as nobody:
        with pytest.raises(Unreachable):
            await nobody.search(QUERY)


@pytest.mark.parametrize(
    ("base_url", "token", "named"),
    [
        ("not an address", "", "base_url"),
        ("http://ana:secret-word@127.0.0.1:8000", "", "base_url"),
        ("http://127.0.0.1:8000", "secret-word\r\nX: y", "token"),
    ],
)
def test_an_address_or_token_that_cannot_be_one_is_refused_at_once(base_url: str, token: str, named: str) -> None:
    with pytest.raises(ConfigError, match=named) as caught:
        Client(base_url=base_url, token=token)
    assert "secret-word" not in str(caught.value)


async def test_the_synchronous_client_of_a_server_gives_the_same(server: Server, web: PocketWeb) -> None:
    async with (
        remote(server, web) as client,
        server.here({**web.environment("serper"), "DOWSE_STATE": "memory:", "DOWSE_TOKENS": f"ana:{TOKEN}"}) as http,
    ):
        synchronous = Client(base_url=f"{http.origin}/api/v1/", token=TOKEN)
        found = await asyncio.to_thread(synchronous.rerank, "how heavy is an otter", DOCUMENTS)
        await asyncio.to_thread(synchronous.close)
        assert found == await client.rerank("how heavy is an otter", DOCUMENTS)


async def test_a_setting_that_is_misspelt_in_the_environment_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_SERCH_ORDER", "tavily")
    with pytest.warns(UserWarning, match="DOWSE_SERCH_ORDER is not a setting of dowse; did you mean"):
        AsyncClient()


async def test_a_page_that_cannot_be_read_has_a_status_and_no_passages(web: PocketWeb) -> None:
    async with local(web) as client:
        page = await client.read(web.page("/missing"))
    assert page.status is Status.NOT_FOUND
    assert page.passages == ()


async def test_the_synchronous_client_answers_several_threads_side_by_side(web: PocketWeb) -> None:
    client = Client(**settings_of(web))
    try:
        searches = [asyncio.to_thread(client.search, f"{QUERY} {number}", fetch_content=False) for number in range(8)]
        found = await asyncio.gather(*searches)
    finally:
        await asyncio.to_thread(client.close)
    assert [each.query for each in found] == [f"{QUERY} {number}" for number in range(8)]


async def test_a_closed_client_says_so_and_closes_again(web: PocketWeb) -> None:
    client = Client(**settings_of(web))
    await asyncio.to_thread(client.extract, HTML)
    await asyncio.to_thread(client.close)
    await asyncio.to_thread(client.close)
    with pytest.raises(RuntimeError, match="closed"):
        await asyncio.to_thread(client.search, QUERY)
    unused = Client(**settings_of(web))
    unused.close()
    with pytest.raises(RuntimeError, match="closed"):
        unused.search(QUERY)


async def test_an_asynchronous_client_says_that_it_belongs_to_another_loop(web: PocketWeb) -> None:
    async with local(web) as client:
        await client.extract(HTML)
        with pytest.raises(RuntimeError, match="another event loop"):
            await asyncio.to_thread(lambda: asyncio.run(client.extract(HTML)))


async def test_closing_ends_the_calls_of_other_threads(web: PocketWeb) -> None:
    web.pages.fails("/never", "hang")
    client = Client(**settings_of(web))
    call = asyncio.create_task(asyncio.to_thread(client.read, web.page("/never")))
    await web.pages.arrived(1)
    await asyncio.to_thread(client.close)
    with pytest.raises(RuntimeError, match="closed during the call"):
        await call


async def test_a_cancelled_call_is_cancelled_and_the_next_one_works(web: PocketWeb) -> None:
    web.pages.fails("/never", "hang")
    async with local(web) as client:
        call = asyncio.create_task(client.read(web.page("/never")))
        await web.pages.arrived(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await client.read(web.page("/articles/python-315"))).status.readable
