"""One frozen `Settings`, read from flags, the environment and `dowse.toml`."""

from dowse.settings.model import CONTRACT_DEFAULTS, PROVIDERS, Settings, variables

__all__ = ["CONTRACT_DEFAULTS", "PROVIDERS", "Settings", "variables"]
