"""The documentation says what the code does: generated pages, commands, links, names, limits and lock files."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from pathlib import Path

import pytest

from dowse import PROJECT_URL
from dowse.app import App
from dowse.contracts.dispatch import Tool
from dowse.core import errors
from dowse.routing.fallback import FallbackPolicy, counts_as_failure
from dowse.settings import SEARCHERS, SPECS, all_settings
from dowse.settings.described.files import read_own
from dowse.settings.described.filters import DATE_FORMS
from dowse.settings.described.parse import FAILURES, FILTERS, READ_FIELDS, SEARCH_FIELDS, TRANSFORMS, parse_description
from dowse.settings.described.table import Table
from dowse.settings.sources import WITHOUT_EFFECT, load
from dowse.surfaces.cli import kindly, session
from dowse.surfaces.cli import main as cli
from dowse.surfaces.clients import FURTHER, MAIN, KnownClient, LaunchCommand
from tools import generate_docs

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
IN_README = ("Codex",)
THREE_LINES = """\
make install
claude mcp add -s user dowse -- ~/.local/bin/dowse serve
claude -p "Search the web: what is new in Python 3.15?" --allowedTools mcp__dowse
"""
VARIABLES = [name for setting in all_settings() for name in setting.variables]
# Those with an adapter of their own; the described ones are documented where they are described.
ADAPTED = [name for name in SEARCHERS if not SPECS[name].source]
LIMITS = {name: SPECS[name].limits for name in ADAPTED}

_FENCED = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_TERM = re.compile(r"^\| \*\*(.+?)\*\*")
_TERMS_OF_TESTS = {"double", "pocket web", "fixture", "floor", "flaky test"}
_INLINE = re.compile(r"`((?:dowse|make|uvx) [a-z-][^`]*)`")
_ASSIGNMENT = re.compile(r"[A-Z_]+=\S*")


_ID = re.compile(r"`([a-z0-9-]+)`")
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.*-]*)`")
_BESIDE_SRC = ("src", "tests", "tools", "docs", "benchmarks", "deploy", "requirements")
PACKAGE = ROOT / "src" / "dowse"


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def fenced(path: Path, *languages: str) -> list[str]:
    return [body for language, body in _FENCED.findall(text(path)) if language in languages]


def prose(path: Path) -> str:
    return _FENCED.sub("", text(path))


def rows(path: Path, heading: str) -> list[list[str]]:
    """The cells of the table whose first column is called `heading`, head included."""
    lines = text(path).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    end = next((i for i, line in enumerate(lines[start:], start) if not line.startswith("|")), len(lines))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end] if "---" not in line]


# Generated files


def test_generated_files_are_up_to_date() -> None:
    assert generate_docs.stale(ROOT) == [], "run make docs"


def test_check_names_what_is_stale_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(generate_docs, "ROOT", tmp_path)

    assert generate_docs.main(["--check"]) == 1
    assert not list(tmp_path.glob("**/*.md"))
    told = capsys.readouterr().err
    assert all(name in told for name in ("docs/configuration.md", "docs/clients.md", ".env.example"))

    assert generate_docs.main([]) == 0
    assert generate_docs.main(["--check"]) == 0
    (tmp_path / ".env.example").write_text("edited", encoding="utf-8")
    assert generate_docs.main(["--check"]) == 1
    assert ".env.example" in capsys.readouterr().err


def test_every_generated_file_says_so_in_its_first_line() -> None:
    for name in generate_docs.pages():
        assert "make docs" in text(ROOT / name).splitlines()[0]


def test_every_setting_stands_under_one_heading() -> None:
    groups = [group for group, _ in groupby(all_settings(), lambda setting: setting.group)]
    assert "" not in groups
    assert len(groups) == len(set(groups))


def test_notes_and_old_names_refer_to_what_exists() -> None:
    assert set(generate_docs.NOTES) <= {client.title for client in (*MAIN, *FURTHER)}
    assert set(generate_docs.ORIGINS) <= set(VARIABLES)
    for old, (_, new) in generate_docs.RENAMED.items():
        assert old not in VARIABLES, f"{old} is an alias by now"
        assert new in VARIABLES


# README


def test_the_readme_is_short() -> None:
    assert len(text(README).splitlines()) <= 150


@pytest.mark.parametrize("client", MAIN, ids=lambda client: client.title)
def test_the_readme_names_every_client_and_shows_what_the_code_renders_for_one(client: KnownClient) -> None:
    """docs/clients.md, which is generated, shows all of them."""
    shown = f"```{client.language}\n{client.render(LaunchCommand())}\n```"
    assert (shown in text(README)) == (client.title in IN_README)
    assert client.title in text(README)
    page = text(ROOT / "docs" / "clients.md")
    assert f"## {client.title}\n" in page
    assert client.where.removeprefix("a ") in page


def test_the_readme_and_the_page_of_clients_show_the_same_three_lines_to_a_first_search() -> None:
    """`tests/slow/clients` pastes them, and the block of the 30-second start."""
    assert THREE_LINES in fenced(README, "sh")
    assert THREE_LINES in fenced(ROOT / "docs" / "clients.md", "sh")


def test_no_shell_block_of_the_readme_needs_an_edit_or_has_a_comment() -> None:
    """In zsh, unlike in other shells, a comment is an argument when it is pasted."""
    pasted = [body for body in fenced(README, "sh") if "<repo>" not in body]
    assert len(pasted) == 3
    assert [body for body in pasted if re.search(r"[#<>…]|your-", body)] == []


def test_no_page_names_an_address_of_ours_that_may_not_exist() -> None:
    assert [page.name for page in PAGES if PROJECT_URL.rpartition("/")[0] in text(page)] == []


def test_the_readme_names_every_command_and_exit_code() -> None:
    page = text(README)
    assert all(f"`dowse {name}`" in page for name in subcommands())
    told = page[page.index("Exit codes:") :].split("\n\n")[0]
    codes = {value for name, value in vars(session).items() if name.isupper() and isinstance(value, int)}
    assert {int(number) for number in re.findall(r"\b\d+\b", told)} == codes


_ARGUMENT = re.compile(r"`(\w+)`(?: \((\w+)\))?")


def test_the_table_of_tools_in_the_readme_agrees_with_their_declarations() -> None:
    """All tools are there, with their required arguments first and the declared defaults."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", text(README).partition("## Tools")[2], re.MULTILINE)
    tools = {tool.name: tool.params for tool in contract_tools()}
    assert {name for name, _ in rows} == set(tools)
    for name, arguments in rows:
        shown, declared = _ARGUMENT.findall(arguments), {param.name: param for param in tools[name]}
        assert [argument for argument, _ in shown if argument not in declared] == [], name
        required = [param.name for param in tools[name] if param.required]
        assert [argument for argument, _ in shown][: len(required)] == required, name
        defaults = {argument: json.dumps(declared[argument].default) for argument, default in shown if default}
        assert defaults == {argument: default for argument, default in shown if default}, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_calls_on_a_page_have_declared_arguments(page: Path) -> None:
    """Calls as a model writes them, such as `get_content(url="…", section="b7")`."""
    tools = {tool.name: tool.params for tool in contract_tools()}
    for name, written in re.findall(rf"\b({'|'.join(tools)})\(([^()\n]*)\)", text(page)):
        named = re.findall(r'(\w+)=(?=["\d{\[a-zA-Z])', re.sub(r'"[^"]*"', '""', written))
        assert set(named) <= {name for param in tools[name] for name in (param.name, *param.aliases)}, (name, written)


