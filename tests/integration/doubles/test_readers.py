"""The doubles of the scrape APIs take exactly what the real ones take, answer in their shape, and fail page by page."""

import pytest
from aiohttp import ClientSession

from tests.doubles import EXA_KEY, SERPER_KEY, TAVILY_KEY, PocketWeb

URL = "https://example.org/guide"
PATHS = {"serper": "/serper/scrape", "exa": "/exa/contents", "tavily": "/tavily/extract"}
HEADERS = {
    "serper": {"X-API-KEY": SERPER_KEY},
    "exa": {"x-api-key": EXA_KEY},
    "tavily": {"Authorization": f"Bearer {TAVILY_KEY}"},
}
GOOD = {"serper": {"url": URL}, "exa": {"urls": [URL]}, "tavily": {"urls": [URL]}}
MADE_UP = f"Page at {URL}\n\nNobody wrote it. Read by **{{}}** for [you]({URL})."


async def post(http: ClientSession, pocket: PocketWeb, name: str, body: object):
    async with http.post(pocket.page(PATHS[name]), json=body, headers=HEADERS[name]) as response:
        return response.status, await response.json()


def reader(pocket: PocketWeb, name: str):
    return {"serper": pocket.serper_scrape, "exa": pocket.exa_contents, "tavily": pocket.tavily_extract}[name]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        *GOOD.items(),
        ("serper", {"url": URL, "includeMarkdown": True}),
        ("exa", {"urls": [URL], "text": {"maxCharacters": 10}, "maxAgeHours": 0, "livecrawlTimeout": 5000}),
        ("exa", {"urls": [URL], "text": True, "highlights": False, "summary": True}),
        ("tavily", {"urls": URL, "extract_depth": "advanced", "format": "text", "include_images": False}),
        ("tavily", {"urls": [URL] * 20}),
    ],
)
async def test_documented_fields_are_taken(pocket, http, name, body):
    assert (await post(http, pocket, name, body))[0] == 200


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("serper", {}),
        ("serper", {"url": ""}),
        ("serper", {"url": "file:///etc/passwd"}),
        ("serper", {"url": [URL]}),
        ("serper", {"urls": [URL]}),
        ("serper", {"url": URL, "includeMarkdown": "true"}),
        ("serper", {"url": URL, "include_markdown": True}),
        ("serper", [URL]),
        ("exa", {}),
        ("exa", {"ids": [URL]}),
        ("exa", {"urls": URL}),
        ("exa", {"urls": []}),
        ("exa", {"urls": [URL], "contents": {"text": True}}),
        ("exa", {"urls": [URL], "text": {"max_characters": 5}}),
        ("exa", {"urls": [URL], "maxCharacters": 5}),
        ("exa", {"urls": [URL], "livecrawl": "always"}),
        ("tavily", {}),
        ("tavily", {"url": URL}),
        ("tavily", {"urls": []}),
        ("tavily", {"urls": [URL] * 21}),
        ("tavily", {"urls": [5]}),
        ("tavily", {"urls": [URL], "extract_depth": ""}),
        ("tavily", {"urls": [URL], "format": "html"}),
    ],
)
async def test_anything_else_is_a_400(pocket, http, name, body):
    assert (await post(http, pocket, name, body))[0] == 400


@pytest.mark.parametrize("name", GOOD)
async def test_only_a_post_of_json_with_the_right_key_is_served(pocket, http, name):
    target, headers = pocket.page(PATHS[name]), HEADERS[name]
    async with http.get(target, headers=headers) as response:
        assert response.status == 405
    async with http.post(target, data=b"{}", headers=headers) as response:
        assert response.status == 400
    async with http.post(target, json=GOOD[name]) as response:
        assert response.status == (403 if name == "serper" else 401)
    assert len(reader(pocket, name).requests) == 3


async def test_tavily_refuses_a_key_in_the_body_even_beside_a_good_header(pocket, http):
    assert (await post(http, pocket, "tavily", {"urls": [URL], "api_key": TAVILY_KEY}))[0] == 401


