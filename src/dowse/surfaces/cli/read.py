"""`dowse read`: the `get_content` tool at a shell."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys

from dowse.contracts.facts import facts_line
from dowse.contracts.freshness import stale_copy
from dowse.contracts.tool import Structured
from dowse.core.models import Status
from dowse.settings import sources
from dowse.surfaces.cli import explain, session
from dowse.surfaces.cli.session import style, tried

# Longer lines are hard to read, however wide the window is.
_WIDEST = 100
# What lists, quotations and tables are drawn with.
_DRAWN = "•▌─"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("read", help="read one page as Markdown", description=__doc__)
    parser.add_argument("url", help="the page's address")
    parser.add_argument("--question", metavar="Q", help="show the part of the page that answers this")
    parser.add_argument(
        "--section", metavar="S", help="show this part: a number of the outline, a heading, or a block such as b7"
    )
    parser.add_argument("--max-tokens", metavar="N", help="bound for the text")
    parser.add_argument("--cursor", metavar="C", help="read on where an earlier answer ended, which told this")
    parser.add_argument("--offline", action="store_true", help="refuse instead of using the network")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--raw", action="store_true", help="print the Markdown as it is, also on a terminal")
    shape.add_argument("--outline", action="store_true", help="print the headings only, numbered")
    shape.add_argument("--json", action="store_true", help="print the whole typed result")
    explain.register(parser)
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    if explain.is_wanted(arguments):
        return explain.run(arguments, settings)
    given = {name: getattr(arguments, name) for name in ("url", "question", "section", "max_tokens", "cursor")}
    given["offline_mode"] = arguments.offline
    draw = _laid_out if _can_draw() and not arguments.raw else _plain

    def show(page: Structured) -> str:
        if arguments.outline and Status(str(page["status"])).readable:
            return _outlined(page)
        title, text = draw(page)
        return _framed(page, title, text, is_part=bool(arguments.section))

    def hint(page: Structured) -> str:
        return "" if arguments.outline else _how_to_read_on(page)

    return session.call_and_print(settings, "get_content", given, as_json=arguments.json, show=show, hint=hint)


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
    return "", render(markdown, width=width, colour=sources.colour_wanted())


def _outlined(page: Structured) -> str:
    from dowse.contracts.render import outline_line  # The tool was called, so it is loaded; for `--help` it is not.

    outline = page.get("outline")
    lines = [outline_line(section) for section in outline] if isinstance(outline, list) else []
    return "\n".join([style(str(page["final_url"]), "cyan"), "", *(lines or ["(the page has no headings)"])])


def _framed(page: Structured, title: str, text: str, *, is_part: bool) -> str:
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
        blocks.append(style(_what_is_missing(page, is_part=is_part), "dim"))
    return "\n\n".join([*blocks, *notes])


def _what_is_missing(page: Structured, *, is_part: bool) -> str:
    anchors = page.get("anchors")
    if isinstance(anchors, list):
        return (
            f"({page['blocks']} blocks: {', '.join(anchors)}; --section {anchors[-1]} reads on from one, "
            "without --question the page is shown from its beginning)"
        )
    if is_part:
        return f"(a part of the page, which has about {page['total_tokens']} tokens; all of it without --section)"
    return "(the page goes on; this is all that was read of it)"


def _how_to_read_on(page: Structured) -> str:
    if not page["next_cursor"]:
        return ""
    command = f"dowse read {shlex.quote(str(page['url']))} --cursor {page['next_cursor']}"
    return style(f"(cut: the page has about {page['total_tokens']} tokens; to read on: {command})", "dim", sys.stderr)
