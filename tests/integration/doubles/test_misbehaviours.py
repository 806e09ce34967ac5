"""Every named misbehaviour does what its name says, at a double and at a page."""

import asyncio
import errno
import json
import zlib

import aiohttp
import pytest
from aiohttp import ClientSession

from tests.doubles import MISBEHAVIOURS, SERPER_KEY, PocketWeb
from tests.doubles.misbehaviour import BOMB_BYTES

STATUSES = (400, 401, 402, 403, 404, 408, 410, 429, 432, 433, 451, 500, 502, 503, 504)
COVERED = {
    *map(str, STATUSES),
    *("not_enough_credits", "hang", "stall", "trickle", "huge", "bomb", "reset", "wrong_length"),
    *("broken_json", "json_array", "json_null", "empty_body", "html", "challenge"),
    *("redirect", "redirect_loop", "echo_key"),
}


def ask(http: ClientSession, pocket: PocketWeb, **options: object):
    """One correct Serper request; it only succeeds when nothing is scripted."""
    return http.post(pocket.page("/serper/search"), json={"q": "python"}, headers={"X-API-KEY": SERPER_KEY}, **options)


def test_every_misbehaviour_is_tested_here():
    assert set(MISBEHAVIOURS) == COVERED


@pytest.mark.parametrize("status", STATUSES)
async def test_a_status_is_answered_in_the_providers_own_error_shape(pocket, http, status):
    pocket.serper.fails(str(status))
    async with ask(http, pocket) as response:
        assert response.status == status
        assert (await response.json())["statusCode"] == status


@pytest.mark.parametrize("status", STATUSES)
async def test_a_page_fails_with_the_same_names(pocket, http, status):
    pocket.pages.fails("/docs/retrying", str(status))
    async with http.get(pocket.page("/docs/retrying")) as response:
        assert (response.status, response.content_type) == (status, "text/html")


@pytest.mark.parametrize("value", [30, "Wed, 21 Oct 2026 07:28:00 GMT"])
async def test_retry_after_is_sent_as_written(pocket, http, value):
    pocket.tavily.fails("429", retry_after=value)
    async with http.post(pocket.page("/tavily/search")) as response:
        assert response.headers["Retry-After"] == str(value)


async def test_retry_after_is_absent_unless_asked_for(pocket, http):
    pocket.serper.fails("429")
    async with ask(http, pocket) as response:
        assert "Retry-After" not in response.headers


async def test_missing_credits_are_a_400_that_says_so(pocket, http):
    pocket.serper.fails("not_enough_credits")
    async with ask(http, pocket) as response:
        assert response.status == 400
        assert await response.json() == {"message": "Not enough credits", "statusCode": 400}


@pytest.mark.parametrize(
    ("name", "body"), [("json_array", [{"title": "A list where an object belongs"}]), ("json_null", None)]
)
async def test_json_of_the_wrong_kind_is_still_json(pocket, http, name, body):
    pocket.serper.fails(name)
    async with ask(http, pocket) as response:
        assert (response.status, response.content_type) == (200, "application/json")
        assert json.loads(await response.read()) == body


async def test_broken_json_does_not_parse(pocket, http):
    pocket.serper.fails("broken_json")
    async with ask(http, pocket) as response:
        assert response.content_type == "application/json"
        with pytest.raises(json.JSONDecodeError):
            json.loads(await response.read())


async def test_empty_body_is_a_200_without_bytes(pocket, http):
    pocket.serper.fails("empty_body")
    async with ask(http, pocket) as response:
        assert (response.status, await response.read()) == (200, b"")


async def test_html_comes_where_json_was_promised(pocket, http):
    pocket.serper.fails("html")
    async with ask(http, pocket) as response:
        assert (response.status, response.content_type) == (200, "text/html")


async def test_challenge_looks_like_an_interstitial(pocket, http):
    pocket.pages.fails("/long", "challenge")
    async with http.get(pocket.page("/long")) as response:
        assert (response.status, response.headers["cf-mitigated"]) == (403, "challenge")
        assert "<title>Just a moment...</title>" in await response.text()


