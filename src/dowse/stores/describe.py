"""A store in words for people: where it is, without its password, and how large."""

from __future__ import annotations

import math

from dowse.core import urls
from dowse.core.text import one_line
from dowse.stores import file_of

_UNITS = ("kB", "MB", "GB", "TB")


def shown(address: str) -> str:
    """The address fit to be shown: a password may be in front of the host, or among the parameters."""
    bare = urls.without_userinfo(address)
    return one_line(bare if file_of(address) else bare.partition("?")[0])


def spoken_size(size: float) -> str:
    """Such as `312 B` and `1.5 MB`."""
    if size < 1000:
        return f"{size:.0f} B"
    power = min(int(math.log10(size)) // 3, len(_UNITS))
    return f"{size / 1000**power:.1f} {_UNITS[power - 1]}"
