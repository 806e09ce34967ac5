"""OpenAI as a writer of answers: what it is sent, what comes back, and every way in which it can fail."""

import asyncio

import pytest

from dowse.core import errors
from dowse.core.answers import Question, code_of
from tests.contract.answers.conftest import Ask
from tests.doubles import PocketWeb, closed_port
from tests.doubles.openai import message, searched, url_citation
from tests.fakes import FakeClock

MODELS = ("gpt-5-nano", "gpt-5", "gpt-5.4-mini", "o3", "o4-mini", "gpt-4o", "gpt-4.1-mini", "chatgpt-4o-latest")


@pytest.mark.parametrize("model", MODELS)
async def test_every_model_gets_a_request_that_it_takes(web: PocketWeb, ask: Ask, model: str) -> None:
    answer = await ask(model=model, temperature=0.3)
    assert answer.provider == f"{model}-web-search"
    assert answer.citations
    (sent,) = web.openai.requests
    assert (sent.method, sent.headers["authorization"]) == ("POST", f"Bearer {web.openai.key}")


@pytest.mark.parametrize("model", ["gpt-5-nano", "gpt-4o"])
async def test_every_input_and_setting_is_taken_too(ask: Ask, model: str) -> None:
    options = {"context_size": "high", "max_output_tokens": 4000, "blocked_domains": ("example.org",)}
    question = Question("python", max_results=2, freshness_hours=48, region="no", wants_summary=False)
    answer = await ask(question, model=model, allowed_domains=("127.0.0.1",), **options)
    assert answer.text.startswith("[1] ")
    assert answer.text.count("\n") == 1


async def test_each_source_is_cited_in_the_text_that_is_returned(
    web: PocketWeb,
    ask: Ask,
) -> None:
    answer = await ask()
    assert [each.rank for each in answer.citations] == [1, 2, 3, 4, 5]
    assert answer.citations[0].title == "Python 3.15: what changes for your code"
    assert answer.citations[0].url == web.page("/articles/python-315")
    assert "utm_" not in answer.text
    for each in answer.citations:
        assert answer.text[each.start : each.end] == each.snippet == f"([127.0.0.1]({each.url}))"
    assert answer.usage is not None
    assert answer.usage.prompt_tokens > answer.usage.response_tokens > 0


@pytest.mark.promise("case-20")
async def test_citations_come_from_every_message_and_without_tracking(
    web: PocketWeb,
    ask: Ask,
) -> None:
    """Acceptance case 20."""
    first = message("It is 🌧️ wet.", [url_citation("https://a.example/?utm_source=openai&id=7", "A", 9, 12)])
    second = message("東京は雨。", [url_citation("https://b.example/?fbclid=1", "B", 0, 2)])
    web.openai.replies(json=[searched(), first, second])
    answer = await ask()
    assert answer.text == "It is 🌧️ wet.\n\n東京は雨。"
    assert [(each.url, each.snippet, each.start) for each in answer.citations] == [
        ("https://a.example/?id=7", "wet", 9),
        ("https://b.example/", "東京", 15),
    ]


FAILURES: list[tuple[str, type[errors.ProviderError], str, int]] = [
    ("400", errors.BadRequest, "VALIDATION", 1),
    ("401", errors.KeyRejected, "AUTH", 1),
    ("402", errors.QuotaSpent, "RATE_LIMIT", 1),
    ("403", errors.KeyRejected, "AUTH", 1),
    ("404", errors.BadRequest, "VALIDATION", 1),
    ("408", errors.Unavailable, "PROVIDER", 1),
    ("429", errors.RateLimited, "RATE_LIMIT", 2),
    ("500", errors.Unavailable, "PROVIDER", 2),
    ("502", errors.Unavailable, "PROVIDER", 2),
    ("503", errors.Unavailable, "PROVIDER", 2),
    ("504", errors.Unavailable, "PROVIDER", 1),
    ("reset", errors.NetworkFailed, "PROVIDER", 1),
    ("wrong_length", errors.NetworkFailed, "PROVIDER", 1),
    ("huge", errors.NetworkFailed, "PROVIDER", 1),
    ("broken_json", errors.BadAnswer, "PARSE", 1),
    ("json_array", errors.BadAnswer, "PARSE", 1),
    ("json_null", errors.BadAnswer, "PARSE", 1),
    ("empty_body", errors.BadAnswer, "PARSE", 1),
    ("html", errors.BadAnswer, "PARSE", 1),
    ("challenge", errors.Blocked, "PROVIDER", 1),
    ("redirect", errors.Redirected, "PROVIDER", 1),
]


@pytest.mark.promise("case-58")
@pytest.mark.parametrize(("trouble", "expected", "code", "attempts"), FAILURES)
async def test_every_failure_has_its_type_and_its_number_of_attempts(
    web: PocketWeb,
    ask: Ask,
    clock: FakeClock,
    trouble: str,
    expected: type[errors.ProviderError],
    code: str,
    attempts: int,
) -> None:
    """Acceptance case 58: 429, 500, 502 and 503 are tried twice, nothing else is."""
    web.openai.fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await ask()
    assert (type(caught.value), code_of(caught.value), caught.value.provider) == (expected, code, "openai")
    assert len(web.openai.requests) == attempts
    assert len(clock.slept) == attempts - 1


