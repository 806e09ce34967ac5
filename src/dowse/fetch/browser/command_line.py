"""Executable and command line of Chromium."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dowse.core.text import one_line
from dowse.fetch.browser.cdp import BrowserUnavailable

# Not the headless shells: they let pages open windows.
_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_MAC_APPLICATIONS = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
# Browsers downloaded by Playwright, by system.
_PLAYWRIGHT = (
    (".cache/ms-playwright", "chromium-*/chrome-linux*/chrome"),
    ("Library/Caches/ms-playwright", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
)
_SNAP = "/snap/bin/chromium"
# Ubuntu's `chromium-browser` is a script of a few lines that calls the snap.
_SCRIPT_HEAD_BYTES = 4096

_MISSING = (
    "no Chromium was found: install one (apt-get install chromium, dnf install chromium, "
    "brew install --cask chromium) or set DOWSE_BROWSER_PATH to where it is"
)


Sandbox = Literal["auto", "on", "off"]


@dataclass(frozen=True, slots=True)
class Executable:
    """Program to start. A snap has its own view of directories, and starts slowly."""

    path: str
    is_snap: bool = False


def find(wanted: str, environment: Mapping[str, str]) -> Executable:
    """Find the browser `wanted` by path or name, else the first in the usual places; raises `BrowserUnavailable`."""
    if wanted:
        path = _command(wanted, environment)
        if path is None:
            raise BrowserUnavailable(
                f"DOWSE_BROWSER_PATH names {one_line(wanted, 200)}, which is not an executable: "
                "correct it, or unset it to search the usual places"
            )
    else:
        path = next(_usual(environment), None)
        if path is None:
            raise BrowserUnavailable(_MISSING)
    return Executable(path, _is_snap(path))


def _usual(environment: Mapping[str, str]) -> Iterator[str]:
    home = Path(environment.get("HOME", "/nonexistent"))
    applications = (
        place / each for place in (Path("/Applications"), home / "Applications") for each in _MAC_APPLICATIONS
    )
    places = (*_COMMANDS, *map(str, applications), *_playwright(home), _SNAP)
    yield from filter(None, (_command(place, environment) for place in places))


def _command(name: str, environment: Mapping[str, str]) -> str | None:
    """Resolve a name by the search path; a path stays as it is."""
    return shutil.which(str(Path(name).expanduser()) if "/" in name else name, path=environment.get("PATH", ""))


def _playwright(home: Path) -> list[str]:
    """Browsers of Playwright, the newest first."""
    found = [path for cache, pattern in _PLAYWRIGHT for path in (home / cache).glob(pattern)]
    return [str(path) for path in sorted(found, key=_revision, reverse=True)]


def _revision(path: Path) -> int:
    """The number in `chromium-1187`."""
    number = re.search(r"/ms-playwright/chromium-(\d{1,9})/", str(path))
    return int(number[1]) if number else 0


def _is_snap(path: str) -> bool:
    real = Path(path).resolve()
    # Every program of a snap is a link to `snap` itself, which starts the program of its own name.
    if real.name == "snap" or real.is_relative_to("/snap"):
        return True
    try:
        with real.open("rb") as file:
            head = file.read(_SCRIPT_HEAD_BYTES)
    except OSError:
        return False
    return head.startswith(b"#!") and _SNAP.encode() in head


PROXY_HOST = "cage.invalid"
"""Host name of the proxies; resolves to this machine inside the browser only."""

BYPASS_NOTHING = "<-loopback>"
"""Loopback addresses go through the proxy too: by default Chromium would dial them itself."""

# No window, no port: commands come over two pipes. There is no user to answer prompts.
_DRIVEN = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-search-engine-choice-screen",
    "--noerrdialogs",
    "--deny-permission-prompts",
    "--disable-prompt-on-repost",
    "--disable-hang-monitor",
    # Do not open the wallet or key chain of the desktop.
    "--password-store=basic",
    "--use-mock-keychain",
)
# Each page reaches only its own proxy. The browser's default proxy does not exist and no name can be looked up, so its
# own requests fail, and no page bypasses its proxy by UDP.
_CAGED = (
    "--proxy-server=http://nobody.invalid:1",
    f"--proxy-bypass-list={BYPASS_NOTHING}",
    f"--host-resolver-rules=MAP {PROXY_HOST} 127.0.0.1, MAP * ~NOTFOUND",
    "--disable-quic",
    # The first name is for older versions.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
# Updates, reports, accounts, lists of bad sites: would be refused anyway, but attempts take time.
_SILENT = (
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-pings",
    "--safebrowsing-disable-auto-update",
)
# Only the text of a page is read; images are answered by `BrowserPage`, since scripts may wait for them.
_TEXT_ONLY = (
    "--disable-remote-fonts",
    "--mute-audio",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-3d-apis",
    "--hide-scrollbars",
    # Style sheets see a desktop with a mouse, as most readers have one; without a window there is none.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)
# A background tab must still run its timers, and an error page must not reload itself.
_AWAKE = (
    "--disable-auto-reload",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
)
# Script memory of a page in megabytes, before its tab crashes.
_FRUGAL = ("--js-flags=--max-old-space-size=512", "--disable-site-isolation-trials")
_OFF = (
    # Every page has a context of its own without cookies, so its frames have nothing to steal from one another:
    # a process for each frame would double the cost of a page.
    "IsolateOrigins",
    "site-per-process",
    "SpareRendererForSitePerProcess",
    # Read the requested address, without upgrades to HTTPS.
    "HttpsUpgrades",
    "HttpsFirstBalancedMode",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsFirstModeIncognito",
    "HttpsFirstModeV2ForEngagedSites",
    "HttpsFirstModeV2ForTypicallySecureUsers",
    # No speculative loading, and no cache of left pages.
    "BackForwardCache",
    "LoadingPredictorPrefetch",
    "NavigationPredictor",
    "Prerender2",
    # Invisible parts of the window are pages themselves, with a process for each context.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
    # Local addresses are not told to pages anyway; hiding them behind names would bind the port of mDNS.
    "WebRtcHideLocalIpsWithMdns",
    # Services of the vendor.
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "Translate",
)
# The same for requests of pages themselves.
_BLINK_OFF = ("SpeculationRules",)

_SHARED_MEMORY = "/dev/shm"
_ENOUGH_SHARED_MEMORY = 512_000_000


def command_line(profile: str, *, sandboxed: bool) -> list[str]:
    """The arguments after the name of the program."""
    return [
        f"--user-data-dir={profile}",
        *_DRIVEN,
        *_CAGED,
        *_SILENT,
        *_TEXT_ONLY,
        *_AWAKE,
        *_FRUGAL,
        # Said twice, only the last would count.
        f"--disable-features={','.join(_OFF)}",
        f"--disable-blink-features={','.join(_BLINK_OFF)}",
        *_for_this_machine(sandboxed),
    ]


def find_sandbox_obstacle(wanted: Sandbox) -> str:
    """Why Chromium starts without its sandbox, as far as that is known before it starts; empty if nothing is known."""
    if wanted == "off":
        return "DOWSE_BROWSER_SANDBOX is off"
    return "root cannot use it" if os.geteuid() == 0 else ""


def _for_this_machine(sandboxed: bool) -> Iterator[str]:
    if not sandboxed:
        yield "--no-sandbox"
    if not _has_shared_memory():
        yield "--disable-dev-shm-usage"


def _has_shared_memory() -> bool:
    """Whether pages fit into it; containers often have 64 MB, and Chromium crashes when they are full."""
    try:
        place = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return False
    return place.f_bavail * place.f_frsize >= _ENOUGH_SHARED_MEMORY
