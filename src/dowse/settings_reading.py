"""Settings of reading: manners, limits, and the sites whose pages are read through their own APIs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from dowse.settings_types import Flag, HttpUrl, Nat64Prefixes, setting

LOADERS = ("stackexchange", "github", "wikipedia", "arxiv", "hackernews", "pypi", "npm", "crates", "mdn")


class ReadingSettings(BaseModel):
    """The part of `Settings` that only reading needs."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    respect_robots: Literal["search", "all", "off"] = setting(
        "search",
        "DOWSE_RESPECT_ROBOTS",
        about="Whose pages obey robots.txt: those read for search results, all, or none (`off`).",
    )
    allow_secret_urls: Flag = setting(
        False,
        "DOWSE_ALLOW_SECRET_URLS",
        about="Read URLs although they look as if they carried a key, a token or a password.",
    )
    nat64_prefixes: Nat64Prefixes = setting(
        "",
        "DOWSE_NAT64_PREFIXES",
        about="NAT64 prefixes of your network; addresses below them are judged by the IPv4 address inside.",
    )
    images: Literal["alt", "none"] = setting(
        "none", "DOWSE_IMAGES", about="What pictures of a page become: nothing (`none`), or their description (`alt`)."
    )
    pdf_max_pages: int = setting(
        100, "DOWSE_PDF_MAX_PAGES", ge=1, le=2000, about="Pages of a PDF that are read; the rest is left out and said."
    )

    stackexchange_api_url: HttpUrl = setting(
        "https://api.stackexchange.com/2.3", "STACKEXCHANGE_API_URL", about="Where Stack Exchange's API is."
    )
    stackexchange_key: SecretStr | None = setting(
        None, "STACKEXCHANGE_KEY", about="Key for Stack Exchange: 10,000 requests a day instead of 300."
    )
    stackexchange_filter: str = setting(
        "withbody", "STACKEXCHANGE_FILTER", about="Filter sent to Stack Exchange: which fields it returns."
    )
    stackexchange_max_chars: int = setting(
        20_000, "STACKEXCHANGE_MAX_CHARS", ge=100, le=200_000, about="Longest text of a Stack Exchange question."
    )
    github_api_url: HttpUrl = setting("https://api.github.com", "GITHUB_API_URL", about="Where GitHub's API is.")
    github_token: SecretStr | None = setting(
        None, "GITHUB_TOKEN", about="Token for GitHub: discussions, and 5,000 requests an hour instead of 60."
    )
    github_max_comments: int = setting(
        50, "GITHUB_MAX_COMMENTS", ge=1, le=500, about="Comments of an issue, pull request or discussion."
    )
    github_max_chars: int = setting(
        20_000, "GITHUB_MAX_CHARS", ge=100, le=200_000, about="Longest text of a page of GitHub."
    )
    wikipedia_api_url: HttpUrl | None = setting(
        None, "WIKIPEDIA_API_URL", about="Where Wikipedia's API is; each language's own when empty."
    )
    wikipedia_user_agent: str = setting(
        "", "WIKIPEDIA_USER_AGENT", about="User agent for Wikipedia; dowse's own when empty."
    )
    wikipedia_max_chars: int = setting(
        50_000, "WIKIPEDIA_MAX_CHARS", ge=100, le=200_000, about="Longest text of an article of Wikipedia."
    )
    arxiv_api_url: HttpUrl = setting(
        "https://export.arxiv.org/api/query", "ARXIV_API_URL", about="Where arXiv's API is."
    )
    arxiv_user_agent: str = setting("", "ARXIV_USER_AGENT", about="User agent for arXiv; dowse's own when empty.")
    arxiv_max_chars: int = setting(
        50_000, "ARXIV_MAX_CHARS", ge=100, le=200_000, about="Longest text of a paper of arXiv."
    )
    arxiv_max_pages: int = setting(
        30, "ARXIV_MAX_PAGES", ge=1, le=2000, about="Pages of a paper of arXiv that are read."
    )
    hackernews_api_url: HttpUrl = setting(
        "https://hn.algolia.com/api/v1", "HACKERNEWS_API_URL", about="Where the API of Hacker News is."
    )
    hackernews_max_comments: int = setting(
        50, "HACKERNEWS_MAX_COMMENTS", ge=1, le=500, about="Comments of a discussion on Hacker News."
    )
    pypi_url: HttpUrl = setting("https://pypi.org", "PYPI_URL", about="Where Python packages are described.")
    npm_registry_url: HttpUrl = setting(
        "https://registry.npmjs.org", "NPM_REGISTRY_URL", about="Where npm packages are described."
    )
    npm_files_url: HttpUrl = setting(
        "https://cdn.jsdelivr.net/npm", "NPM_FILES_URL", about="Where the readme of a very large npm package is got."
    )
    crates_api_url: HttpUrl = setting(
        "https://crates.io/api/v1", "CRATES_API_URL", about="Where Rust crates are described."
    )
    mdn_url: HttpUrl = setting("https://developer.mozilla.org", "MDN_URL", about="Where the pages of MDN are.")
