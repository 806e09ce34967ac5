"""The double is honest: OpenAI's own SDK reads its answers, and it refuses what the real one refuses."""

from collections.abc import AsyncIterator

import openai
import pytest
import pytest_asyncio
from openai.types.responses import Response

from tests.doubles import PocketWeb
from tests.doubles.openai import OpenAI, message, searched, url_citation

SEARCH = {"type": "web_search"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_web() -> AsyncIterator[PocketWeb]:
    """On a real port: the SDK brings a client of its own."""
    async with PocketWeb() as web:
        yield web


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(web: PocketWeb) -> AsyncIterator[openai.AsyncOpenAI]:
    endpoint = web.page(web.openai.base_path)
    async with openai.AsyncOpenAI(api_key=web.openai.key, base_url=endpoint, max_retries=0) as client:
        yield client


@pytest.mark.parametrize("model", ["gpt-5-nano", "gpt-4o"])
async def test_the_official_client_searches_and_is_answered(
    sdk: openai.AsyncOpenAI,
    model: str,
) -> None:
    response = await sdk.responses.create(
        model=model,
        input="what changes in python 3.15",
        tools=[{"type": "web_search", "user_location": {"type": "approximate", "country": "NO"}}],
        include=["web_search_call.action.sources"],
    )
    kinds = [item.type for item in response.output]
    assert kinds == (["reasoning"] if model == "gpt-5-nano" else []) + ["web_search_call", "message"]
    (text,) = [part for item in response.output if item.type == "message" for part in item.content]
    assert text.type == "output_text"
    for annotation in text.annotations:
        assert annotation.type == "url_citation"
        assert annotation.url in text.text[annotation.start_index : annotation.end_index]
    (search,) = [item for item in response.output if item.type == "web_search_call"]
    assert search.action.type == "search"
    assert search.action.sources
    assert response.usage is not None
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens


def test_the_official_models_read_every_scripted_answer() -> None:
    double = OpenAI("", lambda: "http://127.0.0.1")
    cited = message("It is wet.", [url_citation("https://a.example/", "T", 0, 2)])
    refusing = message("", content=[{"type": "refusal", "refusal": "No."}])
    failed = {"status": "failed", "error": {"code": "server_error", "message": "m"}}
    cut_off = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    bodies = [
        double.body(searched(), cited),
        double.body(searched("q", [{"type": "url", "url": "https://a.example/"}]), cited, cited),
        double.body(searched(), refusing),
        double.body(**failed),
        double.body(searched(), **cut_off),
    ]
    # Strict, so that the SDK does not make text out of numbers.
    read = [Response.model_validate(body, strict=True) for body in bodies]
    assert [response.status for response in read] == ["completed", "completed", "completed", "failed", "incomplete"]
    assert [response.output_text for response in read] == ["It is wet.", "It is wet.It is wet.", "", "", ""]


REFUSED: list[tuple[dict[str, object], str | None]] = [
    ({"temperature": 0}, "temperature"),
    ({"reasoning": {"effort": "minimal"}}, "tools"),
    ({"tool_choice": "required"}, "tool_choice"),
    ({"max_output_tokens": 5}, "max_output_tokens"),
    ({"max_tokens": 600}, "max_tokens"),
    ({"model": "gpt-9"}, "model"),
    ({"model": "gpt-4o", "reasoning": {"effort": "low"}}, "reasoning.effort"),
    ({"model": "gpt-4.1-nano"}, "tools"),
    ({"tools": [SEARCH | {"filters": {"allowed_domains": ["https://a.example/"]}}]}, "tools"),
    ({"tools": [SEARCH | {"user_location": {"type": "approximate", "country": "Norway"}}]}, "tools"),
    ({"tools": [SEARCH | {"freshness": 24}]}, "tools"),
    ({"include": ["everything"]}, "include"),
]


@pytest.mark.parametrize(("fields", "param"), REFUSED)
async def test_what_the_real_one_refuses_is_refused(
    sdk: openai.AsyncOpenAI,
    fields: dict[str, object],
    param: str | None,
) -> None:
    body = {"model": "gpt-5-nano", "input": "x", "tools": [SEARCH]} | fields
    with pytest.raises(openai.BadRequestError) as caught:
        await sdk.post("/responses", body=body, cast_to=Response)
    assert caught.value.param == param


@pytest.mark.parametrize("missing", ["model", "input"])
async def test_a_request_without_a_model_or_input_is_refused(
    sdk: openai.AsyncOpenAI,
    missing: str,
) -> None:
    body = {"model": "gpt-5-nano", "input": "x"}
    del body[missing]
    with pytest.raises(openai.BadRequestError, match=f"Missing required parameter: '{missing}'"):
        await sdk.post("/responses", body=body, cast_to=Response)


async def test_errors_are_the_classes_that_the_sdk_knows(
    web: PocketWeb,
    sdk: openai.AsyncOpenAI,
) -> None:
    asked = {"model": "gpt-5-nano", "input": "x"}
    with pytest.raises(openai.AuthenticationError):
        await sdk.with_options(api_key="sk-wrong").post("/responses", body=asked, cast_to=Response)
    with pytest.raises(openai.NotFoundError):
        await sdk.post("/answers", body=asked, cast_to=Response)
    web.openai.is_out_of_quota()
    with pytest.raises(openai.RateLimitError) as caught:
        await sdk.post("/responses", body=asked, cast_to=Response)
    assert caught.value.code == "insufficient_quota"


async def test_without_its_tool_a_model_cannot_search(
    sdk: openai.AsyncOpenAI,
) -> None:
    response = await sdk.responses.create(model="gpt-5-nano", input="x")
    assert [item.type for item in response.output] == ["message"]
