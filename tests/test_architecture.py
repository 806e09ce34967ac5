"""What the folders promise: imports point downwards, and each privilege has one owner. Read from the syntax tree."""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import graphlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from radon.complexity import cc_visit

from tests.support.tables import each_row

SRC = Path(__file__).resolve().parent.parent / "src"
ROOT = "dowse"

TESTS = Path(__file__).resolve().parent
UNIT_TESTS = ("unit", "slow/unit")
NOT_MIRRORED = {
    "unit/test_names.py": "names that are contracts come from settings, tools, commands, statuses and pyproject alike",
}

LEVELS = (
    (ROOT, "errors", "core", "language"),
    ("settings", "document", "secrets"),
    ("telemetry",),
    ("net",),
    ("stores",),
    ("cache",),
    ("providers", "fetch", "extract", "rank", "routing", "auth"),
    ("sites", "worker"),
    ("flows",),
    ("contracts",),
    ("app",),
    ("surfaces",),
    ("__main__",),
)
LEVEL = {part: level for level, parts in enumerate(LEVELS) for part in parts}
# Beside the levels: it may use the nouns, and only the demo may use it.
DEMO = "demo"
DEMO_USERS = {"dowse.surfaces.cli.demo"}

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
# 330 before REST, the wires, the Python API and providers as data. A wire is a file, with eight shared ones and three
# flows; REST and its surface are ten; reranking, extraction and the Python API ten: a flow and a contract per tool,
# and the clients; 18 list, read, serve, try and draft the providers that are data.
MOST_FILES = 420
MOST_ROOT_MODULES = 6
MOST_COMPLEX = 10

ENVIRONMENT = ("os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.unsetenv")
ENVIRONMENT_READERS = {"dowse.settings.sources"}

CONNECTIONS = (
    "aiohttp.ClientSession", "aiohttp.TCPConnector", "aiohttp.UnixConnector", "aiohttp.request",
    "socket.socket", "socket.create_connection", "socket.socketpair",
    "asyncio.open_connection", "asyncio.open_unix_connection",
    "urllib.request", "http.client", "httpx", "httpx2", "requests", "urllib3",
)  # fmt: skip
# Methods of the event loop: whatever the loop is called, nothing else has these names.
CONNECTING_METHODS = ("create_connection", "create_unix_connection", "create_datagram_endpoint", "sock_connect")
# `net` is the only way out.
CONNECTORS = ("dowse.net.",)

# Text that becomes code, and data that does.
CODE_FROM_DATA = ("pickle", "marshal", "shelve", "builtins.eval", "builtins.exec", "builtins.__import__")

# What reads hostile pages, and is heavy: it belongs into the workers, which may be killed.
PARSERS = ("selectolax", "numpy")
PARSING = ("dowse.extract.",)

BY_NAME = ("getattr", "setattr", "hasattr", "delattr")

# Where a bug or a cancellation must be met whatever it is; each says why at its place.
BROAD_EXCEPTS = {
    "dowse.contracts.dispatch": 1,  # the boundary of a tool call
    "dowse.surfaces.cli.session": 1,  # the boundary of a command: its traceback goes through the log, which masks
    "dowse.flows.readers": 1,  # the boundary of a reader: what goes wrong with one costs the others nothing
    "dowse.flows.read": 1,  # the boundary of a page, for the same reason
    "dowse.worker.jobs": 1,  # the boundary of a job
    "dowse.fetch.browser.pool": 1,  # the boundary of a start, a task that nobody asks how it ended
    "dowse.cache.flights": 1,  # the boundary of a listener: one that is gone must not cost the answer
    "dowse.stores.sqlite.threads": 1,  # the boundary of a step: a bug in one must not end the thread
}

