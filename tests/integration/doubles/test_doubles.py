"""The doubles take exactly what the real APIs take, and answer in their shape."""

import pytest
from aiohttp import ClientSession

from tests.doubles import EXA_KEY, SERPER_KEY, TAVILY_KEY, PocketWeb

HEADERS = {
    "serper": {"X-API-KEY": SERPER_KEY},
    "exa": {"x-api-key": EXA_KEY},
    "tavily": {"Authorization": f"Bearer {TAVILY_KEY}"},
}
QUERY = {"serper": "q", "exa": "query", "tavily": "query"}
ERRORS = {
    "serper": lambda body: (body["message"], body["statusCode"]),
    "exa": lambda body: (body["requestId"], body["error"], body["tag"]),
    "tavily": lambda body: body["detail"]["error"],
}
RESULTS = {"serper": "organic", "exa": "results", "tavily": "results"}


async def post(http: ClientSession, pocket: PocketWeb, provider: str, body: object, **headers: str):
    target = pocket.page(f"/{provider}/search")
    async with http.post(target, json=body, headers=HEADERS[provider] | headers) as response:
        return response.status, await response.json()


async def get(http: ClientSession, pocket: PocketWeb, **params: str):
    async with http.get(pocket.page("/searxng/search"), params={"format": "json"} | params) as response:
        return response.status, await response.json()


@pytest.mark.parametrize(
    ("provider", "fields"),
    [
        ("serper", {}),
        ("serper", {"num": 1, "gl": "us", "hl": "en", "location": "Oslo", "page": 1, "autocorrect": False}),
        ("serper", {"num": 100, "tbs": "qdr:w"}),
        ("exa", {}),
        ("exa", {"type": "auto", "numResults": 1, "category": "news", "moderation": True, "userLocation": "NO"}),
        ("exa", {"numResults": 100, "includeDomains": ["127.0.0.1"], "excludeDomains": ["example.com"]}),
        ("exa", {"startPublishedDate": "2026-01-01", "endPublishedDate": "2026-12-31T00:00:00.000Z"}),
        ("exa", {"contents": {"highlights": {"maxCharacters": 300}, "text": False}}),
        ("exa", {"contents": {"text": {"maxCharacters": 10}, "summary": {"query": "why"}}}),
        ("tavily", {}),
        ("tavily", {"max_results": 0, "search_depth": "basic", "topic": "general", "time_range": "week"}),
        ("tavily", {"max_results": 20, "include_answer": "basic", "include_raw_content": "markdown"}),
        ("tavily", {"start_date": "2026-01-01", "end_date": "2026-12-31", "include_domains": ["127.0.0.1"]}),
        ("tavily", {"include_images": False, "country": "norway", "exact_match": True, "exclude_domains": []}),
    ],
)
async def test_documented_fields_are_taken(pocket, http, provider, fields):
    status, body = await post(http, pocket, provider, {QUERY[provider]: "python"} | fields)
    assert (status, RESULTS[provider] in body) == (200, True)


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("serper", {}),
        ("serper", {"query": "python"}),
        ("serper", {"q": ""}),
        ("serper", {"q": 5}),
        ("serper", {"q": "x", "num": 0}),
        ("serper", {"q": "x", "num": 101}),
        ("serper", {"q": "x", "num": "10"}),
        ("serper", {"q": "x", "num": True}),
        ("serper", {"q": "x", "numResults": 3}),
        ("serper", ["q"]),
        ("exa", {}),
        ("exa", {"query": "x", "num_results": 3}),
        ("exa", {"query": "x", "include_domains": ["a.example"]}),
        ("exa", {"query": "x", "use_autoprompt": True}),
        ("exa", {"query": "x", "numResults": 101}),
        ("exa", {"query": "x", "type": "neural"}),
        ("exa", {"query": "x", "category": "gossip"}),
        ("exa", {"query": "x", "text": True}),
        ("exa", {"query": "x", "contents": {"text": True, "maxCharacters": 5}}),
        ("exa", {"query": "x", "contents": {"highlights": {"max_characters": 5}}}),
        ("exa", {"query": "x", "includeDomains": "a.example"}),
        ("exa", {"query": "x", "startPublishedDate": "yesterday"}),
        ("tavily", {}),
        ("tavily", {"query": "x" * 401}),
        ("tavily", {"query": "x", "max_results": 21}),
        ("tavily", {"query": "x", "max_results": -1}),
        ("tavily", {"query": "x", "time_range": ""}),
        ("tavily", {"query": "x", "time_range": None}),
        ("tavily", {"query": "x", "country": ""}),
        ("tavily", {"query": "x", "start_date": ""}),
        ("tavily", {"query": "x", "start_date": 20260101}),
        ("tavily", {"query": "x", "search_depth": "deepest"}),
        ("tavily", {"query": "x", "include_domains": [""]}),
        ("tavily", {"query": "x", "maxResults": 3}),
    ],
)
async def test_anything_else_is_a_400_in_the_apis_own_words(pocket, http, provider, body):
    status, answer = await post(http, pocket, provider, body)
    assert status == 400
    assert ERRORS[provider](answer)


