"""`dowse search`: the `web_search` tool at a shell."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from dowse.contracts.freshness import stale_copy
from dowse.contracts.tool import Structured
from dowse.core.models import Status
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import style, tried

_OPTIONS = (
    *("category", "language", "safe_search", "time_range", "start_date", "end_date"),
    *("depth", "response_format", "max_tokens", "timeout_s"),
)


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("search", help="search the web and read the pages", description=__doc__)
    parser.add_argument("query", nargs="+", help="what to search for")
    parser.add_argument("-n", "--num-results", metavar="N", help="how many results, 1 to 50")
    parser.add_argument("--no-content", action="store_true", help="titles and snippets only, no pages")
    parser.add_argument("--category", help="general, news, it, science, images, videos, map, music or files")
    parser.add_argument("--language", help="such as en or pt-BR")
    parser.add_argument("--safe-search", metavar="0|1|2", help="off, moderate, strict")
    parser.add_argument("--time-range", metavar="RANGE", help="day, week, month or year")
    parser.add_argument("--start-date", metavar="DATE", help="earliest publication date, such as 2026-01-31")
    parser.add_argument("--end-date", metavar="DATE", help="latest publication date")
    parser.add_argument("--site", action="append", metavar="DOMAIN", help="only this domain; may be repeated")
    parser.add_argument("--not-site", action="append", metavar="DOMAIN", help="never this domain; may be repeated")
    parser.add_argument("--depth", metavar="DEPTH", help="normal, or wide to ask several providers at once")
    parser.add_argument(
        "--format", dest="response_format", metavar="FORMAT", help="detailed, or concise for less of everything"
    )
    parser.add_argument("--max-tokens", metavar="N", help="bound for the text of all pages together")
    parser.add_argument("--timeout", dest="timeout_s", metavar="S", help="longest time for the whole search")
    parser.add_argument("--offline", action="store_true", help="refuse instead of using the network")
    parser.add_argument("--json", action="store_true", help="print the whole typed result")
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
    return session.call_and_print(settings, "web_search", given, as_json=arguments.json, show=_shown)


def _shown(found: Structured) -> str:
    items = found["results"]
    assert isinstance(items, list)
    blocks = [f"{style(str(found['query']), 'bold')} — {_counted(found, len(items))}"]
    blocks += [f"{style('answer', 'green')} {answer}" for answer in _listed(found, "answers")]
    copy = stale_copy(found)
    # Of a search that is stale itself, every result is.
    blocks += [_block(number, item, "" if copy else stale_copy(item)) for number, item in enumerate(items, start=1)]
    blocks += [style(f"note: this is {copy}", "yellow")] if copy else []
    blocks += [style(f"note: {warning}", "yellow") for warning in _listed(found, "warnings")]
    return "\n\n".join([*blocks, style(tried(found), "dim")])


def _counted(found: Structured, count: int) -> str:
    """How many results, from whom, and how many of them several indexes have."""
    providers = ", ".join(_listed(found, "providers")) or found["engine"]
    agreed = f"; {found['agreement']} of them in more than one index" if "agreement" in found else ""
    return f"{count} result{'' if count == 1 else 's'} from {providers}{agreed}"


def _block(number: int, item: Mapping[str, object], copy: str) -> str:
    status = Status(str(item["status"]))
    lines = [f"{number}. {style(str(item['title']), 'bold')}", f"   {style(str(item['link']), 'cyan')}"]
    blocks = f"{item['blocks']} blocks" if "blocks" in item else ""
    finders = ", ".join(_listed(item, "found_by"))
    told = [
        str(item["published"]),
        str(item.get("duration", "")),
        status.value,
        blocks,
        copy,
        f"found by {finders}" if finders else "",
    ]
    lines.append(f"   {style(' · '.join(filter(None, told)), 'green' if status.readable else 'yellow')}")
    lines += [f"   image: {style(str(item['image_url']), 'cyan')}"] if item.get("image_url") else []
    lines += [f"   {style(f'the same text: {url}', 'dim')}" for url in _listed(item, "duplicates")]
    lines += [f"   {style(f'note: {warning}', 'yellow')}" for warning in _listed(item, "warnings")]
    lines += [f"   {item['snippet']}"] if item["snippet"] else []
    if status.readable:
        lines += ["", *(f"   {line}".rstrip() for line in str(item["page_content"]).splitlines())]
    return "\n".join(lines)


def _listed(found: Structured, name: str) -> list[str]:
    value = found.get(name)
    return [str(each) for each in value] if isinstance(value, list) else []
