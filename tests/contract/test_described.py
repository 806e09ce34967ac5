"""One body of tests for every described provider: its recorded pair, each filter, each failure, each missing field."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dowse.core import errors
from dowse.core.models import Category, Query, TimeRange
from dowse.net.clients import ConfiguredClient
from dowse.settings import SPECS
from dowse.settings.described.files import read_shipped
from dowse.settings.described.model import Description
from tests.contract.conftest import DEADLINE, provider, reader
from tests.contract.test_search_providers import FAILURES
from tests.doubles import PocketWeb, closed_port
from tests.doubles.recorded_api import Exchange, RecordedApi, recorded
from tests.support.tables import each_row

NAMES = tuple(recorded())
SEARCHES = [(name, each) for name, pairs in recorded().items() for each in pairs if "hits" in each.pair]
READS = [(name, each) for name, pairs in recorded().items() for each in pairs if each.kind == "read"]
KEYED = tuple(name for name in NAMES if SPECS[name].key)
WORDS = "lantern client retries"
URL = "https://lantern.example/docs/retrying"

FILTERS: dict[str, dict[str, Any]] = {
    "language": {"language": "de"},
    "country": {"country": "no"},
    "location": {"location": "Oslo, Norway"},
    "safe_search": {"safe_search": 2},
    "time_range": {"time_range": TimeRange.WEEK},
    "start_date": {"start_date": "2026-01-31"},
    "end_date": {"end_date": "2026-02-28"},
    "include_domains": {"include_domains": ("lantern.example", "shore.example")},
    "exclude_domains": {"exclude_domains": ("spam.example",)},
}
WANTED_IN = {
    "language": ("de", "german"),
    "country": ("no", "NO"),
    "location": ("Oslo, Norway",),
    "include_domains": ("lantern.example",),
    "exclude_domains": ("spam.example",),
}


def named(pairs: list[tuple[str, Exchange]]) -> Any:
    ids = [f"{name}-{each.name}" for name, each in pairs]
    return pytest.mark.parametrize(("name", "pair"), pairs, ids=ids)


def double(web: PocketWeb, name: str) -> RecordedApi:
    return web.recorded[name]


def description(name: str, kind: str = "search") -> Description:
    return read_shipped(SPECS[name].source)[name][kind]


def query(name: str, pair: Exchange | None = None, **changes: Any) -> Query:
    categories = SPECS[name].limits.categories
    usual = Category.GENERAL if Category.GENERAL in categories else min(categories)
    category = Category(pair.pair["category"]) if pair else usual
    return Query(WORDS, **{"num_results": 3, "category": category, **changes})


def first(name: str) -> Exchange:
    return recorded()[name][0]


def sent(web: PocketWeb, name: str, at: int = 0) -> dict[str, Any]:
    """The parameters of a request, without the key."""
    request = double(web, name).requests[at]
    parameters: dict[str, Any] = dict(request.params) if request.method == "GET" else dict(request.json or {})
    auth = first(name).pair["request"]["auth"]
    return {key: value for key, value in parameters.items() if not (auth and key == auth["name"])}


def test_every_shipped_description_has_a_recorded_pair_for_each_of_its_operations() -> None:
    shipped = {(name, kind) for name, spec in SPECS.items() if spec.source for kind in spec.operations}
    assert {(name, each.kind) for name, pairs in recorded().items() for each in pairs} == shipped
    for name in NAMES:
        categories = {each.pair["category"] for each in recorded()[name]}
        assert set(description(name).variants) <= set(map(Category, categories)), name


@pytest.mark.promise("described-pairs")
@named(SEARCHES)
async def test_the_recorded_request_is_sent_and_its_answer_is_mapped(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    found = await provider(web, name, client).search(query(name, pair), DEADLINE)
    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in found.hits] == pair.hits
    assert sent(web, name) == pair.sent
    assert double(web, name).refusals == []
    assert found.warnings == ()
    assert list(found.answers) == pair.pair.get("answers", [])
    assert list(found.suggestions) == pair.pair.get("suggestions", [])
    image = [found.hits[0].image_url, found.hits[0].thumbnail]
    assert image == pair.pair.get("image", ["", image[1]])


@named(READS)
async def test_a_page_is_asked_for_and_read_as_recorded(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    text = await reader(web, name, client).read(URL, DEADLINE)
    assert (text.markdown, text.title) == (pair.pair["text"], pair.pair.get("title", ""))
    assert sent(web, name) == {key: URL if value == "{url}" else value for key, value in pair.sent.items()}
    assert double(web, name).refusals == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("used", FILTERS)
async def test_a_filter_is_sent_as_documented_or_emulated_or_reported_as_left_out(
    web: PocketWeb, client: ConfiguredClient, name: str, used: str
) -> None:
    found = await provider(web, name, client).search(query(name, **FILTERS[used]), DEADLINE)
    assert double(web, name).refusals == []
    plain, limits = first(name).sent, SPECS[name].limits
    here = sent(web, name)
    changed = {key: value for key, value in here.items() if plain.get(key) != value}
    operators = {"include_domains": limits.include_operator, "exclude_domains": limits.exclude_operator}
    if used in limits.filters:
        assert changed, "a native filter is a parameter"
    elif operators.get(used):
        assert operators[used] in str(changed)
    elif any(value and description(name).language and used == "language" for value in changed.values()):
        pass
    else:
        assert found.warnings == (f"{name} cannot filter by {used}, so it was left out.",)
        assert changed == {}
        return
    assert any(word in str(changed) for word in WANTED_IN.get(used, ("",)))
    assert [hit.url for hit in found.hits] == [hit[1] for hit in first(name).hits]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["day", "week", "month", "year"])
async def test_each_time_range_is_one_that_the_api_takes(
    web: PocketWeb, client: ConfiguredClient, name: str, value: str
) -> None:
    found = await provider(web, name, client).search(query(name, time_range=TimeRange(value)), DEADLINE)
    assert double(web, name).refusals == []
    has_it = "time_range" in SPECS[name].limits.filters
    assert bool(found.warnings) is not has_it
    assert (sent(web, name) != first(name).sent) is has_it


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", [0, 1, 2])
async def test_each_level_of_safe_search_is_one_that_the_api_takes(
    web: PocketWeb, client: ConfiguredClient, name: str, level: int
) -> None:
    found = await provider(web, name, client).search(query(name, safe_search=level), DEADLINE)
    assert double(web, name).refusals == []
    assert bool(found.warnings) is ("safe_search" not in SPECS[name].limits.filters)


@named(SEARCHES)
async def test_all_filters_at_once_are_taken_for_each_category(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    """What a category lacks is left out, so that the API does not refuse the request."""
    everything = {key: value for changes in FILTERS.values() for key, value in changes.items()}
    await provider(web, name, client).search(query(name, pair, **{**everything, "page": 2}), DEADLINE)
    assert double(web, name).refusals == []


@pytest.mark.parametrize("name", NAMES)
async def test_a_further_page_is_asked_for_or_cut_out_of_a_longer_answer(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    page, count = description(name).page, description(name).count
    found = await provider(web, name, client).search(query(name, num_results=1, page=2), DEADLINE)
    assert double(web, name).refusals == []
    urls, here = [hit[1] for hit in first(name).hits], sent(web, name)
    if page and not page.size:
        number = page.start + 1
        assert str(here[page.field]) == str(number)
        assert [hit.url for hit in found.hits] == urls[:1]
        return
    # The API sends a page of its own length, or all results up to the wanted one are asked for.
    assert [hit.url for hit in found.hits] == urls[1:2]
    if count.field and "." not in count.field:
        assert str(here[count.field]) == "2"


@pytest.mark.parametrize("name", [name for name in NAMES if description(name).page])
async def test_a_page_beyond_the_last_one_is_empty_and_no_request(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    page = description(name).page
    if not page or not page.last:
        return
    assert page.counts == "pages"
    pages = page.last - page.start + 1
    adapter = provider(web, name, client)
    await adapter.search(query(name, num_results=1, page=pages), DEADLINE)
    assert str(sent(web, name)[page.field]) == str(page.last)
    assert double(web, name).refusals == []
    double(web, name).reset()
    found = await adapter.search(query(name, num_results=1, page=pages + 1), DEADLINE)
    assert (found.hits, double(web, name).requests) == ((), [])
    assert found.warnings == (f"{name} has only {pages} pages.",)


@pytest.mark.parametrize("name", NAMES)
async def test_no_more_is_asked_for_than_the_api_gives(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    limits = SPECS[name].limits
    text = "lantern " * 2000
    asked = replace(query(name), text=text, num_results=min(limits.max_results + 1, 1001))
    found = await provider(web, name, client).search(asked, DEADLINE)
    assert double(web, name).refusals == []
    assert any(f"at most {limits.max_results} results" in warning for warning in found.warnings)
    assert any(f"at most {limits.max_query_chars} characters" in warning for warning in found.warnings)


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_found_is_an_answer(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    double(web, name).replies(json=first(name).pair["empty"])
    assert (await provider(web, name, client).search(query(name), DEADLINE)).hits == ()
    assert len(double(web, name).requests) == 1


@pytest.mark.promise("described-failures")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("trouble", "expected"), FAILURES)
async def test_every_failure_has_its_type(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str, expected: type[errors.ProviderError]
) -> None:
    double(web, name).fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await provider(web, name, client).search(query(name), DEADLINE)
    assert type(caught.value) is expected
    assert caught.value.provider == name


@named(READS)
@each_row(("trouble", "expected"), [row for row in FAILURES if row[0] not in ("408",)])
async def test_every_failure_of_a_reader_has_its_type(
    web: PocketWeb,
    client: ConfiguredClient,
    name: str,
    pair: Exchange,
    trouble: str,
    expected: type[errors.ProviderError],
) -> None:
    double(web, name).reset()
    double(web, name).fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await reader(web, name, client).read(URL, DEADLINE)
    assert type(caught.value) is expected
    assert pair.kind == "read"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", ["401", "403"])
async def test_a_rejected_key_names_its_variable_and_without_a_key_the_next_provider_is_asked(
    web: PocketWeb, client: ConfiguredClient, name: str, status: str
) -> None:
    double(web, name).fails(status)
    with pytest.raises(errors.ProviderError) as caught:
        await provider(web, name, client).search(query(name), DEADLINE)
    if name in KEYED:
        assert type(caught.value) is errors.KeyRejected
        assert SPECS[name].key in str(caught.value)
    elif SPECS[name].is_keyless:
        assert type(caught.value) is errors.Blocked


@pytest.mark.parametrize("name", KEYED)
async def test_a_wrong_key_is_refused_by_the_double_itself(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    with pytest.raises(errors.KeyRejected):
        await provider(web, name, client, **{SPECS[name].key: "wrong"}).search(query(name), DEADLINE)


@pytest.mark.parametrize("name", [name for name in NAMES if SPECS[name].is_key_optional])
async def test_with_an_optional_key_left_out_nothing_is_sent_in_its_place(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    found = await provider(web, name, client, **{SPECS[name].key: ""}).search(query(name), DEADLINE)
    assert len(found.hits) == 3
    auth = first(name).pair["request"]["auth"]["name"]
    request = double(web, name).requests[0]
    assert auth not in {**request.params, **request.headers}


@pytest.mark.parametrize("name", NAMES)
@each_row(("header", "expected_s"), [("30", 30.0), ("0", None), ("soon", None), ("-5", None)])
async def test_retry_after_is_read_and_nonsense_is_not(
    web: PocketWeb, client: ConfiguredClient, name: str, header: str, expected_s: float | None
) -> None:
    double(web, name).reset()
    double(web, name).fails("429", retry_after=header)
    with pytest.raises(errors.RateLimited) as caught:
        await provider(web, name, client).search(query(name), DEADLINE)
    assert caught.value.retry_after_s == expected_s


@pytest.mark.parametrize("name", NAMES)
async def test_the_key_stays_out_of_the_error_even_when_the_provider_echoes_it(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    double(web, name).fails("echo_key")
    with pytest.raises(errors.Unavailable) as caught:
        await provider(web, name, client).search(query(name), DEADLINE)
    assert double(web, name).key[-12:] not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trouble", ["hang", "trickle"])
async def test_silence_ends_at_the_providers_own_timeout(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str
) -> None:
    double(web, name).fails(trouble)
    with pytest.raises(errors.TimedOut):
        await provider(web, name, client, **{f"{name.upper()}_TIMEOUT": "100ms"}).search(query(name), DEADLINE)


@pytest.mark.parametrize("name", NAMES)
async def test_a_refused_connection_is_a_network_failure(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    variable = f"{name.upper()}_URL" if SPECS[name].servers else f"{name.upper()}_SEARCH_ENDPOINT"
    nowhere = {variable: f"http://127.0.0.1:{closed_port()}/search"}
    with pytest.raises(errors.NetworkFailed):
        await provider(web, name, client, **nowhere).search(query(name), DEADLINE)


@pytest.mark.parametrize("name", NAMES)
async def test_a_body_without_end_is_refused(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    double(web, name).fails("huge")
    with pytest.raises(errors.NetworkFailed):
        await provider(web, name, client).search(query(name), DEADLINE)


CODES = [
    (name, code, expected)
    for name in NAMES
    for code, expected in [*first(name).pair.get("codes", {}).items(), *first(name).pair.get("plain", {}).items()]
]


@each_row(("name", "code", "expected"), CODES)
async def test_a_failure_inside_http_200_has_its_type(
    web: PocketWeb, client: ConfiguredClient, name: str, code: str, expected: str
) -> None:
    api = double(web, name)
    api.reset()
    if code.isdecimal():
        api.replies(json={"code": code, "msg": "no", "log_id": "1"})
    else:
        api.says(code)
    with pytest.raises(getattr(errors, expected)):
        await provider(web, name, client).search(query(name), DEADLINE)


@each_row(
    ("name", "body", "expected"),
    [
        ("serpapi", {"error": "Invalid API key. Your API key should be here."}, errors.KeyRejected),
        ("serpapi", {"error": "Your account has run out of searches."}, errors.QuotaSpent),
        ("serpapi", {"error": "Something else."}, errors.Unavailable),
        ("searchapi", {"error": "You have used all of the searches for the month."}, errors.QuotaSpent),
        ("firecrawl", {"success": False, "error": "Something broke."}, errors.Unavailable),
        ("pubmed", {"error": "API rate limit exceeded", "count": "11"}, errors.RateLimited),
    ],
)
async def test_the_words_of_a_failure_with_http_200_decide(
    web: PocketWeb, client: ConfiguredClient, name: str, body: object, expected: type[errors.ProviderError]
) -> None:
    double(web, name).reset()
    double(web, name).replies(json=body)
    with pytest.raises(expected):
        await provider(web, name, client).search(query(name), DEADLINE)


async def test_a_token_that_brave_does_not_know_is_a_rejected_key_although_its_status_is_422(
    web: PocketWeb, client: ConfiguredClient
) -> None:
    body = {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The provided token is invalid."}}
    web.brave.replies(json=body, status=422)
    with pytest.raises(errors.KeyRejected, match="BRAVE_API_KEY"):
        await provider(web, "brave", client).search(query("brave"), DEADLINE)
    web.brave.reset()
    web.brave.replies(json={"error": {"code": "VALIDATION"}}, status=422)
    with pytest.raises(errors.BadRequest):
        await provider(web, "brave", client).search(query("brave"), DEADLINE)


def renamed(value: Any, name: str) -> Any:
    """The same with a field under another name, at any depth."""
    if isinstance(value, list):
        return [renamed(item, name) for item in value]
    if isinstance(value, dict):
        return {f"{key}_v2" if key == name else key: renamed(item, name) for key, item in value.items()}
    return value


ONE_REQUEST = [(name, each) for name, each in SEARCHES if not description(name).then]


@pytest.mark.promise("described-renamed-fields")
@named(ONE_REQUEST)
async def test_a_list_that_was_renamed_is_a_parse_error_or_an_empty_answer(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    shape = description(name).shape_of(query(name, pair).category)
    if not shape.results:
        return
    double(web, name).replies(json=renamed(pair.answer(), shape.results[-1]))
    adapter = provider(web, name, client)
    if shape.is_optional:
        assert (await adapter.search(query(name, pair), DEADLINE)).hits == ()
        return
    with pytest.raises(errors.BadAnswer):
        await adapter.search(query(name, pair), DEADLINE)


@named(ONE_REQUEST)
async def test_a_title_or_an_address_that_was_renamed_is_a_parse_error_and_any_other_field_is_absent(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    adapter, fields = provider(web, name, client), description(name).shape_of(query(name, pair).category).fields
    for field, pick in fields.items():
        items = pair.items()
        for path in pick.paths:
            items = renamed(items, path[0])
        double(web, name).reset()
        double(web, name).replies(json=pair.answer(items))
        needed = {step for name in ("title", "url") for path in fields[name].paths for step in path[:1]}
        if field in ("title", "url"):
            with pytest.raises(errors.BadAnswer):
                await adapter.search(query(name, pair), DEADLINE)
        elif not any(path[0] in needed for path in pick.paths):
            found = await adapter.search(query(name, pair), DEADLINE)
            assert len(found.hits) == len(pair.hits), field


@named(ONE_REQUEST)
@each_row("value", [None, "text", 7, {"a": 1}])
async def test_a_list_of_another_type_is_a_parse_error(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange, value: object
) -> None:
    double(web, name).reset()
    body = value if pair.pair["list"] == "." else pair.answer(value if value is not None else 0)
    double(web, name).replies(json=body)
    with pytest.raises(errors.BadAnswer):
        await provider(web, name, client).search(query(name, pair), DEADLINE)


JUNK: list[object] = [None, "text", 7, {}, {"title": "no link"}, {"title": ["list"], "url": 5, "link": 5}]


@named(ONE_REQUEST)
async def test_items_of_another_shape_are_skipped(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    double(web, name).replies(json=pair.answer([*JUNK, *pair.items()]))
    found = await provider(web, name, client).search(query(name, pair), DEADLINE)
    assert [hit.url for hit in found.hits] == [hit[1] for hit in pair.hits]


async def test_summaries_that_pubmed_does_not_send_are_left_out(web: PocketWeb, client: ConfiguredClient) -> None:
    adapter = provider(web, "pubmed", client)
    ids, summaries = double(web, "pubmed").exchange("search").answer(), double(web, "pubmed").exchange("then").answer()
    del summaries["result"]["39000002"]
    double(web, "pubmed").replies(json=ids, times=1).replies(json=summaries)
    assert len((await adapter.search(query("pubmed"), DEADLINE)).hits) == 2
    double(web, "pubmed").reset()
    double(web, "pubmed").replies(json=ids, times=1).replies(json={"results": {}})
    with pytest.raises(errors.BadAnswer):
        await adapter.search(query("pubmed"), DEADLINE)
    double(web, "pubmed").reset()
    double(web, "pubmed").replies(json=ids, times=1).fails("500")
    with pytest.raises(errors.Unavailable):
        await adapter.search(query("pubmed"), DEADLINE)


@named(READS)
async def test_a_page_whose_text_was_renamed_is_a_parse_error_and_an_empty_one_was_not_read(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    adapter, last = reader(web, name, client), pair.pair["text_path"].rpartition(".")[2]
    double(web, name).replies(json=renamed(pair.answer(), last))
    with pytest.raises(errors.BadAnswer):
        await adapter.read(URL, DEADLINE)
    double(web, name).reset()
    empty = renamed(pair.answer(), last)
    place = empty.get("data", empty)
    place[last] = ""
    double(web, name).replies(json=empty)
    with pytest.raises(errors.NotRead):
        await adapter.read(URL, DEADLINE)
    if failed := pair.pair.get("failed"):
        double(web, name).reset()
        double(web, name).replies(json=failed)
        with pytest.raises(errors.NotRead, match="could not be read"):
            await adapter.read(URL, DEADLINE)


@named(ONE_REQUEST)
async def test_tracking_parameters_are_taken_off_and_markup_out(
    web: PocketWeb, client: ConfiguredClient, name: str, pair: Exchange
) -> None:
    title, url = pair.hits[0][:2]
    word = title.partition(" ")[0]
    text = json.dumps(pair.items()[:1]).replace(url, f"{url}?utm_source=x").replace(word, f"<b>{word}</b>\\u200b")
    double(web, name).replies(json=pair.answer(json.loads(text)))
    (hit,) = (await provider(web, name, client).search(query(name, pair), DEADLINE)).hits
    assert (hit.title, hit.url) == (title, url)


@each_row(
    ("sent", "shown"),
    [
        ("Tidal bridges &amp; barrages", "Tidal bridges & barrages"),
        ("Pilot&#39;s caf&eacute; &#x2014; open", "Pilot's café — open"),
        ("Write &amp;amp; once", "Write &amp; once"),
        ("At ?a=1&copy=2 &nosuchname; R&D", "At ?a=1&copy=2 &nosuchname; R&D"),
        ("Hidden &lt;scr&#8203;ipt&gt;tag", "Hidden tag"),
    ],
)
async def test_character_references_in_titles_and_snippets_are_decoded_once(
    web: PocketWeb, client: ConfiguredClient, sent: str, shown: str
) -> None:
    pair = first("brave")
    double(web, "brave").reset()
    item = {**pair.items()[0], "title": sent, "description": sent, "extra_snippets": []}
    double(web, "brave").replies(json=pair.answer([item]))
    (hit,) = (await provider(web, "brave", client).search(query("brave"), DEADLINE)).hits
    assert (hit.title, hit.snippet) == (shown, shown)


@each_row(
    ("body", "said"),
    [
        ({"ok": False, "error": {"message": "Unknown\n token"}}, ", Unknown token"),
        ({"success": False, "msg": "Who is {key}?"}, ", Who is "),
        ({"ok": False, "message": "long " * 500}, ", long long"),
        ({"ok": False}, ""),
    ],
)
async def test_an_answer_without_its_list_is_told_with_the_vendors_message(
    web: PocketWeb, client: ConfiguredClient, body: dict[str, Any], said: str
) -> None:
    double = web.recorded["ollama"]
    double.reset()
    double.replies(json=json.loads(json.dumps(body).replace("{key}", double.key)))
    with pytest.raises(errors.BadAnswer) as caught:
        await provider(web, "ollama", client).search(query("ollama"), DEADLINE)
    missing = caught.value.logged_detail
    assert missing.startswith("the answer has no list at ")
    assert str(caught.value).startswith(f"ollama {caught.value.summary}: {missing}{said}")
    assert len(caught.value.detail) <= errors.DETAIL_CHARS and "\n" not in str(caught.value)
    assert double.key not in str(caught.value)
