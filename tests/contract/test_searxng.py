"""One's own SearXNG, in JSON and by its web page: what is found, and what went wrong told apart, with what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dowse.core import errors
from dowse.core.models import Category, Hit, Query
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.searxng import make_searxng
from dowse.providers.searxng.adapter import SearXNG
from dowse.secrets.redact import Redactor
from dowse.settings.sources import load
from tests.contract.conftest import DEADLINE
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.fakes.listings import ListingsHere
from tests.fakes.memory import remembering

FORMATS = ("json", "html")
CHALLENGE = """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body>
<h1>search.example</h1><p id="challenge-running">Verifying you are human. This may take a few seconds.</p>
<form id="challenge-form" action="/?__cf_chl_f_tk=abc" method="POST"></form>
<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=0"></script></body></html>"""
Searxng = Callable[..., SearXNG]


@pytest.fixture
def searxng(web: PocketWeb, client: ConfiguredClient, clock: FakeClock) -> Searxng:
    """Makes the provider out of settings, as the app does."""

    def make(answer_format: str = "json", **settings: str) -> SearXNG:
        environment = web.environment("searxng") | {"SEARXNG_FORMAT": answer_format} | settings
        loaded = load({}, environment).settings
        api = Api("searxng", client, 5.0, "SEARXNG_HEADERS_JSON", Redactor(loaded.secrets()))
        made = make_searxng(loaded, api, ListingsHere(), remembering(clock).entries, clock, watches=False)
        assert isinstance(made, SearXNG)
        return made

    return make


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_both_formats_find_the_same(web: PocketWeb, searxng: Searxng, answer_format: str) -> None:
    found = await searxng(answer_format).search(Query("python release", num_results=2), DEADLINE)
    first = found.hits[0]
    assert first == Hit(
        "Python 3.15: what changes for your code",
        web.page("/articles/python-315"),
        "Lazy imports, UTF-8 by default and a profiling package: the parts of Python 3.15 you will notice.",
        "bing",
        "2026-10-02",
    )
    assert len(found.hits) == 2
    assert found.answers == (first.snippet,)
    assert found.suggestions == ("python release explained", "python release example")
    assert found.warnings == ()


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_more_results_are_asked_for_page_by_page(web: PocketWeb, searxng: Searxng, answer_format: str) -> None:
    web.searxng.finds([f"/files/{number}" for number in range(35)])
    found = await searxng(answer_format).search(Query("files", num_results=25), DEADLINE)
    assert [hit.url for hit in found.hits] == [web.page(f"/files/{number}") for number in range(25)]
    assert [sent.params.get("pageno", "1") for sent in web.searxng.requests] == ["1", "2", "3"]
    assert {"format" in sent.params for sent in web.searxng.requests} == {answer_format == "json"}


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_pictures_and_films_carry_their_own_addresses(
    web: PocketWeb, searxng: Searxng, answer_format: str
) -> None:
    asked = searxng(answer_format)
    picture = (await asked.search(Query("harbour bridge", category=Category.IMAGES), DEADLINE)).hits[0]
    film = (await asked.search(Query("harbour bridge", category=Category.VIDEOS), DEADLINE)).hits[0]
    page = (await asked.search(Query("harbour bridge"), DEADLINE)).hits[0]
    assert (picture.image_url, picture.thumbnail) == ("https://img.example/1.jpg", "https://img.example/1-small.jpg")
    assert (film.thumbnail, film.image_url) == ("https://img.example/1-small.jpg", "")
    assert film.duration == {"json": "3:05", "html": "0:03:05"}[answer_format]
    assert {picture.url, film.url, page.url} == {web.page("/news/harbour-bridge")}
    assert [each.is_media for each in (picture, film, page)] == [True, True, False]


@pytest.mark.parametrize(
    ("length", "shown"),
    [(59.6, "1:00"), (3725, "1:02:05"), ("12:34", "12:34"), (0, ""), (-5, ""), (1e9, ""), (None, ""), (["1"], "")],
)
async def test_a_length_is_shown_as_people_write_it(
    web: PocketWeb, searxng: Searxng, length: object, shown: str
) -> None:
    item = {"title": "A film", "url": "https://example.org/", "thumbnail": "//img.example/x.jpg", "length": length}
    web.searxng.replies(json={"results": [item]})
    found = await searxng().search(Query("film", category=Category.VIDEOS), DEADLINE)
    assert (found.hits[0].duration, found.hits[0].thumbnail) == (shown, "")


@pytest.mark.promise("case-17")
async def test_json_that_is_switched_off_is_a_misconfiguration_with_both_remedies(
    web: PocketWeb, searxng: Searxng
) -> None:
    """Acceptance case 17."""
    web.searxng.json_off()
    with pytest.raises(errors.Misconfigured, match=r"add `json` to `search.formats` in its settings.yml") as caught:
        await searxng().search(Query("x"), DEADLINE)
    assert "SEARXNG_FORMAT=html" in caught.value.detail


async def test_the_web_page_needs_no_json(web: PocketWeb, searxng: Searxng) -> None:
    web.searxng.json_off()
    found = await searxng("html").search(Query("python release"), DEADLINE)
    assert found.hits[0].url == web.page("/articles/python-315")
    assert found.warnings == ()


async def test_auto_reads_the_web_page_where_json_is_refused_and_remembers_it(web: PocketWeb, searxng: Searxng) -> None:
    web.searxng.json_off()
    asked = searxng("auto")
    first, second = [await asked.search(Query("python release"), DEADLINE) for _ in range(2)]
    assert [sent.params.get("format", "") for sent in web.searxng.requests] == ["json", "", ""]
    assert first.hits == second.hits != ()
    (warning,) = first.warnings
    assert "search.formats" in warning
    assert second.warnings == ()


