"""Settings of the server: contracts, network, cache, callers, rate limits, load and logging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator

from dowse.settings.contracts import CONTRACTS, TOOL_LIMITS, WIRES
from dowse.settings.declare import Group, Setting, Takes
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
    ProxyUrl,
    RateLimit,
    State,
    Tokens,
    Ttl,
)

if TYPE_CHECKING:
    ContractName = str
else:
    ContractName = Literal[tuple(CONTRACTS)]


def _wires(value: object) -> tuple[str, ...]:
    """Names of wires in the order of the table."""
    if isinstance(value, tuple):
        return value
    text = str(value).strip().lower()
    if text in ("on", "off"):
        return WIRES if text == "on" else ()
    named = {name.strip() for name in text.split(",")} - {""}
    if not named or named - set(WIRES):
        raise ValueError
    return tuple(name for name in WIRES if name in named)


WireNames = Annotated[
    tuple[str, ...], BeforeValidator(_wires), Takes(f"on, off, or names out of {', '.join(WIRES)}, separated by commas")
]

_SERVER = Group("Server", splits_cache=False)
_NETWORK = Group("Network", trusted_only=True)
_MEMORY = Group("Cache and state", splits_cache=False)
_CALLERS = Group("Access to the HTTP server", trusted_only=True, splits_cache=False)
_LOAD = Group(LOAD_GROUP, trusted_only=True, splits_cache=False)
_LOGGING = Group("Logging", splits_cache=False)


class ServerSettings(FrozenModel):
    """The part of `Settings` about serving."""

    contract: ContractName = _SERVER.setting(
        "dowse", "DOWSE_CONTRACT", about="Which set of tools the MCP server offers."
    )
    structured: OnOff = _SERVER.setting(
        "off", "DOWSE_STRUCTURED",
        about="`on` adds `structuredContent` and output schemas to MCP answers, for programs: several clients hand it "
        "to the model in place of the text. The drop-ins keep theirs.",
    )  # fmt: skip
    allow_tty_stdio: Flag = _SERVER.setting(
        False, "MCP_ALLOW_TTY_STDIO", about="Serve stdio although stdin is a terminal."
    )
    host: str = _SERVER.setting(
        "127.0.0.1", "DOWSE_HOST", "FASTMCP_HOST", trusted_only=True,
        about="Address the HTTP server listens on; beyond loopback it needs tokens.",
    )  # fmt: skip
    port: int = _SERVER.setting(
        8000, "DOWSE_PORT", "FASTMCP_PORT", "MCP_TOOLS_HTTP_PORT", ge=0, le=65_535,
        about="Port the HTTP server listens on; 0 takes a free one.",
    )  # fmt: skip

    proxy: ProxyUrl | None = _NETWORK.setting(
        None, "DOWSE_PROXY", secret=True,
        about="Proxy of all outgoing connections: HTTP CONNECT (`http://`, `https://`) or SOCKS5 (`socks5://`), "
        "with user and password where it needs them. Loopback and the store are reached without it.",
    )  # fmt: skip

    state: State = _MEMORY.setting(
        "", "DOWSE_STATE", trusted_only=True,
        about="Store of caches and spent budgets; a SQLite file in the user's cache directory when empty.",
    )  # fmt: skip
    cache_size: CacheSize | None = _MEMORY.setting(
        None, "DOWSE_CACHE_SIZE", trusted_only=True, ge=1_000_000, le=100_000_000_000,
        about="Maximum size of the SQLite store (256MB when empty) or memory store (64MB). Redis has its own limit.",
    )  # fmt: skip
    ttl_search: Ttl = _MEMORY.setting("5m", "DOWSE_TTL_SEARCH", about="TTL of search results.")
    ttl_news: Ttl = _MEMORY.setting(
        "1m", "DOWSE_TTL_NEWS", about="TTL of results for news, and for searches limited to the last day."
    )
    ttl_pages: Ttl = _MEMORY.setting("1h", "DOWSE_TTL_PAGES", about="TTL of pages.")
    ttl_failures: Ttl = _MEMORY.setting(
        "30s",
        "DOWSE_TTL_FAILURES",
        about="TTL of failures: a page that could not be read is not tried again until then (negative caching).",
    )
    ttl_robots: Ttl = _MEMORY.setting("24h", "DOWSE_TTL_ROBOTS", about="TTL of a site's robots.txt.")
    ttl_stale: Ttl = _MEMORY.setting(
        "24h", "DOWSE_TTL_STALE",
        about="How long results and pages may be served, marked as stale, when everything fails (stale-if-error).",
    )  # fmt: skip
    ttl_answers: Ttl = _MEMORY.setting("5m", "DOWSE_TTL_ANSWERS", about="TTL of answers.")

    tokens: Tokens = _CALLERS.setting(
        "", "DOWSE_TOKENS", secret=True, about="Tokens of the HTTP server, as `name:token` pairs."
    )
    tokens_file: str = _CALLERS.setting(
        "", "DOWSE_TOKENS_FILE", about="File of names, hashes, limits and contracts; `dowse token new NAME` writes it."
    )
    jwt_issuer: str = _CALLERS.setting("", "DOWSE_JWT_ISSUER", about="Accepted issuer of JSON Web Tokens.")
    jwt_audience: str = _CALLERS.setting("", "DOWSE_JWT_AUDIENCE", about="Required audience of JSON Web Tokens.")
    jwks_url: HttpUrl | None = _CALLERS.setting(None, "DOWSE_JWKS_URL", about="Address of the issuer's key set (JWKS).")
    allowed_hosts: Hosts = _CALLERS.setting(
        "", "DOWSE_ALLOWED_HOSTS", about="Accepted values of the `Host` header, besides the server's own address."
    )
    allowed_origins: Origins = _CALLERS.setting(
        "", "DOWSE_ALLOWED_ORIGINS", about="Origins of web pages that may call the HTTP server from a browser."
    )
    wires: WireNames = _CALLERS.setting(
        "on", "DOWSE_WIRES",
        about="APIs of other vendors that the HTTP server speaks below `/compat`: `on` for all, `off`, or a list.",
    )  # fmt: skip
    searxng_content: Literal["snippets", "passages"] = _CALLERS.setting(
        "snippets", "DOWSE_SEARXNG_CONTENT",
        about="What `/compat/searxng` answers as the content of a result: `snippets`, or `passages` of its page.",
    )  # fmt: skip
    console: OnOff = _CALLERS.setting(
        "on", "DOWSE_CONSOLE", about="Web console at `/` of the HTTP server: `on` or `off`."
    )
    trusted_proxies: Networks = _CALLERS.setting(
        "", "DOWSE_TRUSTED_PROXIES", about="Reverse proxies whose `X-Forwarded-*` headers are trusted."
    )

    limits: Annotated[Mapping[str, RateLimit | None], BeforeValidator(lambda given: {**TOOL_LIMITS, **given})] = {}
    """How often each caller may use a tool, by the tool's name; `None` for no limit."""

    max_calls: int = _LOAD.setting(
        512, "DOWSE_MAX_CALLS", ge=1, le=1000,
        about="Concurrency limit: further calls are refused at once, with `Retry-After`. Half as many again are for "
        "callers below their share.",
    )  # fmt: skip
    hedge: OnOff = _LOAD.setting(
        "on", "DOWSE_HEDGE",
        about="Ask the next provider as well when one is slower than usual; at most 5 % more calls. `off` in drop-ins.",
    )  # fmt: skip

    log_level: Level = _LOGGING.setting(
        "info", "DOWSE_LOG_LEVEL", "LOG_LEVEL",
        about="Least severe log line that is written. Commands other than `serve` are quiet unless it is set.",
    )  # fmt: skip
    log_format: Literal["auto", "json", "text"] = _LOGGING.setting(
        "auto", "DOWSE_LOG_FORMAT",
        about="Format of the log: JSON lines (`json`), readable lines (`text`), or `auto`: readable at a terminal.",
    )  # fmt: skip
    log_queries: Flag = _LOGGING.setting(
        False, "DOWSE_LOG_QUERIES", trusted_only=True,
        about="Log queries and URLs in clear text instead of as hashes.",
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
            "Rate limits",
            is_trusted_only=True,
            splits_cache=False,
        )
