"""The loaders by name. A new one is one file and one line here; no two accept the same URL."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module

from dowse.core.models import Deadline, Text
from dowse.core.protocols import SiteLoader
from dowse.core.urls import Url
from dowse.sites import SITES
from dowse.sites.kit import Kit

_LOADERS = {
    "stackexchange": ("stackexchange.reader", "StackExchange"),
    "github": ("github.loader", "Github"),
    "wikipedia": ("wikipedia.reader", "Wikipedia"),
    "arxiv": ("arxiv.reader", "Arxiv"),
    "hackernews": ("hackernews", "HackerNews"),
    "pypi": ("pypi", "Pypi"),
    "npm": ("npm", "Npm"),
    "crates": ("crates", "Crates"),
    "mdn": ("mdn", "Mdn"),
}


class LoaderOnDemand:
    """A loader whose code is imported when a page of its domains comes by: most pages are of none of them."""

    def __init__(self, name: str, kit: Kit) -> None:
        self.name = name
        self._domains = SITES[name]
        self._kit = kit

    def accepts(self, url: Url) -> bool:
        return self._is_of_its_domains(url.name) and self._loader.accepts(url)

    @property
    def timeout_s(self) -> float:
        return self._loader.timeout_s

    async def read(self, url: str, deadline: Deadline) -> Text:
        return await self._loader.read(url, deadline)

    @cached_property
    def _loader(self) -> SiteLoader:
        module, loader_class = _LOADERS[self.name]
        loader: SiteLoader = getattr(import_module(f"dowse.sites.{module}"), loader_class)(self._kit)
        return loader

    def _is_of_its_domains(self, host: str) -> bool:
        return any(host == domain or host.endswith(f".{domain}") for domain in self._domains)


def make_loaders(kit: Kit) -> tuple[SiteLoader, ...]:
    return tuple(LoaderOnDemand(name, kit) for name in SITES)
