"""Settings of the server: what it offers, where it listens, who may call it and how often."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from dowse.allowances import Rate
from dowse.settings_types import Flag, Hosts, HttpUrl, Networks, OnOff, Origins, RateLimit, Tokens, setting

ContractName = Literal["dowse", "kindly", "jan", "swissarmyhammer", "answers"]
CONTRACTS: tuple[str, ...] = get_args(ContractName)


class ServerSettings(BaseModel):
    """The part of `Settings` that only serving needs."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    contract: ContractName = setting("dowse", "DOWSE_CONTRACT", about="Which set of tools the MCP server offers.")
    structured: OnOff = setting("on", "DOWSE_STRUCTURED", about="`off` leaves the typed half out of MCP answers.")
    allow_tty_stdio: Flag = setting(
        False, "MCP_ALLOW_TTY_STDIO", about="Serve stdio although a person is at the terminal."
    )
    host: str = setting(
        "127.0.0.1",
        "DOWSE_HOST",
        "FASTMCP_HOST",
        about="Address the HTTP server listens on; beyond loopback it needs tokens.",
    )
    port: int = setting(
        8000, "DOWSE_PORT", "FASTMCP_PORT", "MCP_TOOLS_HTTP_PORT", ge=0, le=65_535,
        about="Port the HTTP server listens on; 0 takes a free one.",
    )  # fmt: skip
    tokens: Tokens = setting("", "DOWSE_TOKENS", about="Who may call the HTTP server: `name:token` pairs.")
    tokens_file: str = setting(
        "", "DOWSE_TOKENS_FILE", about="File of names, hashes, limits and contracts; `dowse token new NAME` writes it."
    )
    jwt_issuer: str = setting("", "DOWSE_JWT_ISSUER", about="Issuer of JSON Web Tokens that are accepted as well.")
    jwt_audience: str = setting("", "DOWSE_JWT_AUDIENCE", about="Audience those tokens must be issued for.")
    jwks_url: HttpUrl | None = setting(None, "DOWSE_JWKS_URL", about="Where the issuer publishes its keys.")
    allowed_hosts: Hosts = setting(
        "", "DOWSE_ALLOWED_HOSTS", about="Names the HTTP server is reached under, besides its own address."
    )
    allowed_origins: Origins = setting(
        "", "DOWSE_ALLOWED_ORIGINS", about="Origins of web pages that may call the HTTP server from a browser."
    )
    trusted_proxies: Networks = setting(
        "", "DOWSE_TRUSTED_PROXIES", about="Reverse proxies whose `X-Forwarded-*` headers are believed."
    )
    limit_web_search: RateLimit | None = setting(
        None, "DOWSE_LIMIT_WEB_SEARCH", about="How often each caller may use `web_search`, such as `20/10m`."
    )
    limit_get_content: RateLimit | None = setting(
        None, "DOWSE_LIMIT_GET_CONTENT", about="How often each caller may use `get_content`."
    )
    limit_google_search: RateLimit | None = setting(
        None, "DOWSE_LIMIT_GOOGLE_SEARCH", about="How often each caller may use `google_search`."
    )
    limit_scrape: RateLimit | None = setting(
        None, "DOWSE_LIMIT_SCRAPE", about="How often each caller may use `scrape`."
    )

    limit_search_web: RateLimit | None = setting(
        "20/10m", "DOWSE_LIMIT_SEARCH_WEB", about="How often each caller may use `search_web`."
    )

    def limit(self, tool: str) -> Rate | None:
        """How often each caller may use a tool; `None` for as often as they like."""
        limit: Rate | None = getattr(self, f"limit_{tool}", None)
        return limit

    @property
    def takes_jwt(self) -> bool:
        return bool(self.jwt_issuer)

    @property
    def needs_token(self) -> bool:
        """Whether callers over HTTP have to say who they are."""
        return bool(self.tokens or self.tokens_file or self.takes_jwt)