async def test_hang_lasts_until_the_client_leaves_and_that_is_seen(pocket, http):
    pocket.serper.fails("hang")
    call = asyncio.create_task(ask(http, pocket).__aenter__())
    seen = await pocket.serper.arrived()
    assert not seen.closed.is_set()

    call.cancel()
    await asyncio.wait_for(seen.closed.wait(), 30)


async def test_stall_sends_the_beginning_and_then_nothing(pocket, http):
    pocket.serper.fails("stall")
    async with ask(http, pocket) as response:
        assert await response.content.readexactly(13) == b'{"results": ['
        assert not response.content.at_eof()
        seen = await pocket.serper.arrived()
    await asyncio.wait_for(seen.closed.wait(), 30)


async def test_trickle_keeps_sending_single_bytes(pocket, http):
    pocket.serper.fails("trickle")
    async with ask(http, pocket) as response:
        assert [await response.content.read(1) for _ in range(3)] == [b"{", b" ", b" "]
        seen = await pocket.serper.arrived()
    await asyncio.wait_for(seen.closed.wait(), 30)


async def test_huge_has_no_end_and_stops_when_the_client_leaves(pocket, http):
    pocket.pages.fails("/long", "huge")
    async with http.get(pocket.page("/long")) as response:
        assert len(await response.content.readexactly(3_000_000)) == 3_000_000
        seen = await pocket.pages.arrived()
    await asyncio.wait_for(seen.closed.wait(), 30)


async def test_bomb_is_small_on_the_wire_and_a_hundred_megabytes_unpacked(pocket):
    pocket.pages.fails("/long", "bomb")
    async with ClientSession(auto_decompress=False) as http, http.get(pocket.page("/long")) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        packed = await response.read()
    assert len(packed) < 200_000
    unpacker, size = zlib.decompressobj(31), 0
    while packed:
        size += len(unpacker.decompress(packed, 1_000_000))
        packed = unpacker.unconsumed_tail
    assert size == BOMB_BYTES
    assert unpacker.eof


async def test_reset_is_a_connection_reset(pocket, http):
    pocket.serper.fails("reset")
    with pytest.raises(aiohttp.ClientOSError) as caught:
        await ask(http, pocket)
    assert caught.value.errno == errno.ECONNRESET
    assert not pocket.serper.requests[0].closed.is_set()


async def test_wrong_length_breaks_off_in_the_body(pocket, http):
    pocket.serper.fails("wrong_length")
    async with ask(http, pocket) as response:
        assert response.headers["Content-Length"] == "5000"
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()


async def test_redirect_of_a_post_would_carry_the_key_along(pocket, http):
    pocket.serper.fails("redirect")
    async with ask(http, pocket) as response:
        assert response.status == 200
    assert pocket.pages.requests[0].headers["x-api-key"] == SERPER_KEY
    assert pocket.pages.requests[0].json == {"q": "python"}


async def test_redirect_of_a_page_goes_where_the_script_says(pocket, http):
    pocket.pages.fails("/long", "redirect", redirect_to="http://169.254.169.254/latest")
    async with http.get(pocket.page("/long"), allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "http://169.254.169.254/latest")


async def test_redirect_loop_never_arrives(pocket, http):
    pocket.pages.fails("/long", "redirect_loop")
    with pytest.raises(aiohttp.TooManyRedirects):
        await http.get(pocket.page("/long?a=1"))
    assert pocket.pages.requests[-1].params == {"a": "1"}


@pytest.mark.parametrize(
    ("provider", "header", "value"),
    [
        ("serper", "X-API-KEY", "canary-one"),
        ("exa", "x-api-key", "canary-two"),
        ("tavily", "Authorization", "Bearer canary-three"),
        ("searxng", "X-Custom", "canary-four"),
    ],
)
async def test_echo_key_repeats_the_secret_in_its_error(pocket, http, provider, header, value):
    getattr(pocket, provider).fails("echo_key")
    async with http.post(pocket.page(f"/{provider}/search"), headers={header: value}) as response:
        assert response.status == 500
        assert value.removeprefix("Bearer ") in await response.text()


def test_an_unknown_name_is_refused_when_it_is_scripted():
    with pytest.raises(ValueError, match="'explode' is not a misbehaviour"):
        PocketWeb().serper.fails("explode")
