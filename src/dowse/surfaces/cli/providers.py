"""List the providers: which are used for searching, reading and answering, and why the others are not."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from dowse.core.errors import ConfigError
from dowse.core.models import Category
from dowse.core.text import visible
from dowse.flows.provider_states import ProviderState, check_name, list_providers
from dowse.secrets.redact import Redactor
from dowse.settings import SPECS, Settings, sources
from dowse.settings.described.own import load_own
from dowse.settings.described.specs import OwnProviders
from dowse.settings.spec import ProviderSpec
from dowse.surfaces.cli import DONE, USAGE, session
from dowse.surfaces.cli.session import dump_json
from dowse.surfaces.cli.terminal import align, style

_EPILOG = """\
examples:
  dowse providers                           the same as dowse providers list
  dowse providers show brave
  dowse providers check ~/.config/dowse/providers.toml
  dowse providers try brave "solid state batteries"
  dowse providers new "https://api.example.com/v1/search?q=weather&limit=5" """
_LIST_EXAMPLES = """\
examples:
  dowse providers list
  dowse providers list --json"""
_SHOW_EXAMPLES = """\
examples:
  dowse providers show brave
  dowse providers show brave --json"""
_CHECK_EXAMPLES = """\
examples:
  dowse providers check                     the file that is in use
  dowse providers check providers.toml      any other file

The exit code is 2 if the file is invalid; the message names line, key and permitted values."""

_TRY_EXAMPLES = """\
examples:
  dowse providers try brave "solid state batteries"
  dowse providers try brave "elections" --category news --count 3
  dowse providers try jina https://example.com/ --read
  dowse providers try example "weather" --record tests/doubles/recorded

One call is made, without cache and fallback; it counts against the budget.
The exit code is 1 if the call fails or finds nothing."""
_NEW_EXAMPLES = """\
examples:
  dowse providers new "https://api.example.com/v1/search?q=weather&limit=5"
  dowse providers new "https://api.example.com/search?q=weather" --auth header:X-API-Key
  dowse providers new https://api.example.com/search --auth "header:Authorization:Bearer " \\
      --body '{"query": "weather", "limit": 5}'
  dowse providers new "https://api.example.com/search?q=x" --sample answer.json

