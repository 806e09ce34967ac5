"""The declared settings: values as people write them, aliases, activity, and what is secret."""

import json

import pytest

from dowse.core.allowances import Budget, Pace, Rate
from dowse.settings import SEARCHERS, SPECS, Settings, all_settings
from dowse.settings.model import value_of
from dowse.settings.sources import load
from tests.support.tables import each_row

KEY = "sk-canary-5e9a1c47d20b83f6"
SETTINGS = {name: setting for setting in all_settings() for name in setting.variables}


def read(**environ: str) -> Settings:
    return load({}, environ).settings


@each_row(
    ("written", "seconds"), [("15", 15.0), ("15s", 15.0), ("500ms", 0.5), ("1.5 m", 90.0), ("1H", 3600.0), (" 2s ", 2)]
)
def test_durations_have_units(written: str, seconds: float) -> None:
    assert read(SERPER_TIMEOUT=written).providers["serper"].timeout_s == seconds


@each_row(("written", "size"), [("100", 100), ("5MB", 5_000_000), ("1.5 kb", 1500), ("0.05GB", 50_000_000)])
def test_sizes_have_units(written: str, size: int) -> None:
    assert read(DOWSE_MAX_CONTENT_SIZE=written).max_content_size == size


@each_row("written", ["true", "1", "YES", "on"])
def test_many_words_mean_yes(written: str) -> None:
    assert read(DOWSE_OFFLINE=written).offline is True


@each_row("written", ["false", "0", "No", "OFF"])
def test_many_words_mean_no(written: str) -> None:
    assert read(DOWSE_FETCH_CONTENT=written, DOWSE_STRUCTURED=written).fetch_content is False


@each_row(("written", "level"), [("INFO", "info"), ("Warn", "warning"), ("trace", "debug"), ("CRITICAL", "error")])
def test_log_levels_of_other_systems_are_understood(written: str, level: str) -> None:
    assert read(LOG_LEVEL=written).log_level == level


def test_lists_are_lower_case_and_without_repetition() -> None:
    assert read(DOWSE_SEARCH_ORDER=" Tavily,exa ,,tavily").search_order == ("tavily", "exa")
    assert read(DOWSE_ALLOW_PRIVATE="LocalHost:80, [::1]:8080").allow_private == ("localhost:80", "[::1]:8080")


ALIASES = [
    ("SERPER_TIMEOUT", "SERPER_HTTP_TIMEOUT", ("3", 3.0), ("4", 4.0)),
    ("SEARXNG_TIMEOUT", "SEARXNG_TIMEOUT_SECONDS", ("3", 3.0), ("4", 4.0)),
    (
        *("SEARXNG_URL", "SEARXNG_BASE_URL"),
        *(("http://a.example", ("http://a.example",)), ("http://b.example,http://c", ("http://b.example", "http://c"))),
    ),
    ("DOWSE_DEADLINE_S", "DOWSE_DEFAULT_TIMEOUT", ("3", 3.0), ("4", 4.0)),
    ("DOWSE_DEADLINE_S", "KINDLY_TOOL_TOTAL_TIMEOUT_SECONDS", ("3", 3.0), ("4", 4.0)),
    (
        "DOWSE_MAX_CONCURRENT_FETCHES",
        "KINDLY_WEB_SEARCH_MAX_CONCURRENCY",
        ("3", 3),
        ("4", 4),
    ),
    (
        "DOWSE_CONTENT_FETCH_TIMEOUT",
        "KINDLY_HTML_TOTAL_TIMEOUT_SECONDS",
        ("3", 3.0),
        ("4", 4.0),
    ),
    ("DOWSE_HOST", "FASTMCP_HOST", ("127.0.0.2",) * 2, ("127.0.0.3",) * 2),
    ("DOWSE_PORT", "FASTMCP_PORT", ("3", 3), ("4", 4)),
    ("DOWSE_PORT", "MCP_TOOLS_HTTP_PORT", ("3", 3), ("4", 4)),
    *(
        ("DOWSE_BROWSER_PATH", alias, ("/opt/a",) * 2, ("/opt/b",) * 2)
        for alias in ("KINDLY_BROWSER_EXECUTABLE_PATH", "BROWSER_EXECUTABLE_PATH", "CHROME_BIN", "CHROME_PATH")
    ),
    ("DOWSE_BROWSER_SANDBOX", "KINDLY_NODRIVER_SANDBOX", ("auto",) * 2, ("1", "on")),
    (
        "DOWSE_BROWSER_READY_TIMEOUT",
        "KINDLY_NODRIVER_DEVTOOLS_READY_TIMEOUT_SECONDS",
        ("3", 3.0),
        ("4", 4.0),
    ),
    (
        "DOWSE_BROWSER_RETRY_ATTEMPTS",
        "KINDLY_NODRIVER_RETRY_ATTEMPTS",
        ("2", 2),
        ("4", 4),
    ),
    (
        "DOWSE_BROWSER_RETRY_BACKOFF",
        "KINDLY_NODRIVER_RETRY_BACKOFF_SECONDS",
        ("3", 3.0),
        ("0", 0.0),
    ),
    (
        "DOWSE_BROWSER_SNAP_MULTIPLIER",
        "KINDLY_NODRIVER_SNAP_BACKOFF_MULTIPLIER",
        ("2", 2.0),
        ("4.5", 4.5),
    ),
    ("DOWSE_LOG_LEVEL", "LOG_LEVEL", ("debug",) * 2, ("error",) * 2),
]