async def test_an_unknown_exa_field_is_tagged(pocket, http):
    _, answer = await post(http, pocket, "exa", {"query": "x", "num_results": 3})
    assert answer["tag"] == "INVALID_REQUEST_BODY"
    assert "num_results" in answer["error"]


async def test_a_query_of_400_characters_is_taken_by_tavily(pocket, http):
    status, _ = await post(http, pocket, "tavily", {"query": "x" * 400})
    assert status == 200


@pytest.mark.parametrize(
    ("provider", "headers", "status"),
    [
        ("serper", {}, 403),
        ("serper", {"X-API-KEY": "wrong"}, 403),
        ("serper", {"Authorization": f"Bearer {SERPER_KEY}"}, 403),
        ("exa", {}, 401),
        ("exa", {"x-api-key": "wrong"}, 401),
        ("exa", {"Authorization": f"Bearer {EXA_KEY}"}, 401),
        ("tavily", {}, 401),
        ("tavily", {"Authorization": TAVILY_KEY}, 401),
        ("tavily", {"X-API-KEY": TAVILY_KEY}, 401),
    ],
)
async def test_only_the_right_key_in_the_right_header_opens(pocket, http, provider, headers, status):
    async with http.post(pocket.page(f"/{provider}/search"), json={QUERY[provider]: "x"}, headers=headers) as response:
        assert response.status == status
        assert ERRORS[provider](await response.json())


async def test_serper_refuses_a_key_in_its_own_words(pocket, http):
    async with http.post(pocket.page("/serper/search"), json={"q": "x"}) as response:
        assert await response.json() == {"message": "Unauthorized.", "statusCode": 403}


async def test_tavily_refuses_a_key_in_the_body_even_beside_a_good_header(pocket, http):
    status, _ = await post(http, pocket, "tavily", {"query": "x", "api_key": TAVILY_KEY})
    assert status == 401


@pytest.mark.parametrize("provider", HEADERS)
async def test_a_wrong_method_path_or_body_type_is_refused(pocket, http, provider):
    headers = HEADERS[provider]
    async with http.get(pocket.page(f"/{provider}/search"), headers=headers) as response:
        assert response.status == 405
    async with http.post(pocket.page(f"/{provider}/find"), json={}, headers=headers) as response:
        assert response.status == 404
    async with http.post(pocket.page(f"/{provider}/search"), data=b'{"q": "x"}', headers=headers) as response:
        assert response.status == 400


@pytest.mark.parametrize(
    ("provider", "field", "count"), [("serper", "num", 4), ("exa", "numResults", 4), ("tavily", "max_results", 4)]
)
async def test_the_asked_number_of_results_is_given(pocket, http, provider, field, count):
    _, body = await post(http, pocket, provider, {QUERY[provider]: "python", field: count})
    assert len(body[RESULTS[provider]]) == count


async def test_serper_answers_in_the_real_shape(pocket, http):
    _, body = await post(http, pocket, "serper", {"q": "python release", "num": 2})
    assert list(body) == [
        *("searchParameters", "knowledgeGraph", "answerBox", "organic"),
        *("peopleAlsoAsk", "relatedSearches", "credits"),
    ]
    assert body["searchParameters"] == {"type": "search", "engine": "google", "q": "python release", "num": 2}
    first, second = body["organic"]
    assert first["link"] == pocket.page("/articles/python-315")
    assert (first["position"], first["date"], "sitelinks" in first) == (1, "Oct 2, 2026", True)
    assert (second["position"], "sitelinks" in second) == (2, False)


