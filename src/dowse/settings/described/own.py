"""Finds the user's `providers.toml`; its parser is imported only where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from dowse.core.errors import ConfigError
from dowse.settings.described.specs import OwnProviders
from dowse.settings.spec import ProviderSpec

VARIABLE = "DOWSE_PROVIDERS_FILE"
FILE_NAME = "providers.toml"


def find_own(named: str, home: Path) -> Path | None:
    """The file that is named, else the one in the configuration directory; `None` if there is none.

    A relative name would be looked for in the working directory, which may be an untrusted repository: it is refused.
    """
    if not named:
        usual = home / FILE_NAME
        return usual if usual.is_absolute() and _is_there(usual) else None
    path = Path(named).expanduser()
    if not path.is_absolute():
        raise ConfigError(f"{VARIABLE} takes an absolute path, or one that begins with ~.")
    return path


def load_own(
    path: Path | None, specs: Mapping[str, ProviderSpec], variables: Callable[[], frozenset[str]]
) -> OwnProviders:
    """The user's own providers; raises `ConfigError` with the line and the key of the first mistake."""
    if path is None:
        return OwnProviders()
    from dowse.settings.described.files import read_own

    return read_own(path, specs, variables())


def _is_there(path: Path) -> bool:
    """Whether it is a file; one in a directory that we may not enter is not there for us."""
    try:
        return path.is_file()
    except OSError:
        return False
