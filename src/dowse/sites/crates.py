"""crates.io: versions of Rust crates with features, dependencies and README."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from dowse.core import urls
from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Status, Text
from dowse.core.text import enclose
from dowse.core.urls import Url
from dowse.core.wire_errors import WireError
from dowse.net.json_fields import Json, items, mapping, string, strings, whole
from dowse.sites.compose import Part, bullets, code, day, join_first
from dowse.sites.markup import nest_headings
from dowse.sites.packages import PackagePage, Release, explain_yank, list_facts, warn
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, path_segments, request_deadline, translate_missing

NAME = "crates"
_HOME = "https://crates.io"
_CRATE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,80})?", re.ASCII)
_README_BYTES = 1_000_000
# Statuses of the file store for a missing README.
_NO_README = (403, 404)
_OK = 200
_MOST_FEATURES = 40
_MOST_IN_FEATURE = 15
_KINDS = {"normal": "## Dependencies", "build": "## Build dependencies"}


class CratesLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = kit.api(NAME)
        self._pages = kit.pages
        self._extractor = kit.extractor
        self._base = kit.settings.crates_api_url.rstrip("/")

    def accepts(self, url: Url) -> bool:
        return bool(_find_crate(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        name, wanted = _find_crate(urls.parse(url))
        requests = request_deadline(deadline)
        found = await self._get_crate(name, requests)
        versions = items(NAME, found, "versions")
        version = _choose_version(found, versions, wanted)
        number = string(version, "num")
        needed, html = await asyncio.gather(
            self._try_dependencies(name, number, requests), self._try_readme(name, number, requests)
        )
        readme = await self._render(html, deadline) if html else html
        link = f"{_HOME}/crates/{name}" + (f"/{number}" if wanted else "")
        return _compose(mapping(found, "crate"), version, versions, needed, readme, link)

    async def _get_crate(self, name: str, deadline: Deadline) -> Json:
        try:
            return await self._get(name, deadline)
        except ProviderError as error:
            raise translate_missing(error, "crate on crates.io") from error

    async def _try_dependencies(self, name: str, number: str, deadline: Deadline) -> list[Json] | None:
        """The dependencies; `None` on failure."""
        try:
            return items(NAME, await self._get(f"{name}/{number}/dependencies", deadline), "dependencies")
        except ProviderError:
            return None

    async def _try_readme(self, name: str, number: str, deadline: Deadline) -> str | None:
        """The README as HTML, empty where there is none; `None` on failure.

        With `Accept: application/json` the API names its address instead of redirecting, also for a missing one.
        """
        try:
            address = string(await self._get(f"{name}/{number}/readme", deadline), "url")
            fetched = await self._pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=_README_BYTES)
        except (ProviderError, WireError):
            return None
        if fetched.status in _NO_README:
            return ""
        return fetched.body.decode("utf-8", "replace") if fetched.status == _OK else None

    async def _render(self, html: str, deadline: Deadline) -> str | None:
        """The README as Markdown; `None` on failure."""
        try:
            [text] = await self._extractor.render([html], url=f"{_HOME}/", timeout_s=deadline.remaining_s())
        except PageUnreadable:
            return None
        return nest_headings(text, 3)

    async def _get(self, path: str, deadline: Deadline) -> Json:
        headers = {"Accept": "application/json"}
        return await self._api.get(f"{self._base}/crates/{path}", deadline, headers=headers, params={})


def _find_crate(url: Url | None) -> tuple[str, str]:
    """The crate, and the version if the URL names one."""
    match path_segments(url, "crates.io", "www.crates.io"):
        case ["crates", name] if _CRATE.fullmatch(name):
            return name, ""
        case ["crates", name, version] if _CRATE.fullmatch(name) and _VERSION.fullmatch(version):
            return name, version
    return "", ""


def _choose_version(found: Json, versions: Sequence[Json], wanted: str) -> Json:
    """The requested version, or the default one of the site."""
    crate = mapping(found, "crate")
    number = wanted or _default_version(crate)
    version = next((version for version in versions if string(version, "num") == number), None)
    if version is None and wanted:
        raise PageUnreadable(Status.NOT_FOUND, "no such version on crates.io")
    if version is None or not string(crate, "name"):
        raise BadAnswer(NAME, "the answer names no crate")
    return version


def _compose(
    crate: Json, version: Json, versions: Sequence[Json], needed: Sequence[Json] | None, readme: str | None, link: str
) -> Text:
    name, number = string(crate, "name"), string(version, "num")
    is_yanked = version.get("yanked") is True
    return PackagePage(
        kind="Rust crate",
        name=name,
        version=number,
        link=link,
        latest=_default_version(crate),
        facts=list_facts(_facts(crate, version)),
        warnings=[warn("This version was yanked", string(version, "yank_message")) if is_yanked else ""],
        description=string(crate, "description"),
        sections=[
            *(() if needed is None else _dependencies(needed)),
            bullets("## Features", _features(version), _MOST_FEATURES),
        ],
        links=_links(crate, name, number),
        releases=_releases(versions),
        releases_link=f"{_HOME}/crates/{name}/versions",
        readme="" if readme is None else Part("## README", body=readme or "There is none."),
        rest=_unread({"the dependencies": needed, "the README": readme}, f"{_HOME}/crates/{name}/{number}"),
    ).compose()


def _default_version(crate: Json) -> str:
    return string(crate, "default_version", "max_stable_version", "max_version")


def _unread(parts: Mapping[str, object], link: str) -> str:
    """A note on the parts that could not be loaded, which is not the same as their absence."""
    names = [name for name, part in parts.items() if part is None]
    return enclose("…(", " and ".join(names), f" could not be read; the whole is at {link})")


def _facts(crate: Json, version: Json) -> dict[str, str]:
    return {
        "Published": day(version.get("created_at")),
        "Licence": string(version, "license"),
        "Rust": enclose("", string(version, "rust_version"), " or newer"),
        "Edition": string(version, "edition"),
        "Downloads": f"{whole(crate, 'downloads'):,}",
        "Downloads in the last 90 days": f"{whole(crate, 'recent_downloads'):,}",
        "Keywords": ", ".join(strings(crate.get("keywords"))),
    }


def _dependencies(needed: Sequence[Json]) -> list[Part | str]:
    parts = [
        bullets(heading, [_dependency(item) for item in needed if string(item, "kind") == kind])
        for kind, heading in _KINDS.items()
    ]
    return parts if any(parts) else [Part("## Dependencies", body="None are declared.")]


def _dependency(item: Json) -> str:
    remarks = [
        "optional" if item.get("optional") is True else "",
        "without default features" if item.get("default_features") is False else "",
        enclose("features ", _join_features(strings(item.get("features")))),
        enclose("for ", code(string(item, "target"))),
    ]
    named = f"{code(string(item, 'crate_id'))} {code(string(item, 'req'))}"
    return named + enclose(" (", "; ".join(filter(None, remarks)), ")")


def _features(version: Json) -> list[str]:
    found = mapping(version, "features")
    # The default features come first.
    names = sorted(found, key=lambda name: (name != "default", name))
    return [_feature(name, strings(found[name])) for name in names]


def _feature(name: str, brings: Sequence[str]) -> str:
    return code(name) + enclose(": ", _join_features(brings))


def _join_features(features: Sequence[str]) -> str:
    return join_first(list(map(code, features)), _MOST_IN_FEATURE)


def _links(crate: Json, name: str, number: str) -> dict[str, str]:
    return {
        "Documentation": string(crate, "documentation") or f"https://docs.rs/{name}/{number}",
        "Repository": string(crate, "repository"),
        "Homepage": string(crate, "homepage"),
    }


def _releases(versions: Sequence[Json]) -> list[Release]:
    return sorted(map(_release, versions), key=lambda release: release.date, reverse=True)


def _release(version: Json) -> Release:
    remark = explain_yank(string(version, "yank_message")) if version.get("yanked") is True else ""
    return Release(string(version, "num"), day(version.get("created_at")), remark)


SITE = Site(loader=CratesLoader)