# Folders of adapters, each with the modules that are no adapter: protocols, tables and shared parts.
ADAPTER_FOLDERS = {
    "dowse.providers": {"table", "limits", "disclosure", "politeness", "relevance", "html_engines"},
    "dowse.sites": {"table", "site", "compose", "markup", "packages", "query", "shapes"},
    "dowse.stores": {"store", "ledger", "coordination", "fail_soft"},
    "dowse.fetch": {"direct", "media", "robots"},
}
# `app` composes; a table chooses among the adapters of its own folder. The browser is chosen inside its package.
COMPOSER = "dowse.app"
ADAPTER_TABLES = {
    "dowse.providers.table": "dowse.providers",
    "dowse.sites.table": "dowse.sites",
    "dowse.stores": "dowse.stores",
}
ADAPTER_EXCEPTIONS = {
    # The open APIs are one provider; their code belongs to the sites, a level above, so the table has its name only.
    ("dowse.providers.table", "dowse.sites.search"),
    # The doctor looks for the executable of the browser without starting it.
    ("dowse.flows.doctor.installation", "dowse.fetch.browser"),
    # A trial tells which fields of a description found nothing in the raw answer, and none of another adapter.
    ("dowse.flows.try_provider", "dowse.providers.described"),
    # The command shows the states of SearXNG instances, which no other provider has.
    ("dowse.surfaces.cli.instances", "dowse.providers.searxng"),
}
EXCLUDED = re.compile(r"#\s*pragma[:\s]?\s*no\s*(?:cover|branch)", re.IGNORECASE)
REASONED = re.compile(r"# pragma: no cover \([^()]{10,}\)$")
SILENCED = re.compile(r"#\s*(?:type:\s*ignore|noqa|mypy:\s*ignore|ruff:\s*noqa)", re.IGNORECASE)
SILENCED_WITH_REASON = re.compile(r"# (?:type: ignore\[[a-z, -]+\]|noqa: [A-Z0-9, ]+?)(?:  # | - )\S.{7,}$")
BROAD = ("builtins.Exception", "builtins.BaseException")


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the product: its dotted name and its syntax tree."""

    name: str
    tree: ast.Module
    is_package: bool = False

    @property
    def part(self) -> str:
        """The name that has a level: the package or module right under `dowse`."""
        return self.name.split(".")[1] if "." in self.name else ROOT

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]


@functools.cache
def modules() -> tuple[Module, ...]:
    # Nothing of it is garbage, and the collector would take longer than the parser.
    gc.disable()
    try:
        return tuple(map(_module, _files()))
    finally:
        gc.enable()


def _module(path: Path) -> Module:
    dotted = ".".join(path.relative_to(SRC).with_suffix("").parts)
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return Module(dotted.removesuffix(".__init__"), tree, is_package=path.name == "__init__.py")


def made_up(name: str, source: str) -> Module:
    """A module that is nowhere on disk, to see that a check would catch it."""
    return Module(name, ast.parse(source))


@functools.cache
def nodes(module: Module) -> tuple[ast.AST, ...]:
    """All of a module's tree; most checks look at every node, and there are half a million."""
    return tuple(ast.walk(module.tree))


