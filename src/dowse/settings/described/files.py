"""Files of descriptions: the shipped ones, and the user's `providers.toml` with providers, changes and MCP servers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import dowse
from dowse.core import urls
from dowse.core.errors import ConfigError
from dowse.settings.described.model import Description
from dowse.settings.described.parse import parse_description
from dowse.settings.described.specs import ORDER, Descriptions, OwnProviders, make_spec
from dowse.settings.described.table import NAME, InvalidDescription, Table
from dowse.settings.mcp_servers import McpServer, make_server
from dowse.settings.spec import ProviderSpec

SHIPPED = Path(dowse.__file__).parent / "providers" / "described"
MCP = "mcp"
"""The table that holds the MCP servers."""
_OF_ITSELF = ("name", "nicknames", "allowance_of", "tier", "opt_in")
_DEEPEST = 3
_MOST_BYTES, _MOST_TABLES = 1_000_000, 200
_HEADER = re.compile(r"\s*\[\[?\s*([^\]\[]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w.\"' -]+?)\s*=")


def make_shipped_specs() -> list[ProviderSpec]:
    """The declarations of all shipped descriptions, in the order in which they are asked."""
    sources = sorted(path.stem for path in SHIPPED.glob("*.toml"))
    specs = [make_spec(own, source) for source in sources for own in read_shipped(source).values()]
    return sorted(specs, key=lambda spec: ORDER.index(spec.name) if spec.name in ORDER else len(ORDER))


@cache
def read_shipped(source: str) -> Mapping[str, Descriptions]:
    """The providers of one shipped file."""
    tables = _shipped_tables(source)
    parsed = [parse_description(name, Table(resolve(name, tables, {}), (name,))) for name in tables]
    return _by_name(parsed)


def read_own(path: Path, specs: Mapping[str, ProviderSpec], variables: frozenset[str]) -> OwnProviders:
    """The user's file; raises `ConfigError` with the line and the key of the first mistake.

    `specs` are all declared providers, `variables` all variables that have a meaning already.
    """
    text = _read_text(path)
    tables = _parse_toml(path, text)
    servers, own = tables.pop(MCP, {}), OwnFile(specs, variables)
    try:
        return OwnProviders(str(path), *own.read(tables), own.read_servers(servers))
    except InvalidDescription as refused:
        raise ConfigError(f"{path}, line {find_line(text, refused.path)}: {refused.told}") from None


class OwnFile:
    """Reads the tables of a user's file, and decides which variable may hold the key of each."""

    def __init__(self, specs: Mapping[str, ProviderSpec], variables: frozenset[str]) -> None:
        self._specs = specs
        self._variables = variables

    def read(self, tables: Mapping[str, object]) -> tuple[Mapping[str, Descriptions], Mapping[str, ProviderSpec]]:
        if len(tables) > _MOST_TABLES:
            raise InvalidDescription(
                (list(tables)[_MOST_TABLES],), "", sentence=f"is one of more than {_MOST_TABLES} tables"
            )
        shipped = self._shipped()
        parsed = {}
        for name in tables:
            if not NAME.fullmatch(name):
                takes = "is no name: it takes lower-case letters, digits and underscores, at most 40"
                raise InvalidDescription((name,), "", sentence=takes)
            table = Table(resolve(name, tables, shipped), (name,), "a table such as [name], with a key in each line")
            parsed[name] = parse_description(name, table)
            self._check_name(name, parsed[name])
            self._check_key(name, parsed[name])
        described = _by_name(parsed.values())
        complete = {name: self._complete(name, own) for name, own in described.items()}
        self._check_variables(parsed, complete)
        return complete, {name: make_spec(own, "own") for name, own in complete.items()}

    def read_servers(self, tables: object) -> Mapping[str, McpServer]:
        servers = Table(tables, (MCP,)).rest()
        return {name: self._server(name, value) for name, value in servers.items()}

    def _server(self, name: str, value: object) -> McpServer:
        takes = "an MCP server with url and tool, and optionally query, count, arguments, headers and results"
        if not NAME.fullmatch(name) or name in self._specs:
            raise InvalidDescription(
                (MCP, name), "", sentence="is no name, or one that dowse has already; call it something else"
            )
        try:
            return make_server(value)
        except ValueError:
            raise InvalidDescription((MCP, name), takes) from None

    def _shipped(self) -> dict[str, object]:
        sources = {spec.source for spec in self._specs.values() if spec.source}
        return {name: table for source in sorted(sources) for name, table in _shipped_tables(source).items()}

    def _check_name(self, table: str, description: Description) -> None:
        """A provider with an adapter of its own cannot be described anew, and a name in the file is one provider."""
        known = self._specs.get(description.name)
        if known and not known.source:
            sentence = f"cannot change {description.name}, which is no description; call it something else"
            raise InvalidDescription((table,), "", sentence=sentence)

    def _check_key(self, table: str, description: Description) -> None:
        """Key safety: a known key goes only where its own provider is."""
        variable, known = description.key_variable, self._specs.get(description.name)
        is_at_home = known and variable == known.key and _origin(description.url) in _origins(known)
        if variable in self._variables and not is_at_home:
            sentence = (
                f"would send {variable} to {_origin(description.url)}, and that variable belongs to another address: "
                "name a variable of its own with auth.env"
            )
            raise InvalidDescription((table, "url"), "", sentence=sentence)

    def _complete(self, name: str, own: Descriptions) -> Descriptions:
        """With the descriptions of the other kind that a changed provider keeps, if the key is the same."""
        known = self._specs.get(name)
        if not known:
            return own
        whole = {**read_shipped(known.source)[name], **own}
        return whole if len({each.key_variable for each in whole.values()}) == 1 else own

    def _check_variables(self, parsed: Mapping[str, Description], complete: Mapping[str, Descriptions]) -> None:
        """A variable has one meaning: keys of several providers are several variables."""
        owners: dict[str, str] = {}
        for table, description in parsed.items():
            own = complete[description.name]
            if {each.key_variable for each in own.values()} != {description.key_variable}:
                takes = "the same key for searching and for reading, in the same variable"
                raise InvalidDescription((table, "auth"), takes)
            for variable in _variables_of(make_spec(own, "own")):
                self._claim(variable, table, owners.setdefault(variable, description.name), description.name)

    def _claim(self, variable: str, table: str, owner: str, name: str) -> None:
        known = self._specs.get(name)
        is_taken = variable in self._variables and variable not in (_variables_of(known) if known else ())
        if is_taken or owner != name:
            sentence = f"would give {variable} a second meaning; call the provider or its key something else"
            raise InvalidDescription((table,), "", sentence=sentence)


