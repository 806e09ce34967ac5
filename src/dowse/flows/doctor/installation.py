"""What is installed and which settings were read: facts that every other finding rests on."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator

from dowse import __version__
from dowse.config import Loaded, enabled_without_credential, unused_state
from dowse.flows.doctor.check import Check, State

_BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
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


def browser() -> Check:
    """A fact and no fault: nothing is started, because nothing uses it yet."""
    path = next(filter(None, map(shutil.which, _BROWSERS)), "")
    found = f"Chromium is installed at {path}" if path else "no Chromium was found"
    return Check(
        "browser",
        "installation",
        State.OFF,
        f"This version reads pages without a browser; {found}.",
        "Nothing to do: reading with a browser is planned.",
        {"path": path},
    )


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
    elsewhere = {*loaded.file.refusals, *unused_state(loaded.settings)}
    elsewhere |= {*enabled_without_credential(loaded.settings).values()}
    doubtful = [warning for warning in loaded.warnings if warning not in elsewhere]
    for warning in doubtful:
        yield Check("setting", "configuration", State.WARNING, warning, f"Correct or remove it; {_SETTINGS_LIST}.")
    if not loaded.problems and not doubtful:
        yield Check("setting", "configuration", State.OK, "Every setting is known and valid.")
