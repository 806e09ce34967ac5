"""Where settings come from, which layer wins, and how a wrong value is told."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.errors import ConfigError
from dowse.settings import KEYLESS, SEARCHERS, SPECS, all_settings, sources
from dowse.settings.contracts import CONTRACTS
from dowse.settings.sources import WITHOUT_EFFECT, examine, load
from tests.support.tables import each_row

Write = Callable[[Path, str], Path]
KEY = "sk-canary-5e9a1c47d20b83f6"

DURATION = "takes a duration above zero such as 15s, 500ms or 15."
SIZE = "takes a size such as 5MB or 500kB, up to 50MB."
FLAG = "takes true or false."
ADDRESS = "takes an address that starts with http:// or https://."
PAIRS = "takes exact host:port pairs separated by commas."
LANGUAGE = "takes a language such as en or pt-BR."
LEVELS = "takes one of debug, info, warning, error."
RATE = "takes calls per time such as 20/10m or 100/h."
BUDGET = "takes an amount per day or month such as 500calls/month or 5usd/month."
GUARDRAILS = next(f"takes {each.takes}." for each in all_settings() if each.path == ("guardrails_json",))
HEADERS = 'takes a JSON object of strings such as {"X-Key": "value"}.'

DERIVED = {
    field: [setting for setting in all_settings() if setting.path[0] == "providers" and setting.path[2] == field]
    for field in ("timeout_s", "enabled", "endpoints", "budget", "pace")
}
# Every variable that has a type, with values it does not take and the end of the sentence.
WRONG: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {
    (
        *(name for setting in DERIVED["timeout_s"] for name in setting.variables),
        "DOWSE_INSTANCE_HEALTH_CHECK_INTERVAL",
        "DOWSE_RATE_LIMIT_BACKOFF_BASE",
        "DOWSE_DEADLINE_S",
        "DOWSE_DEFAULT_TIMEOUT",
        "DOWSE_CONTENT_FETCH_TIMEOUT",
        "DOWSE_BROWSER_TIMEOUT",
        "DOWSE_BROWSER_READY_TIMEOUT",
        "KINDLY_NODRIVER_DEVTOOLS_READY_TIMEOUT_SECONDS",
    ): (("0", "-1", "soon", "15x", "1e3", "nan", "inf", "5 s s"), DURATION),
    ("DOWSE_LOG_FORMAT",): (("yaml", "JSON lines", "colour"), "takes one of auto, json, text."),
    ("DOWSE_MAX_CONTENT_SIZE",): (("0", "-1", "5XB", "large", "0.1", "50000001", "51MB", "1GB"), SIZE),
    (
        *(setting.variables[0] for setting in DERIVED["enabled"]),
        "DOWSE_USE_RANDOM_INSTANCES",
        "DOWSE_OFFLINE",
        "DOWSE_FETCH_CONTENT",
        "DOWSE_LOG_QUERIES",
        "MCP_ALLOW_TTY_STDIO",
        "DOWSE_ALLOW_SECRET_URLS",
    ): (("maybe", "2", "tru"), FLAG),
    ("DOWSE_STRUCTURED", "DOWSE_HEDGE", "DOWSE_CONSOLE"): (("maybe",), "takes on or off."),
    ("DOWSE_MAX_CALLS",): (("0", "1001", "many"), "takes a whole number from 1 to 1000."),
    (*(setting.variables[0] for setting in DERIVED["pace"]),): (
        ("slowly", "5", "0/s", "0 at once", "1/s, 2/s", "4 at once, 5 at once", "1/s; 4 at once", "-1 at once"),
        "takes calls per time such as 5/s, a number such as `4 at once`, both, or off.",
    ),
    (
        *(setting.variables[0] for setting in DERIVED["endpoints"]),
        "DOWSE_JWKS_URL",
        "CROSSREF_API_URL",
        "STACKEXCHANGE_API_URL",
        "GITHUB_API_URL",
        "WIKIPEDIA_API_URL",
        "ARXIV_API_URL",
        "HACKERNEWS_API_URL",
        "PYPI_URL",
        "NPM_REGISTRY_URL",
        "NPM_FILES_URL",
        "CRATES_API_URL",
        "MDN_URL",
    ): (("localhost:8080", "ftp://example.org", "file:///etc/passwd", "http://", "//host", "http://[::1"), ADDRESS),
    ("SEARXNG_URL", "SEARXNG_BASE_URL", "YACY_URL"): (
        ("localhost:8080", "ftp://example.org", "http://a.example,b.example", ","),
        "takes an address that starts with http:// or https://, or several separated by commas.",
    ),
    ("GITHUB_PRIVATE",): (
        ("otter", "otter/", "/brook", "otter/..", "*/*", "otter/br*", "otter/brook/x", "https://github.com/a/b"),
        "takes repositories such as owner/repo, owner/* or owner/repo@caller, separated by commas.",
    ),
    ("SEARXNG_FORMAT",): (("xml",), "takes one of json, html, auto."),
    ("DOWSE_KEYLESS",): (("maybe", "2"), "takes on, off or fallback."),
    ("DOWSE_ROTATE_USER_AGENTS",): (("some",), "takes on, off or all."),
    ("OPENAI_TEMPERATURE",): (("hot", "-1", "2.1"), "takes a number from 0 to 2."),
    ("OPENAI_MAX_OUTPUT_TOKENS",): (("-1", "x", "200001"), "takes a whole number from 0 to 200000."),
    ("OPENAI_SEARCH_CONTEXT_SIZE",): (("huge",), "takes one of low, medium, high."),
    ("DOWSE_GUARDRAILS_JSON",): (("x", "[]", '{"a": {}}'), GUARDRAILS),
    ("DOWSE_GUARDRAILS",): (("some",), "takes auto, on or off."),
    ("DOWSE_SCRUB",): (("on",), "takes one of mask, refuse, off."),
    ("DOWSE_REQUEST_DELAY_RANGE",): (
        ("100", "500,100", "-1,5", "a,b", "1,2,3", "0,90000"),
        "takes two numbers of milliseconds such as 100,500.",
    ),
    ("DOWSE_MAX_CONSECUTIVE_FAILURES",): (("0", "101", "x"), "takes a whole number from 1 to 100."),
    ("TAVILY_SEARCH_DEPTH",): (("deep",), "takes one of basic, advanced, fast, ultra-fast."),
    ("SEARXNG_TIME_RANGE",): (("decade",), "takes one of (empty), day, week, month, year."),
    ("SEARXNG_SAFESEARCH", "DOWSE_DEFAULT_SAFE_SEARCH"): (
        ("3", "strict"),
        "takes 0 (off), 1 (moderate) or 2 (strict).",
    ),
    ("DOWSE_SEARXNG_CONTENT",): (("passage", "all"), "takes one of snippets, passages."),
    ("DOWSE_WIRES",): (
        ("maybe", "tavily,bing", "on,tavily", ",", "all"),
        "takes on, off, or names out of searxng, firecrawl, tavily, exa, serper, perplexity, jina, brave, openwebui, "
        "rerank, separated by commas.",
    ),
    ("DOWSE_CONTRACT",): (("bing",), "takes one of dowse, kindly, jan, swissarmyhammer, answers."),
    ("DOWSE_READ_ORDER",): (("scrape",), "takes one of direct-first, scrape-first."),
    ("DOWSE_PORT", "FASTMCP_PORT", "MCP_TOOLS_HTTP_PORT"): (
        ("-1", "65536", "http"),
        "takes a whole number from 0 to 65535.",
    ),
    (
        "DOWSE_LIMIT_WEB_SEARCH",
        "DOWSE_LIMIT_GET_CONTENT",
        "DOWSE_LIMIT_GOOGLE_SEARCH",
        "DOWSE_LIMIT_SCRAPE",
        "DOWSE_LIMIT_EXTRACT",
        "DOWSE_LIMIT_RERANK",
        "DOWSE_LIMIT_MAP_SITE",
        "DOWSE_LIMIT_SEARCH_WEB",
        "DOWSE_LIMIT_ANSWER_QUESTION",
    ): (("20", "0/10m", "20/0m", "20/", "/10m", "-1/m", "1.5/m", "20/fortnight"), RATE),
    (*(setting.variables[0] for setting in DERIVED["budget"]),): (
        ("500", "500calls", "0usd/month", "5eur/month", "5usd/year", "-5usd/month", "0.5calls/month", "1.5calls/day"),
        BUDGET,
    ),
    ("OPENAI_ALLOWED_DOMAINS", "OPENAI_BLOCKED_DOMAINS"): (
        ("*.example.org", "https://a.example", "a b"),
        "takes host names such as search.example.org, separated by commas.",
    ),
    ("DOWSE_ALLOWED_HOSTS",): (
        ("*", "*.example.org", "https://a.example", "a b", "a/b", "a?b", "a#b", "a:", "a:99999", "a:080"),
        "takes host names such as search.example.org, separated by commas.",
    ),
    ("DOWSE_ALLOWED_ORIGINS",): (
        ("*", "null", "a.example", "https://a.example/path", "ftp://a.example", "https://*.example"),
        "takes origins such as https://app.example.org, separated by commas.",
    ),
    ("DOWSE_TRUSTED_PROXIES",): (
        ("*", "proxy.example", "10.0.0.0/99", "10.0.0"),
        "takes addresses or networks such as 10.0.0.0/8, separated by commas.",
    ),
    ("DOWSE_STATE",): (
        ("here.db", "sqlite://", "postgres://host/db", "memory", "redis://", "redis://host/db"),
        "takes sqlite:///PATH, memory: or the address of a Redis or Valkey such as redis://HOST:6379/0, rediss:// for "
        "TLS, redis+sentinel://HOST,HOST/SERVICE or redis+cluster://HOST,HOST.",
    ),
    ("DOWSE_FALLBACK",): (("always",), "takes one of transient, any."),
    ("DOWSE_DEFAULT_CATEGORY",): (
        ("cats",),
        "takes one of general, images, videos, news, map, music, it, science, files.",
    ),
    ("DOWSE_DEFAULT_RESULTS_COUNT", "DOWSE_MAX_RESULTS_COUNT"): (
        ("0", "51", "-3", "many", "2.5"),
        "takes a whole number from 1 to 50.",
    ),
    ("DOWSE_MAX_CONCURRENT_FETCHES", "KINDLY_WEB_SEARCH_MAX_CONCURRENCY"): (
        ("0", "65", "x"),
        "takes a whole number from 1 to 64.",
    ),
    ("DOWSE_RESPECT_ROBOTS",): (("always", "true"), "takes one of search, all, off."),
    ("DOWSE_NAT64_PREFIXES",): (
        ("10.0.0.0/8", "2001:db8::/33", "2001:db8::1/96", "nat64"),
        "takes IPv6 prefixes such as 2001:db8:64::/96, separated by commas.",
    ),
    ("DOWSE_IMAGES",): (("all", "true"), "takes one of alt, none."),
    ("DOWSE_SEMANTIC",): (("on", "true"), "takes one of auto, off."),
    ("DOWSE_BOOST", "DOWSE_BURY", "DOWSE_BLOCK"): (
        ("com", "https://python.org", "a b.org", "py*.org", "python.org,,x y"),
        "takes sites such as python.org, *.gov, docs.* or github.com/spam, separated by commas.",
    ),
    ("DOWSE_PDF_MAX_PAGES", "ARXIV_MAX_PAGES"): (("0", "2001", "all"), "takes a whole number from 1 to 2000."),
    ("GITHUB_MAX_COMMENTS", "HACKERNEWS_MAX_COMMENTS"): (("0", "501", "x"), "takes a whole number from 1 to 500."),
    ("STACKEXCHANGE_MAX_CHARS", "GITHUB_MAX_CHARS", "WIKIPEDIA_MAX_CHARS", "ARXIV_MAX_CHARS"): (
        ("99", "200001", "20k"),
        "takes a whole number from 100 to 200000.",
    ),
    ("DOWSE_DEFAULT_LANGUAGE",): (("english", "EN", "pt_BR", "pt-br"), LANGUAGE),
    ("DOWSE_ALLOW_PRIVATE",): (
        ("localhost", "a:0", "a:65536", ":80", "a:b", "a:80,b", "*:80", "10.0.0.0/8:80", "[::1]"),
        PAIRS,
    ),
    ("DOWSE_LOG_LEVEL",): (("loud",), LEVELS),
    ("DOWSE_BROWSER",): (("on", "chrome"), "takes one of auto, off."),
    ("DOWSE_BROWSER_URL",): (
        ("localhost:9222", "ftp://host", "wss://", "file:///x"),
        "takes an address that starts with ws://, wss://, http:// or https://.",
    ),
    ("DOWSE_BROWSER_SANDBOX", "KINDLY_NODRIVER_SANDBOX"): (("maybe", "2"), "takes auto, on or off."),
    ("DOWSE_BROWSER_MAX_PAGES",): (("-1", "65", "x"), "takes a whole number from 0 to 64."),
    ("DOWSE_BROWSER_RETRY_ATTEMPTS", "KINDLY_NODRIVER_RETRY_ATTEMPTS"): (
        ("0", "6", "x"),
        "takes a whole number from 1 to 5.",
    ),
    (
        "DOWSE_TTL_SEARCH",
        "DOWSE_TTL_NEWS",
        "DOWSE_TTL_PAGES",
        "DOWSE_TTL_FAILURES",
        "DOWSE_TTL_ROBOTS",
        "DOWSE_TTL_STALE",
        "DOWSE_TTL_ANSWERS",
    ): (("-1", "soon", "5x", "nan"), "takes a duration such as 30s, 5m or 24h, or 0 for not at all."),
    ("DOWSE_CACHE_SIZE",): (("0", "10", "999kB", "101GB", "much"), "takes a size from 1MB to 100GB such as 256MB."),
    ("DOWSE_BROWSER_RETRY_BACKOFF", "KINDLY_NODRIVER_RETRY_BACKOFF_SECONDS"): (
        ("-1", "soon", "nan"),
        "takes a duration such as 500ms or 2, or 0 for none.",
    ),
    ("DOWSE_BROWSER_SNAP_MULTIPLIER", "KINDLY_NODRIVER_SNAP_BACKOFF_MULTIPLIER"): (
        ("0", "0.9", "21", "x", "nan"),
        "takes a number from 1 to 20.",
    ),
}
CASES = [(name, value, end) for names, (values, end) in WRONG.items() for name in names for value in values]


@pytest.fixture
def write() -> Write:
    def write_file(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default(
    tmp_path: Path, write: Write
) -> None:
    write(tmp_path / "dowse.toml", 'fallback = "any"\ncontract = "kindly"\ndefault_language = "de"\n')
    environ = {"DOWSE_CONTRACT": "dowse", "DOWSE_DEFAULT_LANGUAGE": "fr"}
    settings = load({"DOWSE_DEFAULT_LANGUAGE": "pt-BR"}, environ).settings
    assert (settings.default_language, settings.contract, settings.fallback) == ("pt-BR", "dowse", "any")
    assert settings.max_results_count == 50


def test_a_flag_that_was_not_given_leaves_the_environment_alone() -> None:
    assert load({"DOWSE_LOG_LEVEL": None}, {"DOWSE_LOG_LEVEL": "error"}).settings.log_level == "error"


def test_the_real_environment_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_DEADLINE_S", "7")
    assert load().settings.deadline_s == 7.0


def test_an_alias_in_a_stronger_layer_beats_the_main_name_in_a_weaker_one(tmp_path: Path, write: Write) -> None:
    write(tmp_path / "dowse.toml", 'serper_timeout = "9s"\n')
    assert load({}, {"SERPER_HTTP_TIMEOUT": "3"}).settings.providers["serper"].timeout_s == 3.0


def in_rounds(cases: list[tuple[str, str, str]]) -> list[dict[str, tuple[str, str]]]:
    """The cases by variable, as few environments as possible: in each, a setting has one of its names."""
    fields = {name: setting.variables[0] for setting in all_settings() for name in setting.variables}
    rounds: list[dict[str, tuple[str, str]]] = []
    seen: Counter[str] = Counter()
    for name, value, end in cases:
        number = seen[fields[name]]
        seen[fields[name]] += 1
        if number == len(rounds):
            rounds.append({})
        rounds[number][name] = value, end
    return rounds


@each_row("environment", in_rounds(CASES))
def test_an_invalid_value_is_one_sentence_with_the_variable_and_what_it_takes(
    environment: dict[str, tuple[str, str]],
) -> None:
    problems = examine({}, {name: value for name, (value, _) in environment.items()}).problems
    expected = [f"{name} is {value!r}, but it {end}" for name, (value, end) in environment.items()]
    assert sorted(problems) == sorted(expected)


MISPLACED = (
    *(
        "{}",
        "https://user:{}@host:bad/",
        "http://h:99999/?api_key={}",
        "ftp://h/?token={}",
        "a,{}",
        "{}=1",
        "Bearer {}",
    ),
    *('{{"a": "{}"}}', '{{"exa": {{"url": "http://x/?key={}"}}}}', "a:{0},a:{0}", "redis://h?x={}", "rediss://{}@h"),
    *("15s{}", "http://{}", "{0}/{0}", "sqlite://{}", "[{}", '"{}', "ftp://h/{}#x"),
)


@pytest.mark.promise("hardened-configuration-errors")
@each_row(
    "key",
    [KEY, "hunter2hunter2", "correct-horse-battery", "0123456789abcdef", "open-sesame-pw", "correcthorse", "s3cr3tpw1"],
)
def test_no_sentence_about_a_setting_repeats_a_key(key: str) -> None:
    """Whichever variable the key was written to, in whichever shape."""
    names = [name for setting in all_settings() for name in setting.variables]
    assert len(names) > 150
    said: list[str] = []
    for shape in MISPLACED:
        loaded = examine({}, dict.fromkeys(names, shape.format(key)))
        said += [*loaded.problems, *loaded.warnings]
    # The control: something was said of nearly every variable.
    assert len(said) > 100 * len(MISPLACED) / 2
    assert [sentence for sentence in said if key in sentence] == []


def test_a_long_value_is_quoted_if_it_is_nearly_a_choice() -> None:
    (problem,) = examine({}, {"DOWSE_CONTRACT": "swissarmyhamer"}).problems
    assert problem.startswith("DOWSE_CONTRACT is 'swissarmyhamer', but it takes one of ")


@pytest.mark.promise("hardened-configuration-errors")
@each_row("text", ['serper_api_key = "{}', "a = {}", '"{}" = ', "serper_api_key = '{}'\nserper_api_key = '{}'", "[{}"])
def test_a_broken_file_is_named_without_its_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(text.replace("{}", KEY), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load({}, {"DOWSE_CONFIG": str(path)})
    assert str(path) in str(caught.value)
    assert KEY not in str(caught.value)


def test_the_first_invalid_value_stops_the_start() -> None:
    name, value, end = CASES[0]
    with pytest.raises(ConfigError) as caught:
        load({}, {name: value})
    assert str(caught.value) == f"{name} is {value!r}, but it {end}"


def test_a_log_level_that_is_meant_for_another_program_is_ignored_with_a_warning() -> None:
    """LOG_LEVEL is a name that others use as well: their value is not the user's mistake."""
    loaded = load({}, {"LOG_LEVEL": "loud", "DOWSE_FALLBACK": "any"})
    assert (loaded.settings.log_level, loaded.settings.fallback) == ("info", "any")
    assert loaded.warnings == (f"LOG_LEVEL is 'loud', but it {LEVELS} It is ignored.",)