The key is taken from NAME_API_KEY, never from the command. The description goes to
standard output, the guesses to standard error; --write appends it to your file."""


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "providers",
        help="list providers, and why one is not used; try and describe them",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    session.report_flags(parser, run)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    _action(actions, "list", run, _LIST_EXAMPLES, "list all providers, active or not, and why")
    about = "show all that is known of one: settings, limits, price, privacy, fields"
    _action(actions, "show", _show_one, _SHOW_EXAMPLES, about).add_argument("name", help="name of the provider")
    check = _action(actions, "check", _check, _CHECK_EXAMPLES, "validate a file of providers, with line and key")
    check.add_argument("file", nargs="?", default="", metavar="PATH", help="the file (default: the one in use)")
    about = "call one provider; show request, answer, results and missing fields"
    _register_try(_action(actions, "try", _try, _TRY_EXAMPLES, about))
    about = "write a first description of an API from a sample of its answer"
    _register_new(_action(actions, "new", _new, _NEW_EXAMPLES, about))


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run_action: Callable[[argparse.Namespace], int],
    examples: str,
    about: str,
) -> argparse.ArgumentParser:
    """An action with its examples. A flag that stands before it stays in force."""
    parser = actions.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    session.report_flags(parser, run_action)
    parser.argument_default = None
    return parser


def _register_try(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="name of the provider, as in dowse providers list")
    parser.add_argument("query", help="the query; with --read the address of a page")
    parser.add_argument("--read", action="store_true", help="read the page at this address instead of searching")
    parser.add_argument("--count", type=int, default=5, metavar="N", help="number of results (default: 5)")
    categories = [category.value for category in Category]
    parser.add_argument("--category", choices=categories, default=None, metavar="C", help="news, images and others")
    parser.add_argument("--record", default=None, metavar="DIR", help="write request and answer without the key there")


def _register_new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", help="address of one request, with its parameters")
    parser.add_argument("--name", default="", help="name of the provider (default: from the host)")
    parser.add_argument("--sample", default=None, metavar="FILE", help="a saved answer; without it one request is made")
    parser.add_argument(
        "--auth", default="", metavar="PLACE:NAME[:PREFIX]", help="where the key goes: header:X-API-Key"
    )
    parser.add_argument("--body", default=None, metavar="JSON", help="body of the request, which is a POST then")
    parser.add_argument("--write", action="store_true", help="append the description to your file of providers")


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    states = list_providers(settings)
    print(dump_json(list(map(asdict, states))) if arguments.json else _show(states))
    return DONE


def _try(arguments: argparse.Namespace) -> int:
    from dowse.surfaces.cli import provider_trial  # Parses descriptions and calls providers; a list does neither.

    return provider_trial.run_try(arguments)


def _new(arguments: argparse.Namespace) -> int:
    from dowse.surfaces.cli import provider_trial  # As above.

    return provider_trial.run_new(arguments)


def _show_one(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    check_name(settings, arguments.name)
    known = Redactor(settings.secrets()).fields(_describe_all(settings, arguments.name))
    assert isinstance(known, dict)
    print(dump_json(known) if arguments.json else "\n".join(_lines(known)))
    return DONE


def _check(arguments: argparse.Namespace) -> int:
    """Only the file is judged: other settings may be invalid meanwhile."""
    file = _file_to_check(arguments)
    try:
        own = load_own(file, SPECS, sources.variable_names)
    except ConfigError as error:
        if not arguments.json:
            raise
        print(dump_json({"file": str(file), "ok": False, "problem": str(error), "providers": []}))
        return USAGE
    found = [*map(_summary, own.specs.values()), *(_server(own, name) for name in own.servers)]
    checked = {"file": str(file), "ok": True, "problem": "", "providers": found}
    print(dump_json(checked) if arguments.json else visible("\n".join(_show_checked(str(file), found))))
    return DONE


def _file_to_check(arguments: argparse.Namespace) -> Path:
    from dowse.flows.own_providers import own_file  # It drafts descriptions too, which a list does not.

    settings = sources.examine({}, config=arguments.config).settings
    file = Path(arguments.file).expanduser().absolute() if arguments.file else own_file(settings)
    if not file.exists():
        hint = "`dowse providers new URL --write` begins one; docs/add-a-provider.md shows how to write it."
        raise ConfigError(f"There is no file {file}; {hint}")
    return file


def _show_checked(file: str, found: list[dict[str, str]]) -> Iterator[str]:
    yield f"{file} is valid: {len(found)} described"
    yield from (f"  {each['name']}: {each['does']}, {each['address']}, {_key_of(each['key'])}" for each in found)


def _key_of(variable: str) -> str:
    return f"key in {variable}" if variable else "no key"


def _summary(spec: ProviderSpec) -> dict[str, str]:
    addresses = ", ".join(each.default for each in spec.endpoints.values()) or f"the address in {spec.credential}"
    change = "changes the shipped one, " if spec.name in SPECS else ""
    return {"name": spec.name, "does": f"{change}{', '.join(spec.operations)}", "address": addresses, "key": spec.key}


def _server(own: OwnProviders, name: str) -> dict[str, str]:
    return {"name": name, "does": "MCP server, search", "address": f"tool {own.servers[name].tool}", "key": ""}


def _describe_all(settings: Settings, name: str) -> dict[str, object]:
    """All facts about one provider, under the words of the documentation."""
    states = {each.name: each for each in list_providers(settings)}
    state = asdict(states[name])
    if name in settings.mcp_providers:
        server = settings.mcp_providers[name]
        return {**state, "described by": settings.origin(name), "tool": server.tool}
    spec = settings.specs[name]
    return {**state, "title": spec.title, "described by": _origin(settings, spec), **_access(settings, spec)} | {
        "most results": spec.limits.max_results,
        "longest query": spec.limits.max_query_chars,
        "filters": sorted(spec.limits.filters),
        "categories": sorted(map(str, spec.limits.categories)),
        "price": {operation: f"${price:g}" for operation, price in settings.prices().get(name, {}).items()},
        "free": spec.free,
        "budget": str(settings.budget(name) or ""),
        "pace": spec.pace,
        "index": spec.index,
        "privacy": spec.privacy,
        "docs": spec.docs,
        "fields": _fields(settings, name),
    }


def _origin(settings: Settings, spec: ProviderSpec) -> str:
    if not spec.source:
        return "an adapter of its own"
    return settings.own.path if spec.name in settings.own.specs else f"the shipped {spec.source}.toml"


def _access(settings: Settings, spec: ProviderSpec) -> dict[str, object]:
    """Where requests go, and what opens the door."""
    variable, is_set = spec.credential, settings.credential(spec.name) is not None
    needs = "no key" if not variable else f"{variable} ({'set' if is_set else 'not set'})"
    addresses = settings.providers[spec.endpoints_of or spec.name].endpoints
    endpoints = {each: f"{addresses[each]} ({spec.endpoints[each].variable})" for each in spec.endpoints}
    return {"needs": f"{needs}, optional" if spec.is_key_optional else needs, "endpoints": endpoints}


def _fields(settings: Settings, name: str) -> dict[str, object]:
    """Where a description finds what, by kind."""
    from dowse.flows.try_provider import describe, show_path  # Parses descriptions, which a list does without.

    return {
        kind: {"results": show_path(each.shape.results)}
        | {field: " or ".join(map(show_path, pick.paths)) for field, pick in each.shape.fields.items()}
        for kind, each in describe(settings, name).items()
    }


def _lines(known: Mapping[str, object], indent: str = "") -> Iterator[str]:
    """One line for each value; empty ones are left out."""
    for name, value in known.items():
        if isinstance(value, dict) and value:
            yield f"{indent}{style(name, 'bold')}"
            yield from _lines(value, f"{indent}  ")
        elif value not in (None, "", [], (), {}):
            shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{indent}{style(name, 'bold')}: {visible(shown)}"


def _show(states: list[ProviderState]) -> str:
    head = ["provider", "order", "operations", "state", "reason"]
    title, *lines = align([head, *map(_cells, states)])
    active = sum(state.is_active for state in states)
    return "\n".join([style(title, "bold"), *lines[:active], *(style(line, "dim") for line in lines[active:])])


def _cells(state: ProviderState) -> list[str]:
    used = "active" if state.is_active else "not used"
    return [state.name, str(state.place or "-"), ", ".join(state.operations), used, state.reason]
