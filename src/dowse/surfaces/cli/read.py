"""`dowse read`: the `get_content` tool at a shell."""

from __future__ import annotations

import argparse

from dowse.contracts.tool import Structured
from dowse.models import Status
from dowse.surfaces.cli import session
from dowse.surfaces.cli.terminal import style, tried


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("read", help="read one page as Markdown", description=__doc__)
    parser.add_argument("url", help="the page's address")
    parser.add_argument("--max-tokens", metavar="N", help="bound for the text")
    parser.add_argument("--offline", action="store_true", help="refuse instead of using the network")
    parser.add_argument("--json", action="store_true", help="print the whole typed result")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    given = {"url": arguments.url, "max_tokens": arguments.max_tokens, "offline_mode": arguments.offline}
    return session.call_and_print(settings, "get_content", given, as_json=arguments.json, show=_shown)


def _shown(page: Structured) -> str:
    text = str(page["page_content"])
    if not Status(str(page["status"])).readable:
        return f"{text}\n\n{style(tried(page), 'dim')}"
    title = f"{style(str(page['title']), 'bold')}\n" if page["title"] else ""
    cut = f"\n\n{style('(cut; --max-tokens shows more)', 'dim')}" if page["status"] == Status.TRUNCATED else ""
    return f"{title}{style(str(page['final_url']), 'cyan')}\n\n{text}{cut}"
