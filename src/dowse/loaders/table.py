"""The loaders by name. A new one is one file and one line here; no two accept the same URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dowse.interfaces import SiteLoader
from dowse.loaders.arxiv import Arxiv
from dowse.loaders.crates import Crates
from dowse.loaders.github.loader import Github
from dowse.loaders.hackernews import HackerNews
from dowse.loaders.kit import Kit
from dowse.loaders.mdn import Mdn
from dowse.loaders.npm import Npm
from dowse.loaders.pypi import Pypi
from dowse.loaders.stackexchange import StackExchange
from dowse.loaders.wikipedia import Wikipedia

LOADERS: Mapping[str, Callable[[Kit], SiteLoader]] = {
    "stackexchange": StackExchange,
    "hackernews": HackerNews,
    "wikipedia": Wikipedia,
    "arxiv": Arxiv,
    "github": Github,
    "pypi": Pypi,
    "npm": Npm,
    "crates": Crates,
    "mdn": Mdn,
}


def make_loaders(kit: Kit) -> tuple[SiteLoader, ...]:
    return tuple(make(kit) for make in LOADERS.values())
