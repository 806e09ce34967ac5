"""`dowse providers show`, `check`, `try` and `new` over the doubles: what they tell, and that no key is in it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from dowse.core.models import Category
from dowse.surfaces.cli.main import main
from tests.canaries import spellings
from tests.doubles import PocketWeb
from tests.doubles.recorded_api import RecordedApi, read_pairs

Point = Callable[..., PocketWeb]
Captured = pytest.CaptureFixture[str]
WORDS = "lantern client retries"
NAMES = ("brave", "jina", "openalex", "pubmed", "mwmbl", "parallel", "keenable")


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = main(["providers", *arguments])
    return code, *capsys.readouterr()


def own_file(home: Path, text: str) -> Path:
    file = home / ".config" / "dowse" / "providers.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def described(web: PocketWeb, *, fields: str = 'url = "url", title = "title"', results: str = "web.results") -> str:
    """A description of the user's, of the API that the double of Brave serves."""
    return f"""
[mine]
url = "{web.page(web.recorded["brave"].endpoint("search"))}"
auth = {{in = "header", name = "X-Subscription-Token"}}
query = {{field = "q"}}
count = {{field = "count", max = 20}}
results = "{results}"
fields = {{{fields}}}
"""


# try


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_shows_request_answer_and_results_without_the_key(point: Point, capsys: Captured, name: str) -> None:
    double = point(*NAMES).recorded[name]
    code, out, err = run(capsys, "try", name, WORDS, "--count", "3", "--json")
    trial = json.loads(out)
    first = double.exchanges[0]
    assert code == 0, err
    assert trial["requests"][0]["method"] == first.pair["request"]["method"]
    assert trial["requests"][0]["answer"] == first.answer(first.items()[:3])
    assert [hit["title"] for hit in trial["hits"]] == [title for title, *_ in first.hits[:3]]
    assert double.requests and not double.refusals
    assert not [form for form in spellings(double.key).values() if form in out + err]


def test_text_names_the_key_by_its_place(point: Point, capsys: Captured) -> None:
    web = point("brave")
    code, out, _ = run(capsys, "try", "brave", WORDS, "--count", "2")
    assert code == 0
    assert "  X-Subscription-Token: {key}\n" in out and "\n  HTTP 200\n" in out
    assert "  1. Retrying requests - Lantern client guide\n" in out
    assert "  date: 2 of 2 (page_age or age)\n" in out
    assert web.recorded["brave"].key not in out


def test_a_page_is_read_with_its_reader(point: Point, capsys: Captured) -> None:
    web = point("jina")
    code, out, _ = run(capsys, "try", "jina", "https://lantern.example/docs/retrying", "--read", "--json")
    trial = json.loads(out)
    assert (code, trial["text"], trial["title"]) == (0, "# A page\n\nRead by jina.", "A page")
    assert web.recorded["jina"].key not in out


def test_a_category_is_asked_for_at_its_own_address(point: Point, capsys: Captured) -> None:
    point("brave")
    _, out, _ = run(capsys, "try", "brave", WORDS, "--category", "news", "--json")
    assert "/news/search?" in json.loads(out)["requests"][0]["address"]


def test_every_field_that_maps_to_nothing_is_named(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    web = point("brave")
    own_file(tmp_path, described(web, fields='url = "url", title = "title", snippet = "text", date = "when.day"'))
    monkeypatch.setenv("MINE_API_KEY", web.recorded["brave"].key)
    code, out, _ = run(capsys, "try", "mine", WORDS, "--json")
    assert code == 0
    assert json.loads(out)["unmapped"] == ["snippet", "date"]
    assert "  snippet: nothing at text\n  date: nothing at when.day" in run(capsys, "try", "mine", WORDS)[1]


def test_a_list_that_is_elsewhere_is_looked_for(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    web = point("brave")
    own_file(tmp_path, described(web, results="data"))
    monkeypatch.setenv("MINE_API_KEY", web.recorded["brave"].key)
    code, out, _ = run(capsys, "try", "mine", WORDS)
    assert code == 1
    assert "try results = 'web.results' (3 objects) with url = 'url', title = 'title'" in out


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ({"ok": False, "error": "Unknown token"}, 'errors = [{path = "ok", is = false, as = "auth"}]'),
        ({"error": {"message": "Too many calls"}}, 'errors = [{path = "error", as = "rate"}]'),
        ({"success": False}, 'errors = [{path = "success", is = false, as = "unavailable"}]'),
    ],
)
def test_a_failure_in_a_successful_answer_is_told_with_a_rule_for_it(
    point: Point,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: dict[str, object],
    rule: str,
) -> None:
    web = point("brave")
    web.recorded["brave"].replies(json=answer)
    file = own_file(tmp_path, described(web, results="payload.items"))
    monkeypatch.setenv("MINE_API_KEY", web.recorded["brave"].key)
    code, out, _ = run(capsys, "try", "mine", WORDS)
    assert (code, f"say so: {rule}\n" in out) == (1, True), out
    own_file(tmp_path, f"{file.read_text(encoding='utf-8')}{rule}\n")
    out = run(capsys, "try", "mine", WORDS)[1]
    assert "the answer has no list" not in out and "say so" not in out


