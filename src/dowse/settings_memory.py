"""Settings of the memory: where it is, how large it may become, and how long things are remembered."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from dowse.settings_types import CacheSize, State, Ttl, setting


class MemorySettings(BaseModel):
    """The part of `Settings` that outlives a call. A time of 0 switches that part off."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    state: State = setting(
        "", "DOWSE_STATE",
        about="Where caches and spent budgets are kept; a SQLite file in the user's cache directory when empty.",
    )  # fmt: skip
    cache_size: CacheSize | None = setting(
        None, "DOWSE_CACHE_SIZE", ge=1_000_000, le=100_000_000_000,
        about="Most that is kept in SQLite (256MB when empty) or in memory (64MB). A Redis has a limit of its own.",
    )  # fmt: skip
    ttl_search: Ttl = setting("5m", "DOWSE_TTL_SEARCH", about="How long the results of a search are fresh.")
    ttl_news: Ttl = setting(
        "1m", "DOWSE_TTL_NEWS", about="The same for news, and for searches that ask for the last day."
    )
    ttl_pages: Ttl = setting("1h", "DOWSE_TTL_PAGES", about="How long a page that was read is fresh.")
    ttl_failures: Ttl = setting(
        "30s", "DOWSE_TTL_FAILURES", about="How long a page that could not be read is not tried again."
    )
    ttl_robots: Ttl = setting("24h", "DOWSE_TTL_ROBOTS", about="How long a site's robots.txt is believed.")
    ttl_stale: Ttl = setting(
        "24h", "DOWSE_TTL_STALE",
        about="How long results and pages are kept in all, to be served, marked, when nothing newer can be had.",
    )  # fmt: skip
