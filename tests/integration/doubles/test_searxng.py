"""The SearXNG double beyond its JSON: the limiter, the web page, pictures and films; and many of them at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.doubles.public_instances import NAMES, PublicInstances
from tests.fakes.served import served

BROWSER = {"User-Agent": "Mozilla/5.0", "Accept": "text/html,*/*", "Accept-Language": "en", "Accept-Encoding": "gzip"}


@pytest.fixture
async def public() -> AsyncIterator[PublicInstances]:
    async with served(PublicInstances) as (double, _):
        yield double


async def status(http, pocket, headers=BROWSER, path="/searxng/search", **params) -> int:
    async with http.get(pocket.page(path), params=params, headers=headers) as response:
        return response.status


async def page(http, pocket, **params) -> str:
    async with http.get(pocket.page("/searxng/search"), params=params) as response:
        assert (response.status, response.content_type) == (200, "text/html")
        return await response.text()


async def test_the_limiter_gives_four_json_answers_and_any_number_of_pages(pocket, http):
    pocket.searxng.limits()
    assert [await status(http, pocket, q="x", format="json") for _ in range(6)] == [200] * 4 + [429] * 2
    assert [await status(http, pocket, q="x") for _ in range(3)] == [200] * 3
    pocket.searxng.limits()
    assert await status(http, pocket, q="x", format="json") == 200
    pocket.searxng.works()
    assert [await status(http, pocket, q="x", format="json") for _ in range(6)] == [200] * 6


@pytest.mark.parametrize(
    "odd",
    [{"User-Agent": "curl/8.5"}, {"Accept": "application/json"}, {"Accept-Language": ""}, {"Accept-Encoding": ""}],
)
async def test_the_limiter_refuses_programs_at_once_but_not_health_checks(pocket, http, odd):
    pocket.searxng.limits()
    assert await status(http, pocket, {**BROWSER, **odd}, q="x") == 429
    assert await status(http, pocket, {**BROWSER, **odd}, path="/searxng/healthz") == 200


async def test_the_page_shows_what_the_json_says(pocket, http):
    shown = await page(http, pocket, q="harbour <bridge>")
    for part in (
        '<meta name="generator" content="searxng/',
        'value="harbour &lt;bridge&gt;"',
        '<article class="result result-default category-general">',
        f'<h3><a href="{pocket.page("/news/harbour-bridge")}" rel="noreferrer"><span class="highlight">Harbour</span> ',
        '<time class="published_date" datetime="2026-09-14T00:00:00">',
        '<div class="answer"><span>The lift bridge at Nordhaven',
        'value="&bull; harbour &lt;bridge&gt; explained"',
        '<td class="response-error">timeout</td>',
    ):
        assert part in shown
    assert "dialog-error-block" not in shown


async def test_the_page_of_nothing_says_so_and_names_the_engines_that_failed(pocket, http):
    pocket.searxng.finds_nothing()
    empty = await page(http, pocket, q="x")
    pocket.searxng.engines_fail()
    failed = await page(http, pocket, q="x")
    assert all('<div class="dialog-error-block" role="alert">' in each for each in (empty, failed))
    assert ("engines_msg-table" in empty, "engines_msg-table" in failed) == (False, True)
    assert '<td class="response-error">Suspended: too many requests</td>' in failed


async def test_pictures_and_films_have_shapes_of_their_own(pocket, http):
    async def first(categories):
        params = {"q": "bridge", "format": "json", "categories": categories}
        async with http.get(pocket.page("/searxng/search"), params=params) as response:
            return (await response.json())["results"][0]

    picture, film, unknown = [await first(category) for category in ("images", "videos", "nosuch")]
    assert (picture["template"], picture["img_src"]) == ("images.html", "https://img.example/1.jpg")
    assert picture["thumbnail_src"] == "https://img.example/1-small.jpg"
    assert (film["template"], film["length"], film["category"]) == ("videos.html", 185.0, "videos")
    assert (unknown["template"], unknown["category"]) == ("default.html", "general")
    assert '<article class="result result-images' in await page(http, pocket, q="bridge", categories="images")
    assert "Length: 0:03:05" in await page(http, pocket, q="bridge", categories="videos")


async def test_each_of_several_instances_behaves_as_it_was_told(public, http):
    public["alder"].json_off()
    public["birch"].fails("500")
    statuses = []
    for name in ("alder", "birch", "cedar"):
        async with http.get(f"{public.address(name)}search", params={"q": "x", "format": "json"}) as response:
            statuses.append(response.status)
    assert statuses == [403, 500, 200]
    assert public.names_asked() == ["alder", "birch", "cedar"]
    assert [len(public[name].requests) for name in NAMES[:4]] == [1, 1, 1, 0]


async def test_what_all_are_told_goes_first_until_it_is_forgotten(public, http):
    public.fails("503")
    async with http.get(f"{public.address('elm')}healthz") as response:
        assert response.status == 503
    public.works()
    async with http.get(f"{public.address('elm')}healthz") as response:
        assert response.status == 200


async def test_an_instance_that_is_gone_is_gone(public, http):
    gone = public.address("elm")
    public.has("alder")
    assert [url.rsplit("/", 2)[1] for url in public.addresses()] == ["alder"]
    async with http.get(gone) as response:
        assert response.status == 404
    public.reset()
    assert (len(public.addresses()), public.requests) == (len(NAMES), [])