async def test_serper_answers_in_the_real_shape_with_markdown_on_request_only(pocket, http):
    _, plain = await post(http, pocket, "serper", GOOD["serper"])
    _, rich = await post(http, pocket, "serper", GOOD["serper"] | {"includeMarkdown": True})
    assert list(plain) == ["text", "metadata", "jsonld", "credits"]
    assert plain["text"] == f"Page at {URL}\n\nNobody wrote it. Read by serper for you."
    assert (rich["markdown"], rich["credits"]) == (f"# {MADE_UP.format('serper')}", 2)
    assert plain["metadata"]["title"] == f"Page at {URL}"


async def test_exa_answers_in_the_real_shape_with_text_on_request_only(pocket, http):
    _, bare = await post(http, pocket, "exa", GOOD["exa"])
    _, full = await post(http, pocket, "exa", GOOD["exa"] | {"text": {"maxCharacters": 6}})
    assert list(full) == ["requestId", "results", "statuses", "costDollars"]
    assert "text" not in bare["results"][0]
    assert full["results"][0]["text"] == "# Page"
    assert full["statuses"] == [{"id": URL, "status": "success", "source": "crawled"}]


async def test_tavily_answers_in_the_real_shape(pocket, http):
    _, body = await post(http, pocket, "tavily", GOOD["tavily"])
    assert list(body) == ["results", "failed_results", "response_time", "request_id"]
    assert body["results"] == [{"url": URL, "raw_content": f"# {MADE_UP.format('tavily')}", "images": []}]
    _, body = await post(http, pocket, "tavily", GOOD["tavily"] | {"format": "text"})
    assert body["results"][0]["raw_content"] == f"Page at {URL}\n\nNobody wrote it. Read by tavily for you."


async def test_a_page_that_cannot_be_read_is_a_200_in_each_apis_words(pocket, http):
    for name in GOOD:
        reader(pocket, name).cannot_read(URL, "GONE")
    answers = {name: await post(http, pocket, name, body) for name, body in GOOD.items()}
    assert {status for status, _ in answers.values()} == {200}
    assert answers["serper"][1]["text"] == ""
    exa, tavily = answers["exa"][1], answers["tavily"][1]
    error = {"tag": "GONE", "httpStatusCode": 404}
    assert (exa["results"], exa["statuses"]) == ([], [{"id": URL, "status": "error", "error": error}])
    assert (tavily["results"], tavily["failed_results"]) == ([], [{"url": URL, "error": "GONE"}])


async def test_other_pages_are_read_although_one_cannot_be(pocket, http):
    pocket.exa_contents.cannot_read(URL)
    _, body = await post(http, pocket, "exa", {"urls": [URL, f"{URL}/2"]})
    assert [item["url"] for item in body["results"]] == [f"{URL}/2"]
    assert [item["status"] for item in body["statuses"]] == ["error", "success"]


async def test_a_page_of_the_corpus_has_its_own_text_and_a_scripted_one_the_tests(pocket, http):
    pocket.tavily_extract.reads(URL, "# Mine")
    _, body = await post(http, pocket, "tavily", {"urls": [pocket.page("/docs/retrying"), URL]})
    corpus, mine = (item["raw_content"] for item in body["results"])
    assert corpus.startswith("# Retrying requests - Lantern client guide\n\nHow the Lantern client retries")
    assert mine == "# Mine"


@pytest.mark.parametrize("name", GOOD)
async def test_reading_misbehaves_by_itself_and_is_reset_with_the_rest(pocket, http, name):
    reader(pocket, name).fails("500").cannot_read(URL).reads(URL, "x")
    assert (await post(http, pocket, name, GOOD[name]))[0] == 500
    search = getattr(pocket, name)
    assert search.requests == []
    async with http.post(pocket.page(search.path), headers=HEADERS[name], json={"q": "x", "query": "x"}) as response:
        assert response.status == 400, "search checks its own fields, and is not scripted"
    pocket.reset()
    assert reader(pocket, name).requests == []
    status, body = await post(http, pocket, name, GOOD[name])
    assert (status, "GONE" in str(body)) == (200, False)
