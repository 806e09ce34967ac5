"""The open APIs: each is asked exactly as its documentation says, and together they are one member of the pool."""

import asyncio
from dataclasses import replace

import pytest

from dowse.core import errors
from dowse.core.allowances import Rate
from dowse.core.models import Category, Deadline, Hit, Query, TimeRange
from dowse.core.protocols import Limiter
from dowse.net.clients import ConfiguredClient
from dowse.providers.disclosure import Disclosure
from dowse.routing.limiter import SlidingWindows
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.settings.sites import SEARCHED_SITES
from dowse.settings.sources import load
from dowse.sites.search import OpenApiSearch, open_apis
from dowse.sites.site import SiteHits, SiteSearch
from tests.contract.conftest import DEADLINE
from tests.doubles import PocketWeb
from tests.doubles.sites_github import TOKEN
from tests.doubles.sites_searching import SearchedSite
from tests.fakes import FakeClock

# For each API a query for which it finds something in the corpus.
ASKED = {
    "wikipedia": "rock pools",
    "stackexchange": "cancel asyncio task",
    "github": "retry client",
    "hackernews": "harbour bridge",
    "arxiv": "railway weather",
    "crossref": "railway weather",
    "pypi": "pip install lantern",
    "npm": "npm retry",
}
DATED = {"start_date": "2026-01-01", "end_date": "2026-06-30"}


def _settings(web: PocketWeb, **settings: str) -> Settings:
    return load({}, {**web.environment(), **settings}).settings


def _api(web: PocketWeb, client: ConfiguredClient, name: str, **settings: str) -> SiteSearch:
    loaded = _settings(web, DOWSE_OPEN_APIS=name, **settings)
    (found,) = open_apis(loaded, client, Redactor(loaded.secrets()))
    return found.adapter


def _member(
    web: PocketWeb,
    client: ConfiguredClient,
    disclosure: Disclosure | None = None,
    *,
    limiter: Limiter | None = None,
    grace_s: float = 1.0,
    **settings: str,
) -> OpenApiSearch:
    loaded = _settings(web, **settings)
    apis = open_apis(loaded, client, Redactor(loaded.secrets()))
    timeout_s = loaded.providers["open"].timeout_s
    return OpenApiSearch(apis, disclosure or Disclosure(), limiter, timeout_s=timeout_s, grace_s=grace_s)


def _params(web: PocketWeb, name: str) -> dict[str, str]:
    (seen,) = web.sites[name].requests
    return seen.params


