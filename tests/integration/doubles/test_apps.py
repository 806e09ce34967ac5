"""Pages for browsers: what plain HTTP gets of them, and what their scripts ask for."""

import json

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.doubles import APP_PATHS, PATHS
from tests.doubles.apps import CHECK, FEED_PAGES


async def read(http, pocket, path: str, **options: object):
    async with http.get(pocket.page(path), **options) as response:
        return response.status, response.headers["Content-Type"], await response.read()


@pytest.mark.parametrize("path", APP_PATHS)
async def test_every_path_is_served(pocket, http, path):
    status, content_type, body = await read(http, pocket, path)
    assert status == (403 if path == CHECK else 200)
    assert body and content_type.startswith(("text/html", "text/javascript", "application/json"))


def test_pages_for_browsers_are_listed_apart():
    assert not set(PATHS) & set(APP_PATHS)


@pytest.mark.parametrize("path", ["/app", "/app/slow", "/app/broken"])
async def test_without_a_browser_an_app_is_an_empty_shell(pocket, http, path):
    _, _, body = await read(http, pocket, path)
    with pytest.raises(PageUnreadable, match="no readable content"):
        to_text(Body(pocket.page(path), body, "text/html", "utf-8"))


async def test_the_static_twin_says_what_the_app_is_made_of(pocket, http):
    _, _, page = await read(http, pocket, "/app/static")
    _, _, data = await read(http, pocket, "/app/article.json")
    text = to_text(Body(pocket.page("/app/static"), page, "text/html", "utf-8")).markdown
    article = json.loads(data)
    assert article["lead"] in text
    for section in article["sections"]:
        assert f"## {section['heading']}" in text and section["text"] in text


async def test_who_comes_back_from_the_check_gets_the_app(pocket, http):
    status, _, body = await read(http, pocket, CHECK, cookies={"checked": "yes"})
    assert (status, body) == (200, (await read(http, pocket, "/app"))[2])


async def test_the_feed_has_an_end(pocket, http):
    pages = [json.loads((await read(http, pocket, f"/app/feed/{page + 1}.json"))[2]) for page in range(FEED_PAGES)]
    days = [entry["day"] for page in pages for entry in page]
    assert days == [f"Day {number}" for number in range(1, len(days) + 1)]
    assert (await read(http, pocket, f"/app/feed/{FEED_PAGES + 1}.json"))[0] == 404
