"""One frozen `Settings`, read from flags, the environment and `dowse.toml`."""

from dowse.settings.declare import Setting
from dowse.settings.model import Settings, all_settings
from dowse.settings.providers import ANSWERERS, KEYLESS, READERS, SEARCHERS, SPECS

__all__ = [
    "ANSWERERS",
    "KEYLESS",
    "READERS",
    "SEARCHERS",
    "SPECS",
    "Setting",
    "Settings",
    "all_settings",
]
