"""What is installed and which settings were read: facts that every other finding rests on."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator

from dowse import __version__
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.command_line import find
from dowse.flows.doctor.check import Check, State
from dowse.settings import Settings
from dowse.settings.sources import Loaded, browser_environment, enabled_without_credential

_NO_BROWSER = "Install Chromium (apt-get install chromium), or set DOWSE_BROWSER=off to hear no more of it."
_SETTINGS_LIST = "docs/configuration.md lists every setting"


def version() -> Check:
    return Check("version", "installation", State.OK, f"dowse {__version__}", details={"version": __version__})


def python() -> Check:
    number = platform.python_version()
    summary = f"Python {number} at {sys.executable}"
    return Check("python", "installation", State.OK, summary, details={"version": number, "path": sys.executable})


def system() -> Check:
    name = platform.platform()
    return Check("platform", "installation", State.OK, name, details={"platform": name})


def browser(settings: Settings) -> Check:
    """Which browser reads the pages that need one; nothing is started."""
    if settings.browser == "off":
        summary = "Pages that need JavaScript are not read: DOWSE_BROWSER is off."
        return _browser(State.OFF, summary, "Unset DOWSE_BROWSER to have them read by a browser.")
    if settings.browser_url is not None:
        summary = "Pages that need JavaScript are read by the browser of DOWSE_BROWSER_URL, outside of dowse's cage."
        return _browser(State.WARNING, summary, "Make sure that its own network keeps it from private addresses.")
    try:
        found = find(settings.browser_path, browser_environment())
    except BrowserUnavailable as error:
        return _browser(State.WARNING, f"Pages that need JavaScript are not read: {error}.", _NO_BROWSER)
    return _browser(State.OK, f"Pages that need JavaScript are read by {found.path}.", path=found.path)


def _browser(state: State, summary: str, fix: str = "", path: str = "") -> Check:
    return Check("browser", "installation", state, summary, fix, {"path": path})


def config_file(loaded: Loaded) -> Check:
    """Which `dowse.toml` was read and how far it is believed."""
    file = loaded.file
    if file.path is None:
        return _no_file(loaded)
    details = {"path": str(file.path), "trusted": file.trusted, "ignored": list(file.ignored)}
    if file.trusted:
        return Check("config_file", "configuration", State.OK, f"{file.path} was read and is trusted.", "", details)
    summary = f"{file.path} was read, but a file of the working directory is not trusted with secrets and addresses"
    if not file.ignored:
        return Check("config_file", "configuration", State.OK, f"{summary}; it has none.", "", details)
    return Check(
        "config_file",
        "configuration",
        State.WARNING,
        f"{summary}: {', '.join(file.ignored)} {'is' if len(file.ignored) == 1 else 'are'} ignored.",
        f"If the file is yours, name it: export DOWSE_CONFIG={file.path}",
        details,
    )


def _no_file(loaded: Loaded) -> Check:
    places = [str(path) for path in loaded.file.looked_for]
    if not places:
        # It was named and could not be read, which is a problem of its own.
        return Check(
            "config_file", "configuration", State.OFF, "No dowse.toml was read.", "Correct what is said below."
        )
    return Check(
        "config_file",
        "configuration",
        State.OFF,
        f"No dowse.toml was read: there is none at {' or '.join(places)}.",
        "None is needed; DOWSE_CONFIG or --config can name one elsewhere.",
        {"looked_for": places},
    )


def settings(loaded: Loaded) -> Iterator[Check]:
    """Every invalid value and every doubtful name; what other findings say is not said twice."""
    for problem in loaded.problems:
        fix = f"Correct or remove it; {_SETTINGS_LIST}. Until then no other command starts."
        yield Check("setting", "configuration", State.PROBLEM, problem, fix)
    elsewhere = {*loaded.file.refusals, *enabled_without_credential(loaded.settings).values()}
    doubtful = [warning for warning in loaded.warnings if warning not in elsewhere]
    for warning in doubtful:
        yield Check("setting", "configuration", State.WARNING, warning, f"Correct or remove it; {_SETTINGS_LIST}.")
    if not loaded.problems and not doubtful:
        yield Check("setting", "configuration", State.OK, "Every setting is known and valid.")
