"""Settings of reading: limits, loaders, robots.txt, the browser, and the ranking of results."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from dowse.settings.types import (
    BrowserUrl,
    Duration,
    Factor,
    Flag,
    HttpUrl,
    Nat64Prefixes,
    OnOffAuto,
    Pause,
    SitePatterns,
    setting,
)


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


class BrowserSettings(BaseModel):
    """The part of `Settings` that only the browser needs."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    browser: Literal["auto", "off"] = setting(
        "auto", "DOWSE_BROWSER", about="Whether a browser reads what plain HTTP cannot; `off` never starts one."
    )
    browser_path: str = setting(
        "",
        "DOWSE_BROWSER_PATH",
        "KINDLY_BROWSER_EXECUTABLE_PATH",
        "BROWSER_EXECUTABLE_PATH",
        "CHROME_BIN",
        "CHROME_PATH",
        about="The Chromium or Chrome to start; looked for in the usual places when empty.",
    )
    browser_url: BrowserUrl | None = setting(
        None,
        "DOWSE_BROWSER_URL",
        about="DevTools address of a browser elsewhere (`ws://` or `http://`), used instead of starting one; "
        "nothing guards what it reaches but its own network.",
    )
    browser_sandbox: OnOffAuto = setting(
        "auto",
        "DOWSE_BROWSER_SANDBOX",
        "KINDLY_NODRIVER_SANDBOX",
        about="Chromium's own sandbox; `auto` uses it where the system allows, never as root.",
    )
    browser_timeout_s: Duration = setting(
        "30s", "DOWSE_BROWSER_TIMEOUT", about="Longest time for one page in the browser, its wait for a turn included."
    )
    browser_max_pages: int = setting(
        0, "DOWSE_BROWSER_MAX_PAGES", ge=0, le=64, about="Pages open at the same time; twice the processors when 0."
    )
    browser_ready_timeout_s: Duration = setting(
        "12s",
        "DOWSE_BROWSER_READY_TIMEOUT",
        "KINDLY_NODRIVER_DEVTOOLS_READY_TIMEOUT_SECONDS",
        about="Longest wait for a browser that was started to answer.",
    )
    browser_retry_attempts: int = setting(
        3,
        "DOWSE_BROWSER_RETRY_ATTEMPTS",
        "KINDLY_NODRIVER_RETRY_ATTEMPTS",
        ge=1,
        le=5,
        about="How often a browser that ends or is silent at its start is started before it is given up.",
    )
    browser_retry_backoff_s: Pause = setting(
        "500ms",
        "DOWSE_BROWSER_RETRY_BACKOFF",
        "KINDLY_NODRIVER_RETRY_BACKOFF_SECONDS",
        about="Pause before the second start; doubled before each further one.",
    )
    browser_snap_multiplier: Factor = setting(
        "3",
        "DOWSE_BROWSER_SNAP_MULTIPLIER",
        "KINDLY_NODRIVER_SNAP_BACKOFF_MULTIPLIER",
        about="How much longer pauses and waits are for a browser from a snap, which starts slowly.",
    )


class RankingSettings(BaseModel):
    """The part of `Settings` that decides about the order of results and what is shown of them."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    boost: SitePatterns = setting(
        "", "DOWSE_BOOST", about="Sites whose results move up a little, such as `docs.python.org,*.gov`."
    )
    bury: SitePatterns = setting("", "DOWSE_BURY", about="Sites whose results are sorted down, with the reason.")
    block: SitePatterns = setting("", "DOWSE_BLOCK", about="Sites whose results are left out.")
    semantic: Literal["auto", "off"] = setting(
        "auto", "DOWSE_SEMANTIC", about="Whether meaning helps to choose passages where `dowse[semantic]` is installed."
    )
