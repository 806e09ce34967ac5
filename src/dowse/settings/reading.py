"""Settings of reading: limits of pages, robots.txt and the browser."""

from __future__ import annotations

from typing import Literal

from dowse.settings.declare import Group
from dowse.settings.derive import FrozenModel
from dowse.settings.providers import READERS, join_titles
from dowse.settings.types import (
    BrowserUrl,
    Duration,
    Factor,
    Flag,
    HostPorts,
    Nat64Prefixes,
    OnOffAuto,
    Pause,
    Size,
)

_READING = Group("Reading")
_BROWSER = Group("The browser", trusted_only=True, splits_cache=False)


class ReadingSettings(FrozenModel):
    """The part of `Settings` about reading pages."""

    fetch_content: Flag = _READING.setting(
        True, "DOWSE_FETCH_CONTENT", splits_cache=False,
        about="Whether `web_search` reads the pages unless the caller says otherwise.",
    )  # fmt: skip
    read_order: Literal["direct-first", "scrape-first"] = _READING.setting(
        "direct-first", "DOWSE_READ_ORDER", trusted_only=True,
        about="Which readers come first: direct HTTP, or the scrape APIs of "
        f"{join_titles(READERS)} (`scrape-first`).",
    )  # fmt: skip
    max_concurrent_fetches: int = _READING.setting(
        8, "DOWSE_MAX_CONCURRENT_FETCHES", "KINDLY_WEB_SEARCH_MAX_CONCURRENCY", ge=1, le=64, splits_cache=False,
        about="Maximum number of pages read concurrently; half as many again while callers compete.",
    )  # fmt: skip
    content_fetch_timeout_s: Duration = _READING.setting(
        "10s", "DOWSE_CONTENT_FETCH_TIMEOUT", "KINDLY_HTML_TOTAL_TIMEOUT_SECONDS", splits_cache=False,
        about="Timeout for reading one page.",
    )  # fmt: skip
    max_content_size: Size = _READING.setting(
        "5MB", "DOWSE_MAX_CONTENT_SIZE", le=50_000_000, about="Largest page that is read, after decompression."
    )
    allow_private: HostPorts = _READING.setting(
        "", "DOWSE_ALLOW_PRIVATE", trusted_only=True,
        about="Exact `host:port` pairs on private addresses that may be read; empty means none.",
    )  # fmt: skip
    respect_robots: Literal["search", "all", "off"] = _READING.setting(
        "search", "DOWSE_RESPECT_ROBOTS",
        about="Obey robots.txt for pages read for search results (`search`), for all pages, or not at all (`off`).",
    )  # fmt: skip
    allow_secret_urls: Flag = _READING.setting(
        False, "DOWSE_ALLOW_SECRET_URLS", trusted_only=True,
        about="Read URLs that seem to contain a key, a token or a password.",
    )  # fmt: skip
    nat64_prefixes: Nat64Prefixes = _READING.setting(
        "", "DOWSE_NAT64_PREFIXES", trusted_only=True,
        about="NAT64 prefixes of your network; addresses below them are judged by the IPv4 address inside.",
    )  # fmt: skip
    images: Literal["alt", "none"] = _READING.setting(
        "none", "DOWSE_IMAGES", about="Images of a page: removed (`none`), or replaced by their alt text (`alt`)."
    )
    pdf_max_pages: int = _READING.setting(
        100,
        "DOWSE_PDF_MAX_PAGES",
        ge=1,
        le=2000,
        about="Maximum number of pages read from a PDF; a note reports the rest.",
    )

    browser: Literal["auto", "off"] = _BROWSER.setting(
        "auto", "DOWSE_BROWSER", splits_cache=True,
        about="Use a browser for pages that direct HTTP cannot read; `off` never starts one.",
    )  # fmt: skip
    browser_path: str = _BROWSER.setting(
        "", "DOWSE_BROWSER_PATH", "KINDLY_BROWSER_EXECUTABLE_PATH", "BROWSER_EXECUTABLE_PATH", "CHROME_BIN",
        "CHROME_PATH",
        about="Path of Chromium or Chrome; the usual places are searched when empty.",
    )  # fmt: skip
    browser_url: BrowserUrl | None = _BROWSER.setting(
        None, "DOWSE_BROWSER_URL", splits_cache=True,
        about="DevTools address of a remote browser (`ws://` or `http://`), used instead of starting one; "
        "the SSRF guard does not cover its requests.",
    )  # fmt: skip
    browser_sandbox: OnOffAuto = _BROWSER.setting(
        "auto", "DOWSE_BROWSER_SANDBOX", "KINDLY_NODRIVER_SANDBOX",
        about="Chromium's own sandbox; `auto` uses it where the system allows, never as root.",
    )  # fmt: skip
    browser_timeout_s: Duration = _BROWSER.setting(
        "30s", "DOWSE_BROWSER_TIMEOUT", about="Timeout for one page in the browser, including the time in the queue."
    )
    browser_max_pages: int = _BROWSER.setting(
        0,
        "DOWSE_BROWSER_MAX_PAGES",
        ge=0,
        le=64,
        about="Maximum number of pages open at once, twice the number of CPUs when 0; half as many again while callers "
        "compete.",
    )
    browser_ready_timeout_s: Duration = _BROWSER.setting(
        "12s", "DOWSE_BROWSER_READY_TIMEOUT", "KINDLY_NODRIVER_DEVTOOLS_READY_TIMEOUT_SECONDS",
        about="Timeout for the start of the browser.",
    )  # fmt: skip
    browser_retry_attempts: int = _BROWSER.setting(
        3, "DOWSE_BROWSER_RETRY_ATTEMPTS", "KINDLY_NODRIVER_RETRY_ATTEMPTS", ge=1, le=5,
        about="Maximum number of attempts to start the browser.",
    )  # fmt: skip
    browser_retry_backoff_s: Pause = _BROWSER.setting(
        "500ms", "DOWSE_BROWSER_RETRY_BACKOFF", "KINDLY_NODRIVER_RETRY_BACKOFF_SECONDS",
        about="Delay before the second attempt; doubled before each further one.",
    )  # fmt: skip
    browser_snap_multiplier: Factor = _BROWSER.setting(
        "3", "DOWSE_BROWSER_SNAP_MULTIPLIER", "KINDLY_NODRIVER_SNAP_BACKOFF_MULTIPLIER",
        about="Factor on the start timeout and the delays for a browser from a snap, which starts slowly.",
    )  # fmt: skip
