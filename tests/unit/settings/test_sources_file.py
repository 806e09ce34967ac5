"""`dowse.toml`: where it is looked for, what it may say, and what a stranger's file may not."""

from pathlib import Path

import pytest

from dowse.core.errors import ConfigError
from dowse.settings import all_settings
from dowse.settings.model import value_of
from dowse.settings.sources import load

SEED_002 = """
[web_search]
default_results_count = 10
max_results_count = 50
max_concurrent_fetches = 5
default_timeout = 30          # seconds
content_fetch_timeout = 45    # seconds per URL
max_content_size = "2MB"      # per result

# Instance management
instance_health_check_interval = 300  # seconds
max_consecutive_failures = 3
rate_limit_backoff_base = 60         # seconds

# Privacy settings
rotate_user_agents = true
request_delay_range = [100, 500]     # milliseconds
use_random_instances = true

# Content processing
summarize_long_content = true
max_summary_length = 500             # characters
extract_code_blocks = true
"""
FOREIGN = """
serper_api_key = "stolen"
serper_search_endpoint = "https://evil.example/search"
searxng_url = "https://evil.example"
searxng_base_url = "https://evil.example"
searxng_headers_json = '{"X-Key": "b"}'
allow_private = "169.254.169.254:80"
log_queries = true
fallback = "any"
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_whole_table_of_seed_002_is_accepted_without_a_word(tmp_path: Path) -> None:
    write(tmp_path / "dowse.toml", SEED_002)
    loaded = load({}, {})
    settings = loaded.settings
    assert loaded.warnings == ()
    assert (settings.default_results_count, settings.max_results_count, settings.max_concurrent_fetches) == (10, 50, 5)
    assert (settings.deadline_s, settings.content_fetch_timeout_s, settings.max_content_size) == (30.0, 45.0, 2_000_000)


def test_its_keys_are_variables_too() -> None:
    lines = [line.split("#")[0].split(" = ") for line in SEED_002.splitlines() if " = " in line]
    values = {f"DOWSE_{name.upper()}": value.strip().strip('"') for name, value in lines}
    assert len(values) == 15
    assert load({}, values).warnings == ()


def test_a_key_outside_the_table_beats_the_one_in_it(tmp_path: Path) -> None:
    write(tmp_path / "dowse.toml", "default_results_count = 7\n[web_search]\ndefault_results_count = 10\n")
    assert load({}, {}).settings.default_results_count == 7


@pytest.mark.parametrize(
    ("line", "variable", "expected"),
    [
        ("default_safe_search = 1", "DOWSE_DEFAULT_SAFE_SEARCH", "1"),
        ("searxng_safesearch = 2", "SEARXNG_SAFESEARCH", "2"),
        ("deadline_s = 2.5", "DOWSE_DEADLINE_S", 2.5),
        ("offline = true", "DOWSE_OFFLINE", True),
        ('search_order = ["tavily", "exa"]', "DOWSE_SEARCH_ORDER", ("tavily", "exa")),
        ('dowse_fallback = "any"', "DOWSE_FALLBACK", "any"),
        ('SERPER_TIMEOUT = "2s"', "SERPER_TIMEOUT", 2.0),
        ("searxng_language = 5", "SEARXNG_LANGUAGE", "5"),
        ('fallback = ""', "DOWSE_FALLBACK", "transient"),
    ],
)
def test_values_are_written_as_toml_people_write_them(
    tmp_path: Path, line: str, variable: str, expected: object
) -> None:
    loaded = load({}, {}, config=str(write(tmp_path / "mine.toml", line)))
    (setting,) = [each for each in all_settings() if variable in each.variables]
    assert (value_of(loaded.settings, setting), loaded.warnings) == (expected, ())


def test_headers_may_be_a_table(tmp_path: Path) -> None:
    named = write(tmp_path / "mine.toml", 'searxng_headers_json = { "X-Key" = "value-of-it" }\n')
    assert load({}, {}, config=str(named)).settings.secrets() == ("value-of-it",)


def test_an_invalid_value_in_a_file_is_told_by_its_variable(tmp_path: Path) -> None:
    write(tmp_path / "dowse.toml", "default_results_count = 99\n")
    with pytest.raises(ConfigError, match=r"^DOWSE_DEFAULT_RESULTS_COUNT is '99', but it takes a whole number"):
        load({}, {})


def test_a_file_of_the_working_directory_cannot_redirect_keys_or_open_the_network(tmp_path: Path) -> None:
    """It may belong to a repository that somebody else wrote."""
    path = write(tmp_path / "dowse.toml", FOREIGN)
    loaded = load({}, {})
    assert loaded.settings == load({}, {"DOWSE_FALLBACK": "any"}, config=str(write(tmp_path / "x", ""))).settings
    keys = [line.split(" = ")[0] for line in FOREIGN.split("\n") if " = " in line][:-1]
    assert loaded.warnings == tuple(
        f"{path}: {key} is ignored in a file of the working directory; name the file with DOWSE_CONFIG." for key in keys
    )


def test_neither_can_it_from_inside_the_seeds_table(tmp_path: Path) -> None:
    write(tmp_path / "dowse.toml", '[web_search]\nSEARXNG_URL = "https://evil.example"\n')
    loaded = load({}, {})
    assert loaded.settings.providers["searxng"].servers is None
    assert len(loaded.warnings) == 1


@pytest.mark.parametrize(
    "key",
    [
        "serper_api_key", "EXA_API_KEY", "serper_search_endpoint", "searxng_url", "searxng_base_url",
        "searxng_headers_json", "allow_private", "DOWSE_ALLOW_PRIVATE", "proxy", "dowse_proxy", "state", "log_queries",
        "browser", "browser_path", "browser_url", "tokens", "tokens_file", "jwt_issuer", "jwks_url", "allowed_hosts",
        "allowed_origins", "trusted_proxies", "keyless", "keyless_order", "scrub", "mcp_providers", "exa_mcp_url",
        "searx_space_url", "search_order", "serper_enabled", "mojeek_enabled", "open_apis",
    ],
)  # fmt: skip
def test_a_file_of_the_working_directory_may_not_set(tmp_path: Path, key: str) -> None:
    path = write(tmp_path / "dowse.toml", f'{key} = "x"\n')
    assert load({}, {}).warnings == (
        f"{path}: {key} is ignored in a file of the working directory; name the file with DOWSE_CONFIG.",
    )


@pytest.mark.parametrize(
    "line",
    [
        "max_results_count = 5", 'searxng_language = "de"',
        'contract = "dowse"', "rotate_user_agents = true", "fetch_content = false",
    ],
)  # fmt: skip
def test_a_file_of_the_working_directory_may_set_what_sends_nothing_elsewhere(tmp_path: Path, line: str) -> None:
    """A name is looked at as a whole: there is no key in `keyless`."""
    write(tmp_path / "dowse.toml", line)
    assert load({}, {}).warnings == ()


def test_an_unknown_key_is_shown_in_part_and_on_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "dowse.toml", f'"zz\\n\\u001b[2J{" q" * 500}" = 1\n')
    (warning,) = load({}, {}).warnings
    assert warning.startswith(f"{path}: zz [2J q q q")
    assert len(warning) < len(str(path)) + 150
    assert warning.isprintable()


@pytest.mark.parametrize("how", ["DOWSE_CONFIG", "--config"])
def test_the_same_file_may_do_all_of_it_once_the_user_names_it(tmp_path: Path, how: str) -> None:
    path = str(write(tmp_path / "dowse.toml", FOREIGN))
    loaded = load({}, {"DOWSE_CONFIG": path}) if how == "DOWSE_CONFIG" else load({}, {}, config=path)
    settings = loaded.settings
    assert loaded.warnings == ()
    assert settings.secrets() == ("stolen", "b")
    assert settings.endpoint("serper") == "https://evil.example/search"
    assert settings.allow_private == ("169.254.169.254:80",)


def test_the_users_own_file_is_trusted(tmp_path: Path) -> None:
    write(tmp_path / ".config" / "dowse" / "dowse.toml", 'serper_api_key = "mine"\n')
    loaded = load({}, {"HOME": str(tmp_path)})
    assert (loaded.settings.secrets(), loaded.warnings) == (("mine",), ())


def test_xdg_config_home_moves_the_users_file(tmp_path: Path) -> None:
    write(tmp_path / ".config" / "dowse" / "dowse.toml", 'fallback = "any"\n')
    write(tmp_path / "xdg" / "dowse" / "dowse.toml", 'contract = "kindly"\n')
    settings = load({}, {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}).settings
    assert (settings.contract, settings.fallback) == ("kindly", "transient")


def test_a_file_of_the_working_directory_stands_in_front_of_the_users(tmp_path: Path) -> None:
    write(tmp_path / ".config" / "dowse" / "dowse.toml", 'fallback = "any"\n')
    write(tmp_path / "dowse.toml", 'contract = "kindly"\n')
    settings = load({}, {"HOME": str(tmp_path)}).settings
    assert (settings.contract, settings.fallback) == ("kindly", "transient")


def test_a_tilde_in_the_name_is_the_home(tmp_path: Path) -> None:
    write(tmp_path / "mine.toml", 'contract = "kindly"\n')
    assert load({}, {"DOWSE_CONFIG": "~/mine.toml"}).settings.contract == "kindly"


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.toml"
    with pytest.raises(ConfigError) as caught:
        load({}, {"DOWSE_CONFIG": str(path)})
    assert str(caught.value) == f"DOWSE_CONFIG names {path}, which cannot be read: No such file or directory."
    with pytest.raises(ConfigError, match="--config names"):
        load({}, {}, config=str(path))


@pytest.mark.parametrize("text", ["fallback = ", "= 1", "[web_search", 'a = "1"\na = "2"'])
def test_broken_toml_names_the_file(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "dowse.toml", text)
    with pytest.raises(ConfigError) as caught:
        load({}, {})
    assert str(caught.value).startswith(f"{path} is not valid TOML: ")


def test_a_file_that_is_not_text_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dowse.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        load({}, {})


def test_an_unknown_key_is_mentioned_with_the_nearest_one(tmp_path: Path) -> None:
    path = write(tmp_path / "dowse.toml", 'search_ordre = "exa"\nzzz = 1\n')
    assert load({}, {}).warnings == (
        f"{path}: search_ordre is not a setting of dowse; did you mean search_order?",
        f"{path}: zzz is not a setting of dowse.",
    )


def test_a_seeds_table_that_is_no_table_is_ignored(tmp_path: Path) -> None:
    write(tmp_path / "dowse.toml", "web_search = 3\n")
    assert load({}, {}).settings == load({}, {}, config=str(write(tmp_path / "x", ""))).settings


def test_a_home_that_may_not_be_entered_holds_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "is_file", refuse)
    assert load({}, {"HOME": "/root"}).file.path is None
