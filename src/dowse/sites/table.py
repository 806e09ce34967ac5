"""Lazy access to the sites: a loader or a search is imported with the first URL or query that needs it."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from dowse.core import urls
from dowse.core.models import Deadline, Principal, Text
from dowse.core.protocols import PageReader, PrivatePages, SiteLoader
from dowse.core.urls import Url
from dowse.settings.sites import LOADED_SITES, SITES

if TYPE_CHECKING:
    from dowse.sites.site import LoaderKit, Site


class LazyLoader:
    """Implements `protocols.SiteLoader`: imports the loader of a site when a URL of its domains is read."""

    def __init__(self, name: str, kit: LoaderKit) -> None:
        self.name = name
        self._domains = SITES[name].domains
        self._kit = kit

    def accepts(self, url: Url) -> bool:
        return urls.is_below(url.name, *self._domains) and self._loader.accepts(url)

    def private_reader(self, url: Url, caller: Principal) -> PageReader | None:
        """Implements `protocols.PrivatePages` for sites that have such pages."""
        if not urls.is_below(url.name, *self._domains):
            return None
        loader = self._loader
        return loader.private_reader(url, caller) if isinstance(loader, PrivatePages) else None

    @property
    def timeout_s(self) -> float:
        return self._loader.timeout_s

    async def read(self, url: str, deadline: Deadline) -> Text:
        return await self._loader.read(url, deadline)

    @cached_property
    def _loader(self) -> SiteLoader:
        make = import_site(self.name).loader
        assert make is not None, f"{self.name} has domains but no loader"
        return make(self._kit)


def make_loaders(kit: LoaderKit) -> tuple[SiteLoader, ...]:
    return tuple(LazyLoader(name, kit) for name in LOADED_SITES)


def import_site(name: str) -> Site:
    site: Site = import_module(f"{__package__}.{name}").SITE
    return site