@each_row(("name", "alias", "ours", "theirs"), ALIASES)
def test_an_alias_counts_until_the_main_name_is_set(
    name: str, alias: str, ours: tuple[str, object], theirs: tuple[str, object]
) -> None:
    setting = SETTINGS[name]
    assert value_of(read(**{alias: theirs[0]}), setting) == theirs[1]
    assert value_of(read(**{alias: theirs[0], name: ours[0]}), setting) == ours[1]
    assert value_of(read(**{alias: theirs[0], name: ""}), setting) == theirs[1]


def test_every_alias_is_covered_above() -> None:
    declared = {alias for setting in all_settings() for alias in setting.variables[1:]}
    assert declared == {alias for _, alias, *_ in ALIASES}


def test_no_variable_belongs_to_two_settings() -> None:
    names = [name for setting in all_settings() for name in setting.variables]
    assert len(names) == len(set(names))


def test_every_setting_says_what_it_is_for() -> None:
    for setting in all_settings():
        assert setting.about.endswith("."), setting


def test_the_words_for_a_kind_complete_a_sentence() -> None:
    takes = [setting.takes for setting in all_settings()]
    assert all(what and not what.endswith(".") for what in takes)


@each_row("provider", SEARCHERS)
@each_row(
    ("has_credential", "flag", "active"),
    [
        (False, None, False),
        (False, "true", False),
        (False, "false", False),
        (True, None, True),
        (True, "true", True),
        (True, "false", False),
    ],
)
def test_a_provider_is_active_with_a_credential_unless_switched_off(
    provider: str, has_credential: bool, flag: str | None, active: bool
) -> None:
    spec = SPECS[provider]
    environ = {spec.credential: KEY if spec.key else "https://searx.example"} if has_credential else {}
    if flag:
        environ[f"{provider.upper()}_ENABLED"] = flag
    settings = read(**environ)
    # With an optional key the flag alone is enough.
    active = active or (flag == "true" and spec.is_key_optional)
    assert {name for name in SEARCHERS if settings.is_active(name)} == ({provider} if active else set())


def test_secrets_are_all_keys_the_headers_that_hold_one_and_a_password_in_the_address() -> None:
    settings = read(
        SERPER_API_KEY="serper-key",
        EXA_API_KEY="exa-key",
        TAVILY_API_KEY="tavily-key",
        SEARXNG_HEADERS_JSON='{"X-Api-Key": "first", "AUTHORIZATION": "second", "Accept-Language": "en"}',
        SEARXNG_URL="https://me:hunter2%40home@searx.example",
    )
    assert settings.secrets() == (
        "serper-key",
        "exa-key",
        "tavily-key",
        "first",
        "second",
        "hunter2%40home",
        "hunter2@home",
        "me:hunter2@home",
    )


@each_row(
    "name",
    [
        "Authorization",
        "Proxy-Authorization",
        "X-Auth",
        "Cookie",
        "X-Api-Key",
        "apikey",
        "CF-Access-Token",
        "X-Client-Secret",
        "X-Password",
        "X-Credential",
        "X-Session-Id",
        "X-Signature",
        "X-Gate",
    ],
)
def test_any_other_header_holds_a_secret(name: str) -> None:
    assert read(SEARXNG_HEADERS_JSON=f'{{"{name}": "{KEY}"}}').secrets() == (KEY,)


@each_row("name", ["Accept-Language", "User-Agent", "X-Forwarded-For", "DNT", "Referer"])
def test_a_header_known_to_be_harmless_holds_none(name: str) -> None:
    """Masking the value of an Accept-Language would eat ordinary words."""
    assert read(SEARXNG_HEADERS_JSON=f'{{"{name}": "en"}}').secrets() == ()


def test_without_any_credential_nothing_is_secret() -> None:
    assert read(SEARXNG_URL="https://me@searx.example").secrets() == ()


