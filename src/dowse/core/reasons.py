"""Reasons of a page that could not be read, as fixed phrases."""

from __future__ import annotations

from enum import StrEnum


class FailureReason(StrEnum):
    """Why a page could not be read, where its status does not say it; the value is the phrase for callers.

    Only these phrases are shown: the detail of an error may hold an address of the network or words of the page.
    """

    # The connection.
    HOST_NOT_FOUND = "host not found"
    NO_CONNECTION = "no connection"
    NO_SECURE_CONNECTION = "no secure connection"
    TOO_MANY_REDIRECTS = "too many redirects"
    BROKEN_RESPONSE = "the answer broke off or was malformed"
    ADDRESS_NOT_ALLOWED = "address not allowed"

    # The proxy of the settings; none of them holds its address.
    PROXY_NOT_FOUND = "DOWSE_PROXY: the host of the proxy was not found"
    PROXY_NOT_REACHED = "DOWSE_PROXY: no connection to the proxy"
    PROXY_CERTIFICATE_INVALID = "DOWSE_PROXY: the certificate of the proxy is not valid"
    PROXY_WITHOUT_TLS = "DOWSE_PROXY: the proxy does not speak TLS; try http:// instead of https://"
    PROXY_SILENT = "DOWSE_PROXY: the proxy does not answer"
    PROXY_NOT_HTTP = "DOWSE_PROXY: no HTTP proxy answers at this address"
    PROXY_NOT_SOCKS = "DOWSE_PROXY: no SOCKS5 proxy answers at this address"
    PROXY_WANTS_CREDENTIALS = "DOWSE_PROXY: the proxy wants a user and a password"
    PROXY_REFUSES_CREDENTIALS = "DOWSE_PROXY: the proxy refuses this user and password"
    PROXY_REFUSES_CONNECTION = "DOWSE_PROXY: the proxy refuses this connection"
    PROXY_REACHES_NOTHING = "DOWSE_PROXY: no connection through the proxy"

    # An interstitial in place of the page.
    CHALLENGE_PAGE = "challenge page"
    ACCESS_DENIED = "access denied"
    NOT_IN_THIS_COUNTRY = "not available in this country"
    LOGIN_WALL = "login wall"
    PAY_WALL = "pay wall"
    CONSENT_WALL = "consent wall"
    SOFT_404 = "soft 404"
    ERROR_PAGE = "error page"

    # The content.
    NO_READABLE_CONTENT = "no readable content"
    NEEDS_BROWSER = (
        "no readable content: the page needs a browser, and none could be started; "
        "install Chromium or set DOWSE_BROWSER_PATH"
    )