def resolve(name: str, tables: Mapping[str, object], shipped: Mapping[str, object], depth: int = 0) -> object:
    """A table with its inheritance: of the table that it `extends`, or of the shipped one under its name."""
    table = tables.get(name, shipped.get(name))
    if not isinstance(table, dict):
        return table
    if "extends" not in table:
        return _merge(shipped.get(name, {}), table)
    base = table["extends"]
    if base not in _known({**shipped, **tables}, name) or depth > _DEEPEST:
        raise InvalidDescription((name, "extends"), "the name of another description")
    return _merge(_without_identity(resolve(base, tables, shipped, depth + 1)), _without(table, "extends"))


def _known(tables: Mapping[str, object], name: str) -> list[object]:
    return [each for each in tables if each != name]


def _without(table: Mapping[str, object], *names: str) -> dict[str, object]:
    return {key: value for key, value in table.items() if key not in names}


def find_line(text: str, path: tuple[str, ...]) -> int:
    """The line of the deepest of these keys that stands in a line of its own."""
    best, line = 0, 1
    for number, keys in _lines(text):
        same = next((at for at, (one, other) in enumerate(zip(keys, path, strict=False)) if one != other), len(keys))
        common = min(same, len(path))
        if common == len(keys) and common > best:
            best, line = common, number
    return line


def _lines(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The keys that each line sets; lines within a text of several lines look like keys at worst."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = _split(header[1])
            yield number, table
        elif key := _KEY.match(line):
            yield number, (*table, *_split(key[1]))


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip(" \"'") for part in dotted.split("."))


def _merge(base: object, own: object) -> object:
    if not isinstance(base, dict) or not isinstance(own, dict):
        return own
    return {**base, **{key: _merge(base.get(key), value) for key, value in own.items()}}


def _without_identity(table: object) -> object:
    """The part of a table that another one inherits: neither names nor the variable of the key."""
    if not isinstance(table, dict):
        return table
    inherited, auth = _without(table, *_OF_ITSELF), table.get("auth")
    return {**inherited, "auth": _without(auth, "env")} if isinstance(auth, dict) else inherited


def _by_name(descriptions: Iterable[Description]) -> dict[str, dict[str, Description]]:
    found: dict[str, dict[str, Description]] = {}
    for each in descriptions:
        kinds = found.setdefault(each.name, {})
        if each.kind in kinds:
            raise InvalidDescription((each.name,), "", sentence=f"has two descriptions of the kind {each.kind}")
        kinds[each.kind] = each
    return {name: dict(sorted(kinds.items(), reverse=True)) for name, kinds in found.items()}


def _variables_of(spec: ProviderSpec) -> Iterator[str]:
    prefix = spec.name.upper()
    yield from filter(None, (spec.key, *spec.servers))
    yield from (each.variable for each in spec.endpoints.values())
    yield from (f"{prefix}_ENABLED", f"{prefix}_TIMEOUT", f"DOWSE_BUDGET_{prefix}", f"DOWSE_PACE_{prefix}")


def _origin(url: str) -> str:
    """Scheme, host and port, by the parser that decides where a connection goes."""
    parsed = urls.parse_web(url)
    return f"{parsed.scheme}://{parsed.host}:{parsed.port}" if parsed else ""


def _origins(spec: ProviderSpec) -> set[str]:
    return {_origin(each.default) for each in spec.endpoints.values()}


@cache
def _shipped_tables(source: str) -> Mapping[str, object]:
    return tomllib.loads((SHIPPED / f"{source}.toml").read_text(encoding="utf-8"))


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} (DOWSE_PROVIDERS_FILE) cannot be read: {error.strerror}.") from None
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{path} (DOWSE_PROVIDERS_FILE) is larger than {_MOST_BYTES} bytes.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not valid TOML: it is not UTF-8 text.") from None


def _parse_toml(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        # Redaction: only the place, since the message may quote a value.
        where = re.search(r"at line (\d+)", str(error))
        line = where[1] if where else max(1, len(text.splitlines()))
        raise ConfigError(f"{path}, line {line}: this is not valid TOML.") from None
