"""Read one page as Markdown (the `get_content` tool)."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys

from dowse.contracts.output import GetContentOutput
from dowse.contracts.render import describe_copy, facts_line
from dowse.core.models import Status
from dowse.settings import sources
from dowse.surfaces.cli import explain, session
from dowse.surfaces.cli.session import describe_attempts, style

# Longer lines are hard to read, however wide the window is.
_WIDEST = 100
# Characters of lists, quotations and tables.
_DRAWN = "•▌─"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("read", help="read one page as Markdown", description=__doc__)
    parser.add_argument("url", help="URL of the page")
    parser.add_argument("--question", metavar="Q", help="print only the passages that answer this question")
    parser.add_argument(
        "--section", metavar="S", help="print one section: a number of the outline, a heading, or a block such as b7"
    )
    parser.add_argument("--max-tokens", metavar="N", help="maximum length of the text in tokens")
    parser.add_argument("--cursor", metavar="C", help="continue a page: next_cursor of an earlier answer")
    parser.add_argument("--offline", action="store_true", help="fail instead of using the network")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--raw", action="store_true", help="print plain Markdown on a terminal too")
    shape.add_argument("--outline", action="store_true", help="print the numbered headings only")
    shape.add_argument("--json", action="store_true", help="print the result as JSON")
    explain.register(parser)
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    if explain.is_wanted(arguments):
        return explain.run(arguments, settings)
    given = {name: getattr(arguments, name) for name in ("url", "question", "section", "max_tokens", "cursor")}
    given["offline_mode"] = arguments.offline
    draw = _lay_out if _can_draw() and not arguments.raw else _plain

    def show(page: GetContentOutput) -> str:
        if arguments.outline and page.status.readable:
            return _show_outline(page)
        title, text = draw(page)
        return _frame(page, title, text, is_part=bool(arguments.section))

    def hint(page: GetContentOutput) -> str:
        return "" if arguments.outline else _how_to_read_on(page)

    return session.call_and_print(
        settings, "get_content", given, GetContentOutput, as_json=arguments.json, show=show, hint=hint
    )


def _can_draw() -> bool:
    """Whether stdout is a terminal that has the characters."""
    try:
        _DRAWN.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return sys.stdout.isatty()


def _plain(page: GetContentOutput) -> tuple[str, str]:
    """The title above the address, and the text below it."""
    return f"{style(page.title, 'bold')}\n" if page.title else "", page.page_content


def _lay_out(page: GetContentOutput) -> tuple[str, str]:
    """The same for a terminal, where the title is a part of the text."""
    from dowse.surfaces.cli.markdown import render  # Half as heavy as everything else together.

    markdown = page.page_content
    if not page.status.readable:
        return "", markdown
    if page.title and not markdown.startswith(f"# {page.title}\n"):
        markdown = f"# {page.title}\n\n{markdown}"
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return "", render(markdown, width=width, colour=sources.wants_colour())


def _show_outline(page: GetContentOutput) -> str:
    from dowse.flows.page_view import describe_section  # Loaded by the call; `--help` does without.

    lines = [describe_section(section) for section in page.outline] or ["(the page has no headings)"]
    return "\n".join([style(page.final_url, "cyan"), "", *lines])


def _frame(page: GetContentOutput, title: str, text: str, *, is_part: bool) -> str:
    """The text with address and facts before it, and notes after it."""
    copy = describe_copy(page.cache, page.cache_age_s)
    notes = [style(f"note: {note}", "yellow") for note in [*([f"this is {copy}"] if copy else []), *page.warnings]]
    if not page.status.readable:
        attempts = [style(describe_attempts(page.attempts), "dim")] if page.attempts else []
        return "\n\n".join([text, *notes, *attempts])
    head = [f"{title}{style(page.final_url, 'cyan')}", style(facts_line(page, page.url), "dim")]
    blocks = ["\n".join(filter(None, head)), text.rstrip("\n")]
    if page.status is Status.TRUNCATED and not page.next_cursor:
        blocks.append(style(_describe_cut(page, is_part=is_part), "dim"))
    return "\n\n".join([*blocks, *notes])


def _describe_cut(page: GetContentOutput, *, is_part: bool) -> str:
    if page.anchors:
        return (
            f"({page.blocks} blocks: {', '.join(page.anchors)}; --section {page.anchors[-1]} reads on from one, "
            "without --question the page is shown from its beginning)"
        )
    if is_part:
        return f"(a part of the page, which has about {page.total_tokens} tokens; all of it without --section)"
    return "(the page continues; the rest was not read)"


def _how_to_read_on(page: GetContentOutput) -> str:
    if not page.next_cursor:
        return ""
    command = f"dowse read {shlex.quote(page.url)} --cursor {page.next_cursor}"
    return style(f"(cut: the page has about {page.total_tokens} tokens; to read on: {command})", "dim", sys.stderr)
