"""Choice of open APIs by the shape of a query: a table of patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from dowse.core import urls
from dowse.core.models import Category, Query, TimeRange
from dowse.settings.sites import SiteSpec
from dowse.sites.query import is_english

LEAST, MOST = 2, 4
"""APIs for one query: a single one may be down, and each further one learns of the query."""


@dataclass(frozen=True, slots=True)
class QueryShape:
    """A kind of query: the APIs that cover it, and the pattern that recognises it."""

    name: str
    apis: tuple[str, ...]
    signs: re.Pattern[str]


_TROUBLE = re.compile(
    r"\b\w{0,80}[a-z](?:Error|Exception|Warning)\b|\b(?:Error|Exception):|\bSIG[A-Z]{3,6}\b"
    r"|\bE(?:ACCES|ADDRINUSE|CONN[A-Z]{5,7}|EXIST|NOENT|NOTFOUND|PERM|PIPE|RESOLVE|TIMEDOUT)\b"
    r"|(?i:\b(?:bug (?:in|report|with)|cannot (?:find module|import)|core dumped|crash(?:es|ed) (?:on|when|with)|errno"
    r"|error (?:code|message|when|while)|exit (?:code|status)|memory leak|no module named|not working|permission denied"
    r"|seg(?:mentation )?fault|stack ?trace|throws|traceback|undefined (?:is not|reference|symbol))\b)"
)

# The most telling signs first: of more than `MOST` APIs the first ones are asked.
SHAPES = (
    QueryShape(
        "number of a paper",
        ("crossref", "arxiv"),
        re.compile(r"\b10\.\d{4,9}/\S|(?<![\d.])\d{4}\.\d{4,5}(?:v\d{1,2})?(?![\d.])"),
    ),
    QueryShape(
        "package for Node",
        ("npm", "github", "stackexchange"),
        re.compile(
            r"(?i)\b(?:npm|npx|pnpm|yarn)\b"
            r"|\b(?:javascript|js|node(?:\.?js)?|react|typescript) (?:\w{1,30} )?(?:librar(?:y|ies)|module|packages?)\b"
        ),
    ),
    QueryShape(
        "package for Python",
        ("pypi", "github", "stackexchange"),
        re.compile(
            r"(?i)\b(?:conda|pip3?|pipx|poetry|uv)(?: pip)? (?:add|install)\b|\bpypi\b"
            r"|\bpython (?:\w{1,30} )?(?:librar(?:y|ies)|module|packages?)\b"
        ),
    ),
    QueryShape("trouble", ("stackexchange", "github"), _TROUBLE),
    QueryShape(
        "code",
        ("stackexchange", "github"),
        re.compile(
            r"\b[a-z]{2,40}[A-Z]\w{1,60}\(|\b[a-z]{3,40}[A-Z][a-z]{2}|\b[A-Z][a-z]{1,30}[A-Z][a-z]{1,30}[A-Z][a-z]"
            r"|\b[a-z0-9]{1,40}_[a-z0-9_]{1,60}\b|\b\w{1,60}\.\w{1,60}\(|\w\(\)|::\w|->\w|=> "
            r"|#include\b|`\w| --[a-z]{2}"
        ),
    ),
    QueryShape(
        "scholarly",
        ("arxiv", "crossref"),
        re.compile(
            r"(?i)\b(?:arxiv|citations?|doi|et al|journal|literature review|meta-analysis|papers?|peer[- ]reviewed"
            r"|preprints?|proceedings|randomi[sz]ed|scholarly|survey (?:of|on)|systematic review|theorem|thesis)\b"
        ),
    ),
    QueryShape(
        "repository",
        ("github", "hackernews"),
        re.compile(
            r"(?i)\b(?:alternatives? to|boilerplate|github|open[- ]source|repo(?:sitor(?:y|ies))?"
            r"|self[- ]host(?:ed|ing)?|source code)\b"
        ),
    ),
    QueryShape(
        "programming",
        ("stackexchange", "github", "wikipedia"),
        re.compile(
            r"(?i)(?<!\w)(?:algorithm|ansible|api|asyncio|aws|bash|c\+\+|c#|clang|compiler|css|django|docker|fastapi|flask"
            r"|gcc|git|golang|html|java|javascript|json|jvm|kotlin|kubernetes|linux|mongodb|mysql|nginx|node\.?js|numpy"
            r"|pandas|php|postgres(?:ql)?|programming|python|pytorch|react|redis|regex|ruby|rust|scala|sql|sqlite|swift"
            r"|terraform|typescript|ubuntu|unicode|vue|webpack|yaml)(?!\w)"
        ),
    ),
    QueryShape(
        "talk of the trade",
        ("hackernews", "wikipedia"),
        re.compile(
            r"(?i)\b(?:acqui(?:red|res|sition)|announce[sd]?|(?:ask|show) hn|funding|hacker news|launch(?:e[sd])?"
            r"|layoffs?|opinions?|outage|release[sd]?|review|startups?|vs|worth it)\b"
        ),
    ),
    QueryShape(
        "reference",
        ("wikipedia",),
        re.compile(r"(?i)^\W{0,3}(?:define|history of|meaning of|what|what's|when|where|which|who|whose)\b"),
    ),
)
# Added where the shape gives fewer than `LEAST`. Wikipedia covers most named things, and stories of Hacker News lead to
# pages all over the web, the nearest that an open API comes to a web search.
_FURTHER = {
    Category.GENERAL: ("wikipedia", "hackernews"),
    Category.IT: ("stackexchange", "github", "hackernews"),
    Category.SCIENCE: ("arxiv", "crossref", "wikipedia"),
}
# Shapes of code look alike in every language; beside them only Wikipedia covers languages other than English.
_IN_EVERY_LANGUAGE = frozenset({"number of a paper", "package for Node", "package for Python", "trouble", "code"})


def choose(query: Query, sites: Sequence[SiteSpec]) -> tuple[str, ...]:
    """The names of the fitting sites, the best first; empty where none covers the requested domains or dates."""
    chosen = _choose_by_domain(query.include_domains, sites) if query.include_domains else _choose_by_shape(query)
    has_dates = bool(query.start_date or query.end_date or query.time_range is not TimeRange.ANY)
    # An API that cannot filter by date would return results of all dates.
    available = {site.name for site in sites if site.filters_dates or not has_dates}
    return tuple(name for name in chosen if name in available)[:MOST]


def is_about_error(text: str) -> bool:
    """Whether the query is about an error, which issues cover rather than repositories."""
    return _TROUBLE.search(text) is not None


def _choose_by_shape(query: Query) -> list[str]:
    fitting = [shape for shape in SHAPES if shape.signs.search(query.text)]
    if not is_english(query):
        fitting = [shape for shape in fitting if shape.name in _IN_EVERY_LANGUAGE]
        return _join(("wikipedia",), *(shape.apis for shape in fitting))
    names, further = _join(*(shape.apis for shape in fitting)), _FURTHER[query.category]
    if query.category is not Category.GENERAL:
        # A category decides; the shape only adds to it.
        return _join(further, names)
    return names if len(names) >= LEAST else _join(names, further)


def _join(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(lists)))


def _choose_by_domain(domains: Iterable[str], sites: Iterable[SiteSpec]) -> list[str]:
    wanted = list(map(str.lower, domains))
    return [site.name for site in sites if any(urls.is_below(domain, *site.search_domains) for domain in wanted)]
