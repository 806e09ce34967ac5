"""What each provider is sent, field by field, and what it makes of its API's extras."""

import pytest

from dowse.core import errors
from dowse.core.models import Category, Query, TimeRange
from dowse.net.clients import ConfiguredClient
from tests.contract.conftest import DEADLINE, provider
from tests.doubles import EXA_KEY, SERPER_KEY, TAVILY_KEY, PocketWeb


@pytest.mark.promise("case-12")
async def test_serper_is_posted_q_and_num_with_its_key_in_the_header(web: PocketWeb, client: ConfiguredClient) -> None:
    """Acceptance case 12."""
    await provider(web, "serper", client).search(Query("python release", num_results=4), DEADLINE)
    (sent,) = web.serper.requests
    assert (sent.method, sent.headers["x-api-key"]) == ("POST", SERPER_KEY)
    assert sent.json == {"q": "python release", "num": 4}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("x", time_range=TimeRange.WEEK), {"tbs": "qdr:w"}),
        (Query("x", language="pt-BR"), {"hl": "pt", "gl": "br"}),
        (Query("x", language="de"), {"hl": "de"}),
        (
            Query("x", start_date="2026-01-31", end_date="2026-02-01"),
            {"tbs": "cdr:1,cd_min:01/31/2026,cd_max:02/01/2026"},
        ),
        (Query("x", end_date="2026-02-01"), {"tbs": "cdr:1,cd_max:02/01/2026"}),
        (Query("x", country="no", location="Oslo, Norway"), {"gl": "no", "location": "Oslo, Norway"}),
        (Query("x", language="pt-BR", country="pt"), {"hl": "pt-br", "gl": "pt"}),
        (Query("x", page=2, autocorrect=False), {"page": 2, "autocorrect": False}),
    ],
)
async def test_serper_gets_filters_in_googles_words(
    web: PocketWeb, client: ConfiguredClient, query: Query, expected: dict[str, str]
) -> None:
    await provider(web, "serper", client).search(query, DEADLINE)
    assert web.serper.requests[0].json == {"q": "x", "num": 3} | expected


@pytest.mark.parametrize(
    ("category", "path"),
    [
        (Category.GENERAL, "/serper/search"),
        (Category.NEWS, "/serper/news"),
        (Category.IMAGES, "/serper/images"),
        (Category.VIDEOS, "/serper/videos"),
        (Category.SCIENCE, "/serper/scholar"),
        (Category.MAP, "/serper/places"),
    ],
)
async def test_serper_has_an_endpoint_for_each_category_beside_that_of_the_web(
    web: PocketWeb, client: ConfiguredClient, category: Category, path: str
) -> None:
    found = await provider(web, "serper", client).search(Query("python release", category=category), DEADLINE)
    assert web.serper.requests[0].path == path
    assert (len(found.hits), found.warnings) == (3, ())
    assert found.hits[0].url == web.page("/articles/python-315")


async def test_pictures_and_films_bring_their_own_addresses(web: PocketWeb, client: ConfiguredClient) -> None:
    serper = provider(web, "serper", client)
    picture = (await serper.search(Query("python", category=Category.IMAGES), DEADLINE)).hits[0]
    assert (picture.image_url, picture.thumbnail) == ("https://img.example/1.jpg", "https://img.example/1-small.jpg")
    film = (await serper.search(Query("python", category=Category.VIDEOS), DEADLINE)).hits[0]
    assert (film.duration, film.thumbnail, film.is_media) == ("3:05", "https://img.example/1-small.jpg", True)
    news = (await serper.search(Query("python", category=Category.NEWS), DEADLINE)).hits[0]
    assert not news.is_media


async def test_from_an_endpoint_of_another_shape_no_other_is_derived(web: PocketWeb, client: ConfiguredClient) -> None:
    elsewhere = provider(web, "serper", client, SERPER_SEARCH_ENDPOINT=web.page("/serper/google"))
    assert elsewhere.categories == {Category.GENERAL}