def test_another_wrong_value_is_told_although_the_log_level_was_ignored() -> None:
    with pytest.raises(ConfigError, match=r"^DOWSE_FALLBACK is 'always', but it takes one of transient, any\.$"):
        load({}, {"LOG_LEVEL": "loud", "DOWSE_FALLBACK": "always"})


LISTS = ("DOWSE_SEARCH_ORDER", "DOWSE_KEYLESS_ORDER", "DOWSE_OPEN_APIS")


@each_row("variable", LISTS)
def test_an_unknown_name_is_told_with_those_that_exist(variable: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{variable} names 'nobody', but it takes names out of \w+, "):
        load({}, {variable: "nobody"})


SERVER = '"url": "https://a.example/mcp", "tool": "search"'


@each_row(
    "value",
    [
        *("mine", "[]", '{"mine": {}}', f'{{"Mine": {{{SERVER}}}}}', f'{{"mine": {{{SERVER}, "key": "x"}}}}'),
        *('{"mine": {"url": "a.example", "tool": "x"}}', '{"mine": {"url": "https://a.example", "tool": 1}}'),
        f'{{"mine": {{{SERVER}, "headers": {{"A": "b\\nc"}}}}}}',
    ],
)
def test_an_mcp_server_that_is_not_described_well_is_refused_without_its_headers(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^DOWSE_MCP_PROVIDERS takes a JSON object such as "):
        load({}, {"DOWSE_MCP_PROVIDERS": value})


def test_an_mcp_server_cannot_have_the_name_of_a_provider() -> None:
    with pytest.raises(ConfigError, match="names 'exa', which dowse has already"):
        load({}, {"DOWSE_MCP_PROVIDERS": f'{{"exa": {{{SERVER}}}}}'})


def test_every_setting_that_can_be_wrong_is_covered_here() -> None:
    secret = {"SEARXNG_HEADERS_JSON", "DOWSE_TOKENS", "DOWSE_MCP_PROVIDERS", "DOWSE_PROXY"}
    covered = {name for names in WRONG for name in names} | secret | set(LISTS)
    assert {setting for setting in all_settings() if setting.takes != "text"} == {
        setting for setting in all_settings() if covered & set(setting.variables)
    }


@each_row("value", ["token", ":token", "a:", "a b:token", "a:x,a:y", "a:same,b:same", "a:with blank", "ä:x"])
def test_invalid_tokens_name_the_variable_and_not_their_value(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({}, {"DOWSE_TOKENS": value})
    assert str(caught.value) == "DOWSE_TOKENS takes name:token pairs separated by commas, each different."


def test_a_token_may_hold_colons_and_what_base64_needs() -> None:
    tokens = load({}, {"DOWSE_TOKENS": "a:x:y+/==, b.c-d_1:~tok"}).settings.tokens
    assert {name: token.get_secret_value() for name, token in tokens.items()} == {"a": "x:y+/==", "b.c-d_1": "~tok"}


@each_row("missing", ["DOWSE_JWT_ISSUER", "DOWSE_JWT_AUDIENCE", "DOWSE_JWKS_URL"])
def test_json_web_tokens_need_issuer_audience_and_keys(missing: str) -> None:
    """Without an audience, a token that was issued for another service would open this one."""
    whole = {
        "DOWSE_JWT_ISSUER": "https://id.example",
        "DOWSE_JWT_AUDIENCE": "dowse",
        "DOWSE_JWKS_URL": "https://id.example/k",
    }
    assert load({}, whole).settings.needs_token
    with pytest.raises(ConfigError, match=f"^{missing} must be set too"):
        load({}, {name: value for name, value in whole.items() if name != missing})


@pytest.mark.promise("credential-github-private-list")
def test_private_repositories_need_the_token_that_shows_them() -> None:
    entries = {"GITHUB_PRIVATE": "otter/brook, otter/*@alice,otter/a.b@jwt:ana@example.org"}
    with pytest.raises(ConfigError, match=r"^GITHUB_PRIVATE needs GITHUB_TOKEN"):
        load({}, entries)
    settings = load({}, {**entries, "GITHUB_TOKEN": "t"}).settings
    assert settings.github_private == ("otter/brook", "otter/*@alice", "otter/a.b@jwt:ana@example.org")


@each_row(
    ("contract", "expected"),
    [
        ("dowse", ("transient", "direct-first", 3)),
        ("jan", ("any", "scrape-first", 10)),
        ("swissarmyhammer", ("transient", "direct-first", 10)),
    ],
)
def test_a_drop_in_has_the_defaults_of_what_it_replaces(contract: str, expected: tuple[str, str, int]) -> None:
    settings = load({}, {"DOWSE_CONTRACT": contract}).settings
    assert (settings.fallback, settings.read_order, settings.default_results_count) == expected


@pytest.mark.promise("hedge")
def test_hedged_requests_are_on_by_default_and_off_in_the_drop_ins() -> None:
    hedging = {contract: load({}, {"DOWSE_CONTRACT": contract}).settings.hedge for contract in CONTRACTS}
    assert hedging == {contract: contract == "dowse" for contract in CONTRACTS}
    assert load({}, {"DOWSE_CONTRACT": "jan", "DOWSE_HEDGE": "on"}).settings.hedge


def test_what_the_user_says_beats_the_defaults_of_a_drop_in() -> None:
    assert load({}, {"DOWSE_CONTRACT": "jan", "DOWSE_FALLBACK": "transient"}).settings.fallback == "transient"


@pytest.mark.promise("case-16")
@each_row("value", ["{", "[]", "null", '"text"', '{"X-A": 1}', '{"X-A": "a\\nb"}', '{"X\\r": "a"}'])
def test_invalid_headers_name_the_variable_and_not_their_value(value: str) -> None:
    """Acceptance case 16: bad JSON is a configuration error that names the variable."""
    with pytest.raises(ConfigError) as caught:
        load({}, {"SEARXNG_HEADERS_JSON": value})
    assert str(caught.value) == f"SEARXNG_HEADERS_JSON {HEADERS}"


@pytest.mark.promise("case-17")
@pytest.mark.parametrize("name", ["SEARXNG_URL", "SEARXNG_BASE_URL"])
def test_an_invalid_base_address_is_refused_at_the_start(name: str) -> None:
    """Acceptance case 17."""
    with pytest.raises(ConfigError, match=f"^{name} is 'my-searxng', but it takes an address"):
        load({}, {name: "my-searxng"})


@each_row("order", ["serper,google", "bing", "serper exa"])
def test_an_unknown_provider_in_the_order_is_named(order: str) -> None:
    unknown = order.rpartition(",")[2]
    with pytest.raises(ConfigError) as caught:
        load({}, {"DOWSE_SEARCH_ORDER": order})
    assert str(caught.value) == (
        f"DOWSE_SEARCH_ORDER names {unknown!r}, but it takes names out of {', '.join((*SEARCHERS, *KEYLESS))}."
    )


@each_row(
    "environ",
    [
        {"SEARXNG_HEADERS_JSON": f'{{"X-Key": "{KEY}"'},
        {"SEARXNG_HEADERS_JSON": f'["{KEY}"]'},
        {"SEARXNG_URL": f"ftp://user:{KEY}@example.org"},
        {"SERPER_SEARCH_ENDPOINT": f"user:{KEY}@example.org"},
        {"SERPER_API_KEY": KEY, "DOWSE_CONTRACT": "bing"},
    ],
)
def test_no_secret_is_in_the_message_or_its_causes(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load({}, environ)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_first_of_several_wrong_values_is_enough_for_one_sentence() -> None:
    with pytest.raises(ConfigError) as caught:
        load({}, {"DOWSE_CONTRACT": "bing", "DOWSE_FALLBACK": "always"})
    assert str(caught.value).count(" takes ") == 1


@given(st.text(st.characters(codec="ascii"), max_size=30))
def test_any_text_is_either_a_value_or_a_sentence(value: str) -> None:
    names = ("SERPER_TIMEOUT", "DOWSE_MAX_CONTENT_SIZE", "SEARXNG_HEADERS_JSON", "DOWSE_ALLOW_PRIVATE", "SEARXNG_URL")
    for name in names:
        try:
            load({}, {name: value})
        except ConfigError as error:
            assert str(error).startswith(name)
            assert str(error).endswith(".")


@each_row("blank", ["", "  ", "\n"])
def test_an_empty_variable_counts_as_unset(blank: str) -> None:
    loaded = load({}, {"SERPER_API_KEY": blank, "DOWSE_DEADLINE_S": blank, "SEARXNG_URL": blank})
    assert (loaded.settings, loaded.warnings) == (load({}, {}).settings, ())


def test_white_space_around_a_key_is_not_part_of_it() -> None:
    """Files that hold a key end with a newline, which no header may carry."""
    key = load({}, {"SERPER_API_KEY": f" {KEY}\n"}).settings.providers["serper"].api_key
    assert key is not None
    assert key.get_secret_value() == KEY


def test_an_unknown_variable_is_mentioned_with_the_nearest_name() -> None:
    assert load({}, {"DOWSE_SEARCH_ORDRE": "exa"}).warnings == (
        "DOWSE_SEARCH_ORDRE is not a setting of dowse; did you mean DOWSE_SEARCH_ORDER?",
    )


def test_an_unknown_variable_that_resembles_nothing_is_mentioned_all_the_same() -> None:
    assert load({}, {"DOWSE_Q": "1"}).warnings == ("DOWSE_Q is not a setting of dowse.",)


def test_families_and_foreign_variables_are_accepted_silently() -> None:
    families = ["DOWSE_TTL_PAGES"]
    names = [*WITHOUT_EFFECT, "DOWSE_EVAL_DATA", *families, "PATH", "KINDLY_DIAGNOSTICS", "GITHUB_TOKEN"]
    assert load({}, dict.fromkeys(names, "1")).warnings == ()


PROXIES = (
    *("http://proxy.example", "http://10.0.0.1:3128", "https://proxy.example:8443/", "socks5://[::1]:1080"),
    *("socks5h://proxy.example:1080", "http://ada:p%40ss%3Aw@proxy.example:3128", "socks5://ada@proxy.example"),
)


@each_row("where", ["environment", "file"])
@each_row("address", PROXIES)
def test_a_proxy_is_taken_from_the_environment_and_from_a_trusted_file(
    tmp_path: Path, write: Write, where: str, address: str
) -> None:
    file = write(tmp_path / "mine.toml", f'proxy = "{address}"\n' if where == "file" else "")
    environ = {"DOWSE_PROXY": address} if where == "environment" else {}
    proxy = load({}, environ, config=str(file)).settings.proxy
    assert proxy is not None and proxy.get_secret_value() == address


WRONG_PROXIES = (
    *("proxy.example:3128", "ftp://proxy.example", "socks4://proxy.example", "http://", "http://:3128", "http://h:0"),
    *("http://h:99999", "http://h/path", "http://h?x=1", "http://h#x", f"socks5://u:{'x' * 256}@h", "http://a%3Ab:c@h"),
)


@each_row("address", [f"{address}" for address in WRONG_PROXIES])
def test_a_proxy_that_cannot_be_used_stops_the_start_without_being_quoted(address: str) -> None:
    sentence = (
        "DOWSE_PROXY takes an address such as http://HOST:PORT, https://USER:PASSWORD@HOST:PORT or socks5://HOST:PORT."
    )
    with pytest.raises(ConfigError) as refused:
        load({}, {"DOWSE_PROXY": address})
    assert str(refused.value) == sentence


def test_the_password_of_a_proxy_is_a_secret() -> None:
    settings = load({}, {"DOWSE_PROXY": "http://ada:p%40ss-canary@proxy.example"}).settings
    assert {"p%40ss-canary", "p@ss-canary", "ada:p@ss-canary"} <= set(settings.secrets())
    assert "canary" not in repr(settings)


def test_several_typos_are_told_in_alphabetical_order() -> None:
    warnings = load({}, {"DOWSE_OFLINE": "1", "DOWSE_CONTRAKT": "x"}).warnings
    assert [warning.split()[0] for warning in warnings] == ["DOWSE_CONTRAKT", "DOWSE_OFLINE"]


@each_row(
    ("provider", "credential"),
    [(name.upper(), SPECS[name].credential) for name in SEARCHERS if not SPECS[name].is_key_optional],
)
def test_a_provider_switched_on_without_credential_is_mentioned_with_both_names(provider: str, credential: str) -> None:
    assert load({}, {f"{provider}_ENABLED": "true"}).warnings == (
        f"{provider}_ENABLED is true, but {credential} is not set, so {provider.lower()} is not used.",
    )
    assert load({}, {f"{provider}_ENABLED": "false"}).warnings == ()
    assert load({}, {f"{provider}_ENABLED": "true", credential: "https://key.example"}).warnings == ()


def test_colour_is_wanted_unless_the_environment_says_no() -> None:
    assert sources.wants_colour({"TERM": "xterm"})
    assert not sources.wants_colour({"NO_COLOR": "1"})
    assert not sources.wants_colour({"TERM": "dumb"})
    assert sources.wants_colour({"NO_COLOR": ""})


def test_colour_follows_the_real_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not sources.wants_colour()


def test_a_worker_inherits_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    inherited = sources.subprocess_environment()
    assert "PATH" in inherited
    assert KEY not in inherited.values()


def test_numpy_starts_no_threads_in_a_worker() -> None:
    """On a machine of many cores their stacks alone would be more than the memory that a worker may have."""
    assert sources.subprocess_environment().items() >= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}.items()


def test_the_nearest_name_of_a_typo_is_one_of_ours() -> None:
    """`LOG_LEVEL` is as near, but belongs to everybody."""
    warnings = load({}, {"DOWSE_LOGLEVEL": "x"}).warnings
    assert warnings == ("DOWSE_LOGLEVEL is not a setting of dowse; did you mean DOWSE_LOG_LEVEL?",)


def test_a_server_with_a_name_of_ours_is_left_out_and_the_others_stay() -> None:
    servers = f'{{"open": {{{SERVER}}}, "mine": {{{SERVER}}}}}'
    environment = {"DOWSE_MCP_PROVIDERS": servers, "DOWSE_SEARCH_ORDER": "open,mine,serper"}
    examined = sources.examine({}, environment)
    assert examined.settings.searchers() == ["open", "mine"]
    assert list(examined.settings.mcp_providers) == ["mine"]
    assert any("'open', which dowse has already" in problem for problem in examined.problems)