async def test_serper_leaves_a_missing_snippet_out(pocket, http):
    pocket.serper.finds(["https://example.com/a"])
    _, body = await post(http, pocket, "serper", {"q": "x"})
    assert body["organic"] == [{"title": "https://example.com/a", "link": "https://example.com/a", "position": 1}]


async def test_serper_has_further_pages(pocket, http):
    _, one = await post(http, pocket, "serper", {"q": "tide", "num": 3})
    _, two = await post(http, pocket, "serper", {"q": "tide", "num": 3, "page": 2})
    links = [item["link"] for body in (one, two) for item in body["organic"]]
    assert len(set(links)) == 6


async def test_exa_sends_text_and_highlights_only_when_asked(pocket, http):
    _, plain = await post(http, pocket, "exa", {"query": "kettle"})
    contents = {"highlights": True, "text": {"maxCharacters": 100}, "summary": True}
    _, full = await post(http, pocket, "exa", {"query": "kettle", "contents": contents})
    base = {"id", "title", "url", "publishedDate", "author", "score"}
    assert set(plain["results"][0]) == base
    assert set(full["results"][0]) == base | {"highlights", "highlightScores", "text", "summary"}


async def test_exa_filters_by_date(pocket, http):
    body = {"query": "x", "startPublishedDate": "2026-09-01T00:00:00Z", "endPublishedDate": "2026-09-20"}
    _, answer = await post(http, pocket, "exa", body)
    assert [item["publishedDate"] for item in answer["results"]] == ["2026-09-14T00:00:00.000Z"]


async def test_tavily_answers_in_the_real_shape(pocket, http):
    _, body = await post(http, pocket, "tavily", {"query": "harbour bridge", "max_results": 1, "topic": "news"})
    assert set(body) == {"query", "follow_up_questions", "answer", "images", "results", "response_time", "request_id"}
    assert (body["answer"], body["images"]) == (None, [])
    [result] = body["results"]
    assert set(result) == {"title", "url", "content", "score", "raw_content", "published_date"}
    assert (result["raw_content"], result["published_date"]) == (None, "Mon, 14 Sep 2026 00:00:00 GMT")


async def test_tavily_gives_answer_and_raw_content_on_request_and_dates_only_news(pocket, http):
    _, body = await post(
        http, pocket, "tavily", {"query": "kettle", "include_answer": True, "include_raw_content": True}
    )
    assert body["answer"] == body["results"][0]["content"]
    assert body["results"][0]["raw_content"].startswith("Fjell")
    assert not any("published_date" in item for item in body["results"])


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("serper", {"q": "bread site:b.example"}),
        ("serper", {"q": "bread (site:b.example OR site:c.example)"}),
        ("serper", {"q": "bread -site:a.example"}),
        ("exa", {"query": "bread", "includeDomains": ["b.example"]}),
        ("exa", {"query": "bread", "excludeDomains": ["a.example"]}),
        ("tavily", {"query": "bread", "include_domains": ["b.example"]}),
        ("tavily", {"query": "bread", "exclude_domains": ["a.example"]}),
    ],
)
async def test_domain_filters_are_honoured_and_include_subdomains(pocket, http, provider, body):
    getattr(pocket, provider).finds(["https://a.example/1", "https://www.b.example/2", "https://notb.a.example/3"])
    _, answer = await post(http, pocket, provider, body)
    assert [item.get("link") or item["url"] for item in answer[RESULTS[provider]]] == ["https://www.b.example/2"]


async def test_searxng_honours_site_operators_with_a_path(pocket, http):
    _, body = await get(http, pocket, q=f"tide site:127.0.0.1:{pocket.port}/files")
    assert {item["parsed_url"][2].split("/")[1] for item in body["results"]} == {"files"}


