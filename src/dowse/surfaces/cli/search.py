"""Search the web and read the pages (the `web_search` tool)."""

from __future__ import annotations

import argparse

from dowse.contracts.output import ResultOutput, WebSearchOutput
from dowse.contracts.render import describe_copy
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import describe_attempts, style

_OPTIONS = (
    *("category", "language", "safe_search", "time_range", "start_date", "end_date"),
    *("depth", "response_format", "max_tokens", "timeout_s"),
)


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("search", help="search the web and read the pages", description=__doc__)
    parser.add_argument("query", nargs="+", help="search query")
    parser.add_argument("-n", "--num-results", metavar="N", help="number of results, 1 to 50")
    parser.add_argument("--no-content", action="store_true", help="titles and snippets only; read no pages")
    parser.add_argument("--category", help="general, news, it, science, images, videos, map, music or files")
    parser.add_argument("--language", help="language code, such as en or pt-BR")
    parser.add_argument("--safe-search", metavar="0|1|2", help="0 off, 1 moderate, 2 strict")
    parser.add_argument("--time-range", metavar="RANGE", help="day, week, month or year")
    parser.add_argument("--start-date", metavar="DATE", help="earliest publication date, such as 2026-01-31")
    parser.add_argument("--end-date", metavar="DATE", help="latest publication date")
    parser.add_argument("--site", action="append", metavar="DOMAIN", help="include only this domain; may be repeated")
    parser.add_argument("--not-site", action="append", metavar="DOMAIN", help="exclude this domain; may be repeated")
    parser.add_argument("--depth", metavar="DEPTH", help="normal, or wide to query several providers at once")
    parser.add_argument(
        "--format", dest="response_format", metavar="FORMAT", help="detailed, or concise for passages only"
    )
    parser.add_argument("--max-tokens", metavar="N", help="maximum length of the text of all pages together, in tokens")
    parser.add_argument("--timeout", dest="timeout_s", metavar="S", help="deadline for the whole search, in seconds")
    parser.add_argument("--offline", action="store_true", help="fail instead of using the network")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    session.common_flags(parser)
    parser.set_defaults(run=run)


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
    return session.call_and_print(settings, "web_search", given, WebSearchOutput, as_json=arguments.json, show=_show)


def _show(found: WebSearchOutput) -> str:
    blocks = [f"{style(found.query, 'bold')} — {_count_results(found)}"]
    blocks += [f"{style('answer', 'green')} {answer}" for answer in found.answers]
    copy = describe_copy(found.cache, found.cache_age_s)
    # Every result of a stale search is stale.
    blocks += [_block(number, result, tells_age=not copy) for number, result in enumerate(found.results, start=1)]
    blocks += [style(f"note: this is {copy}", "yellow")] if copy else []
    blocks += [style(f"note: {warning}", "yellow") for warning in found.warnings]
    return "\n\n".join([*blocks, style(describe_attempts(found.attempts), "dim")])


def _count_results(found: WebSearchOutput) -> str:
    """How many results, from which providers, and how many of them several indexes have."""
    count, providers = len(found.results), ", ".join(found.providers) or found.engine
    agreed = "" if found.agreement is None else f"; {found.agreement} of them in more than one index"
    return f"{count} result{'' if count == 1 else 's'} from {providers}{agreed}"


def _block(number: int, result: ResultOutput, *, tells_age: bool) -> str:
    is_readable = result.status.readable
    facts = _facts(result, tells_age=tells_age)
    lines = [f"{number}. {style(result.title, 'bold')}", f"   {style(result.link, 'cyan')}"]
    lines.append(f"   {style(facts, 'green' if is_readable else 'yellow')}")
    lines += [f"   image: {style(result.image_url, 'cyan')}"] if result.image_url else []
    lines += [f"   {style(f'the same text: {url}', 'dim')}" for url in result.duplicates]
    lines += [f"   {style(f'note: {warning}', 'yellow')}" for warning in result.warnings]
    lines += [f"   {result.snippet}"] if result.snippet else []
    if is_readable:
        lines += ["", *(f"   {line}".rstrip() for line in result.page_content.splitlines())]
    return "\n".join(lines)


def _facts(result: ResultOutput, *, tells_age: bool) -> str:
    facts = (
        result.published,
        result.duration,
        result.status.value,
        f"{result.blocks} blocks" if result.blocks else "",
        describe_copy(result.cache, result.cache_age_s) if tells_age else "",
        f"found by {', '.join(result.found_by)}" if result.found_by else "",
    )
    return " · ".join(filter(None, facts))