async def test_a_second_attempt_may_answer(web: PocketWeb, ask: Ask, clock: FakeClock) -> None:
    web.openai.fails("503", times=1)
    assert (await ask()).citations
    (waited,) = clock.slept
    assert 0 < waited < 1


async def test_who_are_refused_together_do_not_come_back_together(web: PocketWeb, ask: Ask, clock: FakeClock) -> None:
    web.openai.fails("500")
    for _ in range(5):
        with pytest.raises(errors.Unavailable):
            await ask()
    assert len(set(clock.slept)) == 5


async def test_the_wait_that_is_asked_for_is_kept(web: PocketWeb, ask: Ask, clock: FakeClock) -> None:
    web.openai.fails("429", retry_after=7, times=1)
    await ask()
    assert 7 <= clock.slept[0] < 8


@pytest.mark.parametrize(("timeout_s", "left_s"), [(15.0, 60), (60.0, 15)])
async def test_a_wait_beyond_the_time_left_is_no_second_attempt(
    web: PocketWeb, ask: Ask, clock: FakeClock, timeout_s: float, left_s: float
) -> None:
    web.openai.fails("429", retry_after=15)
    with pytest.raises(errors.RateLimited) as caught:
        await ask(left_s=left_s, timeout_s=timeout_s)
    assert (caught.value.retry_after_s, clock.slept, len(web.openai.requests)) == (15, [], 1)


async def test_a_spent_quota_is_told_from_a_rate_limit(
    web: PocketWeb,
    ask: Ask,
) -> None:
    web.openai.is_out_of_quota()
    with pytest.raises(errors.QuotaSpent, match="check your plan"):
        await ask()
    assert len(web.openai.requests) == 1


@pytest.mark.parametrize("trouble", ["hang", "stall", "trickle"])
async def test_silence_ends_in_time_and_is_not_tried_again(web: PocketWeb, ask: Ask, trouble: str) -> None:
    web.openai.fails(trouble)
    with pytest.raises(errors.TimedOut):
        await ask(timeout_s=0.1)
    assert len(web.openai.requests) == 1


async def test_both_attempts_share_one_bound(
    web: PocketWeb,
    ask: Ask,
) -> None:
    """The wait takes nearly all of the 15 seconds, so that the second ends soon."""
    web.openai.fails("503", retry_after=14, times=1).fails("hang")
    started = asyncio.get_running_loop().time()
    with pytest.raises(errors.TimedOut):
        await ask()
    assert asyncio.get_running_loop().time() - started < 5


async def test_a_refused_connection_is_a_network_failure(
    ask: Ask,
) -> None:
    with pytest.raises(errors.NetworkFailed):
        await ask(endpoint=f"http://127.0.0.1:{closed_port()}/v1")


async def test_cancelling_the_answer_ends_the_request(
    web: PocketWeb,
    ask: Ask,
) -> None:
    web.openai.fails("hang")
    task = asyncio.create_task(ask())
    seen = await web.openai.arrived()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(seen.closed.wait(), 30)
    assert len(web.openai.requests) == 1


async def test_a_wrong_key_names_the_variable(
    ask: Ask,
) -> None:
    with pytest.raises(errors.KeyRejected, match="OPENAI_API_KEY"):
        await ask(key="sk-wrong")


async def test_the_key_stays_out_of_the_error_even_when_it_is_echoed(
    web: PocketWeb,
    ask: Ask,
) -> None:
    web.openai.fails("echo_key")
    with pytest.raises(errors.Unavailable) as caught:
        await ask()
    assert web.openai.key[8:16] not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "words"), [("gpt-4.1-nano", "is not supported with gpt-4.1-nano"), ("gpt-9", "does not exist")]
)
async def test_openais_words_about_a_wrong_request_reach_the_caller_and_not_the_log(
    ask: Ask, model: str, words: str
) -> None:
    with pytest.raises(errors.BadRequest, match=words) as caught:
        await ask(model=model)
    assert caught.value.logged_detail == "HTTP 400"


@pytest.mark.promise("case-20")
async def test_an_answer_from_memory_is_not_trusted(
    web: PocketWeb,
    ask: Ask,
) -> None:
    """Acceptance case 20."""
    web.openai.does_not_search()
    with pytest.raises(errors.BadAnswer, match="without a search"):
        await ask()


async def test_a_refusal_is_told_in_the_models_words(
    web: PocketWeb,
    ask: Ask,
) -> None:
    web.openai.refuses(f"I will not say anything about {web.openai.key}.")
    with pytest.raises(errors.BadAnswer, match="refused to answer, I will not say") as caught:
        await ask()
    assert web.openai.key not in str(caught.value)


async def test_too_few_tokens_for_thinking_are_an_incomplete_answer(
    ask: Ask,
) -> None:
    """Thinking counts: 600 tokens are enough for a model that only writes."""
    with pytest.raises(errors.BadAnswer, match="OPENAI_MAX_OUTPUT_TOKENS"):
        await ask(max_output_tokens=600)


@pytest.mark.parametrize(
    ("code", "expected"), [("server_error", errors.Unavailable), ("rate_limit_exceeded", errors.RateLimited)]
)
async def test_a_failure_inside_a_success_has_its_type(
    web: PocketWeb,
    ask: Ask,
    code: str,
    expected: type[errors.ProviderError],
) -> None:
    web.openai.breaks_down(code)
    with pytest.raises(expected):
        await ask()
    assert len(web.openai.requests) == 1
