"""Settings of the browser that reads pages which need JavaScript."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from dowse.settings_types import BrowserUrl, Duration, Factor, OnOffAuto, Pause, setting


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
