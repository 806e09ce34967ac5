"""Settings of the server: contracts, cache, callers, rate limits, load and logging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator

from dowse.settings.contracts import CONTRACTS, TOOL_LIMITS
from dowse.settings.declare import Group, Setting
from dowse.settings.derive import LOAD_GROUP, FrozenModel
from dowse.settings.types import (
    CacheSize,
    Flag,
    Hosts,
    HttpUrl,
    Level,
    Networks,
    OnOff,
    Origins,
    RateLimit,
    State,
    Tokens,
    Ttl,
)

if TYPE_CHECKING:
    ContractName = str
else:
    ContractName = Literal[tuple(CONTRACTS)]

_SERVER = Group("Server", splits_cache=False)
_MEMORY = Group("Memory", splits_cache=False)
_CALLERS = Group("Who may call the HTTP server", trusted_only=True, splits_cache=False)
_LOAD = Group(LOAD_GROUP, trusted_only=True, splits_cache=False)
_LOGGING = Group("Logging", splits_cache=False)


class ServerSettings(FrozenModel):
    """The part of `Settings` about serving."""

    contract: ContractName = _SERVER.setting(
        "dowse", "DOWSE_CONTRACT", about="Which set of tools the MCP server offers."
    )
    structured: OnOff = _SERVER.setting(
        "on", "DOWSE_STRUCTURED", about="`off` leaves the typed half out of MCP answers."
    )
    allow_tty_stdio: Flag = _SERVER.setting(
        False, "MCP_ALLOW_TTY_STDIO", about="Serve stdio although a person is at the terminal."
    )
    host: str = _SERVER.setting(
        "127.0.0.1", "DOWSE_HOST", "FASTMCP_HOST", trusted_only=True,
        about="Address the HTTP server listens on; beyond loopback it needs tokens.",
    )  # fmt: skip
    port: int = _SERVER.setting(
        8000, "DOWSE_PORT", "FASTMCP_PORT", "MCP_TOOLS_HTTP_PORT", ge=0, le=65_535,
        about="Port the HTTP server listens on; 0 takes a free one.",
    )  # fmt: skip

    state: State = _MEMORY.setting(
        "", "DOWSE_STATE", trusted_only=True,
        about="Where caches and spent budgets are kept; a SQLite file in the user's cache directory when empty.",
    )  # fmt: skip
    cache_size: CacheSize | None = _MEMORY.setting(
        None, "DOWSE_CACHE_SIZE", trusted_only=True, ge=1_000_000, le=100_000_000_000,
        about="Most that is kept in SQLite (256MB when empty) or in memory (64MB). A Redis has a limit of its own.",
    )  # fmt: skip
    ttl_search: Ttl = _MEMORY.setting("5m", "DOWSE_TTL_SEARCH", about="How long the results of a search are fresh.")
    ttl_news: Ttl = _MEMORY.setting(
        "1m", "DOWSE_TTL_NEWS", about="The same for news, and for searches that ask for the last day."
    )
    ttl_pages: Ttl = _MEMORY.setting("1h", "DOWSE_TTL_PAGES", about="How long a page that was read is fresh.")
    ttl_failures: Ttl = _MEMORY.setting(
        "30s", "DOWSE_TTL_FAILURES", about="How long a page that could not be read is not tried again."
    )
    ttl_robots: Ttl = _MEMORY.setting("24h", "DOWSE_TTL_ROBOTS", about="How long a site's robots.txt is believed.")
    ttl_stale: Ttl = _MEMORY.setting(
        "24h", "DOWSE_TTL_STALE",
        about="How long results and pages are kept in all, to be served, marked, when nothing newer can be had.",
    )  # fmt: skip
    ttl_answers: Ttl = _MEMORY.setting("5m", "DOWSE_TTL_ANSWERS", about="How long an answer is fresh.")

    tokens: Tokens = _CALLERS.setting(
        "", "DOWSE_TOKENS", secret=True, about="Who may call the HTTP server: `name:token` pairs."
    )
    tokens_file: str = _CALLERS.setting(
        "", "DOWSE_TOKENS_FILE", about="File of names, hashes, limits and contracts; `dowse token new NAME` writes it."
    )
    jwt_issuer: str = _CALLERS.setting(
        "", "DOWSE_JWT_ISSUER", about="Issuer of JSON Web Tokens that are accepted as well."
    )
    jwt_audience: str = _CALLERS.setting("", "DOWSE_JWT_AUDIENCE", about="Audience those tokens must be issued for.")
    jwks_url: HttpUrl | None = _CALLERS.setting(None, "DOWSE_JWKS_URL", about="Where the issuer publishes its keys.")
    allowed_hosts: Hosts = _CALLERS.setting(
        "", "DOWSE_ALLOWED_HOSTS", about="Names the HTTP server is reached under, besides its own address."
    )
    allowed_origins: Origins = _CALLERS.setting(
        "", "DOWSE_ALLOWED_ORIGINS", about="Origins of web pages that may call the HTTP server from a browser."
    )
    trusted_proxies: Networks = _CALLERS.setting(
        "", "DOWSE_TRUSTED_PROXIES", about="Reverse proxies whose `X-Forwarded-*` headers are believed."
    )

    limits: Annotated[Mapping[str, RateLimit | None], BeforeValidator(lambda given: {**TOOL_LIMITS, **given})] = {}
    """How often each caller may use a tool, by the tool's name; `None` for no limit."""

    max_calls: int = _LOAD.setting(
        512, "DOWSE_MAX_CALLS", ge=1, le=1000,
        about="Most calls that are worked on at once; further ones are refused at once, with the time to come back.",
    )  # fmt: skip
    hedge: OnOff = _LOAD.setting(
        "off", "DOWSE_HEDGE",
        about="`on` asks the next search provider too when one is slower than usual; at most 5 % more calls.",
    )  # fmt: skip

    log_level: Level = _LOGGING.setting(
        "info", "DOWSE_LOG_LEVEL", "LOG_LEVEL",
        about="Least severe log line that is written. Commands other than `serve` are quiet unless it is set.",
    )  # fmt: skip
    log_queries: Flag = _LOGGING.setting(
        False, "DOWSE_LOG_QUERIES", trusted_only=True,
        about="Write queries and URLs to the log as they are instead of as hashes.",
    )  # fmt: skip

    @property
    def takes_jwt(self) -> bool:
        return bool(self.jwt_issuer)

    @property
    def needs_token(self) -> bool:
        """Whether callers over HTTP have to authenticate."""
        return bool(self.tokens or self.tokens_file or self.takes_jwt)


def derive_limits() -> Iterator[Setting]:
    """The settings behind `limits`, one for each tool."""
    for tool, default in TOOL_LIMITS.items():
        yield Setting(
            ("limits", tool),
            (f"DOWSE_LIMIT_{tool.upper()}",),
            default,
            f"How often each caller may use `{tool}`.",
            "calls per time such as 20/10m or 100/h",
            "How often",
            is_trusted_only=True,
            splits_cache=False,
        )
