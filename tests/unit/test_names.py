"""Names that are contracts: people have them in their settings, scripts, dashboards and prompts. Add, never change."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from dowse.app import App
from dowse.contracts.render import note
from dowse.core.models import Page, Status
from dowse.settings import all_settings
from dowse.settings.sources import load
from dowse.surfaces.cli import main as cli
from tests.support.tables import each_row

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"

VARIABLES = """
SERPER_API_KEY EXA_API_KEY TAVILY_API_KEY OPENAI_API_KEY GITHUB_TOKEN STACKEXCHANGE_KEY
SERPER_ENABLED EXA_ENABLED TAVILY_ENABLED SEARXNG_ENABLED OPENAI_ENABLED
SERPER_TIMEOUT EXA_TIMEOUT TAVILY_TIMEOUT SEARXNG_TIMEOUT OPENAI_TIMEOUT SERPER_HTTP_TIMEOUT SEARXNG_TIMEOUT_SECONDS
SERPER_SEARCH_ENDPOINT SERPER_SCRAPE_ENDPOINT EXA_SEARCH_ENDPOINT EXA_CONTENTS_ENDPOINT
TAVILY_SEARCH_ENDPOINT TAVILY_EXTRACT_ENDPOINT SEARXNG_URL SEARXNG_BASE_URL OPENAI_BASE_URL GITHUB_API_URL
STACKEXCHANGE_API_URL WIKIPEDIA_API_URL ARXIV_API_URL HACKERNEWS_API_URL PYPI_URL NPM_REGISTRY_URL CROSSREF_API_URL
SEARX_SPACE_URL EXA_MCP_URL PARALLEL_MCP_URL FIRECRAWL_MCP_URL DUCKDUCKGO_URL MOJEEK_URL
SEARXNG_LANGUAGE SEARXNG_CATEGORIES SEARXNG_ENGINES SEARXNG_TIME_RANGE SEARXNG_SAFESEARCH SEARXNG_USER_AGENT
SEARXNG_HEADERS_JSON TAVILY_SEARCH_DEPTH OPENAI_MODEL OPENAI_TEMPERATURE OPENAI_MAX_OUTPUT_TOKENS
FASTMCP_HOST FASTMCP_PORT MCP_ALLOW_TTY_STDIO LOG_LEVEL KINDLY_WEB_SEARCH_MAX_CONCURRENCY
DOWSE_CONTRACT DOWSE_SEARCH_ORDER DOWSE_READ_ORDER DOWSE_FALLBACK DOWSE_KEYLESS DOWSE_KEYLESS_ORDER DOWSE_OFFLINE
DOWSE_DEADLINE_S DOWSE_STATE DOWSE_ALLOW_PRIVATE DOWSE_LOG_LEVEL DOWSE_LOG_QUERIES DOWSE_STRUCTURED
DOWSE_FETCH_CONTENT DOWSE_DEFAULT_LANGUAGE DOWSE_DEFAULT_CATEGORY DOWSE_DEFAULT_SAFE_SEARCH
DOWSE_MAX_CONCURRENT_FETCHES DOWSE_RESPECT_ROBOTS DOWSE_ROTATE_USER_AGENTS DOWSE_BROWSER DOWSE_BROWSER_PATH
DOWSE_BROWSER_URL DOWSE_TOKENS DOWSE_TOKENS_FILE DOWSE_JWT_ISSUER DOWSE_JWT_AUDIENCE DOWSE_JWKS_URL
DOWSE_ALLOWED_HOSTS DOWSE_ALLOWED_ORIGINS DOWSE_TRUSTED_PROXIES DOWSE_LIMIT_WEB_SEARCH DOWSE_LIMIT_GET_CONTENT
DOWSE_BUDGET_SERPER DOWSE_BUDGET_TAVILY DOWSE_TTL_SEARCH DOWSE_TTL_NEWS DOWSE_TTL_PAGES DOWSE_TTL_FAILURES DOWSE_HEDGE
DOWSE_WIRES DOWSE_LOG_FORMAT DOWSE_PROVIDERS_FILE DOWSE_PROXY GITHUB_PRIVATE
""".split()
TOOLS = {
    "dowse": {"web_search", "get_content", "answer_question"},
    "kindly": {"web_search", "get_content"},
    "jan": {"google_search", "scrape"},
    "swissarmyhammer": {"web_search"},
    "answers": {"search_web"},
}
COMMANDS = {
    *("search", "read", "answer", "serve", "doctor", "demo", "cache", "instances", "token"),
    *("providers", "config", "completion", "usage"),
}
SCRIPTS = {"dowse", "kindly-web-search-mcp-server", "kindly-web-search", "mcp-web-search"}
REASONS = {
    "not_fetched": "not requested",
    "blocked": "the site refused or challenged the request",
    "not_found": "the page does not exist",
    "login_required": "the page needs a login or a subscription",
    "timeout": "the page took too long",
    "too_large": "the page is too large",
    "unsupported": "the content type is not supported",
    "denied": "the address is not allowed",
    "robots": "the site's robots.txt does not allow it",
    "offline": "offline mode is enabled",
    "error": "the page could not be read",
}


@pytest.mark.promise("names-variables")
def test_every_variable_that_is_a_contract_is_a_setting() -> None:
    known = {name for setting in all_settings() for name in setting.variables}
    assert set(VARIABLES) - known == set()


@pytest.mark.promise("names-tools")
@each_row(("contract", "tools"), TOOLS.items())
async def test_a_contract_has_exactly_its_tools(contract: str, tools: set[str]) -> None:
    async with App(load({}, {"DOWSE_CONTRACT": contract, "DOWSE_STATE": "memory:"}).settings) as app:
        assert {tool.name for tool in app.contract.tools} == tools


@pytest.mark.promise("names-commands")
def test_commands_and_console_scripts_keep_their_names() -> None:
    parser = cli._parser()
    assert parser._subparsers is not None
    (commands,) = parser._subparsers._group_actions
    assert set(commands.choices or ()) >= COMMANDS
    assert set(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["scripts"]) >= SCRIPTS


@pytest.mark.promise("names-statuses")
def test_statuses_of_pages_are_fixed() -> None:
    assert {str(status) for status in Status} == {"ok", "truncated", *REASONS}


@pytest.mark.promise("names-statuses")
@each_row(("status", "reason"), REASONS.items())
def test_the_note_of_a_status_is_fixed(status: str, reason: str) -> None:
    page = Page("https://a.example/", Status(status))
    assert note(page) == f"_Failed to retrieve page content: {reason}_\n\nSource: https://a.example/"