async def test_auto_asks_for_json_where_it_is_given(web: PocketWeb, searxng: Searxng) -> None:
    asked = searxng("auto")
    for _ in range(2):
        assert (await asked.search(Query("python release"), DEADLINE)).warnings == ()
    assert [sent.params["format"] for sent in web.searxng.requests] == ["json", "json"]


async def test_auto_does_not_give_json_up_where_the_page_fails_too(web: PocketWeb, searxng: Searxng) -> None:
    asked = searxng("auto")
    web.searxng.fails("403", times=1).fails("500", times=1)
    with pytest.raises(errors.Unavailable):
        await asked.search(Query("python release"), DEADLINE)
    await asked.search(Query("python release"), DEADLINE)
    assert [sent.params.get("format", "") for sent in web.searxng.requests] == ["json", "", "json"]


@pytest.mark.parametrize("answer_format", [*FORMATS, "auto"])
async def test_an_address_that_is_no_searxng_is_a_misconfiguration(
    web: PocketWeb, searxng: Searxng, answer_format: str
) -> None:
    asked = searxng(answer_format, SEARXNG_URL=web.page("/nowhere"))
    with pytest.raises(errors.Misconfigured, match="HTTP 404, SEARXNG_URL is not the base address"):
        await asked.search(Query("x"), DEADLINE)
    assert len(web.pages.requests) == 1


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_another_sites_page_is_a_misconfiguration(web: PocketWeb, searxng: Searxng, answer_format: str) -> None:
    web.pages.serves("/shop/search", "<html><title>Shop</title><h1>Kettles</h1><p>On sale today.</p></html>")
    asked = searxng(answer_format, SEARXNG_URL=web.page("/shop"))
    with pytest.raises(errors.Misconfigured, match="SEARXNG_URL is not the base address"):
        await asked.search(Query("x"), DEADLINE)


@pytest.mark.parametrize("answer_format", FORMATS)
@pytest.mark.parametrize("status", [200, 403])
async def test_a_challenge_page_is_a_block(web: PocketWeb, searxng: Searxng, answer_format: str, status: int) -> None:
    web.pages.serves("/gate/search", CHALLENGE, status=status)
    with pytest.raises(errors.Blocked, match="challenge"):
        await searxng(answer_format, SEARXNG_URL=web.page("/gate")).search(Query("x"), DEADLINE)


async def test_a_query_about_captchas_is_not_taken_for_one(web: PocketWeb, searxng: Searxng) -> None:
    web.searxng.finds([{"title": "Captcha, just a moment: cf-chl explained", "url": "https://example.org/"}])
    for answer_format in FORMATS:
        found = await searxng(answer_format).search(Query("captcha just a moment"), DEADLINE)
        assert len(found.hits) == 1


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_engines_that_all_failed_are_told_from_an_empty_answer(
    web: PocketWeb, searxng: Searxng, answer_format: str
) -> None:
    web.searxng.finds_nothing()
    assert (await searxng(answer_format).search(Query("x"), DEADLINE)).hits == ()
    web.searxng.engines_fail()
    with pytest.raises(errors.EnginesFailed, match="google: Suspended: too many requests, duckduckgo: access denied"):
        await searxng(answer_format).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_results_about_something_else_are_no_answer(web: PocketWeb, searxng: Searxng, answer_format: str) -> None:
    web.searxng.finds(["/products/kettle", "/forum/thread-4471"])
    with pytest.raises(errors.Irrelevant):
        await searxng(answer_format).search(Query("asyncio cancellation semantics"), DEADLINE)


async def test_the_limiter_lets_four_json_answers_through_and_then_says_what_to_do(
    web: PocketWeb, searxng: Searxng
) -> None:
    web.searxng.limits()
    asked = searxng()
    for _ in range(4):
        assert (await asked.search(Query("python release"), DEADLINE)).hits
    with pytest.raises(errors.RateLimited, match="four JSON answers an hour") as caught:
        await asked.search(Query("python release"), DEADLINE)
    assert caught.value.retry_after_s is None
    for remedy in ("server.limiter: false", "pass_ip", "SEARXNG_FORMAT=html"):
        assert remedy in caught.value.detail


async def test_the_limiter_has_nothing_against_our_reading_its_pages(web: PocketWeb, searxng: Searxng) -> None:
    web.searxng.limits()
    asked = searxng("html")
    for _ in range(6):
        assert (await asked.search(Query("python release"), DEADLINE)).hits


@pytest.mark.parametrize("answer_format", FORMATS)
async def test_a_limiter_that_takes_the_user_agent_for_a_bot_is_told_from_other_refusals(
    web: PocketWeb, searxng: Searxng, answer_format: str
) -> None:
    web.searxng.limits()
    with pytest.raises(errors.RateLimited, match="limiter"):
        await searxng(answer_format, SEARXNG_USER_AGENT="curl/8").search(Query("x"), DEADLINE)


async def test_a_password_in_the_address_is_not_shown_on_the_page(web: PocketWeb, client: ConfiguredClient) -> None:
    listings = ListingsHere()
    api = Api("searxng", client, 5.0, "SEARXNG_HEADERS_JSON", Redactor(()))
    address = web.page("/searxng").replace("://", "://ana:hush@")
    asked = SearXNG(api, address, listings, headers={}, answer_format="html")
    await asked.search(Query("python release"), DEADLINE)
    assert [body.url for body in listings.bodies] == [web.page("/searxng/search")]
    assert web.searxng.requests[0].headers["authorization"].startswith("Basic ")
