"""List the providers: which are used for searching, reading and answering, and why the others are not."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from dowse.flows.provider_states import ProviderState, list_providers
from dowse.surfaces.cli import DONE, session
from dowse.surfaces.cli.session import dump_json
from dowse.surfaces.cli.terminal import align, style


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("providers", help="list providers, and why one is not used", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    states = list_providers(settings)
    print(dump_json(list(map(asdict, states))) if arguments.json else _show(states))
    return DONE


def _show(states: list[ProviderState]) -> str:
    head = ["provider", "order", "operations", "state", "reason"]
    title, *lines = align([head, *map(_cells, states)])
    active = sum(state.is_active for state in states)
    return "\n".join([style(title, "bold"), *lines[:active], *(style(line, "dim") for line in lines[active:])])


def _cells(state: ProviderState) -> list[str]:
    used = "active" if state.is_active else "not used"
    return [state.name, str(state.place or "-"), ", ".join(state.operations), used, state.reason]
