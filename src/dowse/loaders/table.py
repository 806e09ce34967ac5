"""The loaders by name. A new one is one file and one line here; no two accept the same URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from dowse.core.models import Deadline, Text
from dowse.core.protocols import SiteLoader
from dowse.core.urls import Url
from dowse.loaders.kit import Kit


@dataclass(frozen=True, slots=True)
class Site:
    """Where a loader's code is, and the domains of which it may know pages."""

    module: str
    loader: str
    domains: tuple[str, ...]


LOADERS: Mapping[str, Site] = {
    "stackexchange": Site(
        "stackexchange",
        "StackExchange",
        (
            *("stackoverflow.com", "stackexchange.com", "serverfault.com", "superuser.com", "askubuntu.com"),
            *("mathoverflow.net", "stackapps.com"),
        ),
    ),
    "hackernews": Site("hackernews", "HackerNews", ("news.ycombinator.com",)),
    "wikipedia": Site("wikipedia", "Wikipedia", ("wikipedia.org",)),
    "arxiv": Site("arxiv", "Arxiv", ("arxiv.org",)),
    "github": Site("github.loader", "Github", ("github.com",)),
    "pypi": Site("pypi", "Pypi", ("pypi.org",)),
    "npm": Site("npm", "Npm", ("npmjs.com",)),
    "crates": Site("crates", "Crates", ("crates.io",)),
    "mdn": Site("mdn", "Mdn", ("developer.mozilla.org",)),
}


class LoaderOnDemand:
    """A loader whose code is imported when a page of its domains comes by: most pages are of none of them."""

    def __init__(self, name: str, kit: Kit) -> None:
        self.name = name
        self._site = LOADERS[name]
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
        module = import_module(f"dowse.loaders.{self._site.module}")
        loader: SiteLoader = getattr(module, self._site.loader)(self._kit)
        return loader

    def _is_of_its_domains(self, host: str) -> bool:
        return any(host == domain or host.endswith(f".{domain}") for domain in self._site.domains)


def make_loaders(kit: Kit) -> tuple[SiteLoader, ...]:
    return tuple(LoaderOnDemand(name, kit) for name in LOADERS)
