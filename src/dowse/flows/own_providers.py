"""The user's file of providers: where it is, and a drafted description appended to it once the whole file is valid."""

from __future__ import annotations

import tempfile
from pathlib import Path

from dowse.core.errors import ConfigError
from dowse.flows.draft_provider import Draft
from dowse.settings import SPECS, Settings, sources
from dowse.settings.described.own import FILE_NAME, load_own


def own_file(settings: Settings) -> Path:
    """The user's file of providers: the named one, or the usual one, which need not exist."""
    named = settings.providers_file
    return Path(named).expanduser() if named else sources.config_home() / FILE_NAME


def append(settings: Settings, draft: Draft) -> Path:
    """Append a description to the user's file, which stays valid; raises `ConfigError` if it would not."""
    file = own_file(settings)
    if draft.name in settings.own.descriptions or draft.name in settings.own.servers:
        raise ConfigError(f"{file} has a provider {draft.name} already; name this one with --name.")
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    text = f"{before.rstrip()}\n\n{draft.toml}".lstrip()
    _check_text(text)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}.") from None
    return file


def _check_text(text: str) -> None:
    """Raise `ConfigError` for a file that no command would start with."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        file.write_text(text, encoding="utf-8")
        load_own(file, SPECS, sources.variable_names)
