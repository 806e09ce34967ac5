"""One body of tests for every search provider: requests as its API wants them, failures as types."""

import pytest

from dowse.core import errors
from dowse.core.models import Category, Query, TimeRange
from dowse.net.clients import ConfiguredClient
from dowse.settings import SEARCHERS, SPECS
from tests.contract.conftest import DEADLINE, KEYED, double, provider
from tests.doubles import PROVIDERS, PocketWeb, closed_port
from tests.doubles.recorded_api import recorded


def test_the_table_and_the_pocket_web_name_the_same_providers() -> None:
    assert set(SEARCHERS) == {*PROVIDERS, *(name for name in recorded() if not SPECS[name].is_keyless)}
    assert set(recorded()) == {name for name, spec in SPECS.items() if spec.source}


@pytest.mark.parametrize("name", PROVIDERS)
async def test_results_come_back_with_title_link_and_snippet(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    found = await provider(web, name, client).search(Query("python release", num_results=2), DEADLINE)
    assert len(found.hits) == 2
    for hit in found.hits:
        assert hit.title
        assert hit.url.startswith("http")
        assert isinstance(hit.snippet, str)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_exactly_one_request_is_made_and_it_satisfies_the_strict_double(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    await provider(web, name, client).search(Query("python release", num_results=3), DEADLINE)
    assert len(double(web, name).requests) == 1


@pytest.mark.parametrize("name", PROVIDERS)
async def test_nothing_found_is_an_answer(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    double(web, name).finds_nothing()
    assert (await provider(web, name, client).search(Query("x"), DEADLINE)).hits == ()


@pytest.mark.promise("case-9")
@pytest.mark.parametrize("name", PROVIDERS)
async def test_fewer_results_than_asked_for_are_returned(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    """Acceptance case 9."""
    double(web, name).finds(["/articles/python-315"])
    assert len((await provider(web, name, client).search(Query("x", num_results=9), DEADLINE)).hits) == 1


FAILURES: list[tuple[str, type[errors.ProviderError]]] = [
    ("500", errors.Unavailable),
    ("502", errors.Unavailable),
    ("503", errors.Unavailable),
    ("504", errors.Unavailable),
    ("408", errors.Unavailable),
    ("429", errors.RateLimited),
    ("402", errors.QuotaSpent),
    ("432", errors.QuotaSpent),
    ("433", errors.QuotaSpent),
    ("not_enough_credits", errors.QuotaSpent),
    ("reset", errors.NetworkFailed),
    ("wrong_length", errors.NetworkFailed),
    ("broken_json", errors.BadAnswer),
    ("json_array", errors.BadAnswer),
    ("json_null", errors.BadAnswer),
    ("empty_body", errors.BadAnswer),
    ("html", errors.BadAnswer),
    ("challenge", errors.Blocked),
    ("redirect", errors.Redirected),
    ("400", errors.BadRequest),
]


@pytest.mark.promise("verdict-provider-block")
@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(("trouble", "expected"), FAILURES)
async def test_every_failure_has_its_type(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str, expected: type[errors.ProviderError]
) -> None:
    double(web, name).fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await provider(web, name, client).search(Query("x"), DEADLINE)
    if name == "searxng" and trouble == "html":
        expected = errors.Misconfigured
    assert type(caught.value) is expected
    assert caught.value.provider == name


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("trouble", ["hang", "stall", "trickle"])
async def test_silence_ends_at_the_providers_own_timeout(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str
) -> None:
    double(web, name).fails(trouble)
    with pytest.raises(errors.TimedOut):
        await provider(web, name, client, **{f"{name.upper()}_TIMEOUT": "100ms"}).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_body_without_end_is_refused(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    double(web, name).fails("huge")
    with pytest.raises(errors.NetworkFailed):
        await provider(web, name, client).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("name", KEYED)
async def test_a_refused_connection_is_a_network_failure(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    endpoint = {f"{name.upper()}_SEARCH_ENDPOINT": f"http://127.0.0.1:{closed_port()}/search"}
    with pytest.raises(errors.NetworkFailed):
        await provider(web, name, client, **endpoint).search(Query("x"), DEADLINE)


@pytest.mark.promise("case-27")
@pytest.mark.parametrize("name", KEYED)
@pytest.mark.parametrize("status", ["401", "403"])
async def test_a_rejected_key_names_the_provider_and_the_variable(
    web: PocketWeb, client: ConfiguredClient, name: str, status: str
) -> None:
    """Acceptance case 27."""
    double(web, name).fails(status)
    with pytest.raises(errors.KeyRejected, match=f"{name}.*{name.upper()}_API_KEY"):
        await provider(web, name, client).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("name", KEYED)
async def test_a_wrong_key_is_rejected_by_the_double_itself(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    with pytest.raises(errors.KeyRejected):
        await provider(web, name, client, **{f"{name.upper()}_API_KEY": "wrong"}).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("header", "expected_s"),
    [("30", 30.0), ("0", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None), ("-5", None)],
)
async def test_retry_after_is_read_and_nonsense_is_not(
    web: PocketWeb, client: ConfiguredClient, name: str, header: str, expected_s: float | None
) -> None:
    double(web, name).fails("429", retry_after=header)
    with pytest.raises(errors.RateLimited) as caught:
        await provider(web, name, client).search(Query("x"), DEADLINE)
    assert caught.value.retry_after_s == expected_s


@pytest.mark.parametrize("name", KEYED)
async def test_the_key_stays_out_of_the_error_even_when_the_provider_echoes_it(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    """Masked before it is cut, so that not even half of it passes."""
    double(web, name).fails("echo_key")
    with pytest.raises(errors.Unavailable) as caught:
        await provider(web, name, client).search(Query("x"), DEADLINE)
    assert double(web, name).key[:8] not in str(caught.value)


MALFORMED: list[object] = [
    None,
    "text",
    7,
    {},
    {"title": "no link"},
    {"title": None, "url": "https://example.org/", "link": "https://example.org/"},
    {"title": "bad link", "url": "javascript:alert(1)", "link": "javascript:alert(1)"},
    {"title": "relative", "url": "/x", "link": "/x"},
    {"title": ["list"], "url": 5, "link": 5},
]
GOOD = {"title": "Good", "url": "https://example.org/good", "link": "https://example.org/good"}


@pytest.mark.promise("case-19")
@pytest.mark.parametrize("name", PROVIDERS)
async def test_malformed_items_are_skipped_and_an_empty_snippet_is_kept(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    """Acceptance case 19."""
    double(web, name).lists([*MALFORMED, GOOD])
    found = await provider(web, name, client).search(Query("x", num_results=1), DEADLINE)
    assert [(hit.title, hit.url, hit.snippet) for hit in found.hits] == [("Good", "https://example.org/good", "")]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("value", [None, "text", 7, {"a": 1}])
async def test_an_answer_without_its_list_is_a_parse_error(
    web: PocketWeb, client: ConfiguredClient, name: str, value: object
) -> None:
    double(web, name).lists(value)
    with pytest.raises(errors.BadAnswer):
        await provider(web, name, client).search(Query("x"), DEADLINE)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_markup_and_invisible_characters_are_taken_out_of_titles_and_snippets(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    item = {**GOOD, "title": "A <b>bold</b>\u200b title\x1b[2J", "link": GOOD["url"]}
    item |= dict.fromkeys(("snippet", "content", "text", "description"), "x<script>1</script>\ny")
    double(web, name).lists([item])
    (hit,) = (await provider(web, name, client).search(Query("x", num_results=1), DEADLINE)).hits
    assert hit.title == "A bold title[2J"
    assert hit.snippet == "x1 y"


@pytest.mark.parametrize("name", PROVIDERS)
async def test_tracking_parameters_are_taken_off_links(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    link = "https://example.org/a?utm_source=x&id=7&gclid=1"
    double(web, name).lists([{"title": "T", "url": link, "link": link}])
    (hit,) = (await provider(web, name, client).search(Query("x", num_results=1), DEADLINE)).hits
    assert hit.url == "https://example.org/a?id=7"


@pytest.mark.parametrize("name", PROVIDERS)
async def test_domains_are_filtered_natively_or_by_operator(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    query = Query("python", num_results=3, include_domains=("python.org", "pypi.org"), exclude_domains=("x.org",))
    await provider(web, name, client).search(query, DEADLINE)
    sent = double(web, name).requests[0]
    text = str({**(sent.json or {}), **sent.params})
    assert all(domain in text for domain in ("python.org", "pypi.org", "x.org"))


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_filter_that_a_provider_lacks_is_reported_as_left_out(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    query = Query(
        "python",
        num_results=2,
        category=Category.MUSIC,
        language="de",
        safe_search=2,
        time_range=TimeRange.WEEK,
        start_date="2026-01-01",
        end_date="2026-02-01",
    )
    limits = SPECS[name].limits
    used = ("language", "safe_search", "time_range", "start_date", "end_date")
    lacking = [] if Category.MUSIC in limits.categories else ["category"]
    lacking += [name for name in used if name not in limits.filters]
    found = await provider(web, name, client).search(query, DEADLINE)
    assert found.warnings == tuple(f"{name} cannot filter by {item}, so it was left out." for item in lacking)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_more_results_than_a_provider_gives_are_capped_with_a_warning(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    most = SPECS[name].limits.max_results
    found = await provider(web, name, client).search(Query("python", num_results=most + 1), DEADLINE)
    assert any(f"at most {most} results" in warning for warning in found.warnings)
