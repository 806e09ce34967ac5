"""Files of descriptions: what the user's one may say and change, what is refused with its line, and what is trusted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dowse.core.errors import ConfigError
from dowse.settings import SEARCHERS, SPECS, all_settings
from dowse.settings.derive import derive_settings, fill
from dowse.settings.described.files import SHIPPED, find_line, make_shipped_specs
from dowse.settings.described.specs import INDEX, ORDER, dump_index, load_index
from dowse.settings.sources import Loaded, examine, load
from tests.support.tables import each_row

NAMES = (
    "brave jina firecrawl linkup kagi perplexity you serpapi searchapi parallel bocha langsearch ollama keenable "
    "marginalia mwmbl yacy openalex semanticscholar pubmed gdelt"
).split()
MINE = """\
[mine]
title = "Mine"
url = "https://api.mine.example/v1/search"
auth = {in = "header", name = "X-Key"}
query = {field = "q"}
count = {field = "n", max = 20}
results = "items"
fields = {url = "link", title = "title"}
"""


def own(tmp_path: Path, text: str, **environ: str) -> Loaded:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return load({}, {"HOME": str(tmp_path), "DOWSE_PROVIDERS_FILE": str(path), **environ})


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        own(tmp_path, text)
    return str(caught.value).removeprefix(f"{tmp_path / 'own.toml'}, ")


def test_all_names_are_shipped_and_asked_in_their_order_after_the_four() -> None:
    assert set(NAMES) <= set(SPECS)
    assert SEARCHERS[:4] == ("serper", "exa", "tavily", "searxng")
    listed = [name for name in NAMES if name in SEARCHERS]
    assert [name for name in SEARCHERS if name in listed] == listed
    keys = {f"{name.upper()}_API_KEY": "a-key" for name in listed if name != "yacy"}
    active = load({}, {**keys, "SERPER_API_KEY": "k", "YACY_URL": "http://127.0.0.1:8090"}).settings.searchers()
    assert active == ["serper", *listed]


def test_an_explicit_order_wins_and_may_name_a_provider_without_a_key() -> None:
    environ = {"BRAVE_API_KEY": "k", "SERPER_API_KEY": "k", "DOWSE_SEARCH_ORDER": "gdelt,openalex,brave"}
    settings = load({}, environ).settings
    assert settings.searchers() == ["gdelt", "openalex", "brave"]
    assert settings.unkeyed() == {"gdelt", "openalex"}
    assert load({}, {**environ, "GDELT_ENABLED": "false"}).settings.searchers() == ["openalex", "brave"]


def test_without_an_order_or_a_key_nothing_is_sent_to_providers_that_need_none() -> None:
    settings = load({}, {"SERPER_API_KEY": "k"}).settings
    assert settings.searchers() == ["serper"]
    assert settings.keyless_members() == []


@pytest.mark.promise("described-settings")
@pytest.mark.parametrize("name", [name for name in NAMES if SPECS[name].key])
def test_a_description_has_its_settings_without_further_code(name: str) -> None:
    upper = name.upper()
    variables = {variable for each in all_settings() if each.provider == name for variable in each.variables}
    wanted = {f"{upper}_API_KEY", f"{upper}_ENABLED", f"{upper}_TIMEOUT", f"{upper}_SEARCH_ENDPOINT"}
    wanted |= {f"DOWSE_BUDGET_{upper}", f"DOWSE_PACE_{upper}"}
    reads = {f"{upper}_READ_ENDPOINT"} if "read" in SPECS[name].operations else set()
    assert variables == wanted | reads


def test_the_index_is_what_the_descriptions_say() -> None:
    """Run `make docs` after a change of a description."""
    assert INDEX.read_text(encoding="utf-8") == dump_index(make_shipped_specs())
    assert list(load_index()) == make_shipped_specs()
    assert {spec.name for spec in load_index()} == set(ORDER)


@pytest.mark.promise("described-start")
def test_all_descriptions_together_cost_at_most_three_milliseconds_of_a_start() -> None:
    def measure(work: Callable[[], object]) -> float:
        times = []
        for _ in range(20):
            started = time.process_time()
            work()
            times.append(time.process_time() - started)
        return min(times)

    described = [spec for spec in SPECS.values() if spec.source]
    total_s = measure(load_index)
    total_s += measure(lambda: [list(derive_settings(spec)) for spec in described])
    total_s += measure(lambda: [fill(spec, {}) for spec in described])
    assert len(described) >= len(NAMES)
    assert total_s <= 0.003


def test_a_provider_of_the_users_own_has_all_its_settings_and_is_asked_last(tmp_path: Path) -> None:
    settings = own(tmp_path, MINE, MINE_API_KEY="k", SERPER_API_KEY="k", MINE_TIMEOUT="3s").settings
    assert settings.searchers() == ["serper", "mine"]
    assert settings.providers["mine"].timeout_s == 3
    assert settings.endpoint("mine") == "https://api.mine.example/v1/search"
    moved = own(tmp_path, MINE, MINE_API_KEY="k", MINE_SEARCH_ENDPOINT="http://127.0.0.1:9/x").settings
    assert moved.endpoint("mine") == "http://127.0.0.1:9/x"
    assert own(tmp_path, MINE, DOWSE_BUDGET_MINE="5calls/day", DOWSE_PACE_MINE="1/s").warnings == ()
    first = own(tmp_path, MINE, MINE_API_KEY="k", SERPER_API_KEY="k", DOWSE_SEARCH_ORDER="mine,serper").settings
    assert first.searchers() == ["mine", "serper"]
    assert settings.scope() != load({}, {"SERPER_API_KEY": "k", "HOME": str(tmp_path)}).settings.scope()
    assert "k" in settings.secrets()


def test_the_variables_of_an_own_provider_stand_in_a_trusted_dowse_toml_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "dowse.toml"
    config.write_text('mine_api_key = "canary-1"\nDOWSE_BUDGET_MINE = "5calls/day"\nmine_api_kye = "x"\n')
    (tmp_path / "elsewhere").mkdir()
    named = own(tmp_path, MINE, DOWSE_CONFIG=str(config))
    assert named.settings.searchers() == ["mine"]
    assert str(named.settings.budget("mine")) == "5 calls/day"
    assert [warning.split()[1] for warning in named.warnings] == ["mine_api_kye"]
    monkeypatch.chdir(tmp_path)
    assert own(tmp_path, MINE).settings.searchers() == [], "a file of the working directory gives no key"


def test_a_table_of_a_shipped_name_changes_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    settings = own(tmp_path, "[brave]\ncount = {max = 5}\npace = '1/s'\n", BRAVE_API_KEY="k").settings
    assert settings.specs["brave"].limits.max_results == 5
    assert settings.own.descriptions["brave"]["search"].count.field == "count"
    assert str(settings.pace("brave")) == "1/1s"
    assert settings.searchers() == ["brave"]
    reading = own(tmp_path, "[jina]\ncount = {max = 5}\n", JINA_API_KEY="k").settings
    assert reading.specs["jina"].operations == ("search", "read")
    assert reading.scrapers() == ["jina"]


def test_a_description_inherits_all_but_names_and_the_variable_of_the_key(tmp_path: Path) -> None:
    text = '[goggles]\nextends = "brave"\nparams = {goggles = "tech"}\n'
    settings = own(tmp_path, text, GOGGLES_API_KEY="k").settings
    made = settings.own.descriptions["goggles"]["search"]
    assert (made.auth and made.auth.variable, made.params) == ("GOGGLES_API_KEY", {"goggles": "tech"})
    assert settings.searchers() == ["goggles"]


def test_mcp_servers_live_in_the_same_file(tmp_path: Path) -> None:
    text = '[mcp.library]\nurl = "https://library.example/mcp"\ntool = "search"\nheaders = {X-Key = "canary-1"}\n'
    settings = own(tmp_path, text).settings
    assert settings.searchers() == ["library"]
    assert "canary-1" in settings.secrets()
    assert settings.origin("library") == "DOWSE_PROVIDERS_FILE"
    assert "line 1: mcp.exa is no name" in refusal(tmp_path, text.replace("library]", "exa]"))
    assert "line 1: mcp.library takes an MCP server" in refusal(tmp_path, '[mcp.library]\nurl = "nowhere"\n')


def test_the_file_in_the_configuration_directory_is_read_without_being_named(tmp_path: Path) -> None:
    home = tmp_path / ".config" / "dowse"
    home.mkdir(parents=True)
    (home / "providers.toml").write_text(MINE, encoding="utf-8")
    assert load({}, {"HOME": str(tmp_path), "MINE_API_KEY": "k"}).settings.searchers() == ["mine"]


@pytest.mark.promise("described-file-trust")
def test_a_file_in_the_working_directory_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "providers.toml").write_text(MINE, encoding="utf-8")
    (tmp_path / "dowse.toml").write_text('providers_file = "/etc/hostname"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path / "home"), "MINE_API_KEY": "k"}
    found = load({}, environ)
    assert "mine" not in found.settings.specs
    assert any("providers_file is ignored" in warning for warning in found.warnings)
    for named in ("providers.toml", "./providers.toml"):
        problems = examine({}, {**environ, "DOWSE_PROVIDERS_FILE": named}).problems
        assert problems == ("DOWSE_PROVIDERS_FILE takes an absolute path, or one that begins with ~.",)


def test_a_file_that_is_missing_or_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml .*cannot be read"):
        load({}, {"DOWSE_PROVIDERS_FILE": str(tmp_path / "none.toml")})
    assert refusal(tmp_path, '[mine]\nurl = "a\n') == "line 2: this is not valid TOML."


def without(key: str) -> str:
    return "\n".join(line for line in MINE.splitlines() if not line.startswith(key))


def changed(key: str, value: str) -> str:
    return f"{without(key)}\n{key} = {value}\n"


@pytest.mark.promise("described-refusals")
@each_row(
    ("text", "told"),
    [
        (without("url"), "line 1: mine.url is missing: it takes the address of the API"),
        (without("query"), "line 1: mine.query is missing"),
        (without("results"), "line 1: mine.results is missing: it takes the path to the list"),
        (without("fields"), "line 1: mine.fields is missing"),
        (changed("auth", '{in = "head", name = "X"}'), "line 8: mine.auth.in takes header, query, body or basic"),
        (changed("auth", '{in = "header"}'), "line 8: mine.auth.name is missing"),
        (changed("auth", '{in = "header", name = "Host"}'), "line 8: mine.auth.name takes another header than Host"),
        (changed("auth", '{in = "body", name = "key"}'), 'line 8: mine.auth has in = "body", which needs method'),
        (changed("auth", '"X-Key"'), "line 8: mine.auth takes a table"),
        (changed("url", '"ftp://x.example/"'), "line 8: mine.url takes the address of the API"),
        (changed("url", '"https://u:p@x.example/"'), "line 8: mine.url takes the address of the API"),
        (changed("url", '"https://x.example/?key=1"'), "line 8: mine.url takes the address of the API"),
        (changed("count", '{field = "n", max = 0}'), "line 8: mine.count.max takes a whole number from 1 to 1000"),
        (changed("count", '{field = "n", max = true}'), "line 8: mine.count.max takes a whole number"),
        (changed("results", '"a..b"'), "line 8: mine.results takes a path"),
        (changed("fields", '{url = "u"}'), "line 8: mine.fields.title is missing"),
        (changed("fields", '{url = "u", title = "t", colour = "c"}'), "line 8: mine.fields.colour is not known"),
        (f"{MINE}resluts = 'x'\n", "line 9: mine.resluts is not known; did you mean results?"),
        (f"{MINE}kind = 'write'\n", "line 9: mine.kind takes search or read"),
        (f"{MINE}page = {{field = 'p', start = 2}}\n", "line 9: mine.page.start takes a whole number from 0 to 1"),
        (f"{without('count')}\npage = {{field = 'p'}}\n", "line 8: mine.page needs count.field, or size"),
        (f"{MINE}dates = {{}}\n", "line 9: mine.dates.from is missing"),
        (f"{MINE}dates = {{from = 'a', form = '%d'}}\n", "line 9: mine.dates.form takes iso, time"),
        (f"{MINE}time_range = {{field = 'f'}}\n", "line 9: mine.time_range.day is missing"),
        (f"{MINE}include_domains = 'anything'\n", "line 9: mine.include_domains takes an operator"),
        (f"{MINE}categories = ['code']\n", "line 9: mine.categories names 'code', but it takes names out of general"),
        (f"{MINE}body = {{a = 1}}\n", 'line 9: mine.body needs method = "POST"'),
        (
            f"{MINE}headers = {{X-Api-Key = 'canary'}}\n",
            "line 9: mine.headers.X-Api-Key takes headers that are neither",
        ),
        (f'{MINE}headers = {{X = "a\\nb"}}\n', "line 9: mine.headers.X takes"),
        (f"{MINE}params = {{api_key = 'canary'}}\n", "line 9: mine.params.api_key takes no keys"),
        (f"{MINE}errors = [{{as = 'auth'}}]\n", "line 9: mine.errors.status is missing"),
        (f"{MINE}errors = [{{as = 'nothing', status = 400}}]\n", "line 9: mine.errors.as takes auth, quota"),
        (f"{MINE}errors = [{{as = 'auth', status = 42}}]\n", "line 9: mine.errors.status takes an HTTP status"),
        (f"{MINE}price = -1\n", "line 9: mine.price takes the dollars"),
        (f"{MINE}allowance = 'many'\n", "line 9: mine.allowance takes a budget"),
        (f"{MINE}pace = 'fast'\n", "line 9: mine.pace takes a pace"),
        (f"{MINE}docs = 'http://x'\n", "line 9: mine.docs takes the address of the vendor's documentation"),
        (f"{MINE}[mine.category.news]\nurl = '//evil.example/x'\n", "line 10: mine.category.news.url takes a path on"),
        (
            f"{MINE}[mine.category.news]\nurl = 'https://evil.example/'\n",
            "line 10: mine.category.news.url takes a path",
        ),
        (f"{MINE}[mine.category.code]\n", "line 9: mine.category.code is not known"),
        (f"{MINE}own_server = true\n", "line 9: mine.own_server cannot stand beside auth"),
        (f"{MINE}extends = 'nobody'\n", "line 9: mine.extends takes the name of another description"),
        (f"{MINE}extends = 'mine'\n", "line 9: mine.extends takes the name of another description"),
        ("[a]\nextends = 'b'\n[b]\nextends = 'a'\n", "extends takes the name of another description"),
        ("[Mine]\n", "line 1: Mine is no name"),
        ("mine = 1\n", "line 1: mine takes a table such as [name]"),
        ("[serper]\ncount = {max = 5}\n", "serper"),
        (f"{MINE}[mine_too]\nname = 'mine'\nextends = 'mine'\n", "has two descriptions of the kind search"),
    ],
)
def test_a_mistake_is_refused_with_its_line_its_key_and_what_it_takes(tmp_path: Path, text: str, told: str) -> None:
    message = refusal(tmp_path, text)
    assert told in message
    assert message.startswith("line ")
    assert "canary" not in message


@pytest.mark.promise("described-keys")
@each_row(
    "text",
    [
        # A key of another provider, or of another service altogether.
        changed("auth", '{in = "header", name = "X-Key", env = "SERPER_API_KEY"}'),
        changed("auth", '{in = "header", name = "X-Key", env = "GITHUB_TOKEN"}'),
        changed("auth", '{in = "header", name = "X-Key", env = "DOWSE_TOKENS"}'),
        '[brave]\nurl = "https://evil.example/res/v1/web/search"\n',
        '[brave]\nurl = "http://api.search.brave.com/res/v1/web/search"\n',
        '[brave]\nurl = "https://api.search.brave.com:8443/res/v1/web/search"\n',
        '[brave]\nurl = "https://api.search.brave.com.evil.example/"\n',
        '[brave_pages]\nname = "brave"\nkind = "read"\nurl = "https://evil.example/"\nquery = {field = "u"}\n'
        'auth = {in = "header", name = "X"}\nfields = {text = "t"}\n',
        '[goggles]\nextends = "brave"\nurl = "https://evil.example/"\nauth = {env = "BRAVE_API_KEY"}\n',
    ],
)
def test_a_known_key_cannot_be_sent_to_another_address(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path, text)
    assert "belongs to another address: name a variable of its own with auth.env" in message
    assert message.startswith("line ")


def test_a_changed_address_with_a_variable_of_its_own_is_accepted_and_leaves_the_known_key_alone(
    tmp_path: Path,
) -> None:
    text = '[brave]\nurl = "https://mirror.example/web/search"\nauth = {env = "MIRROR_KEY"}\n'
    settings = own(tmp_path, text, BRAVE_API_KEY="canary-of-brave", MIRROR_KEY="k").settings
    assert settings.api_key("brave").get_secret_value() == "k"
    assert own(tmp_path, text, BRAVE_API_KEY="canary-of-brave").settings.searchers() == []
    same = own(tmp_path, '[brave]\nurl = "https://api.search.brave.com/v2/search"\n', BRAVE_API_KEY="k").settings
    assert same.searchers() == ["brave"]


def test_a_variable_has_one_meaning(tmp_path: Path) -> None:
    shared = MINE + MINE.replace("[mine]", "[other]").replace('"X-Key"}', '"X-Key", env = "MINE_API_KEY"}')
    assert "would give MINE_API_KEY a second meaning" in refusal(tmp_path, shared)
    taken = MINE.replace("[mine]", "[serper_x]").replace('"X-Key"}', '"X-Key", env = "MY_KEY"}')
    assert own(tmp_path, taken, MY_KEY="k").settings.searchers() == ["serper_x"]


@each_row(
    ("text", "told"),
    [
        (MINE.replace("fields =", "feilds ="), "line 8: mine.feilds is not known; did you mean fields?"),
        (MINE.replace("query =", "querry ="), "mine.querry is not known; did you mean query?"),
        (changed("fields", '{url = "u", titel = "t"}'), "line 8: mine.fields.titel is not known; did you mean title?"),
        (changed("query", '{feild = "q"}'), "line 8: mine.query.feild is not known; did you mean field?"),
        (f"{MINE}error = []\n", "line 9: mine.error is not known; did you mean errors?"),
        (f"{MINE}extend = 'brave'\n", "line 9: mine.extend is not known; did you mean extends?"),
        (
            changed("fields", '{url = "u", title = "t", colour = "c"}'),
            "line 8: mine.fields.colour is not known; known are url, title, snippet, passages, date, engine, score, "
            "image, thumbnail, duration.",
        ),
    ],
)
def test_a_misspelt_key_is_told_with_the_one_that_was_meant(tmp_path: Path, text: str, told: str) -> None:
    assert refusal(tmp_path, text).endswith(told)


@each_row(("written", "path"), [("a.items[]", ("a", "items")), ("a.items", ("a", "items")), ("[]", ()), (".", ())])
def test_a_list_of_results_may_be_named_with_or_without_its_brackets(
    tmp_path: Path, written: str, path: tuple[str, ...]
) -> None:
    text = f"{changed('results', repr(written))}then = {{ids = 'a.ids[]', url = 'more', field = 'id'}}\n"
    (tmp_path / "lists.toml").write_text(text, encoding="utf-8")
    found = load({}, {"DOWSE_PROVIDERS_FILE": str(tmp_path / "lists.toml")}).settings.own.descriptions["mine"]["search"]
    assert found.shape.results == path
    assert found.then and found.then.ids == ("a", "ids")


@each_row(
    ("path", "line"),
    [
        (("a",), 2),
        (("a", "b"), 4),
        (("a", "b", "c"), 4),
        (("a", "d", "e"), 6),
        (("a", "d", "e", "f"), 7),
        (("z",), 1),
    ],
)
def test_the_line_of_a_key_is_that_of_the_deepest_one_with_a_line_of_its_own(path: tuple[str, ...], line: int) -> None:
    text = "# first\n[a]  # a table\n\nb = {c = 1}\n\n[a.d.e]\nf = 1\n"
    assert find_line(text, path) == line


def test_the_shipped_files_use_no_variable_twice_and_say_who_gets_the_query() -> None:
    keys = [spec.key for spec in SPECS.values() if spec.key]
    assert len(set(keys)) == len(keys)
    for spec in load_index():
        assert spec.privacy, spec.name
        assert spec.docs.startswith("https://"), spec.name
    assert len(list(SHIPPED.glob("*.toml"))) == len(NAMES)
