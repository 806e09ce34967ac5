"""Search the web and read the pages (the `web_search` tool)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial

from dowse.contracts.ages import describe_ages, describe_date
from dowse.contracts.output import ResultOutput, WebSearchOutput
from dowse.contracts.render import describe_copy
from dowse.core.models import Category, Depth, Status, TimeRange
from dowse.core.text import count_noun, enclose
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import describe_attempts, show_notes
from dowse.surfaces.cli.terminal import can_draw, fit, lay_out, style

_OPTIONS = (
    *("category", "language", "safe_search", "time_range", "start_date", "end_date"),
    *("depth", "response_format", "max_tokens", "timeout_s"),
)
_FLAGS = {name: f"--{name.replace('_', '-')}" for name in ("num_results", *_OPTIONS)} | {
    "query": "the query",
    "response_format": "--format",
    "timeout_s": "--timeout",
    "include_domains": "--site",
    "exclude_domains": "--not-site",
    "fetch_content": "--no-content",
    "offline_mode": "--offline",
}
# Lines of text below a result.
_MOST_LINES = 3
_INDENT = 3
_HOW_TO_SEE_PAGES = "(--full prints the pages; dowse read URL reads one)"


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("search", help="search the web and read the pages", description=__doc__)
    parser.add_argument("query", nargs="+", help="search query")
    parser.add_argument("-n", "--num-results", metavar="N", help="number of results, 1 to 50")
    content = parser.add_mutually_exclusive_group()
    content.add_argument("--full", action="store_true", help="print the pages too, cut to the passages about the query")
    content.add_argument("--no-content", action="store_true", help="titles and snippets only; read no pages")
    _add_choice(parser, "--category", Category, metavar="KIND", help=f"kind of result: {', '.join(Category)}")
    parser.add_argument("--language", help="language code, such as en or pt-BR")
    _add_choice(parser, "--safe-search", "012", metavar="0|1|2", help="0 off, 1 moderate, 2 strict")
    _add_choice(parser, "--time-range", TimeRange, metavar="RANGE", help="day, week, month or year")
    parser.add_argument("--start-date", metavar="DATE", help="earliest publication date, such as 2026-01-31")
    parser.add_argument("--end-date", metavar="DATE", help="latest publication date")
    parser.add_argument("--site", action="append", metavar="DOMAIN", help="include only this domain; may be repeated")
    parser.add_argument("--not-site", action="append", metavar="DOMAIN", help="exclude this domain; may be repeated")
    _add_choice(parser, "--depth", Depth, metavar="DEPTH", help="normal, or wide to query several providers at once")
    about = "detailed, or concise for passages only"
    _add_choice(parser, "--format", ("concise", "detailed"), dest="response_format", metavar="FORMAT", help=about)
    parser.add_argument("--max-tokens", metavar="N", help="maximum length of the text of all pages together, in tokens")
    parser.add_argument("--timeout", dest="timeout_s", metavar="S", help="deadline for the whole search, in seconds")
    parser.add_argument("--offline", action="store_true", help="fail instead of using the network")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def _add_choice(
    parser: argparse.ArgumentParser,
    flag: str,
    choices: Iterable[str],
    *,
    metavar: str,
    help: str,
    dest: str | None = None,
) -> None:
    # As in a tool call, upper case is no mistake; an empty choice is left out instead.
    named = list(filter(None, choices))
    parser.add_argument(flag, type=str.lower, choices=named, metavar=metavar, help=help, dest=dest)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    given: dict[str, object] = {name: getattr(arguments, name) for name in _OPTIONS}
    given |= {
        "query": " ".join(arguments.query),
        "num_results": arguments.num_results,
        "include_domains": arguments.site,
        "exclude_domains": arguments.not_site,
        "fetch_content": False if arguments.no_content else None,
        "offline_mode": arguments.offline,
    }
    show = partial(_show, is_full=arguments.full)
    return session.call_and_print(
        settings, "web_search", given, WebSearchOutput, flags=_FLAGS, as_json=arguments.json, show=show
    )


def _show(found: WebSearchOutput, *, is_full: bool) -> str:
    blocks = [f"{style(found.query, 'bold')} — {_count_results(found)}"]
    blocks += [style("\n".join(fit(ages)), "yellow")] if (ages := describe_ages(found)) else []
    blocks += [style("\n".join(fit(f"answer {answer}")), "green") for answer in found.answers]
    copy = describe_copy(found.cache, found.cache_age_s)
    for number, result in enumerate(found.results, start=1):
        # Every result of a stale search is stale.
        lines = _head(number, result, tells_age=not copy, has_period=bool(found.period))
        blocks.append("\n".join([*lines, *(_page(result) if is_full else _excerpt(result))]))
    blocks += show_notes(found.warnings, copy, _FLAGS)
    end = [*fit(describe_attempts(found.attempts)), *([] if is_full else _how_to_see_pages(found))]
    return "\n\n".join([*blocks, style("\n".join(end), "dim")])


def _how_to_see_pages(found: WebSearchOutput) -> list[str]:
    is_useful = sys.stdout.isatty() and any(result.status.readable for result in found.results)
    return fit(_HOW_TO_SEE_PAGES) if is_useful else []


def _count_results(found: WebSearchOutput) -> str:
    """How many results, from which providers, and how many of them several indexes have."""
    count, providers = len(found.results), ", ".join(found.providers) or found.engine
    agreed = "" if found.agreement is None else f"; {found.agreement} of them in more than one index"
    return f"{count_noun(count, 'result')} from {providers}{agreed}"


def _head(number: int, result: ResultOutput, *, tells_age: bool, has_period: bool) -> list[str]:
    """Title, address, facts and notes of a result."""
    title = "\n".join(fit(result.title, _INDENT)).strip()
    below = [(_facts(result, tells_age=tells_age, has_period=has_period), "green"), *_remarks(result)]
    return [
        f"{f'{number}.':<{_INDENT}}{style(title, 'bold')}",
        # Never wrapped, so that it can be copied.
        f"{' ' * _INDENT}{style(result.link, 'cyan')}",
        *(style("\n".join(fit(text, _INDENT)), colour) for text, colour in below if text),
    ]


def _facts(result: ResultOutput, *, tells_age: bool, has_period: bool) -> str:
    is_read = result.status.readable and result.word_count
    facts = (
        describe_date(result, has_period=has_period),
        result.duration,
        f"{result.word_count:,} words" if is_read else "",
        describe_copy(result.cache, result.cache_age_s) if tells_age else "",
        f"found by {', '.join(result.found_by)}" if result.found_by else "",
    )
    return " · ".join(filter(None, facts))


def _remarks(result: ResultOutput) -> list[tuple[str, str]]:
    """Lines about a result, each with its colour; some are empty."""
    return [
        (_failure(result), "yellow"),
        (enclose("image: ", result.image_url), "cyan"),
        *((f"the same text: {url}", "dim") for url in result.duplicates),
        *((f"note: {warning}", "yellow") for warning in result.warnings),
    ]


def _failure(result: ResultOutput) -> str:
    """Why the page was not read, unless it was not to be."""
    return "" if result.status is Status.NOT_FETCHED else result.failure


def _excerpt(result: ResultOutput) -> list[str]:
    """A few lines: the summary of the page if it was read, else the provider's snippet."""
    from dowse.document.clean import to_plain_text  # Loaded by the call; `--help` does without.

    is_read = result.status.readable
    text = to_plain_text((is_read and (result.summary or result.page_content)) or result.snippet)
    return fit(text, _INDENT, most_lines=_MOST_LINES)


def _page(result: ResultOutput) -> list[str]:
    """The snippet, and the text of the page as a block of its own."""
    snippet, margin = fit(result.snippet, _INDENT), " " * _INDENT
    if not result.status.readable:
        return snippet
    if can_draw():
        text = lay_out(result.page_content.removeprefix(f"# {result.title}\n"), indent=_INDENT)
    else:
        text = "\n".join(f"{margin}{line}".rstrip() for line in result.page_content.splitlines())
    shown = ["", *fit(f"({result.blocks} blocks are shown)", _INDENT)] if result.blocks else []
    return [*snippet, "", text, *shown]