def imported(module: Module) -> Iterator[tuple[str, str, int]]:
    """Every import, at whatever depth: the name it binds, the full name behind it, the line."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{_source(module, node)}.{alias.name}", node.lineno


def _source(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.package.split(".")
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


@functools.cache
def used(module: Module) -> tuple[tuple[str, int], ...]:
    """Full names of all that is imported or looked up, aliases resolved: `o.environ` after `import os as o` is ours."""
    return tuple(_used(module))


def _used(module: Module) -> Iterator[tuple[str, int]]:
    bound = {name: f"builtins.{name}" for name in dir(builtins)}
    for name, full, line in imported(module):
        # `import a.b` binds `a`; every other form binds what it names.
        bound[name] = name if full.startswith(f"{name}.") else full
        yield full, line
    for node in nodes(module):
        if isinstance(node, ast.Name) and node.id in bound:
            yield bound[node.id], node.lineno
        elif isinstance(node, ast.Attribute) and (dotted := _dotted(node)):
            first, _, rest = dotted.partition(".")
            if first in bound:
                yield f"{bound[first]}.{rest}", node.lineno


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := _dotted(node.value)):
        return f"{head}.{node.attr}"
    return ""


def uses_of(module: Module, banned: Iterable[str]) -> list[str]:
    """Where a module uses one of these names or something inside it."""
    names = tuple(banned)
    return sorted(
        {
            f"{module.name}:{line} {name}"
            for full, line in used(module)
            for name in names
            if full == name or full.startswith(f"{name}.")
        }
    )


def calls_of_methods(module: Module, names: tuple[str, ...]) -> list[str]:
    attributes = [node for node in nodes(module) if isinstance(node, ast.Attribute)]
    return [f"{module.name}:{node.lineno} {node.attr}" for node in attributes if node.attr in names]


def our_imports(module: Module) -> Iterator[tuple[str, int]]:
    """The parts of dowse that a module imports; a name out of `dowse/__init__.py` is the root's."""
    for _, full, line in imported(module):
        parts = full.split(".")
        if parts[0] == ROOT:
            known = len(parts) > 1 and (parts[1] in LEVEL or parts[1] == DEMO)
            yield (parts[1] if known else ROOT), line


def upward_imports(module: Module) -> list[str]:
    """Imports that do not point downwards, and the ones between neighbours."""
    return [
        f"{module.name}:{line} must not import {part}"
        for part, line in our_imports(module)
        if not _may_import(module, part)
    ]


def _may_import(module: Module, part: str) -> bool:
    if part == DEMO:
        return module.part == DEMO or module.name in DEMO_USERS
    if module.part == DEMO:
        return LEVEL[part] == 0
    # Level 0 is a handful of modules that know one another; that they form no cycle is a test of its own.
    return part == module.part or LEVEL[part] < LEVEL[module.part] or LEVEL[part] == LEVEL[module.part] == 0


