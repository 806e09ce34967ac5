"""`search_web` by real MCP clients, over stdio and over HTTP, against the pocket web: what is answered and refused."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult

from dowse.contracts.output import AnswerQuestionOutput, AnswersOutput, FailureOutput, schema_of
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import LEGACY, MODERN

SURFACES = ["stdio", "http"]
CONTRACTS = ["dowse", "answers"]
FIELDS = ["citations", "provider", "respondedAt", "text"]
ITEM = ["endIndex", "rank", "startIndex", "textSnippet", "title", "url"]
TEXT = "🦦 Otters weigh nine kilograms. かわうそは泳ぐ。 Cafe\u0301s are closed."
OTTERS, SWIM = "Otters weigh nine kilograms.", "かわうそは泳ぐ。"


@asynccontextmanager
async def connected(
    server: Server, settings: Mapping[str, str], surface: str, contract: str = "answers", mode: str = "auto"
) -> AsyncIterator[Client]:
    chosen = {"DOWSE_TTL_ANSWERS": "0", **settings, "DOWSE_CONTRACT": contract}
    if surface == "stdio":
        async with server.connect(chosen, mode=mode) as client:
            yield client
    else:
        async with server.here(chosen) as http, http.client(mode) as client:
            yield client


async def ask(client: Client, **arguments: object) -> CallToolResult:
    return await client.call_tool("search_web", {"query": "how heavy are otters", **arguments})


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def typed(
    result: CallToolResult, schema: Mapping[str, object] = schema_of(AnswersOutput, FailureOutput)
) -> dict[str, Any]:
    """The typed half, which fits what the tool declares, whether it is an answer or a failure."""
    assert isinstance(result.structured_content, dict)
    jsonschema.validate(result.structured_content, schema)
    return result.structured_content


def refused(result: CallToolResult) -> tuple[str, str]:
    """Code and message of a failure, which stand in both halves."""
    assert result.is_error
    error = typed(result)["error"]
    assert text(result) == f"{error['code']}: {error['message']}"
    return error["code"], error["message"]


def response(*annotations: Mapping[str, object], searches: bool = True, **fields: object) -> dict[str, object]:
    """A body of the Responses API: a search, and a message with these citations."""
    call = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}
    content = {"type": "output_text", "text": TEXT, "annotations": list(annotations), "logprobs": []}
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [content]}
    body: dict[str, object] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1763208000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5-nano-2025-08-07",
        "output": [call, message] if searches else [message],
        "usage": {"input_tokens": 321, "output_tokens": 45, "total_tokens": 366},
    }
    return body | fields


def citing(part: str, url: str, title: str) -> dict[str, object]:
    start = TEXT.index(part)
    return {"type": "url_citation", "start_index": start, "end_index": start + len(part), "url": url, "title": title}


CITED = (
    citing(OTTERS, "https://zoo.example/otters?utm_source=openai&page=2", "The zoo"),
    citing(SWIM, "https://swim.example/?fbclid=abc", "Swimming"),
)


@pytest.mark.promise("case-20")
@pytest.mark.parametrize(
    ("surface", "mode"), [("stdio", "legacy"), ("stdio", MODERN), ("http", "legacy"), ("http", MODERN)]
)
async def test_the_answer_of_the_model_has_the_fields_of_the_contract_and_no_others(
    web: PocketWeb, server: Server, surface: str, mode: str
) -> None:
    """Acceptance case 20: an array with a search and a message gives results from `url_citation`, without tracking."""
    web.openai.replies(json=response(*CITED))
    before = datetime.now(UTC)
    async with connected(server, web.environment("openai"), surface, mode=mode) as client:
        assert client.protocol_version == (MODERN if mode == MODERN else LEGACY)
        result = await ask(client)
    found = typed(result)
    assert not result.is_error
    assert json.loads(text(result)) == found
    assert sorted(found) == sorted([*FIELDS, "usage"])
    assert (found["text"], found["provider"]) == (TEXT, "gpt-5-nano-web-search")
    assert found["usage"] == {"promptTokens": 321, "responseTokens": 45}
    assert found["respondedAt"].endswith("Z")
    responded = datetime.fromisoformat(found["respondedAt"])
    assert abs((responded - before).total_seconds()) < 60
    assert found["citations"] == [
        {
            "url": "https://zoo.example/otters?page=2",
            "title": "The zoo",
            "textSnippet": OTTERS,
            "startIndex": 2,
            "endIndex": 30,
            "rank": 1,
        },
        {
            "url": "https://swim.example/",
            "title": "Swimming",
            "textSnippet": SWIM,
            "startIndex": 31,
            "endIndex": 39,
            "rank": 2,
        },
    ]


@pytest.mark.parametrize("surface", SURFACES)
async def test_in_the_dowse_contract_it_is_readable_fenced_and_says_how_it_came_about(
    web: PocketWeb, server: Server, surface: str
) -> None:
    web.openai.replies(json=response(*CITED))
    async with connected(server, web.environment("openai"), surface, "dowse") as client:
        result = await ask(client, flavour="red")
    found = typed(result, schema_of(AnswerQuestionOutput, FailureOutput))
    assert sorted(found) == sorted(
        [*FIELDS, "usage", "attempts", "warnings", "cache", "cache_age_s", "untrusted"],
    )
    assert found["untrusted"] is True
    assert [(attempt["provider"], attempt["outcome"]) for attempt in found["attempts"]] == [("openai", "ok")]
    assert found["warnings"] == ['unknown argument "flavour" was ignored.']
    head, fenced, listed, onward, note = text(result).split("\n\n")
    assert head.startswith("Answer by gpt-5-nano-web-search, with 2 sources. What follows comes from the web")
    assert fenced.startswith("<<< untrusted answer ")
    assert fenced.splitlines()[1] == TEXT
    assert listed == "Sources:\n1. The zoo · https://zoo.example/otters?page=2\n2. Swimming · https://swim.example/"
    assert onward == 'To read a source: get_content(url="https://zoo.example/otters?page=2")'
    assert note == 'Note: unknown argument "flavour" was ignored.'


INVALID = {
    "query must have at least 3 characters; it has 2.": {"query": " \u200bab\n"},
    "query must have at most 400 characters; it has 401.": {"query": "x" * 401},
    "query is required.": {"query": None},
    "query must be text, not an object.": {"query": {"text": "otters"}},
    "maxResults must be a whole number from 1 to 8, not 0.": {"maxResults": 0},
    "maxResults must be a whole number from 1 to 8, not 9.": {"maxResults": 9},
    "freshnessHours must be a whole number from 1 to 168, not 0.": {"freshnessHours": 0},
    "freshnessHours must be a whole number from 1 to 168, not 169.": {"freshnessHours": 169},
    'region must be like US or AE, not "USA".': {"region": "USA"},
    'region must be like US or AE, not "U".': {"region": "U"},
    "region must be a country by its two letters in ISO 3166, such as US or AE, not XX.": {"region": "xx"},
    'includeAnswers must be true or false, not "maybe".': {"includeAnswers": "maybe"},
}
VALID: list[dict[str, object]] = [
    {"query": " ab\u200bc "},
    {"query": "x" * 400},
    {"maxResults": 1},
    {"maxResults": 8},
    {"freshnessHours": 1},
    {"freshnessHours": 168},
    {"region": "US"},
    {"region": "ae"},
    {"includeAnswers": False},
]


@pytest.mark.parametrize("surface", SURFACES)
async def test_what_is_out_of_range_is_refused_before_a_provider_is_asked(
    web: PocketWeb, server: Server, surface: str
) -> None:
    settings = web.environment("openai", "serper") | {"DOWSE_LIMIT_SEARCH_WEB": "100/m"}
    async with connected(server, settings, surface) as client:
        for sentence, arguments in INVALID.items():
            result = await ask(client, **arguments)
            assert refused(result) == ("VALIDATION", sentence)
    assert web.openai.requests == web.serper.requests == web.pages.requests == []


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("surface", SURFACES)
async def test_what_is_just_within_the_limits_is_answered(
    web: PocketWeb, server: Server, surface: str, contract: str
) -> None:
    web.openai.replies(json=response(*CITED))
    settings = web.environment("openai") | {"DOWSE_LIMIT_SEARCH_WEB": "100/m"}
    async with connected(server, settings, surface, contract) as client:
        for arguments in VALID:
            assert not (await ask(client, **arguments)).is_error, arguments
    assert len(web.openai.requests) == len(VALID)


@pytest.mark.parametrize("surface", SURFACES)
async def test_answer_question_has_arguments_of_its_own_and_clamps_them(
    web: PocketWeb, server: Server, surface: str
) -> None:
    web.openai.replies(json=response(*CITED))
    refusals = {
        "question is required.": {},
        "question must have at least 3 characters; it has 2.": {"question": "ab"},
        "max_results must be a whole number from 1 to 8, not 0.": {"question": "how heavy", "max_results": 0},
        "freshness_hours must be a whole number from 1 to 8760, not -1.": {"question": "how", "freshness_hours": -1},
    }
    async with connected(server, web.environment("openai"), surface, "dowse") as client:
        for sentence, arguments in refusals.items():
            assert refused(await client.call_tool("answer_question", arguments)) == ("VALIDATION", sentence)
        assert web.openai.requests == []
        clamped = await client.call_tool("answer_question", {"question": "how heavy are otters", "max_results": 20})
        german = await client.call_tool("answer_question", {"question": "wie schwer sind otter", "language": "German"})
    assert "Note: max_results is at most 8; 20 was read as 8" in text(clamped)
    assert 'Note: language "German" was read as de' in text(german)
    at_most, in_german = (request.json["input"] for request in web.openai.requests)
    assert "Use at most 8 distinct sources" in at_most
    assert "Use sources in this language (BCP 47): de." in in_german


GUARDED = {"answers": {}, "dowse": {"DOWSE_GUARDRAILS": "on"}}


@pytest.mark.parametrize("contract", GUARDED)
async def test_questions_for_another_tool_are_refused_with_its_name(
    web: PocketWeb, server: Server, contract: str
) -> None:
    settings = web.environment("openai", "serper") | GUARDED[contract]
    async with connected(server, settings, "http", contract) as client:
        code, message = refused(await ask(client, query="polymarket odds on the election"))
        assert code == "VALIDATION"
        assert "polymarket" in message
        assert not (await ask(client, query="is the farmers market better than the supermarket")).is_error
    assert len(web.openai.requests) == 1


async def test_the_rules_on_topics_apply_to_the_contract_answers_only(web: PocketWeb, server: Server) -> None:
    web.openai.replies(json=response(*CITED))
    async with connected(server, web.environment("openai"), "http", "dowse") as client:
        assert not (await ask(client, query="polymarket odds on the election")).is_error


async def test_rules_of_ones_own_apply_in_every_contract(web: PocketWeb, server: Server) -> None:
    rules = '{"tickets": {"phrases": ["open tickets"], "message": "Use the jira MCP server."}}'
    settings = web.environment("openai") | {"DOWSE_GUARDRAILS_JSON": rules}
    async with connected(server, settings, "http", "dowse") as client:
        assert refused(await ask(client, query="how many open tickets are there"))[1] == "Use the jira MCP server."
    assert web.openai.requests == []


ERRORS = {
    "401": ("AUTH", "whoever runs this server has to correct OPENAI_API_KEY."),
    "403": ("AUTH", "whoever runs this server has to correct OPENAI_API_KEY."),
    "429": ("RATE_LIMIT", "Try again later."),
    "402": ("RATE_LIMIT", "Try again later."),
    "500": ("PROVIDER", "Try again later."),
    "400": ("VALIDATION", ""),
    "broken_json": ("PARSE", "Ask again, or in other words."),
}


@pytest.mark.parametrize("surface", SURFACES)
async def test_each_failure_of_the_model_has_its_code_and_says_what_to_do(
    web: PocketWeb, server: Server, surface: str
) -> None:
    async with connected(server, web.environment("openai", "serper"), surface) as client:
        for trouble, (expected, advice) in ERRORS.items():
            web.openai.fails(trouble)
            code, message = refused(await ask(client, query=f"what is {trouble}"))
            assert code == expected, trouble
            assert message.startswith("openai "), trouble
            assert message.endswith(advice), trouble
            # Good news in between: this is about single failures, not about the breaker.
            web.openai.works().replies(json=response(*CITED))
            assert not (await ask(client, query=f"after {trouble}")).is_error
            web.openai.works()
    assert web.serper.requests == [], "this contract tells the failure, and searches nowhere else"


@pytest.mark.promise("case-20")
@pytest.mark.parametrize(
    "body",
    [
        response(*CITED, searches=False),
        response(*CITED, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        response(output=[]),
        {"output": "nothing of use"},
    ],
    ids=["no search", "incomplete", "empty", "wrong type"],
)
async def test_an_answer_that_cannot_be_trusted_is_none(
    web: PocketWeb, server: Server, body: dict[str, object]
) -> None:
    """Acceptance case 20: a message without a search call is a parse error, `incomplete` is an error."""
    web.openai.replies(json=body)
    async with connected(server, web.environment("openai"), "http") as client:
        code, _ = refused(await ask(client))
    assert code == "PARSE"


async def test_when_the_model_says_when_to_come_back_that_is_passed_on(web: PocketWeb, server: Server) -> None:
    web.openai.fails("429", retry_after=120)
    async with connected(server, web.environment("openai"), "http") as client:
        first, second = await ask(client), await ask(client, query="and again")
    assert refused(first)[0] == "RATE_LIMIT"
    assert typed(first)["error"]["retry_after"] == 120
    assert refused(first)[1].endswith("Try again in 120 seconds.")
    assert refused(second)[0] == "RATE_LIMIT"
    assert 100 < typed(second)["error"]["retry_after"] <= 120, "while it is not asked"


@pytest.mark.parametrize("trouble", ["429", "500", "broken_json"])
async def test_the_dowse_contract_answers_itself_when_the_model_fails_and_says_so(
    web: PocketWeb, server: Server, trouble: str
) -> None:
    web.openai.fails(trouble)
    settings = web.environment("openai", "serper")
    async with connected(server, settings, "http", "dowse") as client:
        result = await ask(client, query="what is new in python 3.15")
    found = typed(result, schema_of(AnswerQuestionOutput, FailureOutput))
    assert not result.is_error
    assert found["provider"] == "dowse-extractive"
    assert any(ERRORS[trouble][0] in warning for warning in found["warnings"])
    assert f"Note: {found['warnings'][0]}" in text(result)
    assert found["attempts"][0]["provider"] == "openai"


@pytest.mark.parametrize("trouble", ["401", "400"])
async def test_a_rejected_key_or_request_is_told_in_the_dowse_contract_too(
    web: PocketWeb, server: Server, trouble: str
) -> None:
    web.openai.fails(trouble)
    async with connected(server, web.environment("openai", "serper"), "http", "dowse") as client:
        code, message = refused(await ask(client))
    assert code == ERRORS[trouble][0]
    assert message.endswith("Use web_search meanwhile.")
    assert web.serper.requests == []


async def test_offline_no_provider_is_asked(web: PocketWeb, server: Server) -> None:
    settings = web.environment("openai", "serper") | {"DOWSE_OFFLINE": "true"}
    async with connected(server, settings, "http") as client:
        code, message = refused(await ask(client))
    assert code == "PROVIDER"
    assert message.endswith("offline mode is enabled.")
    assert web.openai.requests == web.serper.requests == []


async def test_a_key_that_the_model_repeats_is_masked_and_the_indices_are_right_all_the_same(
    web: PocketWeb, server: Server
) -> None:
    written = f"🦦 The key is {web.openai.key}. Otters weigh nine kilograms."
    start = written.index(OTTERS)
    source = {"url": "https://zoo.example/", "title": "The zoo"}
    indices = {"start_index": start, "end_index": start + len(OTTERS)}
    web.openai.writes(written, [{"type": "url_citation", **source, **indices}])
    async with connected(server, web.environment("openai"), "http") as client:
        found = typed(await ask(client))
    assert found["text"] == "🦦 The key is [redacted]. Otters weigh nine kilograms."
    (item,) = found["citations"]
    assert found["text"][item["startIndex"] : item["endIndex"]] == item["textSnippet"] == OTTERS


async def test_the_typed_half_can_be_left_out(web: PocketWeb, server: Server) -> None:
    web.openai.replies(json=response(*CITED))
    settings = web.environment("openai") | {"DOWSE_STRUCTURED": "off"}
    async with connected(server, settings, "http") as client:
        (tool,) = (await client.list_tools()).tools
        result = await ask(client)
    assert (tool.output_schema, result.structured_content) == (None, None)
    assert json.loads(text(result))["text"] == TEXT


async def test_an_answer_is_remembered_and_keeps_the_time_at_which_it_was_given(web: PocketWeb, server: Server) -> None:
    web.openai.replies(json=response(*CITED))
    settings = web.environment("openai") | {"DOWSE_TTL_ANSWERS": "5m", "DOWSE_STATE": "memory:"}
    async with connected(server, settings, "http") as client:
        first, second = typed(await ask(client)), typed(await ask(client))
    assert len(web.openai.requests) == 1
    times = [datetime.fromisoformat(found.pop("respondedAt")) for found in (first, second)]
    assert abs((times[1] - times[0]).total_seconds()) < 60
    assert first == second


async def test_the_log_has_neither_the_question_nor_what_was_found(web: PocketWeb, server: Server) -> None:
    web.openai.replies(json=response(*CITED))
    async with connected(server, web.environment("openai"), "stdio", "dowse") as client:
        await ask(client, query="how heavy is the secret otter")
    assert "query_hash" in server.log
    for word in ("secret otter", "zoo.example", "nine kilograms", "The zoo", "Swimming"):
        assert word not in server.log
