"""What is made of a response: the text that is returned, and citations that fit it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core import errors
from dowse.core.answers import Citation, CitedAnswer, Question, TokenUsage
from dowse.providers.openai.output import read_answer
from tests.doubles.openai import message, searched, url_citation
from tests.support.tables import each_row

QUESTION = Question("is it wet in Oslo")


def _read(body: object, question: Question = QUESTION) -> CitedAnswer:
    assert isinstance(body, dict)
    return read_answer(body, question, "gpt-5-nano", lambda words: words)


def _body(*items: object, **fields: object) -> dict[str, object]:
    return {"status": "completed", "output": [searched(), *items]} | fields


def _cited(text: str, *cited: tuple[str, str]) -> dict[str, object]:
    """A message that names a source for each of these parts."""
    places = ((url, text.index(part), text.index(part) + len(part)) for part, url in cited)
    return message(text, [url_citation(url, f"Title of {url}", *place) for url, *place in places])


def test_the_text_comes_with_its_sources_and_what_it_took() -> None:
    body = _body(_cited("It is wet.", ("wet", "https://a.example/x")), usage={"input_tokens": 9, "output_tokens": 4})
    assert _read(body) == CitedAnswer(
        "It is wet.",
        (Citation("https://a.example/x", "Title of https://a.example/x", "wet", 6, 9, 1),),
        "gpt-5-nano-web-search",
        TokenUsage(9, 4),
    )


@pytest.mark.promise("hardened-no-user-names")
def test_a_source_with_a_user_name_is_not_cited() -> None:
    cited = _cited("It is wet.", ("It", "https://bank.example@evil.example/"), ("wet", "https://a.example/@x"))
    assert [citation.url for citation in _read(_body(cited)).citations] == ["https://a.example/@x"]


def test_the_list_of_items_alone_is_enough() -> None:
    """Without a status, and with searches that do not say what they looked for."""
    items = [{"type": "web_search_call", "id": "ws_1", "status": "completed"}, message("It is wet.")]
    assert _read({"output": items}).text == "It is wet."


TEXTS = ["plain words", "😀 nasse Straßen 🌧️ in Oslo", "今天奥斯陆下雨。", "cafe\u0301 am Ne\u0301ckar", "👩‍👩‍👧 family"]


@each_row("second", TEXTS)
@each_row("first", TEXTS)
def test_parts_and_messages_are_joined_and_their_citations_moved(first: str, second: str) -> None:
    parts = [
        url_citation(f"https://{number}.example/", "T", 2, len(text)) for number, text in enumerate([first, second])
    ]
    together = message("", content=[_part(first, parts[0]), _part(second, parts[1])])
    apart = [message(first, [parts[0]]), message(second, [parts[1]])]
    for answer in (_read(_body(together)), _read(_body(*apart))):
        assert answer.text == f"{first}\n\n{second}"
        assert [answer.text[each.start : each.end] for each in answer.citations] == [first[2:], second[2:]]
        assert [each.snippet for each in answer.citations] == [first[2:], second[2:]]


def _part(text: str, *annotations: object) -> dict[str, object]:
    return {"type": "output_text", "text": text, "annotations": list(annotations)}


def test_empty_parts_leave_no_gap() -> None:
    content = [_part(" "), _part("wet", url_citation("https://a.example/", "T", 0, 3)), _part("\u200b"), _part("cold")]
    answer = _read(_body(message("", content=content)))
    assert answer.text == "wet\n\ncold"
    assert [(each.start, each.end) for each in answer.citations] == [(0, 3)]


def test_what_is_said_on_the_way_is_not_part_of_the_answer() -> None:
    on_the_way = {**message("I will look for the weather."), "phase": "commentary"}
    final = {**message("It is wet."), "phase": "final_answer"}
    assert _read(_body(on_the_way, final)).text == "It is wet."
    assert _read(_body(on_the_way)).text == "I will look for the weather."


def test_ranks_follow_the_first_appearance_of_each_source() -> None:
    written = _cited(
        "one two three four",
        ("one", "https://b.example/"),
        ("two", "https://a.example/"),
        ("three", "https://b.example/?utm_source=openai"),
        ("four", "https://www.b.example#part"),
    )
    citations = _read(_body(written)).citations
    assert [(each.snippet, each.rank, each.url) for each in citations] == [
        ("one", 1, "https://b.example/"),
        ("two", 2, "https://a.example/"),
        ("three", 1, "https://b.example/"),
        ("four", 1, "https://b.example/"),
    ]


def test_sources_beyond_the_wanted_number_are_not_cited() -> None:
    text = "a b c d e"
    written = _cited(text, *((letter, f"https://{letter}.example/") for letter in text.split()))
    for most in (1, 2, 8):
        citations = _read(_body(written), Question("x y z", max_results=most)).citations
        assert [each.rank for each in citations] == list(range(1, min(most, 5) + 1))


def test_of_a_long_part_the_beginning_is_cited() -> None:
    text = "It is wet. " * 500
    (citation,) = _read(_body(message(text, [url_citation("https://a.example/", "T", 11, 5000)]))).citations
    assert (citation.start, citation.end) == (11, 1011)
    assert citation.snippet == text[11:1011]


def test_the_same_citation_is_named_once() -> None:
    annotation = url_citation("https://a.example/", "T", 0, 2)
    assert len(_read(_body(message("It is wet.", [annotation, annotation]))).citations) == 1


@each_row(
    "url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "/x", "", "https://", None, 7, "https://a b"]
)
def test_addresses_that_are_none_are_no_sources(url: object) -> None:
    good = url_citation("https://a.example/", "T", 0, 2)
    citations = _read(_body(message("It is wet.", [url_citation(url, "T", 0, 2), good]))).citations
    assert [(each.url, each.rank) for each in citations] == [("https://a.example/", 1)]


@each_row(
    ("title", "expected"),
    [("A <b>bold</b>\u200b title", "A bold title"), ("", "a.example"), (None, "a.example"), ("<b></b>", "a.example")],
)
def test_titles_are_plain_and_never_empty(title: object, expected: str) -> None:
    (citation,) = _read(_body(message("It is wet.", [url_citation("https://a.example/x", title, 0, 2)]))).citations
    assert citation.title == expected


def test_an_answer_without_sources_says_so() -> None:
    answer = _read(_body(message("It is wet.", [{"type": "file_citation", "file_id": "f", "index": 0}, None, "x"])))
    assert answer.citations == ()
    assert answer.warnings == ("openai named no source for this answer; do not rely on it unchecked.",)


def test_the_list_of_sources_is_ours_and_holds_no_summary() -> None:
    found = [{"type": "url", "url": "https://b.example/y"}, {"type": "api", "name": "oai-weather"}]
    found += [{"type": "url", "url": f"https://{letter}.example/x"} for letter in "acd"]
    written = _cited("It is wet, and here is why.", ("wet", "https://a.example/x"))
    body = {"status": "completed", "output": [searched("q", found), written]}
    answer = _read(body, Question("x y z", max_results=3, wants_summary=False))
    lines = [
        "[1] Title of https://a.example/x — https://a.example/x",
        "[2] b.example — https://b.example/y",
        "[3] c.example — https://c.example/x",
    ]
    assert answer.text == "\n".join(lines)
    assert [(each.rank, each.snippet) for each in answer.citations] == list(enumerate(lines, 1))
    assert all(answer.text[each.start : each.end] == each.snippet for each in answer.citations)


FAILURES: list[tuple[dict[str, object], type[errors.ProviderError]]] = [
    (_body(status="incomplete", incomplete_details={"reason": "max_output_tokens"}), errors.BadAnswer),
    (_body(message("It is"), status="incomplete", incomplete_details=None), errors.BadAnswer),
    (_body({**message("It is"), "status": "incomplete"}, status=None), errors.BadAnswer),
    (_body(message("It is wet."), status="in_progress"), errors.BadAnswer),
    (_body(message("It is wet."), status="cancelled"), errors.BadAnswer),
    ({"status": "failed", "error": {"code": "server_error", "message": "m"}}, errors.Unavailable),
    ({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "m"}}, errors.RateLimited),
    ({"status": "failed", "error": {"code": "invalid_prompt", "message": "m"}}, errors.BadRequest),
    ({"status": "failed", "error": {"code": "bio_policy", "message": "m"}}, errors.Unavailable),
    ({"status": "failed", "error": None}, errors.Unavailable),
    ({"error": "words"}, errors.Unavailable),
    (_body(message("", content=[{"type": "refusal", "refusal": "No."}])), errors.BadAnswer),
    (_body(message("")), errors.BadAnswer),
    (_body(message(" \n\u200b")), errors.BadAnswer),
    (_body(), errors.BadAnswer),
    ({"status": "completed", "output": [message("It is wet.")]}, errors.BadAnswer),
    ({"status": "completed", "output": [{**searched(), "status": "failed"}, message("It is wet.")]}, errors.BadAnswer),
]


@pytest.mark.promise("case-20")
@each_row(("body", "expected"), FAILURES)
def test_what_is_no_answer_has_its_type(body: dict[str, object], expected: type[errors.ProviderError]) -> None:
    """Acceptance case 20: among them a message without a search, and one that is incomplete."""
    with pytest.raises(errors.ProviderError) as caught:
        _read(body)
    assert type(caught.value) is expected


def test_who_ran_out_of_tokens_is_told_what_to_raise() -> None:
    with pytest.raises(errors.BadAnswer, match="OPENAI_MAX_OUTPUT_TOKENS"):
        _read(FAILURES[0][0])


def test_without_sources_there_is_no_list() -> None:
    with pytest.raises(errors.BadAnswer, match="names no source"):
        _read(_body(message("It is wet.")), Question("x y z", wants_summary=False))


WET = "It is wet."
LONG = "wet 😀 " * 20_000


def long_bodies(count: int) -> dict[str, dict[str, object]]:
    """Responses with very many parts."""
    citations = [url_citation(f"https://{n}.example/", "T", n, n + 9000) for n in range(count)]
    return {
        "many annotations": _body(message(LONG, citations)),
        "many parts": _body(message("", content=[_part(WET) for _ in range(count)])),
        "a long text": _body(message(LONG * (count // 1000))),
    }


ODD: dict[str, object] = {
    "nothing": {},
    "null output": {"output": None},
    "text for output": {"output": "It is wet."},
    "object for output": {"output": {"0": message(WET)}},
    "items that are none": {"output": [None, 7, "x", [], {}, {"type": None}, {"type": ["message"]}]},
    "a message without content": _body({"type": "message"}),
    "null content": _body({"type": "message", "content": None}),
    "text for content": _body({"type": "message", "content": WET}),
    "parts that are none": _body(message("", content=[None, 7, "x", {}, {"type": 5}])),
    "a part without text": _body(message("", content=[{"type": "output_text"}])),
    "a number for text": _body(message("", content=[{"type": "output_text", "text": 7, "annotations": []}])),
    "null annotations": _body(message("", content=[{"type": "output_text", "text": WET, "annotations": None}])),
    "an object for annotations": _body(message("", content=[{"type": "output_text", "text": WET, "annotations": {}}])),
    "annotations that are none": _body(message(WET, [None, 7, "x", [], {}, {"type": "url_citation"}])),
    "indices past the end": _body(message(WET, [url_citation("https://a.example/", "T", 5, 10**12)])),
    "indices far past the end": _body(message(WET, [url_citation("https://a.example/", "T", 10**12, 10**13)])),
    "negative indices": _body(message(WET, [url_citation("https://a.example/", "T", -5, -1)])),
    "reversed indices": _body(message(WET, [url_citation("https://a.example/", "T", 5, 2)])),
    "equal indices": _body(message(WET, [url_citation("https://a.example/", "T", 3, 3)])),
    "indices that are none": _body(message(WET, [url_citation("https://a.example/", "T", "0", None)])),
    "indices in a surrogate pair": _body(message("😀" + WET, [url_citation("https://a.example/", "T", 1, 4)])),
    "lone surrogates": _body(message("\ud83d" + WET, [url_citation("https://a.example/\udc00", "\ud83d", 0, 3)])),
    "a script for an address": _body(message(WET, [url_citation("javascript:alert(1)", "T", 0, 3)])),
    "a long address": _body(message(WET, [url_citation("https://a.example/" + "x" * 9000, "T", 0, 3)])),
    "duplicated ids": _body(*[{**message(WET), "id": "msg_1"} for _ in range(3)]),
    **long_bodies(2_000),
    "text for usage": _body(message(WET), usage="9"),
    "odd usage": _body(message(WET), usage={"input_tokens": -1, "output_tokens": True}),
    "endless usage": _body(message(WET), usage={"input_tokens": 10**400, "output_tokens": 10**400}),
    "a number for a status": _body(message(WET), status=200),
    "a list for an error": _body(message(WET), error=["x"]),
    "text for details": _body(message(WET), status="incomplete", incomplete_details="x"),
    "sources that are none": {"output": [{**searched(), "action": {"sources": [None, {"url": 7}]}}, message(WET)]},
    "text for an action": {"output": [{**searched(), "action": "search"}, message(WET)]},
}


@each_row("wants_summary", [True, False])
@each_row("name", ODD)
def test_odd_bodies_are_answers_or_typed_errors(name: str, wants_summary: bool) -> None:
    question = Question("x y z", wants_summary=wants_summary)
    try:
        _check(_read(ODD[name], question), question)
    except errors.ProviderError as error:
        assert error.provider == "openai"


def _check(answer: CitedAnswer, question: Question) -> None:
    """What holds for every answer."""
    assert answer.text.strip()
    assert answer.usage is None or 0 <= answer.usage.prompt_tokens + answer.usage.response_tokens < 10**10
    answer.text.encode()
    assert len({citation.url for citation in answer.citations}) <= question.max_results
    for citation in answer.citations:
        assert 0 <= citation.start < citation.end <= len(answer.text)
        assert answer.text[citation.start : citation.end] == citation.snippet
        assert citation.url.startswith("http")
        assert citation.title
        assert 1 <= citation.rank <= question.max_results


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
INDICES = st.integers(-5, 40) | ANYTHING
ADDRESSES = st.sampled_from(["https://a.example/x", "http://b.example/?utm_source=openai", "javascript:x"]) | ANYTHING
ANNOTATIONS = st.builds(url_citation, ADDRESSES, ANYTHING, INDICES, INDICES) | ANYTHING
PARTS = ANYTHING | st.fixed_dictionaries(
    {
        "type": st.sampled_from(["output_text", "output_text", "refusal", "x"]),
        "text": st.text(max_size=40) | ANYTHING,
        "annotations": st.lists(ANNOTATIONS, max_size=5) | ANYTHING,
    }
)
ITEMS = ANYTHING | st.fixed_dictionaries(
    {
        "type": st.sampled_from(["message", "message", "web_search_call", "reasoning"]),
        "status": st.sampled_from(["completed", "failed"]) | ANYTHING,
        "content": st.lists(PARTS, max_size=4) | ANYTHING,
        "action": ANYTHING | st.fixed_dictionaries({"sources": ANYTHING}),
    }
)
BODIES = st.fixed_dictionaries(
    {
        "output": st.lists(ITEMS, max_size=4).map(lambda items: [searched(), *items]) | ANYTHING,
        "status": st.sampled_from(["completed", "completed", "incomplete", "failed"]) | ANYTHING,
    },
    optional={"error": ANYTHING, "usage": ANYTHING, "incomplete_details": ANYTHING},
)


@given(BODIES, st.booleans())
def test_no_body_raises_anything_but_a_typed_error(body: dict[str, Any], wants_summary: bool) -> None:
    question = Question("x y z", max_results=2, wants_summary=wants_summary)
    try:
        _check(_read(body, question), question)
    except errors.ProviderError as error:
        assert error.provider == "openai"