def contract_tools() -> Sequence[Tool]:
    return App(load({}, {"DOWSE_STATE": "memory:"}).settings).contract.tools


# Names


def test_every_variable_is_documented() -> None:
    documented = {word for page in PAGES for word in re.findall(r"\b[A-Z][A-Z0-9_]+\b", text(page))}
    assert set(VARIABLES) - documented == set()


@pytest.mark.parametrize("provider", ADAPTED)
def test_the_page_of_a_provider_names_all_its_variables(provider: str) -> None:
    page = text(ROOT / "docs" / "providers.md")
    own = [setting for setting in all_settings() if setting.provider == provider]
    assert [name for setting in own for name in setting.variables if f"`{name}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_variable_that_is_mentioned_exists(page: Path) -> None:
    # The blocks of the walk-through add settings of their own.
    read = prose if page.name == "CONTRIBUTING.md" else text
    mentioned = set(re.findall(r"\bDOWSE_[A-Z_]*[A-Z]\b(?!_)", read(page)))
    known = {*VARIABLES, *WITHOUT_EFFECT, "DOWSE_CONFIG", "DOWSE_EVAL_DATA"}
    assert mentioned - known == set()


# Links and commands


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {link}"
        assert not anchor or anchor in anchors(target), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_paths_on_a_page_exist(page: Path) -> None:
    assert missing_paths(prose(page)) == []


def test_a_path_that_leads_nowhere_is_found() -> None:
    good = "`flows/search.py` `routing/breaker` `routing/` `http/asgi.py` `src/dowse/app.py` `tests/eval/*.json` `a/b`"
    assert missing_paths(good) == []
    for path in ("flows/gone.py", "routing/gone", "http/gone.py", "tests/gone.py", "flows/asgi.py", "src/dowse/gone/"):
        assert missing_paths(f"Read `{path}`.") == [path]


def missing_paths(words: str) -> list[str]:
    return sorted({path for path in _PATH.findall(words) if not leads_somewhere(path)})


def leads_somewhere(path: str) -> bool:
    """Whether a path of ours exists, with or without `.py`; any path that begins with no folder of ours is another's.

    A folder inside of the package may be named without the ones above it: `http/asgi.py` for `surfaces/http/asgi.py`.
    """
    first = path.partition("/")[0]
    if first == "..":
        return True  # outside of the repository
    if first in _BESIDE_SRC:
        bases = [ROOT]
    elif (PACKAGE / first).is_dir():
        bases = [PACKAGE]
    else:
        bases = [folder.parent for folder in PACKAGE.rglob(first) if folder.is_dir()]
    names = (path.rstrip("/"), f"{path}.py")
    return not bases or any(any(base.glob(name)) for base in bases for name in names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_on_a_page_exist(page: Path) -> None:
    blocks = (line for body in fenced(page, "sh", "console") for line in commands(body))
    inline = (shlex.split(found) for found in _INLINE.findall(prose(page)))
    assert [problem for words in (*blocks, *inline) if (problem := mistake(words))] == []


def test_the_readme_shows_how_to_start_the_server_without_a_clone() -> None:
    shown = [words for body in fenced(README, "sh") for words in commands(body)]
    start = ["uvx", "--from", "git+<repo>"]
    assert [*start, "dowse", "serve"] in shown
    assert [*start, "kindly-web-search-mcp-server", "start-mcp-server", "--context", "codex"] in shown


@pytest.mark.parametrize(
    "command",
    ["dowse serach x", "dowse search --no-such-flag x", "make everything", "uvx --from git+<repo> dows serve",
     "uvx --from git+<repo> kindly-web-search-mcp-server start"],
)  # fmt: skip
def test_a_wrong_command_would_be_noticed(command: str) -> None:
    assert mistake(shlex.split(command))


async def test_the_example_of_a_test_passes() -> None:
    (example,) = fenced(ROOT / "docs" / "testing.md", "python")
    namespace: dict[str, object] = {}
    exec(compile(example, "docs/testing.md", "exec"), namespace)
    (test,) = (value for name, value in namespace.items() if name.startswith("test_"))
    assert callable(test)
    await test()


# Tables


@pytest.mark.parametrize("provider", ADAPTED)
def test_the_table_of_filters_agrees_with_the_declared_limits(provider: str) -> None:
    head, *body = rows(ROOT / "docs" / "providers.md", "Filter")
    column = [name.lower() for name in head].index(provider)
    cells = {name: row[column] for row in body for name in re.findall(r"\w+", row[0])}
    limits = LIMITS[provider]

    native = {name for name, cell in cells.items() if cell.startswith("native")}
    assert native == limits.filters
    assert cells["results"].split(",")[0] == str(limits.max_results)
    assert cells["query"].split()[0] == str(limits.max_query_chars)
    listed = set(re.findall(r"`(\w+)`", cells["category"]))
    assert listed == (set() if cells["category"] == "all nine" else {str(each) for each in limits.categories})
    assert (cells["category"] == "all nine") == (len(limits.categories) == 9)


def described_blocks() -> list[str]:
    """The examples of a description: whole tables, and lines of one."""
    return fenced(ROOT / "docs" / "add-a-provider.md", "toml")


def statements(block: str) -> Iterator[dict[str, object]]:
    """The lines of a block that belong together, each with its key."""
    written = ""
    for line in block.splitlines():
        written += f"{line}\n"
        try:
            found = tomllib.loads(written)
        except tomllib.TOMLDecodeError:
            continue
        if found:
            yield found
        written = ""


@pytest.mark.parametrize("block", [each for each in described_blocks() if "[example.category" not in each])
def test_an_example_of_a_description_is_a_valid_one(block: str, tmp_path: Path) -> None:
    if block.startswith("["):
        file = tmp_path / "providers.toml"
        file.write_text(block, encoding="utf-8")
        assert read_own(file, SPECS, frozenset(VARIABLES)).path
        return
    base = tomllib.loads(described_blocks()[0])["example"]
    # Some belong to a POST, and a second request to an answer by id.
    seen = list(statements(block))
    for found in seen:
        parse_description("example", Table({**base, "method": "POST", **found}, ("example",)))
    assert seen


def test_the_category_of_the_example_is_valid_beside_it(tmp_path: Path) -> None:
    (category,) = (each for each in described_blocks() if "[example.category" in each)
    file = tmp_path / "providers.toml"
    file.write_text(f"{described_blocks()[0]}\n{category}", encoding="utf-8")
    assert read_own(file, SPECS, frozenset(VARIABLES)).descriptions["example"]["search"].variants


def test_the_page_on_descriptions_names_every_key_and_value_of_the_format() -> None:
    page = text(ROOT / "docs" / "add-a-provider.md")
    words = {*SEARCH_FIELDS, *READ_FIELDS, *FILTERS, *FAILURES, *TRANSFORMS, *DATE_FORMS}
    keys = {key for name in SPECS.values() if name.source for key in _keys_of(name.source)}
    assert len(keys) > 30
    assert sorted(word for word in words | keys if not re.search(rf"\b{word}\b", page)) == []


def _keys_of(source: str) -> set[str]:
    tables = tomllib.loads((PACKAGE / "providers" / "described" / f"{source}.toml").read_text(encoding="utf-8"))
    return {key for table in tables.values() for key in table}


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec.source])
def test_the_page_of_providers_says_who_gets_the_query_of_each_described_one(name: str) -> None:
    page = text(ROOT / "docs" / "providers.md")
    assert f"| `{name}` |" in page
    section = page[page.index(f"\n`{name}`") :].partition("\n\n`")[0].partition("\n### ")[0]
    assert all(f"**{word}:**" in section for word in ("Needs", "Costs", "Allows", "Filters", "Returns"))
    assert SPECS[name].privacy and f"**Who gets the query:** {SPECS[name].privacy} Requests go to" in section