async def test_serper_answers_dates_and_related_searches_are_kept(web: PocketWeb, client: ConfiguredClient) -> None:
    web.serper.replies(
        json={
            "organic": [{"title": "T", "link": "https://example.org/", "snippet": "S", "date": "Oct 7, 2026"}],
            "answerBox": {"answer": "42"},
            "knowledgeGraph": {"description": "A number."},
            "relatedSearches": [{"query": "why 42"}, {"nothing": 1}, "text"],
        }
    )
    found = await provider(web, "serper", client).search(Query("x"), DEADLINE)
    assert found.hits[0].published == "2026-10-07"
    assert (found.answers, found.suggestions) == (("42", "A number."), ("why 42",))


@pytest.mark.promise("case-13")
async def test_tavily_is_sent_a_bearer_header_and_every_extra_switched_off(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    """Acceptance case 13."""
    await provider(web, "tavily", client).search(Query("python release", num_results=4), DEADLINE)
    (sent,) = web.tavily.requests
    assert sent.headers["authorization"] == f"Bearer {TAVILY_KEY}"
    assert sent.json == {
        "query": "python release",
        "max_results": 4,
        "search_depth": "basic",
        "include_answer": False,
        "include_images": False,
        "include_raw_content": False,
    }


async def test_tavily_filters_are_its_own(web: PocketWeb, client: ConfiguredClient) -> None:
    query = Query("x", category=Category.NEWS, time_range=TimeRange.DAY, include_domains=("a.org",))
    await provider(web, "tavily", client, TAVILY_SEARCH_DEPTH="advanced").search(query, DEADLINE)
    sent = web.tavily.requests[0].json or {}
    assert sent["topic"] == "news"
    assert sent["time_range"] == "day"
    assert sent["include_domains"] == ["a.org"]
    assert sent["search_depth"] == "advanced"


async def test_a_query_too_long_for_tavily_is_cut_at_a_word_with_a_warning(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    words = " ".join(["wordy"] * 80)
    found = await provider(web, "tavily", client).search(Query(words), DEADLINE)
    sent = str((web.tavily.requests[0].json or {})["query"])
    assert len(sent) <= 400
    assert sent.endswith("wordy")
    assert found.warnings == ("tavily takes at most 400 characters; the query was cut.",)


@pytest.mark.promise("case-14")
async def test_exa_is_posted_camel_case_with_its_key_in_the_header(web: PocketWeb, client: ConfiguredClient) -> None:
    """Acceptance case 14."""
    found = await provider(web, "exa", client).search(Query("python release", num_results=4), DEADLINE)
    (sent,) = web.exa.requests
    assert sent.headers["x-api-key"] == EXA_KEY
    assert sent.json == {
        "query": "python release",
        "type": "auto",
        "numResults": 4,
        "contents": {"highlights": {"maxCharacters": 500}},
    }
    assert all(hit.snippet for hit in found.hits)


@pytest.mark.parametrize(
    ("item", "snippet"),
    [
        ({"highlights": ["one", "two"]}, "one … two"),
        ({"highlights": None, "summary": "sum"}, "sum"),
        ({"text": "body text"}, "body text"),
        ({}, ""),
    ],
)
async def test_exa_snippets_come_from_highlights_then_summary_then_text(
    web: PocketWeb, client: ConfiguredClient, item: dict[str, object], snippet: str
) -> None:
    web.exa.replies(json={"results": [{"title": "T", "url": "https://example.org/", **item}]})
    assert (await provider(web, "exa", client).search(Query("x"), DEADLINE)).hits[0].snippet == snippet


async def test_exa_gets_a_period_as_the_date_it_starts_with(web: PocketWeb, client: ConfiguredClient) -> None:
    query = Query("x", time_range=TimeRange.WEEK, category=Category.SCIENCE, safe_search=1, exclude_domains=("a.org",))
    await provider(web, "exa", client).search(query, DEADLINE)
    sent = web.exa.requests[0].json or {}
    assert sent["startPublishedDate"] == "2026-11-08"
    assert (sent["category"], sent["moderation"], sent["excludeDomains"]) == ("research paper", True, ["a.org"])


@pytest.mark.promise("case-15")
@pytest.mark.parametrize("slash", ["", "/", "/search"])
async def test_searxng_is_asked_for_json_whatever_the_base_address_ends_with(
    web: PocketWeb, client: ConfiguredClient, slash: str
) -> None:
    """Acceptance case 15."""
    await provider(web, "searxng", client, SEARXNG_URL=web.page("/searxng") + slash).search(
        Query("python release"), DEADLINE
    )
    (sent,) = web.searxng.requests
    assert (sent.method, sent.path, sent.params) == (
        "GET",
        "/searxng/search",
        {"q": "python release", "format": "json"},
    )


@pytest.mark.promise("case-15")
async def test_searxng_settings_are_sent_only_when_set_and_the_caller_beats_them(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    """Acceptance case 15."""
    settings = {
        "SEARXNG_LANGUAGE": "de",
        "SEARXNG_CATEGORIES": "it",
        "SEARXNG_ENGINES": "alpha",
        "SEARXNG_TIME_RANGE": "month",
        "SEARXNG_SAFESEARCH": "2",
    }
    searxng = provider(web, "searxng", client, **settings)
    await searxng.search(Query("x"), DEADLINE)
    await searxng.search(
        Query("x", language="fr", category=Category.NEWS, time_range=TimeRange.DAY, safe_search=0), DEADLINE
    )
    base = {"q": "x", "format": "json", "engines": "alpha"}
    assert web.searxng.requests[0].params == base | {
        "language": "de",
        "categories": "it",
        "time_range": "month",
        "safesearch": "2",
    }
    assert web.searxng.requests[1].params == base | {
        "language": "fr",
        "categories": "news",
        "time_range": "day",
        "safesearch": "0",
    }


@pytest.mark.promise("case-16")
async def test_searxng_extra_headers_are_sent_and_their_user_agent_wins(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    """Acceptance case 16."""
    agent = {"SEARXNG_USER_AGENT": "from-variable"}
    await provider(web, "searxng", client, **agent).search(Query("x"), DEADLINE)
    headers = '{"User-Agent": "from-json", "X-Team": "seven"}'
    await provider(web, "searxng", client, **agent, SEARXNG_HEADERS_JSON=headers).search(Query("x"), DEADLINE)
    assert web.searxng.requests[0].headers["user-agent"] == "from-variable"
    assert web.searxng.requests[1].headers["user-agent"] == "from-json"
    assert web.searxng.requests[1].headers["x-team"] == "seven"


@pytest.mark.promise("case-18")
async def test_searxng_takes_answer_objects_and_pairs_of_failed_engines(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    """Acceptance case 18."""
    item = {"title": "T", "url": "https://example.org/", "content": "", "engine": "alpha", "publishedDate": None}
    web.searxng.replies(
        json={
            "results": [item],
            "answers": [{"answer": "42", "url": None}, "old style", {"x": 1}],
            "unresponsive_engines": [["beta", "timeout"]],
            "suggestions": ["other words", 5],
        }
    )
    found = await provider(web, "searxng", client).search(Query("x", num_results=1), DEADLINE)
    assert (found.answers, found.suggestions) == (("42", "old style"), ("other words",))
    assert found.hits[0].engine == "alpha"


async def test_a_searxng_whose_engines_all_failed_has_not_answered(web: PocketWeb, client: ConfiguredClient) -> None:
    web.searxng.engines_fail()
    with pytest.raises(errors.EnginesFailed):
        await provider(web, "searxng", client).search(Query("x"), DEADLINE)


async def test_an_empty_answer_is_real_when_one_of_the_engines_asked_did_look(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    web.searxng.replies(json={"results": [], "unresponsive_engines": [["alpha", "timeout"]]})
    both, one = {"SEARXNG_ENGINES": "alpha, beta"}, {"SEARXNG_ENGINES": "alpha"}
    assert (await provider(web, "searxng", client, **both).search(Query("x"), DEADLINE)).hits == ()
    with pytest.raises(errors.EnginesFailed, match="alpha: timeout"):
        await provider(web, "searxng", client, **one).search(Query("x"), DEADLINE)


async def test_of_two_searxng_results_for_one_page_the_better_ranked_is_kept(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    first = {"title": "First", "url": "https://example.org/", "content": "first"}
    web.searxng.replies(json={"results": [first, {**first, "title": "Second", "content": "second"}]})
    found = await provider(web, "searxng", client).search(Query("x"), DEADLINE)
    assert [hit.title for hit in found.hits] == ["First"]


async def test_searxng_pages_are_asked_for_until_there_are_enough(web: PocketWeb, client: ConfiguredClient) -> None:
    web.searxng.finds([f"https://example.org/{number}" for number in range(35)])
    found = await provider(web, "searxng", client).search(Query("x", num_results=25), DEADLINE)
    assert [hit.url for hit in found.hits] == [f"https://example.org/{number}" for number in range(25)]
    assert [sent.params.get("pageno", "1") for sent in web.searxng.requests] == ["1", "2", "3"]


async def test_a_searxng_page_that_fails_later_costs_only_itself(web: PocketWeb, client: ConfiguredClient) -> None:
    first = [{"title": "T", "url": f"https://example.org/{number}"} for number in range(10)]
    web.searxng.replies(json={"results": first}, times=1).fails("500")
    found = await provider(web, "searxng", client).search(Query("x", num_results=25), DEADLINE)
    assert len(found.hits) == 10
    assert found.warnings[0].startswith("page 2 could not be fetched: searxng is unavailable")


async def test_exa_gets_the_country_as_the_users_location(web: PocketWeb, client: ConfiguredClient) -> None:
    await provider(web, "exa", client).search(Query("x", country="no"), DEADLINE)
    assert (web.exa.requests[0].json or {})["userLocation"] == "NO"


@pytest.mark.parametrize("name", ["serper", "exa", "tavily", "searxng"])
async def test_pages_of_results_follow_each_other_at_every_provider(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    """Emulated where the API has no pages: all up to it are asked for, and the earlier ones dropped."""
    getattr(web, name).finds([f"https://example.org/{number}" for number in range(30)])
    asked = provider(web, name, client)
    pages = [await asked.search(Query("x", num_results=10, page=page), DEADLINE) for page in (1, 2)]
    urls = [[hit.url for hit in found.hits] for found in pages]
    assert urls == [[f"https://example.org/{number}" for number in range(start, start + 10)] for start in (0, 10)]
    assert [found.warnings for found in pages] == [(), ()]


@pytest.mark.parametrize(
    ("num_results", "page", "asked"), [(5, 3, ["3"]), (20, 1, ["1", "2"]), (20, 2, ["3", "4"]), (11, 3, ["5", "6"])]
)
async def test_no_page_of_searxng_is_shown_twice(
    web: PocketWeb, client: ConfiguredClient, num_results: int, page: int, asked: list[str]
) -> None:
    web.searxng.finds([f"https://example.org/{number}" for number in range(100)])
    await provider(web, "searxng", client).search(Query("x", num_results=num_results, page=page), DEADLINE)
    assert [sent.params.get("pageno", "1") for sent in web.searxng.requests] == asked


async def test_a_page_behind_the_last_result_is_empty(web: PocketWeb, client: ConfiguredClient) -> None:
    found = await provider(web, "tavily", client).search(Query("x", num_results=10, page=4), DEADLINE)
    assert found.hits == ()
    assert found.warnings == ("tavily gives at most 20 results; 40 were requested.",)