def cycles(all_modules: Iterable[Module]) -> list[str]:
    """The modules of one import cycle, if there is any."""
    known = {module.name for module in all_modules}
    graph = {
        module.name: {target for _, full, _ in imported(module) if (target := _file_of(full, known)) != module.name}
        for module in all_modules
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def _file_of(full: str, known: set[str]) -> str:
    """The module a dotted name comes from: itself, or the one that defines its last part."""
    return full if full in known else full.rpartition(".")[0]


def adapters_of(names: Iterable[str]) -> set[str]:
    """The modules and packages that are adapters: right below a folder of adapters, and none of its shared parts."""
    return {
        f"{folder}.{first}"
        for name in names
        for folder, shared in ADAPTER_FOLDERS.items()
        if name.startswith(f"{folder}.") and (first := name.removeprefix(f"{folder}.").partition(".")[0]) not in shared
    }


def named_adapters(module: Module, adapters: set[str]) -> set[str]:
    """The adapters that a module imports or names in a dotted string, besides its own."""
    texts = (node.value for node in nodes(module) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    dotted = {text.partition(":")[0] for text in texts if text.startswith(f"{ROOT}.")}
    names = dotted | {full for _, full, _ in imported(module)}
    return {
        adapter
        for adapter in adapters
        if not _is_inside(module.name, adapter) and any(_is_inside(name, adapter) for name in names)
    }


def _is_inside(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def concrete_choices(all_modules: Iterable[Module], adapters: set[str]) -> set[tuple[str, str]]:
    """Each module that names an adapter, with the adapter, unless choosing it is the module's task."""
    return {
        (module.name, adapter)
        for module in all_modules
        for adapter in named_adapters(module, adapters)
        if module.name != COMPOSER and ADAPTER_TABLES.get(module.name) != adapter.rpartition(".")[0]
    }


def lengths(module: Module) -> Iterator[tuple[str, int]]:
    for node in nodes(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{module.name}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def composed_names(module: Module) -> list[str]:
    """Attributes that are looked up under a name put together at run time: no tool finds their users."""
    calls = [node for node in nodes(module) if isinstance(node, ast.Call) and _dotted(node.func) in BY_NAME]
    return [
        f"{module.name}:{call.lineno}"
        for call in calls
        if len(call.args) > 1 and isinstance(call.args[1], ast.JoinedStr | ast.BinOp | ast.Call)
    ]


def unread_attributes(module: Module) -> list[str]:
    """Private attributes that a class assigns on `self` and its file reads nowhere."""
    attributes = [node for node in nodes(module) if isinstance(node, ast.Attribute)]
    read = {node.attr for node in attributes if isinstance(node.ctx, ast.Load)}
    return [
        f"{module.name}:{node.lineno} {node.attr}"
        for node in attributes
        if isinstance(node.ctx, ast.Store) and _dotted(node.value) == "self"
        if node.attr.startswith("_") and node.attr not in read
    ]


def broad_excepts(module: Module) -> list[int]:
    """Lines that catch everything: a bare `except`, `except Exception` in any spelling, `suppress(Exception)`."""
    handlers = [node.lineno for node in nodes(module) if isinstance(node, ast.ExceptHandler) and _catches_all(node)]
    calls = [node.lineno for node in nodes(module) if isinstance(node, ast.Call) and _suppresses_all(node)]
    return sorted(handlers + calls)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _names_broad(handler.type)


def _suppresses_all(call: ast.Call) -> bool:
    return _dotted(call.func).endswith("suppress") and any(map(_names_broad, call.args))


def _names_broad(node: ast.expr) -> bool:
    options = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(f"builtins.{_dotted(option).removeprefix('builtins.')}" in BROAD for option in options)


def test_every_module_has_a_level() -> None:
    assert {module.part for module in modules()} - set(LEVEL) - {DEMO} == set()


def test_imports_point_downwards() -> None:
    """Imports for type checkers and inside functions count: they are dependencies all the same."""
    assert [offence for module in modules() for offence in upward_imports(module)] == []


def test_no_module_is_in_an_import_cycle() -> None:
    assert cycles(modules()) == []


def test_only_settings_read_the_environment() -> None:
    others = [module for module in modules() if module.name not in ENVIRONMENT_READERS]
    assert [use for module in others for use in uses_of(module, ENVIRONMENT)] == []


def test_only_net_opens_connections() -> None:
    others = [module for module in modules() if not module.name.startswith(CONNECTORS)]
    assert [use for module in others for use in uses_of(module, CONNECTIONS)] == []
    assert [use for module in others for use in calls_of_methods(module, CONNECTING_METHODS)] == []


def test_no_attribute_is_looked_up_under_a_composed_name() -> None:
    assert [use for module in modules() for use in composed_names(module)] == []


def test_every_private_attribute_is_read_in_its_file() -> None:
    """An attribute that is only assigned is a dependency without use."""
    assert [offence for module in modules() for offence in unread_attributes(module)] == []


def test_nothing_turns_data_into_code() -> None:
    assert [use for module in modules() for use in uses_of(module, CODE_FROM_DATA)] == []


def test_only_extraction_uses_the_libraries_that_read_pages() -> None:
    others = [module for module in modules() if not module.name.startswith(PARSING)]
    assert [use for module in others for use in uses_of(module, PARSERS)] == []


def test_only_app_and_the_tables_name_concrete_adapters() -> None:
    adapters = adapters_of(module.name for module in modules())
    assert {"dowse.providers.serper", "dowse.sites.github", "dowse.stores.redis", "dowse.fetch.browser"} <= adapters
    assert concrete_choices(modules(), adapters) == ADAPTER_EXCEPTIONS


def test_the_lists_of_shared_parts_and_tables_name_present_modules() -> None:
    present = {module.name for module in modules()}
    shared = {f"{folder}.{name}" for folder, names in ADAPTER_FOLDERS.items() for name in names}
    assert ({COMPOSER, *ADAPTER_TABLES} | shared) - present == set()


@pytest.mark.parametrize(
    "source",
    ["from dowse.providers.serper import Serper", "from dowse.providers import serper", "import dowse.providers.serper",
     "def late():\n    from dowse.providers.serper import make", "NAME = 'dowse.providers.serper:make'"],
)  # fmt: skip
def test_a_module_that_names_an_adapter_is_found(source: str) -> None:
    adapters = {"dowse.providers.serper"}
    found = {("dowse.flows.made_up", "dowse.providers.serper")}
    assert concrete_choices([made_up("dowse.flows.made_up", source)], adapters) == found
    assert concrete_choices([made_up("dowse.sites.table", source)], adapters) != set()
    allowed = ("dowse.app", "dowse.providers.table", "dowse.providers.serper", "dowse.providers.serper.made_up")
    assert concrete_choices([made_up(name, source) for name in allowed], adapters) == set()


def test_everything_is_caught_at_a_few_boundaries_only() -> None:
    found = Counter({module.name: len(broad_excepts(module)) for module in modules()})
    assert {name: count for name, count in found.items() if count} == BROAD_EXCEPTS


def test_files_and_functions_fit_on_a_few_screens() -> None:
    files = {str(path.relative_to(SRC)): len(path.read_text(encoding="utf-8").splitlines()) for path in _files()}
    functions = dict(length for module in modules() for length in lengths(module))
    assert {name: lines for name, lines in files.items() if lines >= LONGEST_FILE} == {}
    assert {name: lines for name, lines in functions.items() if lines >= LONGEST_FUNCTION} == {}


def test_the_tree_can_be_read_at_one_sitting() -> None:
    assert [path.name for path in SRC.iterdir()] == [ROOT]
    assert len(_files()) <= MOST_FILES
    assert len(list((SRC / ROOT).glob("*.py"))) <= MOST_ROOT_MODULES


def test_a_unit_test_is_named_after_the_module_it_tests() -> None:
    """`tests/unit/<folders>/test_<module>[_<aspect>].py`; a package counts as a module of the folder above."""
    assert {str(path.relative_to(TESTS)) for path in unit_tests() if not mirrored(path)} == set(NOT_MIRRORED)


def unit_tests() -> Iterator[Path]:
    return (path for folder in UNIT_TESTS for path in (TESTS / folder).rglob("test_*.py"))


def mirrored(test: Path) -> bool:
    """Whether a module or package of the same folder in `src` begins the name of this file."""
    (root,) = (TESTS / folder for folder in UNIT_TESTS if test.is_relative_to(TESTS / folder))
    folder = SRC / ROOT / test.parent.relative_to(root)
    name = f"{test.stem.removeprefix('test_')}_"
    modules_here = [path for path in folder.glob("*") if path.suffix == ".py" or (path / "__init__.py").exists()]
    return any(name.startswith(f"{path.stem}_") for path in modules_here)


def test_a_unit_test_of_no_module_is_found() -> None:
    unit = TESTS / "unit"
    assert mirrored(unit / "routing" / "test_breaker.py") and mirrored(unit / "routing" / "test_breaker_half_open.py")
    assert mirrored(unit / "extract" / "test_verdict.py")
    assert not mirrored(unit / "test_breaker.py") and not mirrored(unit / "routing" / "test_breakers.py")


def test_no_function_is_more_complex_than_ten_by_radon() -> None:
    blocks = ((path, block) for path in _files() for block in cc_visit(path.read_text(encoding="utf-8")))
    assert [
        f"{path.relative_to(SRC)}:{block.lineno} {block.name} {block.complexity}"
        for path, block in blocks
        if block.letter != "C" and block.complexity > MOST_COMPLEX
    ] == []


def test_a_public_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module.name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_line_that_coverage_leaves_out_says_why() -> None:
    lines = [line.strip() for path in _files() for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if EXCLUDED.search(line) and not REASONED.search(line)] == []


def without_a_reason(lines: Iterable[str]) -> list[str]:
    """Lines that silence the type checker or the linter wholesale, or without a word on why."""
    return [line.strip() for line in lines if SILENCED.search(line) and not SILENCED_WITH_REASON.search(line)]


def test_a_line_that_silences_a_check_names_the_check_and_says_why() -> None:
    assert [line for path in _files() for line in without_a_reason(path.read_text(encoding="utf-8").splitlines())] == []


def test_every_any_says_why_no_other_type_fits() -> None:
    """In a comment on its line."""
    found = [
        f"{path.relative_to(SRC)}:{node.lineno}"
        for path in _files()
        for lines in [path.read_text(encoding="utf-8").splitlines()]
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.Name) and node.id == "Any" and "  # " not in lines[node.lineno - 1]
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    ["x = f()  # type: ignore", "x = f()  # type: ignore[misc]", "x = f()  # noqa", "x = f()  # noqa: B008",
     "x = f()  # type: ignore  # it has no stubs", "x = f()  # noqa - it has no stubs", "# ruff: noqa",
     "x = f()  # type: ignore[misc]  # no"],
)  # fmt: skip
def test_a_silenced_check_without_a_reason_is_found(line: str) -> None:
    assert without_a_reason([line]) == [line]


def _files() -> list[Path]:
    return sorted(SRC.rglob("*.py"))


def loaded_by(*names: str) -> set[str]:
    """All modules of a fresh interpreter after these imports."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_a_worker_knows_extraction_ranking_and_the_nouns_only() -> None:
    """It meets hostile pages: what it has not imported cannot be turned against us."""
    ours = {name for name in loaded_by("dowse.worker.jobs", "dowse.extract.convert") if name.startswith("dowse.")}
    assert "dowse.extract.html.content.selection" in ours
    parts = {name.split(".")[1] for name in ours}
    assert parts - set(LEVELS[0]) - {"worker", "document", "extract", "rank"} == set()


def test_a_server_that_has_done_nothing_has_imported_nothing_heavy() -> None:
    """Clients start one for every conversation, and most conversations never search."""
    packages = {name.partition(".")[0] for name in loaded_by("dowse.surfaces.mcp.server")}
    assert "mcp" in packages
    assert packages & {"aiohttp", "selectolax", "numpy", "sqlite3", "redis", "prometheus_client"} == set()


def test_stdio_imports_nothing_of_rest_and_the_wires() -> None:
    http_only = ("dowse.contracts.endpoint", "dowse.contracts.rest", "dowse.contracts.wires", "dowse.surfaces.http.")
    loaded = loaded_by("dowse.surfaces.mcp.server", "dowse.surfaces.cli.serve")
    assert [name for name in loaded if name.startswith(http_only)] == []


UPWARDS = [
    ("dowse.net.made_up", "from dowse.flows.read import ReadFlow"),
    ("dowse.net.made_up", "import dowse.app"),
    ("dowse.net.made_up", "from ..app import App"),
    ("dowse.net.made_up", "def late():\n    from dowse import app"),
    ("dowse.net.made_up", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dowse.app import App"),
    ("dowse.rank.made_up", "from dowse.extract import html"),
    ("dowse.core.models", "from dowse.telemetry.log import event"),
    ("dowse.demo.made_up", "from dowse.net.clients import Reply"),
    ("dowse.surfaces.cli.made_up", "from dowse.demo import DemoWeb"),
]
DOWNWARDS = [
    ("dowse.net.made_up", "from dowse import __version__, errors\nfrom dowse.telemetry.log import event\nimport os"),
    ("dowse.rank.made_up", "from dowse.rank import budget\nfrom . import summary"),
    ("dowse.settings.sources", "from dowse.settings import Settings"),
    ("dowse.demo.made_up", "from dowse.demo.web import DemoWeb\nfrom dowse.core.models import Hit"),
    ("dowse.surfaces.cli.demo", "from dowse.demo import DemoWeb"),
]


@each_row(("name", "source"), UPWARDS)
def test_an_import_that_points_upwards_or_sideways_is_found(name: str, source: str) -> None:
    assert len(upward_imports(made_up(name, source))) == 1


@pytest.mark.parametrize(("name", "source"), DOWNWARDS)
def test_an_import_that_points_downwards_is_no_offence(name: str, source: str) -> None:
    assert upward_imports(made_up(name, source)) == []


def test_a_cycle_is_found() -> None:
    pair = [
        made_up("dowse.core.urls", "from dowse.core import text"),
        made_up("dowse.core.text", "def f():\n    from dowse.core.urls import g"),
    ]
    assert set(cycles(pair)) == {"dowse.core.urls", "dowse.core.text"}
    assert cycles(pair[:1]) == []


@each_row(
    ("source", "banned"),
    [
        ("import os\nos.environ['KEY']", ENVIRONMENT),
        ("import os as o\nprint(o.getenv('KEY'))", ENVIRONMENT),
        ("from os import environ as e", ENVIRONMENT),
        ("import aiohttp\naiohttp.ClientSession()", CONNECTIONS),
        ("from aiohttp import ClientSession", CONNECTIONS),
        ("import socket as s\ns.create_connection(('h', 1))", CONNECTIONS),
        ("from urllib import request", CONNECTIONS),
        ("from urllib.request import urlopen", CONNECTIONS),
        ("import http.client", CONNECTIONS),
        ("import pickle", CODE_FROM_DATA),
        ("eval('1')", CODE_FROM_DATA),
        ("run = exec", CODE_FROM_DATA),
    ],
)
def test_a_forbidden_name_is_found_in_any_spelling(source: str, banned: tuple[str, ...]) -> None:
    assert uses_of(made_up("dowse.rank.made_up", source), banned)


@pytest.mark.parametrize(
    "source",
    ["import os\nos.path", "from urllib.parse import quote", "import socket\nsocket.AF_INET", "cursor.execute('x')"],
)
def test_a_harmless_name_is_no_offence(source: str) -> None:
    assert uses_of(made_up("dowse.rank.made_up", source), (*ENVIRONMENT, *CONNECTIONS, *CODE_FROM_DATA)) == []


@pytest.mark.parametrize("name", ['f"{provider}_timeout_s"', 'provider + "_key"', '"{}_key".format(provider)'])
def test_a_composed_name_is_found(name: str) -> None:
    assert len(composed_names(made_up("dowse.made_up", f"getattr(settings, {name}, None)"))) == 1
    assert composed_names(made_up("dowse.made_up", "getattr(error, 'code', '')\ngetattr(value, step)")) == []


def test_a_connection_opened_through_the_event_loop_is_found() -> None:
    module = made_up("dowse.rank.made_up", "async def f(loop):\n    await loop.create_connection(object, 'h', 1)")
    assert calls_of_methods(module, CONNECTING_METHODS) == ["dowse.rank.made_up:2 create_connection"]


def test_a_private_attribute_that_is_only_assigned_is_found() -> None:
    source = "class C:\n    def __init__(self, a, b):\n        self._a, self._b = a, b\n        self.c = self._a\n"
    assert unread_attributes(made_up("dowse.rank.made_up", source)) == ["dowse.rank.made_up:3 _b"]


BROAD_SOURCE = """
try: pass
except ValueError: pass
try: pass
except (OSError, Exception): pass
try: pass
except: pass
try: pass
except BaseException: raise
with contextlib.suppress(Exception): pass
with contextlib.suppress(OSError): pass
"""


def test_a_broad_except_is_found_in_any_spelling() -> None:
    assert broad_excepts(made_up("dowse.rank.made_up", BROAD_SOURCE)) == [5, 7, 9, 10]


def test_a_long_function_is_found() -> None:
    source = "def long():\n" + "    pass\n" * 60
    assert list(lengths(made_up("dowse.rank.made_up", source))) == [("dowse.rank.made_up:1 long", 61)]