def test_a_key_that_the_api_repeats_is_masked_in_every_spelling(point: Point, capsys: Captured, tmp_path: Path) -> None:
    double = point("brave").recorded["brave"]
    double.says(f"Who is {double.key}? Not {double.key[::-1]}, but {spellings(double.key)['base64']}.")
    code, out, err = run(capsys, "try", "brave", WORDS, "--record", str(tmp_path / "pairs"))
    assert code == 1
    assert double.key not in out + err and spellings(double.key)["base64"] not in out + err
    assert not (tmp_path / "pairs").exists()
    assert "nothing is recorded" in err


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_pair_has_no_key_and_serves_as_a_double(
    point: Point, capsys: Captured, tmp_path: Path, name: str
) -> None:
    double = point(*NAMES).recorded[name]
    code, _, err = run(capsys, "try", name, WORDS, "--count", "3", "--record", str(tmp_path / "pairs"))
    file = tmp_path / "pairs" / f"{name}.json"
    text = file.read_text(encoding="utf-8")
    assert code == 0 and str(file) in err
    assert not [form for form in spellings(double.key).values() if form in text]
    (pair, *_) = read_pairs(file)[name]
    shipped = double.exchanges[0].pair
    assert pair.pair["hits"] == [list(hit) for hit in double.exchanges[0].hits[:3]]
    assert pair.pair["list"] == shipped["list"]
    sent, wanted = pair.pair["request"], shipped["request"]
    assert (sent["method"], sent["auth"]) == (wanted["method"], wanted["auth"])
    assert pair.pair["required"] and set(pair.pair["required"]) <= sent["sent"].keys()
    assert RecordedApi(name, lambda: "http://127.0.0.1", (pair,)).exchanges == (pair,)


def test_a_second_category_joins_the_first_in_one_file(point: Point, capsys: Captured, tmp_path: Path) -> None:
    point("brave")
    for flags in ([], ["--category", "news"]):
        assert run(capsys, "try", "brave", WORDS, *flags, "--record", str(tmp_path))[0] == 0
    pairs = read_pairs(tmp_path / "brave.json")["brave"]
    assert [(each.name, each.pair["category"]) for each in pairs] == [
        ("search", Category.GENERAL.value),
        ("news", Category.NEWS.value),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["try", "bravo", "x"], "There is no provider 'bravo'; did you mean brave?"),
        (["try", "kagi", "x"], "KAGI_API_KEY is not set; set it, then try again."),
        (["try", "brave", "x", "--read"], "brave has no operation read, only search; leave --read out."),
        (["try", "brave", " "], "try takes a query"),
        (["try", "brave", "x", "--count", "0"], "--count takes a number from 1 to 50."),
        (["try", "serper", "x", "--record", "pairs"], "serper has an adapter of its own"),
        (["show", "nothing_like_it"], "`dowse providers list` names all."),
        (["check", "gone.toml"], "dowse providers new URL --write"),
        (["new", "ftp://a.example/"], "new takes the address of one request"),
        (["new", "https://api.brave.com/?q=x"], "name yours with --name"),
        (["new", "https://a.example/?q=x", "--auth", "cookie:a"], "--auth takes PLACE:NAME[:PREFIX]"),
        (["new", "https://a.example/?q=x", "--auth", "query:key"], "A_API_KEY is not set"),
        (["new", "https://a.example/", "--body", "[1]"], "--body takes a JSON object"),
        (["new", "https://a.example/", "--body", "{"], "--body is not valid JSON"),
        (["new", "https://a.example/?q=x", "--sample", "gone.json"], "--sample gone.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistake_is_usage_and_says_what_to_do(
    point: Point, capsys: Captured, tmp_path: Path, arguments: list[str], told: str
) -> None:
    point("brave", "serper")
    code, _, err = run(capsys, *arguments)
    assert (code, told in err) == (2, True), err
    assert "Traceback" not in err


