"""Checks of the installation, the browser, the configuration and the store."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from dowse import __version__
from dowse.core import urls
from dowse.core.errors import StoreFailed
from dowse.core.runtime import SystemClock
from dowse.core.text import count_noun
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.command_line import find, find_sandbox_obstacle
from dowse.flows.doctor.check import OFF, OK, PROBLEM, WARNING, Check, CheckState
from dowse.settings import Settings
from dowse.settings.model import enabled_without_credential
from dowse.settings.sources import Loaded, browser_environment
from dowse.stores import file_of, format_size, open_store, show_address
from dowse.stores.store import Key, Store, Usage

_NO_BROWSER = "Install Chromium (apt-get install chromium), or set DOWSE_BROWSER=off to hide this warning."
_SANDBOX = (
    "Run dowse as a user other than root, with DOWSE_BROWSER_SANDBOX=auto: the sandbox protects this machine from "
    "pages that attack the browser."
)
_SETTINGS_LIST = "docs/configuration.md lists every setting"

_PATIENCE_S = 2.0
_TRIAL = Key("doctor", "trial")
_SQLITE_START = b"SQLite format 3\0"
_KEPT = "Caches and spent budgets are kept in"
_LOST = "so nothing is cached between calls, and spent budgets are lost when the process ends"
_OTHER_FILE = "Make the file writable or move it away, or set DOWSE_STATE=sqlite:////another/path.db."
_OTHER_SERVER = "Start the server, or correct DOWSE_STATE. Searches work without it, uncached."

_file = partial(Check, "config_file", "configuration")
_setting = partial(Check, "setting", "configuration")
_proxy = partial(Check, "proxy", "configuration")
_store = partial(Check, "store", "server")


def check_installation(settings: Settings) -> Iterator[Check]:
    yield Check("version", "installation", OK, f"dowse {__version__}", details={"version": __version__})
    number = platform.python_version()
    details = {"version": number, "path": sys.executable}
    yield Check("python", "installation", OK, f"Python {number} at {sys.executable}", details=details)
    system = platform.platform()
    yield Check("platform", "installation", OK, system, details={"platform": system})
    state, summary, fix, path = _find_browser(settings)
    yield Check("browser", "installation", state, summary, fix, {"path": path})
    if path:
        yield from check_sandbox(settings)


def check_sandbox(settings: Settings) -> Iterator[Check]:
    """A warning if pages are opened by a local Chromium without its sandbox."""
    is_local = settings.browser != "off" and settings.browser_url is None
    if is_local and (obstacle := find_sandbox_obstacle(settings.browser_sandbox)):
        summary = f"Chromium runs without its sandbox: {obstacle}."
        yield Check("browser_sandbox", "installation", WARNING, summary, _SANDBOX)


def _find_browser(settings: Settings) -> tuple[CheckState, str, str, str]:
    """Which browser reads the pages that need one; nothing is started."""
    if settings.browser == "off":
        summary = "Pages that need JavaScript are not read: DOWSE_BROWSER is off."
        return OFF, summary, "Unset DOWSE_BROWSER to read them with a browser.", ""
    if settings.browser_url is not None:
        summary = "DOWSE_BROWSER_URL reads pages that need JavaScript; the SSRF guard does not cover that browser."
        return WARNING, summary, "Block private addresses in the network of that browser.", ""
    try:
        found = find(settings.browser_path, browser_environment())
    except BrowserUnavailable as error:
        if settings.browser_path:
            fix = "Correct DOWSE_BROWSER_PATH, or unset it to search the usual places."
            return PROBLEM, f"DOWSE_BROWSER_PATH names {settings.browser_path}, which is not an executable.", fix, ""
        return WARNING, f"Pages that need JavaScript are not read: {error}.", _NO_BROWSER, ""
    return OK, f"Pages that need JavaScript are read by {found.path}.", "", found.path


def check_configuration(loaded: Loaded) -> Iterator[Check]:
    """Which `dowse.toml` was read and how far it is trusted; every invalid value and every doubtful name."""
    yield _check_file(loaded)
    yield from _check_settings(loaded)
    yield _check_proxy(loaded)


def _check_settings(loaded: Loaded) -> Iterator[Check]:
    for problem in loaded.problems:
        fix = f"Correct or remove it; {_SETTINGS_LIST}. Until then no other command starts."
        yield _setting(PROBLEM, problem, fix)
    # Other checks say these.
    elsewhere = {*loaded.file.refusals, *enabled_without_credential(loaded.settings).values()}
    doubtful = [warning for warning in loaded.warnings if warning not in elsewhere]
    for warning in doubtful:
        yield _setting(WARNING, warning, f"Correct or remove it; {_SETTINGS_LIST}.")
    if not loaded.problems and not doubtful:
        yield _setting(OK, "Every setting is known and valid.")
    for name in loaded.without_effect:
        yield _setting(OFF, f"{name} has no effect: dowse does not have this feature.", "It can be removed.")


def _check_proxy(loaded: Loaded) -> Check:
    """The proxy of the settings, and those of the environment, which are not used."""
    proxy, foreign = loaded.settings.proxy, loaded.foreign_proxies
    shown = urls.without_userinfo(proxy.get_secret_value()) if proxy else ""
    details: dict[str, object] = {"proxy": shown, "not_used": list(foreign)}
    summary = f"Connections go through {shown} (DOWSE_PROXY)." if proxy else "dowse connects directly."
    if not foreign:
        hint = "Set DOWSE_PROXY if this machine needs a proxy."
        return _proxy(OK, summary, "", details) if proxy else _proxy(OFF, summary, hint, details)
    return _check_foreign_proxy(summary, details, foreign)


def _check_foreign_proxy(summary: str, details: Mapping[str, object], foreign: Sequence[str]) -> Check:
    summary = f"{summary} Not used: {', '.join(foreign)} of the environment."
    fix = f"If this machine needs a proxy, set DOWSE_PROXY to the address in {foreign[0]}."
    return _proxy(OK, summary, "", details) if details["proxy"] else _proxy(WARNING, summary, fix, details)


def _check_file(loaded: Loaded) -> Check:
    file = loaded.file
    if file.path is None:
        return _check_missing_file(list(map(str, file.looked_for)))
    details = {"path": str(file.path), "trusted": file.trusted, "ignored": list(file.ignored)}
    if file.trusted:
        return _file(OK, f"{file.path} was read and is trusted.", "", details)
    summary = f"{file.path} was read, but a file of the working directory is not trusted with secrets and addresses"
    if not file.ignored:
        return _file(OK, f"{summary}; it has none.", "", details)
    summary += f": {', '.join(file.ignored)} {'is' if len(file.ignored) == 1 else 'are'} ignored."
    return _file(WARNING, summary, f"If the file is yours, name it: export DOWSE_CONFIG={file.path}", details)


def _check_missing_file(places: list[str]) -> Check:
    if not places:
        # It was named and could not be read, which is a problem of its own.
        return _file(OFF, "No dowse.toml was read.", "Correct the problem below.")
    summary = f"No dowse.toml was read: there is none at {' or '.join(places)}."
    fix = "None is needed; DOWSE_CONFIG or --config can name one elsewhere."
    return _file(OFF, summary, fix, {"looked_for": places})


async def check_store(address: str, settings: Settings) -> Check:
    """The contents of the store. A broken store is a warning: no search fails because of it."""
    if address.startswith("memory:"):
        summary = f"{_KEPT} memory and lost when the process ends (DOWSE_STATE=memory:)."
        return _store(OFF, summary, "Unset DOWSE_STATE to keep them in a file.", {"state": address})
    # Nothing is opened before it is used.
    store = open_store(address, SystemClock(), max_bytes=settings.cache_size)
    try:
        file = file_of(address)
        return await _check_state_file(file, store) if file else await _check_state_server(show_address(address), store)
    finally:
        await store.close()


async def _check_state_file(path: Path, store: Store) -> Check:
    exists, trouble = _inspect(path)
    # A missing file is not opened, because that would make it.
    usage, failure = await _try(store) if exists and not trouble else (None, "")
    if failure:
        trouble = f"cannot be used ({failure.removeprefix(f'{path}: ')})"
    details = {"path": str(path), "exists": exists, "usable": not trouble, **_figures(usage)}
    if trouble:
        return _store(WARNING, f"{path} {trouble}, {_LOST}.", _OTHER_FILE, details)
    there = _describe(usage) if usage else ", which is created on first use"
    return _store(OK, f"{_KEPT} {path}{there}.", "", details)


async def _check_state_server(address: str, store: Store) -> Check:
    usage, failure = await _try(store)
    details = {"state": address, "usable": usage is not None, **_figures(usage)}
    if usage is None:
        return _store(WARNING, f"{address} cannot be used ({failure}), {_LOST}.", _OTHER_SERVER, details)
    return _store(OK, f"{_KEPT} {address}{_describe(usage)}.", "", details)


async def _try(store: Store) -> tuple[Usage | None, str]:
    """The contents of a store, or the reason why it cannot be used."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            # A store may be full, or a replica: it has to take a value.
            await store.put(_TRIAL, b"trial", _PATIENCE_S)
            await store.drop(_TRIAL)
            return await store.usage(), ""
    except StoreFailed as error:
        return None, str(error)
    except TimeoutError:
        return None, f"no answer within {_PATIENCE_S:g} s"


def _describe(usage: Usage) -> str:
    count = sum(usage.entries.values())
    entries = count_noun(count, "entry", "entries")
    most = f" of at most {format_size(usage.max_bytes)}" if usage.max_bytes is not None else ""
    return f", which holds {entries} and takes {format_size(usage.size_bytes)}{most}"


def _figures(usage: Usage | None) -> dict[str, object]:
    if usage is None:
        return {}
    return {"entries": dict(usage.entries), "size_bytes": usage.size_bytes, "max_bytes": usage.max_bytes}


def _inspect(path: Path) -> tuple[bool, str]:
    """Whether a file is there, and why it cannot be used; nothing is touched to find out."""
    try:
        return path.exists(), _find_trouble(path)
    except OSError:
        return False, "cannot be accessed"


def _find_trouble(path: Path) -> str:
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there != path:
        return "" if there.is_dir() and os.access(there, os.W_OK | os.X_OK) else "cannot be created"
    if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
        return "cannot be written"
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_START))
    return "" if start in (b"", _SQLITE_START) else "is not a SQLite database"
