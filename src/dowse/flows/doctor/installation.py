"""Checks of the installation, the browser, the configuration file and the settings."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from functools import partial

from dowse import __version__
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.command_line import find
from dowse.flows.doctor.check import OFF, OK, PROBLEM, WARNING, Check, CheckState
from dowse.settings import Settings
from dowse.settings.sources import Loaded, browser_environment, enabled_without_credential

_NO_BROWSER = "Install Chromium (apt-get install chromium), or set DOWSE_BROWSER=off to hear no more of it."
_SETTINGS_LIST = "docs/configuration.md lists every setting"

_file = partial(Check, "config_file", "configuration")
_setting = partial(Check, "setting", "configuration")


def check_installation(settings: Settings) -> Iterator[Check]:
    yield Check("version", "installation", OK, f"dowse {__version__}", details={"version": __version__})
    number = platform.python_version()
    details = {"version": number, "path": sys.executable}
    yield Check("python", "installation", OK, f"Python {number} at {sys.executable}", details=details)
    system = platform.platform()
    yield Check("platform", "installation", OK, system, details={"platform": system})
    state, summary, fix, path = _find_browser(settings)
    yield Check("browser", "installation", state, summary, fix, {"path": path})


def _find_browser(settings: Settings) -> tuple[CheckState, str, str, str]:
    """Which browser reads the pages that need one; nothing is started."""
    if settings.browser == "off":
        summary = "Pages that need JavaScript are not read: DOWSE_BROWSER is off."
        return OFF, summary, "Unset DOWSE_BROWSER to have them read by a browser.", ""
    if settings.browser_url is not None:
        summary = "Pages that need JavaScript are read by the browser of DOWSE_BROWSER_URL, outside of dowse's cage."
        return WARNING, summary, "Make sure that its own network keeps it from private addresses.", ""
    try:
        found = find(settings.browser_path, browser_environment())
    except BrowserUnavailable as error:
        return WARNING, f"Pages that need JavaScript are not read: {error}.", _NO_BROWSER, ""
    return OK, f"Pages that need JavaScript are read by {found.path}.", "", found.path


def check_configuration(loaded: Loaded) -> Iterator[Check]:
    """Which `dowse.toml` was read and how far it is trusted; every invalid value and every doubtful name."""
    yield _check_file(loaded)
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


def _check_file(loaded: Loaded) -> Check:
    file = loaded.file
    if file.path is None:
        return _check_missing_file([str(path) for path in file.looked_for])
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
        return _file(OFF, "No dowse.toml was read.", "Correct what is said below.")
    summary = f"No dowse.toml was read: there is none at {' or '.join(places)}."
    fix = "None is needed; DOWSE_CONFIG or --config can name one elsewhere."
    return _file(OFF, summary, fix, {"looked_for": places})
