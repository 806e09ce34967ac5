"""A first description: which list and which fields are taken for results."""

import json

import pytest

from dowse.core.errors import ConfigError
from dowse.flows.draft_provider import best_list, draft, find_lists, guess_fields, guess_name, preliminary, read_sample
from tests.doubles.recorded_api import recorded

SEARCHES = [
    (name, pair) for name, pairs in recorded().items() for pair in pairs
    if pair.name == "search" and "title" in json.dumps(pair.items()[:1])
]  # fmt: skip


@pytest.mark.parametrize(("host", "name"), [
    ("api.search.example.com", "example"), ("example.com", "example"), ("api.my-shop.co.uk", "my_shop"),
    ("api.findwell.example", "findwell"), ("findwell.search", "findwell"), ("9lives.io", "mine"),
    ("127.0.0.1", "mine"), ("localhost", "localhost"),
])  # fmt: skip
def test_a_name_comes_from_the_host(host: str, name: str) -> None:
    assert guess_name(host) == name


@pytest.mark.parametrize(("name", "pair"), SEARCHES, ids=[name for name, _ in SEARCHES])
def test_the_list_of_results_is_found_in_every_recorded_answer(name: str, pair: object) -> None:
    found = best_list(pair.answer())  # type: ignore[attr-defined]  # an exchange
    if name == "mwmbl":
        # Its titles are lists of parts, which no name gives away.
        assert found is None
        return
    assert found is not None
    assert found[0] == pair.pair["list"]  # type: ignore[attr-defined]  # as above


def test_fields_are_taken_by_name_and_by_what_is_in_them() -> None:
    items = [
        {"id": 7, "name": "One", "where": "https://a.example/", "text": "Words.", "date": "2026-01-02", "age": None}
    ]
    assert guess_fields(items) == {"url": "where", "title": "name", "snippet": "text", "date": "date"}
    nested = [{"page": {"title": "One", "url": "https://a.example/"}, "highlights": ["a", "b"]}]
    assert guess_fields(nested) == {"url": "page.url", "title": "page.title", "snippet": "highlights[]"}


def test_of_several_lists_the_one_that_says_most_is_taken() -> None:
    thin = [{"url": "https://a.example/", "title": "Ad"}]
    rich = [{"url": "https://b.example/", "title": "One", "snippet": "Words."}]
    assert best_list({"ads": thin * 9, "found": {"items": rich}}) == ("found.items", rich)
    assert [path for path, _ in find_lists({"ads": thin, "found": {"items": rich}, "n": [1]})] == ["ads", "found.items"]
    assert best_list(rich) == (".", rich)


@pytest.mark.parametrize(
    "answer", [None, 7, "text", [], {}, {"a": []}, {"a": [1, 2]}, {"a": [{"b": 1}]}, {"a": {"b": {}}}]
)
def test_an_answer_without_results_is_refused_with_the_next_step(answer: object) -> None:
    with pytest.raises(ConfigError, match="Write results and fields by hand"):
        draft(read_sample("https://api.example.com/?q=x", ""), answer)


def test_a_post_keeps_the_rest_of_its_body_and_no_key() -> None:
    body = {"query": "x", "limit": 5, "api_key": "canary", "options": {"depth": "basic", "sites": ["a"]}}
    sample = read_sample("https://api.example.com/?token=canary2&v=2", "", body)
    text = preliminary(sample)
    assert 'method = "POST"' in text and 'query = {field = "query"}' in text
    assert 'body = {options = {depth = "basic", sites = ["a"]}}' in text and 'params = {v = "2"}' in text
    assert "canary" not in text + str(sample)
    assert (sample.count, sample.asked) == ("limit", "x")


@pytest.mark.parametrize("value", ['"', "\\", "#", "ü", "'''", "{a}", "]"])
def test_a_constant_of_any_letters_survives(value: str) -> None:
    sample = read_sample("https://api.example.com/find", "", {"query": "x", "odd": value})
    made = draft(sample, {"results": [{"url": "https://a.example/", "title": "One"}]})
    assert made.description.body == {"odd": value}


def test_a_constant_that_no_description_can_have_is_refused_with_its_key() -> None:
    sample = read_sample("https://api.example.com/find", "", {"query": "x", "odd": "a\nb"})
    with pytest.raises(ConfigError, match=r"example\.body\.odd takes"):
        draft(sample, {"results": [{"url": "https://a.example/", "title": "One"}]})


@pytest.mark.parametrize(("name", "value", "is_date"), [
    ("seen_at", 1766016000, True), ("created", "2026-01-02T03:04:05Z", True), ("when", "2026-01-02", True),
    ("at", 1766016000, True), ("at_ms", 1766016000123, True), ("doc_id", 1766016000, False), ("views", 5000, False),
    ("rank", 9999999999, False), ("version", "2026-13", False),
])  # fmt: skip
def test_a_date_is_recognised_by_its_name_or_its_value(name: str, value: object, is_date: bool) -> None:
    guessed = guess_fields([{"url": "https://a.example/", "title": "One", name: value}])
    assert guessed.get("date") == (name if is_date else None)


def test_answers_and_suggestions_beside_the_results_are_taken_by_their_names() -> None:
    items = [{"url": "https://a.example/", "title": "One", "related": "x"}]
    answer = {"payload": {"items": items, "answer": {"text": "42"}}, "related_searches": [{"query": "more"}]}
    made = draft(read_sample("https://api.example.com/?q=x", ""), answer).description.shape
    assert (made.answers, made.suggestions) == (
        (("payload", "answer", "text"),),
        (("related_searches", "[]", "query"),),
    )
    plain = {"items": items, "answers": ["42"], "didYouMean": "more"}
    made = draft(read_sample("https://api.example.com/?q=x", ""), plain).description.shape
    assert (made.answers, made.suggestions) == ((("answers", "[]"),), (("didYouMean",),))
    bare = draft(read_sample("https://api.example.com/?q=x", ""), {"answers": items}).description.shape
    assert (bare.results, bare.answers, bare.suggestions) == (("answers",), (), ())


@pytest.mark.parametrize(("body", "page"), [
    ({"query": "x", "limit": 5, "page": 0}, 0), ({"query": "x", "limit": 5, "pageNumber": 1}, 1),
    ({"query": "x", "page": 1}, None), ({"query": "x", "limit": 5, "page": 7}, None),
])  # fmt: skip
def test_a_parameter_for_pages_is_taken_with_the_number_of_the_first_one(
    body: dict[str, object], page: int | None
) -> None:
    items = [{"url": "https://a.example/", "title": "One"}]
    found = draft(read_sample("https://api.example.com/", "", body), {"items": items}).description
    assert (found.page.start if found.page else None) == page
    assert ("page" in {*found.body}) is (page is None)
    query = "&".join(f"{name}={value}" for name, value in body.items())
    same = draft(read_sample(f"https://api.example.com/?{query}", ""), {"items": items}).description
    assert same.page == found.page
