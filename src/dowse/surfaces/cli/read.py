"""`dowse read`: the `get_content` tool at a shell."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys

from dowse import config
from dowse.contracts.facts import facts_line
from dowse.contracts.freshness import stale_copy
from dowse.contracts.tool import Structured
from dowse.models import Status
from dowse.surfaces.cli import explain, session
from dowse.surfaces.cli.terminal import style, tried
from dowse.text import estimate_tokens

# Longer lines are hard to read, however wide the window is.
_WIDEST = 100
# What lists, quotations and tables are drawn with.
_DRAWN = "•▌─"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("read", help="read one page as Markdown", description=__doc__)
    parser.add_argument("url", help="the page's address")
    parser.add_argument("--question", metavar="Q", help="show the part of the page that answers this")
    parser.add_argument("--max-tokens", metavar="N", help="bound for the text")
    parser.add_argument("--cursor", metavar="C", help="read on where an earlier answer ended, which told this")
    parser.add_argument("--offline", action="store_true", help="refuse instead of using the network")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--raw", action="store_true", help="print the Markdown as it is, also on a terminal")
    shape.add_argument("--json", action="store_true", help="print the whole typed result")
    explain.register(parser)
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    if explain.is_wanted(arguments):
        return explain.run(arguments, settings)
    given = {name: getattr(arguments, name) for name in ("url", "question", "max_tokens", "cursor")}
    given["offline_mode"] = arguments.offline
    draw = _laid_out if _can_draw() and not arguments.raw else _plain

    def show(page: Structured) -> str:
        title, text = draw(page)
        return _framed(page, title, text, has_question=bool(arguments.question))

    return session.call_and_print(
        settings, "get_content", given, as_json=arguments.json, show=show, hint=_how_to_read_on
    )


def _can_draw() -> bool:
    """Whether somebody looks at a terminal that has the characters."""
    try:
        _DRAWN.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return sys.stdout.isatty()


def _plain(page: Structured) -> tuple[str, str]:
    """What stands above the address, and the text below it."""
    return f"{style(str(page['title']), 'bold')}\n" if page["title"] else "", str(page["page_content"])


def _laid_out(page: Structured) -> tuple[str, str]:
    """The same for a terminal, where the title is a part of the text."""
    from dowse.surfaces.cli.markdown import render  # Half as heavy as everything else together.

    markdown = str(page["page_content"])
    if not Status(str(page["status"])).readable:
        return "", markdown
    if page["title"] and not markdown.startswith(f"# {page['title']}\n"):
        markdown = f"# {page['title']}\n\n{markdown}"
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return "", render(markdown, width=width, colour=config.colour_wanted())


def _framed(page: Structured, title: str, text: str, *, has_question: bool) -> str:
    """The text with what there is to say about it before and after."""
    warnings = page["warnings"]
    assert isinstance(warnings, list)
    copy = stale_copy(page)
    notes = [style(f"note: {note}", "yellow") for note in [*([f"this is {copy}"] if copy else []), *warnings]]
    if not Status(str(page["status"])).readable:
        return "\n\n".join([text, *notes, *([style(tried(page), "dim")] if page["attempts"] else [])])
    head = [f"{title}{style(str(page['final_url']), 'cyan')}", style(facts_line(page), "dim")]
    blocks = ["\n".join(filter(None, head)), text.rstrip("\n")]
    if page["status"] == Status.TRUNCATED and not page["next_cursor"]:
        blocks.append(style(_what_is_missing(page, has_question=has_question), "dim"))
    return "\n\n".join([*blocks, *notes])


def _what_is_missing(page: Structured, *, has_question: bool) -> str:
    total = page["total_tokens"]
    assert isinstance(total, int)
    if has_question and estimate_tokens(str(page["page_content"])) < total:
        return "(not the whole page; without --question it is shown from its beginning)"
    return "(the page goes on; this is all that was read of it)"


def _how_to_read_on(page: Structured) -> str:
    if not page["next_cursor"]:
        return ""
    command = f"dowse read {shlex.quote(str(page['url']))} --cursor {page['next_cursor']}"
    return style(f"(cut: the page has about {page['total_tokens']} tokens; to read on: {command})", "dim", sys.stderr)
