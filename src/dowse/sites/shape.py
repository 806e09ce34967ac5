"""Which open APIs may know the answer, by the shape of the query: a table that is easy to extend."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain

from dowse.core import urls
from dowse.core.models import Category, Query, TimeRange
from dowse.sites.language import is_english

LEAST, MOST = 2, 4
"""So many APIs are asked for one query: a single one may be down, and each more is one more that hears of it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How queries of one kind look, and who knows about them."""

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
    Shape(
        "number of a paper",
        ("crossref", "arxiv"),
        re.compile(r"\b10\.\d{4,9}/\S|(?<![\d.])\d{4}\.\d{4,5}(?:v\d{1,2})?(?![\d.])"),
    ),
    Shape(
        "package for Node",
        ("npm", "github", "stackexchange"),
        re.compile(
            r"(?i)\b(?:npm|npx|pnpm|yarn)\b"
            r"|\b(?:javascript|js|node(?:\.?js)?|react|typescript) (?:\w{1,30} )?(?:librar(?:y|ies)|module|packages?)\b"
        ),
    ),
    Shape(
        "package for Python",
        ("pypi", "github", "stackexchange"),
        re.compile(
            r"(?i)\b(?:conda|pip3?|pipx|poetry|uv)(?: pip)? (?:add|install)\b|\bpypi\b"
            r"|\bpython (?:\w{1,30} )?(?:librar(?:y|ies)|module|packages?)\b"
        ),
    ),
    Shape("trouble", ("stackexchange", "github"), _TROUBLE),
    Shape(
        "code",
        ("stackexchange", "github"),
        re.compile(
            r"\b[a-z]{2,40}[A-Z]\w{1,60}\(|\b[a-z]{3,40}[A-Z][a-z]{2}|\b[A-Z][a-z]{1,30}[A-Z][a-z]{1,30}[A-Z][a-z]"
            r"|\b[a-z0-9]{1,40}_[a-z0-9_]{1,60}\b|\b\w{1,60}\.\w{1,60}\(|\w\(\)|::\w|->\w|=> "
            r"|#include\b|`\w| --[a-z]{2}"
        ),
    ),
    Shape(
        "scholarly",
        ("arxiv", "crossref"),
        re.compile(
            r"(?i)\b(?:arxiv|citations?|doi|et al|journal|literature review|meta-analysis|papers?|peer[- ]reviewed"
            r"|preprints?|proceedings|randomi[sz]ed|scholarly|survey (?:of|on)|systematic review|theorem|thesis)\b"
        ),
    ),
    Shape(
        "repository",
        ("github", "hackernews"),
        re.compile(
            r"(?i)\b(?:alternatives? to|boilerplate|github|open[- ]source|repo(?:sitor(?:y|ies))?"
            r"|self[- ]host(?:ed|ing)?|source code)\b"
        ),
    ),
    Shape(
        "programming",
        ("stackexchange", "github", "wikipedia"),
        re.compile(
            r"(?i)(?<!\w)(?:algorithm|ansible|api|asyncio|aws|bash|c\+\+|c#|clang|compiler|css|django|docker|fastapi|flask"
            r"|gcc|git|golang|html|java|javascript|json|jvm|kotlin|kubernetes|linux|mongodb|mysql|nginx|node\.?js|numpy"
            r"|pandas|php|postgres(?:ql)?|programming|python|pytorch|react|redis|regex|ruby|rust|scala|sql|sqlite|swift"
            r"|terraform|typescript|ubuntu|unicode|vue|webpack|yaml)(?!\w)"
        ),
    ),
    Shape(
        "talk of the trade",
        ("hackernews", "wikipedia"),
        re.compile(
            r"(?i)\b(?:acqui(?:red|res|sition)|announce[sd]?|(?:ask|show) hn|funding|hacker news|launch(?:e[sd])?"
            r"|layoffs?|opinions?|outage|release[sd]?|review|startups?|vs|worth it)\b"
        ),
    ),
    Shape(
        "reference",
        ("wikipedia",),
        re.compile(r"(?i)^\W{0,3}(?:define|history of|meaning of|what|what's|when|where|which|who|whose)\b"),
    ),
)
# What is asked besides where that gives too few. Wikipedia has an article on most things that have a name, and the
# stories of Hacker News lead to pages all over the web, which is as near to a web search as an open API comes.
_FURTHER = {
    Category.GENERAL: ("wikipedia", "hackernews"),
    Category.IT: ("stackexchange", "github", "hackernews"),
    Category.SCIENCE: ("arxiv", "crossref", "wikipedia"),
}
# Who can tell when something was published.
_DATED = ("hackernews", "stackexchange", "github", "arxiv", "crossref")
# What is asked in a language other than English only Wikipedia knows, and, of code, everybody who writes code.
_IN_EVERY_LANGUAGE = frozenset({"number of a paper", "package for Node", "package for Python", "trouble", "code"})
_DOMAINS = {
    "wikipedia": ("wikipedia.org",),
    "stackexchange": ("stackoverflow.com", "stackexchange.com", "serverfault.com", "superuser.com", "askubuntu.com"),
    "github": ("github.com",),
    "hackernews": ("news.ycombinator.com",),
    "arxiv": ("arxiv.org",),
    "crossref": ("doi.org",),
    "pypi": ("pypi.org",),
    "npm": ("npmjs.com",),
}


def choose(query: Query, available: Collection[str]) -> tuple[str, ...]:
    """The APIs that fit, the best first; none where what is asked for is in none of them."""
    chosen = _at(query.include_domains) if query.include_domains else _by_shape(query)
    if query.start_date or query.end_date or query.time_range is not TimeRange.ANY:
        # Whoever cannot tell dates would answer with all of them.
        chosen = [name for name in chosen if name in _DATED]
    return tuple(name for name in chosen if name in available)[:MOST]


def speaks_of_trouble(text: str) -> bool:
    """Whether something went wrong, which is reported and not published."""
    return _TROUBLE.search(text) is not None


def _by_shape(query: Query) -> list[str]:
    fitting = [shape for shape in SHAPES if shape.signs.search(query.text)]
    if not is_english(query):
        fitting = [shape for shape in fitting if shape.name in _IN_EVERY_LANGUAGE]
        return _joined(("wikipedia",), *(shape.apis for shape in fitting))
    names, further = _joined(*(shape.apis for shape in fitting)), _FURTHER[query.category]
    if query.category is not Category.GENERAL:
        # Whoever names a category has said where to look; the shape only adds to that.
        return _joined(further, names)
    return names if len(names) >= LEAST else _joined(names, further)


def _joined(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(lists)))


def _at(domains: Iterable[str]) -> list[str]:
    return [name for name, own in _DOMAINS.items() if any(urls.is_below(domain.lower(), *own) for domain in domains)]
