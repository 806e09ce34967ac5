"""What an MCP server says went wrong has a type, and its words are shown but not logged."""

from dowse.core import errors
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.net.json_fields import Json
from dowse.providers.mcp.results import rpc_failure, tool_failure, without_results
from dowse.secrets.redact import Redactor
from tests.support.tables import each_row


def _api(key_variable: str = "") -> Api:
    return Api("mine", ConfiguredClient("dowse/test"), 5.0, key_variable, Redactor())


@each_row(
    ("words", "expected"),
    [
        ("You have hit the free rate limit.", errors.RateLimited),
        ("Search error (429): slow", errors.RateLimited),
        ("Too Many Requests", errors.RateLimited),
        ("Daily limit reached, come again tomorrow", errors.RateLimited),
        ("Your quota is used up", errors.QuotaSpent),
        ("Not enough credits", errors.QuotaSpent),
        ("Anonymous access is unavailable for this request", errors.Blocked),
        ("API key is required", errors.Blocked),
        ("MCP error -32602: Tool web_search not found", errors.BadRequest),
        ("Unknown tool: web_search", errors.BadRequest),
        ("Input validation error: 'query' is a required property", errors.BadRequest),
        ("Invalid arguments for tool web_search", errors.BadRequest),
        ("Error executing tool search: 1 validation error for searchArguments", errors.BadRequest),
        ("Something broke", errors.Unavailable),
        ("", errors.Unavailable),
    ],
)
def test_a_failure_of_the_tool_is_told_by_its_words(words: str, expected: type[errors.ProviderError]) -> None:
    failure = tool_failure(_api(), {"isError": True}, words)
    assert type(failure) is expected
    assert words in str(failure)
    assert not words or words not in failure.logged_detail


def test_with_a_key_no_access_means_that_the_key_is_wrong() -> None:
    failure = tool_failure(_api("DOWSE_MCP_PROVIDERS"), {"isError": True}, "Unauthorized")
    assert type(failure) is errors.KeyRejected
    assert "check DOWSE_MCP_PROVIDERS" in str(failure)


@each_row("result", [{}, {"isError": False}, {"isError": "no"}, {"_meta": {"x/rateLimited": False}}])
def test_a_result_that_tells_of_no_failure_is_none(result: Json) -> None:
    assert tool_failure(_api(), result, "about rate limits and quota") is None


@each_row(
    ("wait", "expected"), [(30, 30.0), (0, None), (-1, None), (True, None), ("30", None), (10**400, None), (None, None)]
)
def test_the_wait_that_a_server_asks_for_is_read_and_nonsense_is_not(wait: object, expected: float | None) -> None:
    told = {"isError": True, "structuredContent": {"retry_after_seconds": wait}}
    failure = tool_failure(_api(), told, "rate limit")
    assert failure is not None
    assert failure.retry_after_s == expected


def test_a_short_excuse_in_place_of_results_is_a_limit_and_a_long_text_is_not() -> None:
    assert type(without_results(_api(), "You've hit the rate limit.")) is errors.RateLimited
    assert type(without_results(_api(), "How to set a rate limit. " * 100)) is errors.BadAnswer
    assert type(without_results(_api(), "Hello")) is errors.BadAnswer


@each_row("code", [[], {}, None, True, "-32602", -32602.5])
def test_a_code_that_is_no_number_means_nothing(code: object) -> None:
    assert type(rpc_failure(_api(), {"code": code, "message": "Something broke"})) is errors.Unavailable