def test_no_secret_shows_when_settings_are_printed() -> None:
    settings = read(SERPER_API_KEY=KEY, SEARXNG_HEADERS_JSON=f'{{"X-A": "{KEY}"}}')
    assert KEY not in repr(settings) + str(settings) + settings.model_dump_json()


def test_settings_do_not_change_once_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read().offline = True


@each_row(
    ("written", "rate"),
    [
        ("20/10m", Rate(20, 600)),
        ("1/s", Rate(1, 1)),
        ("100 / h", Rate(100, 3600)),
        ("5/30", Rate(5, 30)),
        ("1000/1D", Rate(1000, 86_400)),
    ],
)
def test_a_limit_is_calls_per_time(written: str, rate: Rate) -> None:
    assert read(DOWSE_LIMIT_SCRAPE=written).limits["scrape"] == rate


def test_a_tool_without_a_limit_has_none() -> None:
    assert read(DOWSE_LIMIT_SCRAPE="1/s").limits["web_search"] is None
    assert read().limits.get("no_such_tool") is None


@each_row(
    ("written", "budget"),
    [
        ("500calls/month", Budget(500, "calls", "month")),
        ("1 call / day", Budget(1, "calls", "day")),
        ("10.0calls/day", Budget(10, "calls", "day")),
        ("5usd/month", Budget(5, "usd", "month")),
        ("0.5 USD/day", Budget(0.5, "usd", "day")),
    ],
)
def test_a_budget_is_calls_or_dollars_per_calendar_period(written: str, budget: Budget) -> None:
    assert read(DOWSE_BUDGET_EXA=written).budget("exa") == budget
    assert read(DOWSE_BUDGET_EXA=written).budget("serper") is None


@each_row("written", ["20/10m", "1/1s", "100/1h", "5/30s", "1000/1d", "7/90m"])
def test_a_limit_is_shown_as_it_is_written(written: str) -> None:
    assert str(read(DOWSE_LIMIT_SCRAPE=written).limits["scrape"]) == written


@each_row(
    ("written", "pace"),
    [
        ("5/s", Pace(Rate(5, 1))),
        ("4 at once", Pace(at_once=4)),
        ("100/m, 4 At Once", Pace(Rate(100, 60), 4)),
        ("4 at once,1/3s", Pace(Rate(1, 3), 4)),
        ("off", Pace()),
    ],
)
def test_a_pace_is_calls_per_time_and_calls_at_once(written: str, pace: Pace) -> None:
    assert read(DOWSE_PACE_EXA=written).pace("exa") == pace
    assert str(read(DOWSE_PACE_EXA=str(pace)).pace("exa")) == str(pace)


def test_pages_of_exa_are_not_held_back_by_the_pace_of_its_searches() -> None:
    assert read().pace("exa", "search") == Pace(Rate(10, 1))
    assert read().pace("exa", "read") == Pace()
    assert read().pace("serper", "read") == read().pace("serper", "search")


def test_a_provider_of_which_nothing_is_known_is_asked_as_fast_as_it_answers() -> None:
    assert read().pace("somebodys_mcp_server") == Pace()


def test_of_the_address_of_a_browser_the_credentials_are_secret() -> None:
    settings = read(
        DOWSE_BROWSER_URL="wss://user:pa55-word@browser.example/a1b2c3d4e5?token=0123456789abcdef&stealth=1"
    )
    assert {"pa55-word", "0123456789abcdef", "a1b2c3d4e5"} < set(settings.secrets())
    assert "1" not in settings.secrets()
    assert "pa55" not in repr(settings) and "0123456789" not in repr(settings)
    assert read(DOWSE_BROWSER_URL="http://127.0.0.1:9222").secrets() == ()


def test_processes_share_what_they_remember_only_if_they_would_find_the_same() -> None:
    usual = read(SERPER_API_KEY=KEY).scope()
    same = read(
        SERPER_API_KEY=KEY, DOWSE_PORT="9000", DOWSE_LOG_LEVEL="debug", DOWSE_TTL_PAGES="2h", DOWSE_DEADLINE_S="9"
    )
    assert same.scope() == usual
    others = [
        {"SERPER_API_KEY": KEY + "1"},
        {"SERPER_API_KEY": KEY, "DOWSE_ALLOW_PRIVATE": "intranet:80"},
        {"SERPER_API_KEY": KEY, "GITHUB_TOKEN": "ghp_other"},
        {"SERPER_API_KEY": KEY, "DOWSE_READ_ORDER": "scrape-first"},
        {"SERPER_API_KEY": KEY, "DOWSE_IMAGES": "alt"},
        {"SERPER_API_KEY": KEY, "SEARXNG_HEADERS_JSON": '{"X-Key": "a"}'},
        {"SERPER_API_KEY": KEY, "SEARXNG_HEADERS_JSON": '{"X-Key": "b"}'},
    ]
    scopes = {read(**environ).scope() for environ in others}
    assert len(scopes) == len(others)
    assert usual not in scopes


