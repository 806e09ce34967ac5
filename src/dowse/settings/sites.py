"""The sites that are read or searched through their own APIs, each declared once, and their settings.

A declaration stands here rather than beside the code because it is needed before any site is imported: `domains` decide
which URL imports the loader. The code is in `dowse.sites`, in the module with the name of the site.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, SecretStr

from dowse.settings.declare import Group, Takes
from dowse.settings.derive import KEYLESS_GROUP, FrozenModel
from dowse.settings.types import HttpUrl


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSpec:
    """A site with a loader of its pages, a search, or both.

    `domains` are those of the pages that its loader reads. A search restricted to domains calls only sites with one of
    them in `search_domains`; one restricted to dates, only sites that filter by date.
    """

    name: str
    title: str
    domains: tuple[str, ...] = ()
    search_domains: tuple[str, ...] = ()
    filters_dates: bool = False


_SPECS = (
    SiteSpec(
        name="stackexchange",
        title="Stack Exchange",
        domains=(
            *("stackoverflow.com", "stackexchange.com", "serverfault.com", "superuser.com", "askubuntu.com"),
            *("mathoverflow.net", "stackapps.com"),
        ),
        search_domains=("stackoverflow.com", "stackexchange.com", "serverfault.com", "superuser.com", "askubuntu.com"),
        filters_dates=True,
    ),
    SiteSpec(
        name="github", title="GitHub", domains=("github.com",), search_domains=("github.com",), filters_dates=True
    ),
    SiteSpec(name="wikipedia", title="Wikipedia", domains=("wikipedia.org",), search_domains=("wikipedia.org",)),
    SiteSpec(name="arxiv", title="arXiv", domains=("arxiv.org",), search_domains=("arxiv.org",), filters_dates=True),
    SiteSpec(
        name="hackernews",
        title="Hacker News",
        domains=("news.ycombinator.com",),
        search_domains=("news.ycombinator.com",),
        filters_dates=True,
    ),
    SiteSpec(name="pypi", title="PyPI", domains=("pypi.org",), search_domains=("pypi.org",)),
    SiteSpec(name="npm", title="npm", domains=("npmjs.com",), search_domains=("npmjs.com",)),
    SiteSpec(name="crates", title="crates.io", domains=("crates.io",)),
    SiteSpec(name="mdn", title="MDN", domains=("developer.mozilla.org",)),
    SiteSpec(name="crossref", title="Crossref", search_domains=("doi.org",), filters_dates=True),
)
SITES: Mapping[str, SiteSpec] = {spec.name: spec for spec in _SPECS}
LOADED_SITES = tuple(spec.name for spec in _SPECS if spec.domains)
SEARCHED_SITES = tuple(spec.name for spec in _SPECS if spec.search_domains)

_SITES = Group("Sites with a reader of their own")
_SITE_APIS = Group(_SITES.title, trusted_only=True)
_OPEN = Group(KEYLESS_GROUP, "open", trusted_only=True)


# A repository or all of an owner, and the caller that may read it.
_PRIVATE_REPOSITORY = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/(?:\*|(?!\.{1,2}(?:@|$))[A-Za-z0-9._-]{1,100})(?:@[A-Za-z0-9][\w.:@~-]{0,99})?",
    re.ASCII,
)


def _private_repositories(value: object) -> tuple[str, ...]:
    entries = tuple(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
    if not all(map(_PRIVATE_REPOSITORY.fullmatch, entries)):
        raise ValueError
    return entries


PrivateRepositories = Annotated[
    tuple[str, ...],
    BeforeValidator(_private_repositories),
    Takes("repositories such as owner/repo, owner/* or owner/repo@caller, separated by commas"),
]


class SiteSettings(FrozenModel):
    """The part of `Settings` about single sites."""

    stackexchange_api_url: HttpUrl = _SITE_APIS.setting(
        "https://api.stackexchange.com/2.3", "STACKEXCHANGE_API_URL", about="Base URL of Stack Exchange's API."
    )
    stackexchange_key: SecretStr | None = _SITE_APIS.setting(
        None, "STACKEXCHANGE_KEY", about="Key for Stack Exchange: 10,000 requests a day instead of 300."
    )
    stackexchange_filter: str = _SITES.setting(
        "withbody", "STACKEXCHANGE_FILTER", about="Filter sent to Stack Exchange: which fields it returns."
    )
    stackexchange_max_chars: int = _SITES.setting(
        20_000,
        "STACKEXCHANGE_MAX_CHARS",
        ge=100,
        le=200_000,
        about="Maximum length of a Stack Exchange question with its answers.",
    )
    github_api_url: HttpUrl = _SITE_APIS.setting(
        "https://api.github.com", "GITHUB_API_URL", about="Base URL of GitHub's API."
    )
    github_token: SecretStr | None = _SITE_APIS.setting(
        None, "GITHUB_TOKEN", about="Token for GitHub: discussions, and 5,000 requests an hour instead of 60."
    )
    github_private: PrivateRepositories = _SITE_APIS.setting(
        "",
        "GITHUB_PRIVATE",
        about="Private repositories that may be read with GITHUB_TOKEN: `owner/repo` or `owner/*` over stdio and in a "
        "shell, with `@NAME` behind it for the HTTP caller of that name. Others count as missing.",
    )
    github_max_comments: int = _SITES.setting(
        50,
        "GITHUB_MAX_COMMENTS",
        ge=1,
        le=500,
        about="Maximum number of comments of an issue, pull request or discussion.",
    )
    github_max_chars: int = _SITES.setting(
        20_000, "GITHUB_MAX_CHARS", ge=100, le=200_000, about="Maximum length of a GitHub page."
    )
    wikipedia_api_url: HttpUrl | None = _SITE_APIS.setting(
        None, "WIKIPEDIA_API_URL", about="Base URL of Wikipedia's API; that of the page's language when empty."
    )
    wikipedia_user_agent: str = _SITES.setting(
        "", "WIKIPEDIA_USER_AGENT", about="User agent for Wikipedia; dowse's own when empty."
    )
    wikipedia_max_chars: int = _SITES.setting(
        50_000, "WIKIPEDIA_MAX_CHARS", ge=100, le=200_000, about="Maximum length of a Wikipedia article."
    )
    arxiv_api_url: HttpUrl = _SITE_APIS.setting(
        "https://export.arxiv.org/api/query", "ARXIV_API_URL", about="Base URL of arXiv's API."
    )
    arxiv_user_agent: str = _SITES.setting(
        "", "ARXIV_USER_AGENT", about="User agent for arXiv; dowse's own when empty."
    )
    arxiv_max_chars: int = _SITES.setting(
        50_000, "ARXIV_MAX_CHARS", ge=100, le=200_000, about="Maximum length of an arXiv paper."
    )
    arxiv_max_pages: int = _SITES.setting(
        30, "ARXIV_MAX_PAGES", ge=1, le=2000, about="Maximum number of pages read from an arXiv paper."
    )
    hackernews_api_url: HttpUrl = _SITE_APIS.setting(
        "https://hn.algolia.com/api/v1", "HACKERNEWS_API_URL", about="Base URL of the API of Hacker News."
    )
    hackernews_max_comments: int = _SITES.setting(
        50, "HACKERNEWS_MAX_COMMENTS", ge=1, le=500, about="Maximum number of comments of a Hacker News discussion."
    )
    pypi_url: HttpUrl = _SITE_APIS.setting("https://pypi.org", "PYPI_URL", about="Base URL of PyPI.")
    npm_registry_url: HttpUrl = _SITE_APIS.setting(
        "https://registry.npmjs.org", "NPM_REGISTRY_URL", about="Base URL of the npm registry."
    )
    npm_files_url: HttpUrl = _SITE_APIS.setting(
        "https://cdn.jsdelivr.net/npm", "NPM_FILES_URL", about="Base URL for the readme of very large npm packages."
    )
    crates_api_url: HttpUrl = _SITE_APIS.setting(
        "https://crates.io/api/v1", "CRATES_API_URL", about="Base URL of the API of crates.io."
    )
    mdn_url: HttpUrl = _SITE_APIS.setting("https://developer.mozilla.org", "MDN_URL", about="Base URL of MDN.")
    crossref_api_url: HttpUrl = _OPEN.setting(
        "https://api.crossref.org", "CROSSREF_API_URL", about="Base URL of Crossref's API."
    )