def test_the_table_of_failure_classes_agrees_with_the_policy() -> None:
    _, *body = rows(ROOT / "docs" / "architecture.md", "Class")
    told = {row[0].strip("`"): (row[1].strip("`"), row[3].split(",")[0], row[4]) for row in body}

    def yes(answer: bool) -> str:
        return "yes" if answer else "no"

    for kind in (*errors.Transient.__subclasses__(), *errors.Refused.__subclasses__()):
        error = kind("some provider")
        moves_on = yes(FallbackPolicy().moves_on(error))
        if FallbackPolicy(after_rejected_key=True).moves_on(error) and moves_on == "no":
            moves_on = "only with `DOWSE_FALLBACK=any`"
        assert told.pop(kind.__name__) == (kind.code, moves_on, yes(counts_as_failure(error)))
    assert told == {}


# Lock files


def test_no_lock_file_names_an_index() -> None:
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    assert locks
    for lock in locks:
        assert "://" not in text(lock), lock.name
        assert not re.search(r"^\s*(-i|-f|--(extra-)?index-url|--find-links)\b", text(lock), re.MULTILINE), lock.name


def test_no_npm_lock_names_a_registry() -> None:
    for lock in npm_locks():
        assert '"resolved"' not in text(lock), lock.relative_to(ROOT)


