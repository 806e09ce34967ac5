"""Read pages as Markdown (the `get_content` tool)."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from dowse.contracts.output import MAX_URLS, GetContentOutput, PagesOutput, to_json
from dowse.contracts.render import describe_copy, facts_line
from dowse.core.errors import ConfigError, DowseError
from dowse.core.models import Status
from dowse.core.text import one_line
from dowse.settings import Settings
from dowse.surfaces.cli import DONE, FAILED, explain, session
from dowse.surfaces.cli.session import (
    describe_attempts,
    dump_json,
    make_printable,
    name_flags,
    report_failure,
    show_notes,
)
from dowse.surfaces.cli.terminal import can_draw, fit, lay_out, line_width, style

_FLAGS = {
    "url": "URL",
    "urls": "URL",
    "question": "--question",
    "section": "--section",
    "max_tokens": "--max-tokens",
    "cursor": "--cursor",
    "offline_mode": "--offline",
}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("read", help="read pages as Markdown", description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL", help=f"URL of a page; up to {MAX_URLS} are read at once")
    parser.add_argument("--question", metavar="Q", help="print only the passages that answer this question")
    parser.add_argument(
        "--section", metavar="S", help="print one section: a number of the outline, a heading, or a block such as b7"
    )
    parser.add_argument("--max-tokens", metavar="N", help="maximum length of the text in tokens, of all pages together")
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
    _check(arguments)
    if explain.is_wanted(arguments):
        return explain.run(arguments, settings)
    try:
        pages = _read(arguments, settings)
    except DowseError as error:
        return report_failure(error, settings)
    if arguments.json:
        _print_json(pages)
    else:
        _print([make_printable(page) for page in pages], arguments)
    return DONE if all(page.status.readable for page in pages) else FAILED


def _read(arguments: argparse.Namespace, settings: Settings) -> Sequence[GetContentOutput]:
    """The pages, several of them within one budget. An outline has no budget, so it takes a call for each page."""
    given = {name: getattr(arguments, name) for name in ("question", "section", "max_tokens", "cursor")}
    given["offline_mode"] = arguments.offline
    urls = list(dict.fromkeys(map(one_line, arguments.urls)))
    if len(urls) == 1 or arguments.outline:
        calls = [{"url": url, **given} for url in urls]
        return session.call(settings, "get_content", calls, GetContentOutput, _FLAGS)
    (found,) = session.call(settings, "get_content", [{"urls": urls, **given}], PagesOutput, _FLAGS)
    for warning in found.warnings:
        print(f"note: {name_flags(warning, _FLAGS)}", file=sys.stderr)
    return found.results


def _check(arguments: argparse.Namespace) -> None:
    """Refuse too many URLs, one without text, and flags that are about one page where several are given."""
    if len(arguments.urls) > MAX_URLS:
        raise ConfigError(f"read takes at most {MAX_URLS} URLs, not {len(arguments.urls)}.")
    if not all(map(one_line, arguments.urls)):
        raise ConfigError("URL must not be empty.")
    names = ("section", "cursor", "explain", "explain_html")
    given = next((name for name in names if getattr(arguments, name)), "")
    if given and len(arguments.urls) > 1:
        raise ConfigError(f"--{given.replace('_', '-')} takes one URL.")


def _print_json(pages: Sequence[GetContentOutput]) -> None:
    """One object, or a list of several."""
    read = list(map(to_json, pages))
    print(dump_json(read if len(read) > 1 else read[0]))


def _print(pages: Sequence[GetContentOutput], arguments: argparse.Namespace) -> None:
    """Pages on stdout, each under a rule but the first; failures on stderr."""
    rule = style("─" * line_width(), "dim") if can_draw() else "---"
    above = ""
    for page in pages:
        if page.status.readable:
            print(above, end="")
            _print_page(page, arguments)
            above = f"\n{rule}\n\n"
        else:
            print(_describe_failure(page), file=sys.stderr, flush=True)


def _print_page(page: GetContentOutput, arguments: argparse.Namespace) -> None:
    """The page, and on stderr how to read on if it was cut."""
    if arguments.outline:
        print(_show_outline(page), flush=True)
        return
    title, text = _lay_out(page) if can_draw() and not arguments.raw else _plain(page)
    print(_frame(page, title, text, is_part=bool(arguments.section)), flush=True)
    if next_step := _how_to_read_on(page):
        print(next_step, file=sys.stderr)


def _plain(page: GetContentOutput) -> tuple[str, str]:
    """The title above the address, and the text below it."""
    return f"{style(page.title, 'bold')}\n" if page.title else "", page.page_content


def _lay_out(page: GetContentOutput) -> tuple[str, str]:
    """The same for a terminal, where the title is a part of the text."""
    markdown = page.page_content
    if page.title and not markdown.startswith(f"# {page.title}\n"):
        markdown = f"# {page.title}\n\n{markdown}"
    return "", lay_out(markdown)


def _describe_failure(page: GetContentOutput) -> str:
    """Why the page was not read, then warnings and attempts."""
    lines = [f"dowse: {page.failure} ({page.url})"]
    lines += [f"note: {warning}" for warning in page.warnings]
    lines += [describe_attempts(page.attempts)] if page.attempts else []
    return "\n".join(lines)


def _show_outline(page: GetContentOutput) -> str:
    from dowse.flows.page_view import describe_section  # Loaded by the call; `--help` does without.

    lines = list(map(describe_section, page.outline)) or ["(the page has no headings)"]
    return "\n".join([style(page.final_url, "cyan"), "", *lines])


def _frame(page: GetContentOutput, title: str, text: str, *, is_part: bool) -> str:
    """The text with address and facts before it, and notes after it."""
    head = [f"{title}{style(page.final_url, 'cyan')}", style(facts_line(page, page.url), "dim")]
    blocks = ["\n".join(filter(None, head)), text.rstrip("\n")]
    if page.status is Status.TRUNCATED and not page.next_cursor:
        blocks.append(style("\n".join(fit(_describe_cut(page, is_part=is_part))), "dim"))
    return "\n\n".join([*blocks, *show_notes(page.warnings, describe_copy(page.cache, page.cache_age_s), _FLAGS)])


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
