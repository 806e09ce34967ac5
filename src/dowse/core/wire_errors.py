"""Errors below HTTP; an adapter translates them and they go no further.

WireError
├── WireFailed                  refused, reset, a malformed answer
│   ├── WireInsecure            the certificate of the peer is not valid
│   ├── TooManyRedirects
│   └── WireUnreached           no connection was made
│       ├── HostNotFound        the name has no address
│       └── ProxyFailed         the proxy of the settings is dead, of another kind, or refuses
│           └── NotReachedByProxy   it works, and cannot reach this destination
├── WireTimeout
├── WireTooLarge                more bytes than the limit
│   └── Exhausted               a page in the browser wanted more requests or bytes than the limit
├── WireDenied                  the guard refused the address before anything was dialled
└── UnusableKeys                DOWSE_JWKS_URL answered without keys
"""

from __future__ import annotations

from dowse.core.errors import DowseError
from dowse.core.reasons import FailureReason


class WireError(DowseError):
    """A request ended without a usable HTTP response; the message never holds an address.

    `reason` is the phrase that callers of a page may see.
    """

    def __init__(self, detail: str = "", reason: FailureReason | None = None) -> None:
        self.reason = reason
        super().__init__(detail or str(reason or ""))


class WireFailed(WireError):
    """No connection, or it broke."""


class WireInsecure(WireFailed):
    """The certificate of the peer is invalid."""

    def __init__(self) -> None:
        super().__init__(reason=FailureReason.NO_SECURE_CONNECTION)


class TooManyRedirects(WireFailed):
    """More redirect hops than a working site needs."""

    def __init__(self) -> None:
        super().__init__(reason=FailureReason.TOO_MANY_REDIRECTS)


class WireUnreached(WireFailed):
    """No connection was made: the name is unknown, the peer refused, or the proxy failed."""


class HostNotFound(WireUnreached):
    """The name has no address, so no other fetcher will find the page either."""

    def __init__(self) -> None:
        super().__init__(reason=FailureReason.HOST_NOT_FOUND)


class ProxyFailed(WireUnreached):
    """The proxy is dead, of another kind, or refuses. The message names the setting, never the address."""

    def __init__(self, reason: FailureReason, code: str = "") -> None:
        """`code` is of the proxy, such as "HTTP 502": it must not be mistaken for one of the page."""
        super().__init__(f"{reason} ({code})" if code else "", reason)


class NotReachedByProxy(ProxyFailed):
    """The proxy works, and cannot reach this destination."""


class WireTimeout(WireError):
    """The time of the whole exchange was over."""


class WireTooLarge(WireError):
    """The body, after decompression, or the headers went over the cap."""


class WireDenied(WireError):
    """The SSRF guard refused the URL; one text for every reason, which reveals nothing about the network."""

    def __init__(self) -> None:
        super().__init__(reason=FailureReason.ADDRESS_NOT_ALLOWED)