def npm_locks() -> Iterator[Path]:
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", ".venv", "node_modules")]
        yield from (Path(folder) / name for name in files if name in ("package-lock.json", "npm-shrinkwrap.json"))


# How commands are read


def commands(body: str) -> Iterator[list[str]]:
    """The commands in a shell block as words, without comments and leading assignments; output is skipped."""
    lines = body.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in lines:
        for part in line.split("&&"):
            words = list(takewhile(lambda word: word not in (">", "|"), shlex.split(part, comments=True)))
            while words and _ASSIGNMENT.fullmatch(words[0]):
                del words[0]
            if words:
                yield words


def mistake(words: list[str]) -> str:
    """What is wrong with a command of ours; empty for a good one and for other people's."""
    if words[0] == "claude":
        # Either it is told how to start the server, or where one runs.
        words = words[words.index("--") + 1 :] if "--" in words else []
    known = True
    match words:
        case ["make", *wanted]:
            known = set(wanted) <= targets()
        case ["uvx", "--from", _, "kindly-web-search-mcp-server", *rest]:
            known = exit_code(kindly.main, [*rest, "--help"]) == 0
        case ["uvx", "--from", _, "dowse", *rest]:
            known = exit_code(cli._parser().parse_args, rest) == 0
        case ["uvx", *rest]:
            known = "--from" in rest and rest[-1] in scripts()
        case ["dowse" | ".venv/bin/dowse", *rest]:
            # In prose a command is often named without its arguments.
            known = rest in [[name] for name in subcommands()] or exit_code(cli._parser().parse_args, rest) == 0
    return "" if known else shlex.join(words)


