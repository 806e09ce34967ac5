"""A search for a wire: its fields as a query, the flow, and the texts of a result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dowse.contracts.arguments import Arguments
from dowse.contracts.corrections import correct_date, correct_language
from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import WARNINGS_HEADER
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.web_search import MAX_QUERY_CHARS, domains
from dowse.contracts.wires.failures import describe_page
from dowse.contracts.wires.fields import describe_ignored, shorten_query
from dowse.core.errors import InvalidRequest
from dowse.core.models import Category, Page, Query, Result, SearchOutcome, TimeRange
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName, one_line

_HEADER_CHARS = 1000
_MOST_LISTED = 3
_LEAST_TOKENS = 100
# Of a caller's timeout, for writing and sending the answer.
_PERIODS = {"h": TimeRange.DAY, "d": TimeRange.DAY, "w": TimeRange.WEEK, "m": TimeRange.MONTH, "y": TimeRange.YEAR}
_PERIOD = re.compile(r"qdr:([hdwmy])")
_FROM, _UNTIL = (re.compile(rf"{name}:(\d{{1,2}})/(\d{{1,2}})/(\d{{4}})", re.ASCII) for name in ("cd_min", "cd_max"))
_MARGIN, _MOST_MARGIN_S, _LEAST_S = 0.1, 0.5, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A search as a caller of a wire asks for it; `num_results` and domains as sent, `country` in two letters.

    `passage_tokens` is the budget of passages of each page: 0 for whole pages, `None` to read no pages.
    """

    text: str
    num_results: int
    page: int = 1
    category: Category | None = None
    language: str = ""
    country: str = ""
    location: str = ""
    time_range: TimeRange = TimeRange.ANY
    start_date: str = ""
    end_date: str = ""
    include_domains: Sequence[str] = ()
    exclude_domains: Sequence[str] = ()
    safe_search: int | None = None
    passage_tokens: int | None = None
    timeout_s: float | None = None


async def search(
    services: Services, context: CallContext, wanted: Wanted, *, autocorrect: bool = True
) -> SearchOutcome:
    """Run a search; raises `DowseError`."""
    query = replace(_to_query(services, wanted), autocorrect=autocorrect)
    reads = wanted.passage_tokens is not None
    budget = min(MAX_TOKENS, max(_LEAST_TOKENS, (wanted.passage_tokens or 0) * query.num_results))
    return await services.search.search(
        query,
        services.deadline(context, patience_s(wanted.timeout_s)),
        fetch_content=reads,
        max_tokens=budget if wanted.passage_tokens else 0,
        progress=context.progress,
        caller=context.caller,
    )


def _to_query(services: Services, wanted: Wanted) -> Query:
    settings = services.settings
    text = shorten_query(wanted.text, MAX_QUERY_CHARS)
    if not text:
        raise InvalidRequest(ArgumentName("query"), " must not be empty.")
    return Query(
        text,
        min(wanted.num_results, settings.max_results_count),
        category=wanted.category or Category(settings.default_category),
        language=_language(wanted.language) or settings.default_language,
        safe_search=settings.safe_search if wanted.safe_search is None else wanted.safe_search,
        time_range=wanted.time_range,
        start_date=wanted.start_date,
        end_date=wanted.end_date,
        include_domains=_hosts("include_domains", wanted.include_domains),
        exclude_domains=_hosts("exclude_domains", wanted.exclude_domains),
        country=wanted.country.upper() if len(wanted.country) == 2 and wanted.country.isalpha() else "",
        location=wanted.location,
        page=wanted.page,
    )


def patience_s(timeout_s: float | None) -> float | None:
    """The time for a call of a client with this timeout: a little less, so that the answer arrives in time."""
    if timeout_s is None:
        return None
    return max(_LEAST_S, timeout_s - min(_MOST_MARGIN_S, timeout_s * _MARGIN))


