"""Why there is no tab for a page. Like `cdp.CdpError`, these never leave this package."""

from __future__ import annotations


class BrowserUnavailable(Exception):
    """There is no browser, or it cannot be started; the message is one sentence that says what to do."""


class BrowserBusy(Exception):
    """Too many pages are open or waiting already; the browser itself is well."""