async def test_searxng_answers_in_the_2026_shape(pocket, http):
    status, body = await get(http, pocket, q="tide table", language="en", safesearch="0", time_range="", pageno="1")
    assert status == 200
    assert list(body) == [
        *("query", "results", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"),
    ]
    first = body["results"][0]
    assert set(first) == {
        *("url", "title", "content", "engine", "template", "parsed_url", "img_src", "thumbnail", "priority"),
        *("engines", "positions", "score", "category", "publishedDate"),
    }
    assert (first["url"], first["publishedDate"]) == (pocket.page("/files/tides.csv"), "2026-09-30T00:00:00")
    assert len(first["parsed_url"]) == 6
    assert body["answers"][0]["answer"] == first["content"]
    assert body["unresponsive_engines"] == [["startpage", "timeout"]]


async def test_searxng_gives_ten_results_a_page_and_then_the_rest(pocket, http):
    pocket.searxng.finds([f"https://example.com/{number}" for number in range(23)])
    pages = [(await get(http, pocket, q="x", pageno=str(number)))[1]["results"] for number in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [10, 10, 3, 0]
    assert len({item["url"] for page in pages for item in page}) == 23
    assert pages[1][0]["positions"] == [11, 11]


@pytest.mark.parametrize(
    "params",
    [
        {"q": ""},
        {"q": "  "},
        {"q": "x", "pageno": "0"},
        {"q": "x", "pageno": "one"},
        {"q": "x", "time_range": "decade"},
        {"q": "x", "safesearch": "3"},
        {"q": "x", "language": "English"},
    ],
)
async def test_searxng_refuses_invalid_parameters(pocket, http, params):
    status, body = await get(http, pocket, **params)
    assert (status, list(body)) == (400, ["error"])


async def test_searxng_ignores_parameters_it_does_not_know(pocket, http):
    status, body = await get(http, pocket, q="python", num="2", p="3", engines="nosuch", categories="nosuch")
    assert (status, len(body["results"])) == (200, 10)


@pytest.mark.parametrize("params", [{"q": "soup"}, {"q": "soup", "format": "yaml"}, {"q": "soup", "format": "html"}])
async def test_searxng_sends_its_web_page_for_other_formats(pocket, http, params):
    async with http.get(pocket.page("/searxng/search"), params=params) as response:
        assert (response.status, response.content_type) == (200, "text/html")
        assert 'article class="result' in await response.text()


async def test_searxng_with_json_off_forbids_it_with_a_bare_page(pocket, http):
    pocket.searxng.json_off()
    async with http.get(pocket.page("/searxng/search"), params={"q": "x", "format": "json"}) as response:
        assert (response.status, response.content_type) == (403, "text/html")
        assert "<h1>Forbidden</h1>" in await response.text()


async def test_searxng_reports_failed_engines_inside_a_200(pocket, http):
    pocket.searxng.engines_fail()
    status, body = await get(http, pocket, q="python")
    assert (status, body["results"]) == (200, [])
    assert all(len(pair) == 2 for pair in body["unresponsive_engines"])
    assert body["unresponsive_engines"]

    pocket.searxng.works().finds_nothing()
    _, body = await get(http, pocket, q="python")
    assert (body["results"], body["unresponsive_engines"]) == ([], [])


async def test_searxng_limiter_answers_with_bare_text_and_no_retry_after(pocket, http):
    pocket.searxng.fails("429")
    async with http.get(pocket.page("/searxng/search")) as response:
        assert (response.content_type, await response.text()) == ("text/html", "Too Many Requests")
        assert "Retry-After" not in response.headers


async def test_searxng_serves_health_and_nothing_else(pocket, http):
    async with http.get(pocket.page("/searxng/healthz")) as response:
        assert await response.text() == "OK"
    async with http.get(pocket.page("/searxng/metrics")) as response:
        assert response.status == 404
    async with http.post(pocket.page("/searxng/search")) as response:
        assert response.status == 405


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("cancel an asyncio task", "/questions/asyncio-cancel"),
        ("sourdough forum", "/forum/thread-4471"),
        ("Sauerteig Anleitung", "/de/brot"),
        ("梅雨", "/ja/tsuyu"),
        ("zzz qqq", "/articles/python-315"),
    ],
)
async def test_the_best_overlap_comes_first_and_no_overlap_still_finds(pocket, http, query, path):
    _, body = await post(http, pocket, "exa", {"query": query, "numResults": 3})
    assert body["results"][0]["url"] == pocket.page(path)
    assert len(body["results"]) == 3
