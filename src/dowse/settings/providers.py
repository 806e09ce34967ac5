"""The keyed and keyless providers, each declared once: a keyed provider needs a key or an address of the user.

The declarations stand here rather than beside the adapters because settings are read at every start, before any adapter
is imported. `dowse.providers.table` says where the adapter of each is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dowse.core.models import Category
from dowse.settings.described.specs import load_index
from dowse.settings.spec import Endpoint, ProviderSpec, QueryLimits

SERPER = ProviderSpec(
    name="serper",
    title="Serper",
    operations=("search", "read"),
    key="SERPER_API_KEY",
    endpoints={
        "search": Endpoint(
            "SERPER_SEARCH_ENDPOINT", "https://google.serper.dev/search", "Endpoint of Serper's search API."
        ),
        "read": Endpoint("SERPER_SCRAPE_ENDPOINT", "https://scrape.serper.dev", "Endpoint of Serper's scrape API."),
    },
    limits=QueryLimits(
        max_results=100,
        filters=frozenset(
            {"language", "time_range", "start_date", "end_date", "country", "location", "autocorrect", "page"}
        ),
        categories=frozenset(
            {Category.GENERAL, Category.NEWS, Category.IMAGES, Category.VIDEOS, Category.SCIENCE, Category.MAP}
        ),
    ),
    timeout_aliases=("SERPER_HTTP_TIMEOUT",),
    # A credit for a search, two for a page. Rates are published for paid plans only (serper.dev, pricing: from 50/s).
    prices={"search": 0.001, "read": 0.002},
    advice="first",
)
EXA = ProviderSpec(
    name="exa",
    title="Exa",
    operations=("search", "read"),
    key="EXA_API_KEY",
    endpoints={
        "search": Endpoint("EXA_SEARCH_ENDPOINT", "https://api.exa.ai/search", "Endpoint of Exa's search API."),
        "read": Endpoint("EXA_CONTENTS_ENDPOINT", "https://api.exa.ai/contents", "Endpoint of Exa's contents API."),
    },
    limits=QueryLimits(
        max_results=100,
        filters=frozenset(
            {"safe_search", "time_range", "start_date", "end_date", "include_domains", "exclude_domains", "country"}
        ),
        categories=frozenset({Category.GENERAL, Category.NEWS, Category.SCIENCE}),
    ),
    # The same with and without paying. Pages may be asked for ten times as fast, which is faster than dowse reads
    # (exa.ai/docs/reference/rate-limits).
    pace="10/s",
    unpaced=("read",),
    prices={"search": 0.007, "read": 0.001},
    advice="also",
)
TAVILY = ProviderSpec(
    name="tavily",
    title="Tavily",
    operations=("search", "read"),
    key="TAVILY_API_KEY",
    endpoints={
        "search": Endpoint(
            "TAVILY_SEARCH_ENDPOINT", "https://api.tavily.com/search", "Endpoint of Tavily's search API."
        ),
        "read": Endpoint(
            "TAVILY_EXTRACT_ENDPOINT", "https://api.tavily.com/extract", "Endpoint of Tavily's extract API."
        ),
    },
    limits=QueryLimits(
        max_results=20,
        max_query_chars=400,
        filters=frozenset({"time_range", "start_date", "end_date", "include_domains", "exclude_domains"}),
        categories=frozenset({Category.GENERAL, Category.NEWS}),
    ),
    # Development keys; production keys take 1000/m (docs.tavily.com/documentation/rate-limits).
    pace="100/m",
    # A credit for a basic search, one for five pages. `Settings.prices` knows the searches that cost more.
    prices={"search": 0.008, "read": 0.0016},
    advice="first",
)
SEARXNG = ProviderSpec(
    name="searxng",
    title="SearXNG",
    servers=("SEARXNG_URL", "SEARXNG_BASE_URL"),
    limits=QueryLimits(
        max_results=50,
        filters=frozenset({"language", "safe_search", "time_range", "page"}),
        categories=frozenset(Category),
    ),
    timeout_aliases=("SEARXNG_TIMEOUT_SECONDS",),
    prices={"search": 0.0},
    advice="also",
)
OPENAI = ProviderSpec(
    name="openai",
    title="OpenAI",
    operations=("answer",),
    key="OPENAI_API_KEY",
    endpoints={"answer": Endpoint("OPENAI_BASE_URL", "https://api.openai.com/v1", "Base URL of the Responses API.")},
    # Tier 1 of the models that are asked by default; the tokens in a minute are limited as well.
    pace="500/m",
    # Estimated: 10 dollars for 1,000 searches, and a model mostly makes one or two for an answer. Tokens come on top;
    # for the small models that is little.
    prices={"answer": 0.02},
)
TAVILY_KEYLESS = ProviderSpec(
    name="tavily_keyless",
    title="Tavily",
    tier="Tavily's keyless tier",
    endpoints_of="tavily",
    limits=TAVILY.limits,
    budget="30calls/day",
    # Limited, says its documentation, but not how; a free key takes 100/m.
    pace="1/s",
    nicknames=("tavily",),
)
EXA_MCP = ProviderSpec(
    name="exa_mcp",
    title="Exa",
    tier="Exa's anonymous tier",
    endpoints={"search": Endpoint("EXA_MCP_URL", "https://mcp.exa.ai/mcp", "Address of Exa's MCP server.")},
    # More would be allowed; each result brings a long text along.
    limits=QueryLimits(max_results=20),
    budget="50calls/day",
    # Its source says two in a second and 50 a day, but it counts a sliding second approximately: two at once, again
    # after 1.2 s, are one too many. One in a second never is.
    pace="1/s",
    nicknames=("exa",),
)
PARALLEL_MCP = ProviderSpec(
    name="parallel_mcp",
    title="Parallel",
    tier="Parallel's anonymous tier",
    endpoints={
        "search": Endpoint("PARALLEL_MCP_URL", "https://search.parallel.ai/mcp", "Address of Parallel's MCP server.")
    },
    limits=QueryLimits(max_results=10, max_query_chars=200),
    budget="50calls/day",
    # Limited, says its documentation, but not how; with a key it takes 600/m.
    pace="1/s",
    nicknames=("parallel",),
)
FIRECRAWL_MCP = ProviderSpec(
    name="firecrawl_mcp",
    title="Firecrawl",
    tier="Firecrawl's anonymous tier",
    endpoints={
        "search": Endpoint(
            "FIRECRAWL_MCP_URL", "https://mcp.firecrawl.dev/v2/mcp", "Address of Firecrawl's MCP server."
        )
    },
    # A hundred would be allowed; the free tier is counted in credits, and more results cost more of them.
    limits=QueryLimits(max_results=20, max_query_chars=500),
    budget="50calls/day",
    # Searches and concurrent pages of a free account (docs.firecrawl.dev/rate-limits).
    pace="5/m, 2 at once",
    nicknames=("firecrawl",),
)
OPEN = ProviderSpec(
    name="open",
    title="open APIs",
    tier="the open APIs",
    limits=QueryLimits(
        max_results=50,
        filters=frozenset({"language", "time_range", "start_date", "end_date", "include_domains", "exclude_domains"}),
        categories=frozenset({Category.GENERAL, Category.IT, Category.SCIENCE}),
    ),
    timeout="10s",
    budget="1000calls/day",
    # All of them together; each has limits of its own besides.
    pace="10/s",
    nicknames=("open_apis",),
)
SEARXNG_POOL = ProviderSpec(
    name="searxng_pool",
    title="SearXNG",
    tier="public SearXNG instances",
    endpoints={
        "search": Endpoint(
            "SEARX_SPACE_URL", "https://searx.space/data/instances.json", "Address of the list of public instances."
        )
    },
    limits=QueryLimits(
        max_results=20,
        filters=frozenset({"language", "safe_search", "time_range", "page"}),
        categories=frozenset(Category),
    ),
    budget="200calls/day",
    nicknames=("searxng", "searx", "instances"),
)
DUCKDUCKGO = ProviderSpec(
    name="duckduckgo",
    title="DuckDuckGo",
    tier="DuckDuckGo's page",
    endpoints={
        "search": Endpoint("DUCKDUCKGO_URL", "https://lite.duckduckgo.com/lite/", "Address of DuckDuckGo's page.")
    },
    limits=QueryLimits(
        max_results=10,
        max_query_chars=499,
        filters=frozenset({"language", "country", "time_range", "safe_search"}),
    ),
    timeout="10s",
    budget="100calls/day",
    is_opt_in=True,
    nicknames=("ddg",),
)
MOJEEK = ProviderSpec(
    name="mojeek",
    title="Mojeek",
    tier="Mojeek's page",
    endpoints={"search": Endpoint("MOJEEK_URL", "https://www.mojeek.com/search", "Address of Mojeek's page.")},
    limits=QueryLimits(
        max_results=10,
        max_query_chars=500,
        filters=frozenset({"language", "country", "time_range", "start_date", "safe_search"}),
        categories=frozenset({Category.GENERAL, Category.NEWS, Category.IMAGES}),
    ),
    timeout="10s",
    budget="100calls/day",
    is_opt_in=True,
)

_DESCRIBED = load_index()
_KEYLESS = (TAVILY_KEYLESS, EXA_MCP, PARALLEL_MCP, FIRECRAWL_MCP, OPEN, SEARXNG_POOL, DUCKDUCKGO, MOJEEK)
# Good searches of the whole web first, then the open APIs, then small indexes, then scraped pages.
_POOL = (
    *("tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp", "firecrawl_keyless", "you_keyless"),
    *("keenable_keyless", "open", "marginalia_keyless", "mwmbl", "searxng_pool", "duckduckgo", "mojeek"),
)


def _by_pool(spec: ProviderSpec) -> int:
    return _POOL.index(spec.name) if spec.name in _POOL else len(_POOL)


SPECS: Mapping[str, ProviderSpec] = {
    spec.name: spec
    for spec in (
        *(SERPER, EXA, TAVILY, SEARXNG, OPENAI),
        *(spec for spec in _DESCRIBED if not spec.is_keyless),
        *sorted((*_KEYLESS, *(spec for spec in _DESCRIBED if spec.is_keyless)), key=_by_pool),
    )
}
"""Every provider by name, in the order in which they are asked unless the user says otherwise."""


def _with_credential(operation: str) -> tuple[str, ...]:
    return tuple(name for name, spec in SPECS.items() if not spec.is_keyless and operation in spec.operations)


SEARCHERS = _with_credential("search")
READERS = _with_credential("read")
ANSWERERS = _with_credential("answer")
KEYLESS = tuple(name for name, spec in SPECS.items() if spec.is_keyless)


def join_titles(names: Iterable[str]) -> str:
    """The titles of some providers, as a list in a sentence."""
    return _join([SPECS[name].title for name in names], "and")


def join_credentials(names: Iterable[str]) -> str:
    """The variables that activate some providers, as alternatives in a sentence."""
    return _join([SPECS[name].credential for name in names], "or")


def suggest_providers() -> str:
    """Advice for users without a provider: some credentials, and others in brackets."""
    own = {name: f" for your own {SPECS[name].title}" if SPECS[name].servers else "" for name in SEARCHERS}
    others = ", ".join(f"or {SPECS[name].credential}{own[name]}" for name in _list_by_advice("also"))
    return f"Set {' or '.join(SPECS[name].credential for name in _list_by_advice('first'))} ({others})"


def list_credentials() -> str:
    """The credentials that advice names, as alternatives in a sentence."""
    return join_credentials([*_list_by_advice("first"), *_list_by_advice("also")])


def _list_by_advice(advice: str) -> list[str]:
    return [name for name in SEARCHERS if SPECS[name].advice == advice]


def _join(words: list[str], conjunction: str) -> str:
    *others, last = words
    return f"{', '.join(others)} {conjunction} {last}" if others else last