def test_nobody_is_called_offline(point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    web = point("brave")
    monkeypatch.setenv("DOWSE_OFFLINE", "1")
    code, _, err = run(capsys, "try", "brave", "x")
    assert (code, "unset DOWSE_OFFLINE" in err, web.recorded["brave"].requests) == (2, True, [])


# show and check


def test_everything_about_a_provider_is_shown_without_its_key(point: Point, capsys: Captured) -> None:
    web = point("brave")
    code, out, _ = run(capsys, "show", "brave", "--json")
    known = json.loads(out)
    assert (code, known["needs"], known["is_active"]) == (0, "BRAVE_API_KEY (set)", True)
    assert known["fields"]["search"]["date"] == "page_age or age"
    assert known["price"] == {"search": "$0.005"} and known["privacy"]
    assert web.recorded["brave"].key not in out
    assert "needs: BRAVE_API_KEY (set)\n" in run(capsys, "show", "brave")[1]


def test_a_valid_file_is_summed_up_with_the_host_and_the_variable_of_the_key(
    point: Point, capsys: Captured, tmp_path: Path
) -> None:
    web = point("brave")
    server = '[mcp.shelf]\nurl = "https://shelf.example/mcp?token=canary-of-mcp"\ntool = "find"\n'
    file = own_file(tmp_path, described(web) + server)
    code, out, _ = run(capsys, "check")
    assert code == 0 and f"{file} is valid: 2 described\n" in out
    assert f"  mine: search, {web.page('/brave')}" in out and "key in MINE_API_KEY\n" in out
    assert "shelf: MCP server" in out and "canary-of-mcp" not in out


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_a_mistake_in_a_file_is_told_with_line_key_and_what_it_takes(
    point: Point, capsys: Captured, tmp_path: Path, flags: list[str]
) -> None:
    file = tmp_path / "other.toml"
    file.write_text(described(point("brave")).replace("max = 20", 'max = "many"'), encoding="utf-8")
    code, out, err = run(capsys, "check", str(file), *flags)
    told = json.loads(out)["problem"] if flags else err
    assert code == 2
    assert f"{file}, line 6: mine.count.max takes a whole number from 1 to 1000." in told


def test_a_flag_before_the_action_stays_in_force(point: Point, capsys: Captured) -> None:
    point("brave")
    assert run(capsys, "--json", "list")[1] == run(capsys, "list", "--json")[1] == run(capsys, "--json")[1]


# new


def test_a_live_request_becomes_a_description_that_finds_results(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    web = point("brave")
    double = web.recorded["brave"]
    address = f"{web.page(double.endpoint('search'))}?q=lantern&count=3"
    monkeypatch.setenv("LANTERN_API_KEY", double.key)
    flags = ("--name", "lantern", "--auth", "header:X-Subscription-Token", "--write")
    code, out, err = run(capsys, "new", address, *flags)
    assert code == 0, err
    assert tomllib.loads(out)["lantern"] == {
        "title": "Lantern",
        "url": address.partition("?")[0],
        "auth": {"in": "header", "name": "X-Subscription-Token"},
        "query": {"field": "q"},
        "count": {"field": "count", "max": 20},
        "results": "web.results",
        "fields": {"url": "url", "title": "title", "snippet": "description", "date": "page_age"},
    }
    assert "dowse: date: 'page_age'\n" in err and 'run `dowse providers try lantern "weather"`' in err
    assert double.key not in out + err
    file = tmp_path / ".config" / "dowse" / "providers.toml"
    assert double.key not in file.read_text(encoding="utf-8")
    code, out, _ = run(capsys, "try", "lantern", WORDS, "--json")
    assert (code, len(json.loads(out)["hits"])) == (0, len(double.exchanges[0].hits))
    # A second one of the same name is refused, and the file stays.
    assert run(capsys, "new", address, *flags)[0] == 2


def test_a_request_that_fails_says_what_the_api_said_and_what_to_add(point: Point, capsys: Captured) -> None:
    web = point()
    address = f"{web.page(web.recorded['brave'].endpoint('search'))}?q=lantern"
    code, out, err = run(capsys, "new", address, "--name", "lantern")
    assert (code, out) == (2, "")
    assert "The request failed" in err and "add --auth" in err


def test_a_key_in_the_address_never_gets_into_the_description(capsys: Captured, tmp_path: Path) -> None:
    sample = tmp_path / "answer.json"
    sample.write_text('{"hits": [{"link": "https://a.example/1", "name": "One"}]}', encoding="utf-8")
    address = "https://api.example.com/find?query=x&api_key=canary-51f8"
    for flags in ([], ["--json"]):
        code, out, err = run(capsys, "new", address, "--sample", str(sample), *flags)
        assert code == 0 and "EXAMPLE_API_KEY" in err
        assert "canary-51f8" not in out + err