@pytest.mark.parametrize("name", SEARCHED_SITES)
async def test_every_api_finds_something_with_one_request_and_an_honest_user_agent(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    answer = await _api(web, client, name).search(Query(ASKED[name], num_results=2), DEADLINE)
    assert 0 < len(answer.hits) <= 2
    assert {hit.engine for hit in answer.hits} == {name}
    assert all(hit.title and hit.snippet and hit.url.startswith(web.page("/")) for hit in answer.hits)
    (seen,) = web.sites[name].requests
    assert seen.headers["user-agent"] == "dowse/test"
    assert not {"cookie", "referer", "authorization"} & seen.headers.keys()


@pytest.mark.parametrize(
    ("name", "query", "params"),
    [
        (
            "wikipedia",
            Query("who painted the Mona Lisa?", num_results=7),
            {
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "list": "search",
                "srsearch": "painted Mona Lisa",
                "srlimit": "7",
                "srprop": "snippet",
                "meta": "siteinfo",
                "siprop": "general",
            },
        ),
        (
            "stackexchange",
            Query("how to cancel an asyncio task", num_results=7),
            {
                "q": "cancel asyncio task",
                "site": "stackoverflow",
                "sort": "relevance",
                "order": "desc",
                "pagesize": "7",
                "filter": "withbody",
            },
        ),
        ("stackexchange", Query("otter", **DATED), {"fromdate": "1767225600", "todate": "1782864000"}),
        ("stackexchange", Query("ubuntu wifi driver"), {"site": "askubuntu"}),
        ("stackexchange", Query("otter", include_domains=("serverfault.com",)), {"site": "serverfault"}),
        ("stackexchange", Query("otter", include_domains=("math.stackexchange.com",)), {"site": "math"}),
        ("github", Query("retry library for python", num_results=7), {"q": "retry library python", "per_page": "7"}),
        ("github", Query("TypeError: otter is None"), {"q": "TypeError otter None is:issue", "per_page": "3"}),
        ("github", Query("otter", **DATED), {"q": "otter created:2026-01-01..2026-06-30", "per_page": "3"}),
        ("github", Query("otter", time_range=TimeRange.DAY), {"q": "otter created:2026-11-14..*", "per_page": "3"}),
        ("hackernews", Query("harbour bridge", num_results=7), {"query": "harbour bridge", "hitsPerPage": "7"}),
        ("hackernews", Query("x", **DATED), {"numericFilters": "created_at_i>=1767225600,created_at_i<1782864000"}),
        ("arxiv", Query("paper on rail-way weather"), {"search_query": "all:rail AND all:way AND all:weather"}),
        ("arxiv", Query("otter"), {"sortBy": "relevance", "max_results": "3"}),
        ("arxiv", Query("arXiv 2401.01234 and 2402.00001v2"), {"id_list": "2401.01234,2402.00001"}),
        (
            "arxiv",
            Query("otter", **DATED),
            {"search_query": "all:otter AND submittedDate:[202601010000 TO 202606302359]"},
        ),
        ("crossref", Query("otter whiskers"), {"query.bibliographic": "otter whiskers", "rows": "3"}),
        ("crossref", Query("see doi 10.5555/otter.17."), {"filter": "doi:10.5555/otter.17"}),
        ("crossref", Query("otter", **DATED), {"filter": "from-pub-date:2026-01-01,until-pub-date:2026-06-30"}),
        ("npm", Query("npm package for retry", num_results=7), {"text": "retry", "size": "7"}),
    ],
)  # fmt: skip
async def test_the_request_is_the_documented_one(
    web: PocketWeb, client: ConfiguredClient, name: str, query: Query, params: dict[str, str]
) -> None:
    await _api(web, client, name).search(query, DEADLINE)
    sent = _params(web, name)
    assert {parameter: sent.get(parameter) for parameter in params} == params


@pytest.mark.parametrize("name", [name for name in SEARCHED_SITES if name != "pypi"])
async def test_a_query_longer_than_an_api_takes_is_cut_at_a_word(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    """The doubles refuse what is too long."""
    long = "otterpups " * 50
    await _api(web, client, name).search(Query(long), DEADLINE)
    sent = " ".join(_params(web, name).values())
    assert "otterpups" in sent
    assert not set(sent.replace("all:", " ").split()) & {"otterpup", "otterpu", "otterp", "otter"}


async def test_dates_are_filtered_by_the_api_and_hits_carry_them(web: PocketWeb, client: ConfiguredClient) -> None:
    for name in ("stackexchange", "github", "hackernews", "arxiv", "crossref"):
        query = Query("python weather retry bridge", num_results=20)
        everything = await _api(web, client, name).search(query, DEADLINE)
        dated = await _api(web, client, name).search(replace(query, **DATED), DEADLINE)
        assert 0 < len(dated.hits) < len(everything.hits)
        assert all("2026-01-01" <= hit.published <= "2026-06-30" for hit in dated.hits)


async def test_packages_are_looked_up_by_name_and_unknown_ones_are_no_failure(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    answer = await _api(web, client, "pypi").search(Query("pip install otter-tools lantern"), DEADLINE)
    assert [seen.path for seen in web.sites["pypi"].requests] == [
        "/pypi/pypi/otter-tools/json",
        "/pypi/pypi/lantern/json",
    ]
    (hit,) = answer.hits
    assert (hit.title, hit.published) == ("lantern 2.4.0 · PyPI", "2026-06-18")


async def test_a_package_that_moved_is_none_and_any_other_refusal_is_a_failure(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    pypi = _api(web, client, "pypi")
    web.sites["pypi"].fails("redirect", times=1).fails("400")
    assert await pypi.search(Query("pip install lantern"), DEADLINE) == SiteHits(())
    with pytest.raises(errors.BadRequest):
        await pypi.search(Query("pip install lantern"), DEADLINE)


async def test_one_letter_is_no_search_for_npm(web: PocketWeb, client: ConfiguredClient) -> None:
    assert await _api(web, client, "npm").search(Query("npm install x"), DEADLINE) == SiteHits(())
    assert not web.sites["npm"].requests


async def test_wikipedia_is_asked_in_the_language_of_the_query(client: ConfiguredClient) -> None:
    settings = load({}, {"DOWSE_OPEN_APIS": "wikipedia"}).settings
    (wikipedia,) = open_apis(settings, client, Redactor())
    hosts = {
        language: wikipedia.adapter.address(Query("x", language=language)).split("/")[2]
        for language in ("", "de", "pt-BR", "nb", "evil.example/", "zh-Hant")
    }
    assert hosts == {
        "": "en.wikipedia.org",
        "de": "de.wikipedia.org",
        "pt-BR": "pt.wikipedia.org",
        "nb": "no.wikipedia.org",
        "evil.example/": "en.wikipedia.org",
        "zh-Hant": "zh.wikipedia.org",
    }


@pytest.mark.parametrize(
    ("general", "base"),
    [
        ({"server": "https://de.wikipedia.org", "articlepath": "/wiki/$1"}, "https://de.wikipedia.org/wiki/"),
        ({"server": "//de.wikipedia.org", "articlepath": "/wiki/$1"}, "http://de.wikipedia.org/wiki/"),
        ({}, "{origin}/wiki/"),
        (None, "{origin}/wiki/"),
    ],
)
async def test_articles_are_where_wikipedia_says(
    web: PocketWeb, client: ConfiguredClient, general: object, base: str
) -> None:
    found = [{"ns": 0, "title": "Otter (Süd/Nord)?", "pageid": 7, "snippet": "An <span>otter</span> &amp; more"}]
    web.sites["wikipedia"].replies(json={"query": {"search": found, "general": general}})
    (hit,) = (await _api(web, client, "wikipedia").search(Query("otter"), DEADLINE)).hits
    url = f"{base.format(origin=web.page(''))}Otter_(S%C3%BCd/Nord)%3F"
    assert hit == Hit("Otter (Süd/Nord)?", url, "An otter & more", "wikipedia")


@pytest.mark.parametrize(
    ("code", "expected"),
    [("ratelimited", errors.RateLimited), ("maxlag", errors.Unavailable), ("internal_api_error", errors.BadAnswer)],
)
async def test_wikipedias_errors_with_the_status_of_a_success_are_errors(
    web: PocketWeb, client: ConfiguredClient, code: str, expected: type[errors.ProviderError]
) -> None:
    web.sites["wikipedia"].replies(json={"error": {"code": code, "info": "no"}})
    with pytest.raises(expected):
        await _api(web, client, "wikipedia").search(Query("otter"), DEADLINE)


FAILURES: list[tuple[str, type[errors.ProviderError]]] = [
    ("500", errors.Unavailable),
    ("429", errors.RateLimited),
    ("reset", errors.NetworkFailed),
    ("broken_json", errors.BadAnswer),
    ("json_array", errors.BadAnswer),
    ("html", errors.BadAnswer),
    ("challenge", errors.Blocked),
]


@pytest.mark.parametrize("name", SEARCHED_SITES)
@pytest.mark.parametrize(("trouble", "expected"), FAILURES)
async def test_every_failure_has_its_type(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str, expected: type[errors.ProviderError]
) -> None:
    web.sites[name].fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await _api(web, client, name).search(Query(ASKED[name]), DEADLINE)
    assert type(caught.value) is expected
    assert caught.value.provider == name


@pytest.mark.parametrize("name", [name for name in SEARCHED_SITES if name != "arxiv"])
@pytest.mark.parametrize("body", [{}, {"query": {}, "message": {}, "items": None}])
async def test_an_answer_without_its_list_is_no_answer(
    web: PocketWeb, client: ConfiguredClient, name: str, body: dict[str, object]
) -> None:
    web.sites[name].replies(json=body)
    with pytest.raises(errors.BadAnswer):
        await _api(web, client, name).search(Query(ASKED[name]), DEADLINE)


async def test_a_wikipedia_that_does_not_say_where_it_is_is_no_answer(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["wikipedia"].replies(json={"query": {"search": [], "general": {"server": "http://["}}})
    with pytest.raises(errors.BadAnswer):
        await _api(web, client, "wikipedia").search(Query("otter"), DEADLINE)


# A list with nothing usable in it, under every name that the APIs have for it.
_ODD = [None, 1, "x", [], {}, {"title": None}, {"title": ["x"], "issued": {"date-parts": [[None]]}}, {"package": 3}]
_ODD_ANSWER = {
    **{name: _ODD for name in ("items", "hits", "objects", "search", "urls")},
    "query": {"search": _ODD, "general": []},
    "message": {"items": _ODD},
    "info": {"name": None, "version": 3, "package_url": "javascript:alert(1)"},
}


@pytest.mark.parametrize("name", [name for name in SEARCHED_SITES if name != "arxiv"])
async def test_fields_that_are_not_what_they_should_be_do_no_harm(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    web.sites[name].replies(json=_ODD_ANSWER)
    answer = await _api(web, client, name).search(Query(ASKED[name]), DEADLINE)
    assert not any(hit.url.startswith("javascript") for hit in answer.hits)
    assert len(answer.hits) <= 1


async def test_text_of_strangers_comes_without_markup_and_invisible_characters(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    story = {
        "title": "An <b>otter</b>\u202e",
        "url": "https://o.example/",
        "objectID": "7",
        "story_text": "a<p>b\u200b",
    }
    web.sites["hackernews"].replies(json={"hits": [story]})
    (hit,) = (await _api(web, client, "hackernews").search(Query("otter"), DEADLINE)).hits
    assert (hit.title, hit.snippet) == ("An otter", "a b · 0 points, 0 comments on Hacker News")


async def test_a_story_without_an_address_leads_to_its_discussion(web: PocketWeb, client: ConfiguredClient) -> None:
    stories = [{"title": "Ask HN: otters?", "url": "", "objectID": "77"}, {"title": "x", "objectID": "../7"}]
    web.sites["hackernews"].replies(json={"hits": stories})
    (hit,) = (await _api(web, client, "hackernews").search(Query("otter"), DEADLINE)).hits
    assert hit.url == "https://news.ycombinator.com/item?id=77"


async def test_a_paper_is_named_by_its_lasting_address(web: PocketWeb, client: ConfiguredClient) -> None:
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2401.01234v3</id>'
        "<title>On otters</title><summary>About\n them.</summary>"
        "<published>2024-01-02T00:00:00Z</published></entry></feed>"
    )
    web.sites["arxiv"].has("/api/query", feed, content_type="application/atom+xml")
    answer = await _api(web, client, "arxiv").search(Query("arxiv:2401.01234"), DEADLINE)
    assert answer.hits == (Hit("On otters", "https://arxiv.org/abs/2401.01234", "About them.", "arxiv", "2024-01-02"),)


async def test_a_work_without_an_address_is_found_by_its_doi(web: PocketWeb, client: ConfiguredClient) -> None:
    authors = [{"family": name} for name in ("Otter", "Pup", "Reed", "Stone")]
    work = {
        "DOI": "10.5555/o.1",
        "title": ["On <i>Lutra</i>"],
        "author": authors,
        "issued": {"date-parts": [[2024, 3]]},
    }
    web.sites["crossref"].replies(json={"status": "ok", "message": {"items": [work]}})
    (hit,) = (await _api(web, client, "crossref").search(Query("lutra"), DEADLINE)).hits
    assert hit == Hit("On Lutra", "https://doi.org/10.5555/o.1", "Otter, Pup, Reed et al., 2024", "crossref", "2024-03")


async def test_keys_go_to_their_own_api_and_are_masked_when_it_repeats_them(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    web.sites["stackexchange"].key = "se-key-4711-otter"
    keys = {"GITHUB_TOKEN": TOKEN, "STACKEXCHANGE_KEY": "se-key-4711-otter"}
    await _member(web, client, **keys).search(Query("TypeError: cancel asyncio task"), DEADLINE)
    (asked_github,), (asked_stack,) = web.sites["github"].requests, web.sites["stackexchange"].requests
    assert asked_github.headers["authorization"] == f"Bearer {TOKEN}"
    assert asked_stack.params["key"] == "se-key-4711-otter"
    assert "se-key" not in str(asked_github) and TOKEN not in str(asked_stack)

    web.sites["github"].fails("echo_key")
    with pytest.raises(errors.ProviderError) as caught:
        await _api(web, client, "github", **keys).search(Query("otter"), DEADLINE)
    assert TOKEN not in str(caught.value)


async def test_a_rejected_key_is_said_although_others_answered(web: PocketWeb, client: ConfiguredClient) -> None:
    member = _member(web, client, GITHUB_TOKEN="ghp_not_the_one")
    found = await member.search(Query("CancelledError: cancel task"), DEADLINE)
    assert {hit.engine for hit in found.hits} == {"stackexchange"}
    (warning,) = found.warnings
    assert warning == 'github rejected its key: HTTP 401, "Bad credentials"; check GITHUB_TOKEN; it was left out.'


async def test_the_apis_that_fit_are_asked_and_named_and_their_answers_are_fused(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    disclosure = Disclosure()
    member = _member(web, client, disclosure)
    found = await member.search(Query("how to cancel an asyncio task in python", num_results=5), DEADLINE)
    assert found.hits[0].url == web.page("/questions/asyncio-cancel")
    assert {hit.engine for hit in found.hits} == {"stackexchange", "github", "wikipedia"}
    assert len({hit.url for hit in found.hits}) == len(found.hits)
    assert {name for name, site in web.sites.items() if site.requests} == {"stackexchange", "github", "wikipedia"}
    (news,) = disclosure.news()
    assert "Stack Exchange (127.0.0.1), GitHub (127.0.0.1) and Wikipedia (127.0.0.1)" in news


async def test_a_package_is_found_by_its_name(web: PocketWeb, client: ConfiguredClient) -> None:
    found = await _member(web, client).search(Query("pip install lantern"), DEADLINE)
    assert found.hits[0] == Hit(
        "lantern 2.4.0 · PyPI",
        web.page("/docs/retrying"),
        "How the Lantern client retries: which failures, how long it waits, and how to switch it off.",
        "pypi",
        "2026-06-18",
    )


async def test_pages_that_wikipedias_double_finds_can_be_read(web: PocketWeb, client: ConfiguredClient) -> None:
    (first, *_) = (await _member(web, client).search(Query("field guide rock pools"), DEADLINE)).hits
    assert first.engine == "wikipedia"
    reply = await client.send("GET", first.url, headers={}, timeout_s=5)
    assert (reply.status, reply.headers["location"]) == (302, web.page("/files/field-guide.md"))


async def test_nothing_in_any_of_them_is_not_covered_and_says_where_was_looked(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    with pytest.raises(errors.NotCovered, match="looked in wikipedia, hackernews"):
        await _member(web, client).search(Query("zyzzyva quux"), DEADLINE)


async def test_answers_that_share_no_word_with_the_query_are_nothing(web: PocketWeb, client: ConfiguredClient) -> None:
    for name in ("wikipedia", "hackernews"):
        double = web.sites[name]
        assert isinstance(double, SearchedSite)
        double.finds(["/products/kettle"])
    with pytest.raises(errors.NotCovered):
        await _member(web, client).search(Query("zyzzyva quux"), DEADLINE)


async def test_one_that_fails_is_left_behind_without_a_word(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["wikipedia"].fails("500")
    found = await _member(web, client).search(Query("harbour bridge"), DEADLINE)
    assert {hit.engine for hit in found.hits} == {"hackernews"}
    assert found.warnings == ()


async def test_one_that_is_silent_is_left_behind_once_another_has_found_something(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    web.sites["wikipedia"].fails("hang")
    found = await _member(web, client, grace_s=0.05).search(Query("harbour bridge"), DEADLINE)
    assert {hit.engine for hit in found.hits} == {"hackernews"}
    await web.sites["wikipedia"].requests[0].closed.wait()


async def test_one_that_is_silent_is_waited_for_while_nothing_was_found(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    web.sites["wikipedia"].delays(0.1)
    web.sites["hackernews"].replies(json={"hits": []})
    found = await _member(web, client, grace_s=0.0).search(Query("harbour bridge"), DEADLINE)
    assert {hit.engine for hit in found.hits} == {"wikipedia"}


async def test_one_found_nothing_and_the_other_failed_is_not_covered_and_says_so(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    web.sites["hackernews"].fails("500")
    with pytest.raises(errors.NotCovered, match="looked in wikipedia; hackernews did not answer"):
        await _member(web, client).search(Query("zyzzyva quux"), DEADLINE)


async def test_when_all_fail_the_first_failure_is_the_members(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["wikipedia"].fails("500")
    web.sites["hackernews"].fails("broken_json")
    with pytest.raises(errors.Unavailable) as caught:
        await _member(web, client).search(Query("harbour bridge"), DEADLINE)
    assert str(caught.value) == "open is unavailable: wikipedia: HTTP 500; hackernews: bad_answer"
    assert caught.value.provider == "open"


async def test_a_refusal_of_one_api_does_not_keep_the_next_member_from_trying(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    """`Refused` would end the search: here nobody has chosen whom to ask, and there is no key to fix."""
    web.sites["wikipedia"].fails("400")
    web.sites["hackernews"].fails("400")
    with pytest.raises(errors.Misconfigured) as caught:
        await _member(web, client).search(Query("harbour bridge"), DEADLINE)
    assert isinstance(caught.value, errors.Transient)


async def test_silence_of_all_ends_at_the_members_timeout(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["wikipedia"].fails("hang")
    web.sites["hackernews"].fails("hang")
    with pytest.raises(errors.TimedOut):
        await _member(web, client, OPEN_TIMEOUT="100ms").search(Query("harbour bridge"), DEADLINE)


async def test_where_no_api_fits_the_query_is_not_sent(web: PocketWeb, client: ConfiguredClient) -> None:
    disclosure = Disclosure()
    with pytest.raises(errors.NotCovered, match="DOWSE_OPEN_APIS"):
        await _member(web, client, disclosure, DOWSE_OPEN_APIS="npm").search(Query("harbour bridge"), DEADLINE)
    assert not any(site.requests for site in web.sites.values())
    assert disclosure.news() == ()


PAUSES: list[tuple[dict[str, object], float]] = [
    ({"backoff": 30}, 30),
    ({"quota_remaining": 0}, 12 * 3600),
    ({"backoff": 10**400}, 24 * 3600),
    ({"backoff": -5, "quota_remaining": 3}, 0),
]


@pytest.mark.parametrize(("told", "pause_s"), PAUSES)
async def test_a_pause_that_an_answer_asks_for_is_kept(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock, told: dict[str, object], pause_s: float
) -> None:
    web.sites["stackexchange"].replies(json={"items": [], **told}, times=1)
    member, deadline = _member(web, client), Deadline.after(clock, 10**6)
    query = Query("TypeError: cancel asyncio task")
    await member.search(query, deadline)
    if pause_s:
        clock.advance(pause_s - 1)
        await member.search(query, deadline)
        assert len(web.sites["stackexchange"].requests) == 1
        clock.advance(1)
    await member.search(query, deadline)
    assert len(web.sites["stackexchange"].requests) == 2


# 1790000000, as Unix counts.
SENT_AT = "Mon, 21 Sep 2026 14:13:20 GMT"


def _limited(headers: dict[str, str]) -> dict[str, object]:
    return {"json": {"message": "API rate limit exceeded"}, "status": 403, "headers": headers}


@pytest.mark.parametrize(
    ("limited", "pause_s"),
    [
        (_limited({}), 60),
        (_limited({"retry-after": "7"}), 7),
        (_limited({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1790000090", "date": SENT_AT}), 90),
        ({"json": {}, "status": 429, "headers": {"retry-after": "20"}}, 20),
    ],
)
async def test_a_limit_of_githubs_is_a_pause_also_as_a_403(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock, limited: dict[str, object], pause_s: float
) -> None:
    web.sites["github"].replies(**limited, times=1)  # type: ignore[arg-type]
    member, deadline = _member(web, client), Deadline.after(clock, 10**6)
    query = Query("TypeError: cancel asyncio task")
    for waited, requests in ((0.0, 1), (pause_s - 1, 1), (1.0, 2)):
        clock.advance(waited)
        await member.search(query, deadline)
        assert len(web.sites["github"].requests) == requests


async def test_while_all_that_fit_are_pausing_no_api_is_asked_and_nothing_is_learnt(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock
) -> None:
    web.sites["wikipedia"].fails("429", retry_after=30)
    web.sites["hackernews"].fails("429", retry_after=30)
    member, deadline = _member(web, client), Deadline.after(clock, 10**6)
    with pytest.raises(errors.RateLimited) as caught:
        await member.search(Query("harbour bridge"), deadline)
    assert caught.value.retry_after_s is None, "the pause of two is no pause of all"
    with pytest.raises(errors.Skipped, match="wikipedia, hackernews asked for a pause"):
        await member.search(Query("harbour bridge"), deadline)
    found = await member.search(Query("TypeError: cancel asyncio task"), deadline)
    assert {hit.engine for hit in found.hits} <= {"stackexchange", "github"}


async def test_arxiv_is_asked_every_three_seconds_at_most(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock
) -> None:
    member, deadline = _member(web, client), Deadline.after(clock, 10**6)
    for waited, requests in ((0.0, 1), (2.9, 1), (0.1, 2)):
        clock.advance(waited)
        await member.search(Query("papers on railway weather"), deadline)
        assert len(web.sites["arxiv"].requests) == requests
    assert len(web.sites["crossref"].requests) == 3


async def test_of_questions_at_the_same_time_only_as_many_reach_an_api_as_it_takes(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock
) -> None:
    member = _member(web, client, limiter=SlidingWindows(clock))
    deadline = Deadline.after(clock, 10**6)
    queries = [Query(f"papers on railway weather {number}") for number in range(5)]
    outcomes = await asyncio.gather(*(member.search(each, deadline) for each in queries), return_exceptions=True)
    assert [len(web.sites[name].requests) for name in ("arxiv", "crossref")] == [1, 1]
    busy = [each for each in outcomes if isinstance(each, errors.Busy)]
    assert len(busy) == 4
    assert str(busy[0]) == ("open could not be asked in time: arxiv: it takes 1 call in 3 seconds; crossref: busy")
    assert busy[0].retry_after_s == 1.0, "when the first of them may be asked again"
    clock.advance(1.0)
    found = await member.search(queries[0], deadline)
    assert {hit.engine for hit in found.hits} == {"crossref"}


async def test_a_failure_counts_though_another_api_was_busy(
    web: PocketWeb, client: ConfiguredClient, clock: FakeClock
) -> None:
    """Otherwise no breaker would ever hear of it."""
    limiter = SlidingWindows(clock)
    await limiter.admit("open:arxiv", Rate(1, 3.0))
    web.sites["crossref"].fails("500")
    with pytest.raises(errors.Unavailable, match="crossref: HTTP 500; arxiv: busy"):
        await _member(web, client, limiter=limiter).search(
            Query("papers on railway weather"), Deadline.after(clock, 10**6)
        )


@pytest.mark.parametrize(("token", "calls"), [("", 10), (TOKEN, 30)])
def test_github_takes_more_searches_from_whom_it_knows(
    web: PocketWeb, client: ConfiguredClient, token: str, calls: int
) -> None:
    assert _api(web, client, "github", GITHUB_TOKEN=token).rate == Rate(calls, 60.0)


@pytest.mark.parametrize(
    ("number", "message", "expected", "wait_s"),
    [
        (502, "too many requests, more requests available in 600 seconds", errors.RateLimited, 600),
        (502, "too many requests", errors.RateLimited, None),
        (503, "back soon", errors.Unavailable, None),
        (400, "`key` doesn't match a known application", errors.KeyRejected, None),
        (400, "q", errors.BadRequest, None),
    ],
)
async def test_stack_exchanges_numbers_have_their_types(
    web: PocketWeb,
    client: ConfiguredClient,
    number: int,
    message: str,
    expected: type[errors.ProviderError],
    wait_s: float | None,
) -> None:
    web.sites["stackexchange"].replies(json={"error_id": number, "error_message": message}, status=400)
    with pytest.raises(errors.ProviderError) as caught:
        await _api(web, client, "stackexchange").search(Query("otter"), DEADLINE)
    assert (type(caught.value), caught.value.retry_after_s) == (expected, wait_s)


async def test_only_hits_at_the_domains_that_were_asked_for_are_shown(web: PocketWeb, client: ConfiguredClient) -> None:
    links = ["https://stackoverflow.com/questions/1/otter", "https://superuser.com/questions/2/otter"]
    web.sites["stackexchange"].replies(json={"items": [{"title": "Otter", "link": link} for link in links]})
    member = _member(web, client)
    found = await member.search(Query("otter", include_domains=("superuser.com",)), DEADLINE)
    assert [hit.url for hit in found.hits] == links[1:]
    query = Query("TypeError: otter", exclude_domains=("superuser.com",))
    assert [hit.url for hit in (await member.search(query, DEADLINE)).hits] == links[:1]


async def test_filters_that_no_api_has_are_dropped_aloud(web: PocketWeb, client: ConfiguredClient) -> None:
    query = Query("harbour bridge", category=Category.IMAGES, safe_search=2, country="de")
    found = await _member(web, client).search(query, DEADLINE)
    assert found.warnings == tuple(
        f"open cannot filter by {name}, so it was left out." for name in ("category", "safe_search", "country")
    )
    assert _member(web, client).categories == {Category.GENERAL, Category.IT, Category.SCIENCE}


async def test_a_second_page_begins_where_the_first_ended(web: PocketWeb, client: ConfiguredClient) -> None:
    query = Query("python retry asyncio client", num_results=2)
    first = (await _member(web, client).search(query, DEADLINE)).hits
    second = (await _member(web, client).search(replace(query, page=2), DEADLINE)).hits
    both = (await _member(web, client).search(replace(query, num_results=4), DEADLINE)).hits
    assert first + second == both


async def test_user_agents_of_the_settings_are_sent(web: PocketWeb, client: ConfiguredClient) -> None:
    agents = {"WIKIPEDIA_USER_AGENT": "otter/1", "ARXIV_USER_AGENT": "otter/2"}
    for name, agent in (("wikipedia", "otter/1"), ("arxiv", "otter/2")):
        await _api(web, client, name, **agents).search(Query(ASKED[name]), DEADLINE)
        assert web.sites[name].requests[0].headers["user-agent"] == agent


async def test_a_title_that_does_not_encode_costs_nothing_but_its_own_hit(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    general = {"server": "https://en.wikipedia.org", "articlepath": "/wiki/$1"}
    titles = [{"title": "\ud800"}, {"title": "Otter"}, {"title": "A" * 100_000}]
    web.sites["wikipedia"].replies(json={"query": {"general": general, "search": titles}})
    hits = (await _api(web, client, "wikipedia").search(Query("otter"), DEADLINE)).hits
    assert [hit.url for hit in hits] == [
        "https://en.wikipedia.org/wiki/Otter",
        f"https://en.wikipedia.org/wiki/{'A' * 255}",
    ]


async def test_words_of_wikipedia_are_told_and_not_logged(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["wikipedia"].replies(json={"error": {"code": "otter-query", "info": "x"}})
    with pytest.raises(errors.BadAnswer, match="otter-query") as caught:
        await _api(web, client, "wikipedia").search(Query("otter"), DEADLINE)
    assert "otter" not in caught.value.logged_detail


async def test_if_all_failed_each_of_them_has_a_reason(web: PocketWeb, client: ConfiguredClient) -> None:
    web.sites["stackexchange"].replies(json={"error_id": 503, "error_message": "back soon"}, status=400)
    web.sites["github"].fails("500")
    with pytest.raises(errors.Unavailable) as caught:
        await _member(web, client).search(Query("TypeError: otter"), DEADLINE)
    assert caught.value.detail == "stackexchange: unavailable; github: unavailable"