def exit_code(call: object, arguments: list[str]) -> object:
    assert callable(call)
    try:
        call(arguments)
    except SystemExit as error:
        return error.code
    return 0


def subcommands() -> set[str]:
    actions = (action for action in cli._parser()._actions if action.dest == "==SUPPRESS==" and action.choices)
    return {str(name) for action in actions for name in action.choices or ()}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", text(ROOT / "Makefile"), re.MULTILINE))


def scripts() -> set[str]:
    return set(tomllib.loads(text(ROOT / "pyproject.toml"))["project"]["scripts"])


def anchors(page: Path) -> set[str]:
    """Headings as a repository host turns them into anchors."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_terms_of_the_glossary_occur_in_the_code() -> None:
    """A reader who knows the field greps for its words."""
    code = "\n".join(path.read_text(encoding="utf-8").lower() for path in (ROOT / "src").rglob("*.py"))
    terms = {term for line in text(ROOT / "docs" / "glossary.md").splitlines() for term in _TERM.findall(line)}
    assert len(terms) > 40 and "circuit breaker" in terms
    assert {term for term in terms - _TERMS_OF_TESTS if term.lower() not in code} == set()


def test_every_protection_of_the_threat_model_names_promises_that_a_test_holds() -> None:
    """`tests/test_promises.py` requires a running test for each promise."""
    model = text(ROOT / "SECURITY.md").partition("## Credentials")[0]
    rows = [row for row in model.splitlines() if row.startswith("| ") and not row.startswith(("| Protected", "| ---"))]
    cited = {row: set(_ID.findall(row.rsplit(" | ", 1)[1])) for row in rows}
    promises = tomllib.loads(text(ROOT / "tests" / "promises.toml"))

    assert len(rows) > 20
    assert [row for row, ids in cited.items() if not ids or not ids <= promises.keys()] == []