def test_texts_of_an_earlier_extraction_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    now = read().scope()
    monkeypatch.setattr("dowse.settings.model.EXTRACTION", 1)
    assert read().scope() != now


POOL = [
    *("tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp", "firecrawl_keyless", "you_keyless"),
    *("keenable_keyless", "open", "marginalia_keyless", "mwmbl", "searxng_pool"),
]


@each_row(
    ("environ", "members"),
    [
        ({}, POOL),
        ({"SERPER_API_KEY": KEY}, []),
        ({"SERPER_API_KEY": KEY, "SERPER_ENABLED": "false"}, POOL),
        ({"SERPER_API_KEY": KEY, "DOWSE_KEYLESS": "fallback"}, POOL),
        ({"DOWSE_KEYLESS": "off"}, []),
        ({"DOWSE_CONTRACT": "kindly"}, []),
        ({"DOWSE_CONTRACT": "jan"}, []),
        ({"DOWSE_CONTRACT": "kindly", "DOWSE_KEYLESS": "on"}, POOL),
        ({"DOWSE_CONTRACT": "swissarmyhammer"}, POOL),
        ({"DOWSE_KEYLESS_ORDER": "open, Exa,searxng-pool"}, ["open", "exa_mcp", "searxng_pool"]),
        ({"EXA_MCP_ENABLED": "false", "OPEN_ENABLED": "off"}, [n for n in POOL if n not in ("exa_mcp", "open")]),
        ({"MOJEEK_ENABLED": "true"}, [*POOL, "mojeek"]),
        ({"GDELT_ENABLED": "true"}, [*POOL, "gdelt"]),
        ({"DOWSE_KEYLESS_ORDER": "you,firecrawl"}, ["you_keyless", "firecrawl_mcp"]),
        ({"DOWSE_KEYLESS_ORDER": "duckduckgo"}, ["duckduckgo"]),
    ],
)
def test_without_a_key_the_pool_answers_unless_a_setting_says_otherwise(
    environ: dict[str, str], members: list[str]
) -> None:
    assert read(**environ).keyless_members() == members


def test_remote_mcp_servers_are_asked_where_the_order_has_them_or_last() -> None:
    described = '{"mine": {"url": "https://a.example/mcp", "tool": "find", "headers": {"X-Key": "canary-value"}}}'
    settings = read(SERPER_API_KEY=KEY, DOWSE_MCP_PROVIDERS=described)
    assert settings.searchers() == ["serper", "mine"]
    assert "canary-value" in settings.secrets()
    assert "canary-value" not in repr(settings)
    assert read(DOWSE_MCP_PROVIDERS=described, DOWSE_SEARCH_ORDER="mine,serper").searchers() == ["mine"]


@each_row("parameter", ["exaApiKey", "api_key", "token", "AUTH"])
def test_a_key_in_the_address_of_an_mcp_server_is_secret(parameter: str) -> None:
    address = f"https://mcp.example/mcp?{parameter}={KEY}&tools=web_search"
    own = json.dumps({"mine": {"url": address, "tool": "web_search", "arguments": {"key": KEY}}})
    assert read(EXA_MCP_URL=address).secrets() == (KEY,)
    assert set(read(DOWSE_MCP_PROVIDERS=own).secrets()) == {KEY}
    assert KEY not in repr(read(DOWSE_MCP_PROVIDERS=own))


@each_row("name", ["apiKey", "access_token"])
def test_a_key_among_the_fixed_arguments_of_an_mcp_server_is_secret(name: str) -> None:
    arguments = {name: KEY, "region": "europe", "keys": 2}
    own = json.dumps({"mine": {"url": "https://mcp.example/mcp", "tool": "web_search", "arguments": arguments}})
    assert read(DOWSE_MCP_PROVIDERS=own).secrets() == (KEY,)


def test_who_asks_an_mcp_server_with_another_key_shares_no_answers() -> None:
    def asked(key: str, url: str = "https://mcp.example/mcp") -> bytes:
        described = {"url": url, "tool": "web_search", "headers": {"Authorization": key}}
        return read(DOWSE_MCP_PROVIDERS=json.dumps({"mine": described})).scope()

    assert asked("one") == asked("one")
    assert asked("one") != asked("another")
    assert asked("one") != asked("one", "https://mcp.example/other")