def passages(result: Result) -> str:
    """The passages of a page about the query; the snippet of the provider if the page was not read."""
    shown = result.digest.text if result.digest and result.page.status.readable else ""
    return shown or result.hit.snippet


def whole_text(page: Page) -> str:
    """The text of a page; empty if it was not read."""
    return page.text if page.status.readable else ""


def published(result: Result) -> str:
    """The date of a result, as its provider or its page tells it; empty if unknown."""
    facts = result.page.facts
    return result.hit.published or (facts.published if facts.published_confidence == "high" else "")


def unread(outcome: SearchOutcome) -> tuple[Result, ...]:
    """The results with pages that could not be read."""
    return tuple(
        each for each in outcome.results if not each.page.status.readable and each.page.status != "not_fetched"
    )


def describe_unread(outcome: SearchOutcome) -> tuple[str, ...]:
    """One warning about the pages that could not be read."""
    failed = unread(outcome)
    listed = ", ".join(f"{each.hit.url} ({describe_page(each.page).message})" for each in failed[:_MOST_LISTED])
    more = f" and {len(failed) - _MOST_LISTED} more" if len(failed) > _MOST_LISTED else ""
    return (f"pages that were not read: {listed}{more}",) if failed else ()


def warnings_of(ignored: Sequence[str], *further: Iterable[str]) -> tuple[str, ...]:
    """Warnings about fields without effect, then all others, each once."""
    return tuple(dict.fromkeys([*describe_ignored(ignored), *(each for several in further for each in several)]))


def warning_headers(warnings: Iterable[str]) -> Mapping[str, str]:
    """Warnings as a header, for wires without a field for them; in ASCII, as headers are."""
    line = "; ".join(map(one_line, warnings))
    # JSON escapes the characters that a header cannot hold, and keeps plain text.
    return {WARNINGS_HEADER: json.dumps(line)[1:-1].replace('\\"', "'")[:_HEADER_CHARS]} if line else {}


def since(days: int, today: date) -> str:
    """The first day of a period that ends today."""
    return (today - timedelta(days=days)).isoformat()


def iso_date(name: str, text: str) -> str:
    """A date in ISO form, of a date or a time; raises `InvalidRequest` for anything else."""
    try:
        return date.fromisoformat(correct_date(text)[:10]).isoformat() if text else ""
    except ValueError:
        raise InvalidRequest(ArgumentName(name), " must be a date such as 2026-01-31.") from None


def parse_tbs(text: str) -> tuple[TimeRange, str, str]:
    """The period, first day and last day of a time filter as Google writes it; raises `InvalidRequest`."""
    period = _PERIOD.search(text)
    first, last = (_day(pattern.search(text)) for pattern in (_FROM, _UNTIL))
    return (_PERIODS[period[1]] if period else TimeRange.ANY), first, last


def american_date(name: str, text: str) -> str:
    """A date such as 1/31/2026 in ISO form; raises `InvalidRequest` for anything else."""
    parts = text.split("/")
    return iso_date(name, f"{parts[2]}-{parts[0]}-{parts[1]}" if len(parts) == 3 else text)


def _day(found: re.Match[str] | None) -> str:
    return iso_date("tbs", f"{found[3]}-{found[1]}-{found[2]}") if found else ""


def _language(code: str) -> str:
    """A language as providers take it; empty for `all`, `auto` and codes that are none."""
    known = correct_language(code) if code and code.lower() not in ("all", "auto") else ""
    primary, _, region = known.partition("-")
    if not (len(primary) == 2 and primary.isalpha()):
        return ""
    return f"{primary.lower()}-{region.upper()}" if len(region) == 2 and region.isalpha() else primary.lower()


def _hosts(name: str, entries: Sequence[str]) -> tuple[str, ...]:
    """Host names of entries such as `*.example.org` and `https://example.org/path`."""
    plain = tuple(entry.strip().removeprefix("*.") for entry in entries)
    return domains(name, Arguments({name: tuple(filter(None, plain))}, (), frozenset()))
