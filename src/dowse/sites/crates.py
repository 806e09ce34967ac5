"""Rust crates on crates.io: one version with its features and dependencies, and the README."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from dowse.core import urls
from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, WireError
from dowse.core.models import Deadline, Status, Text
from dowse.core.urls import Url
from dowse.net.json_api import Json, items, string, strings, whole
from dowse.sites.compose import Part, compose_page, day, label
from dowse.sites.markup import nest_headings
from dowse.sites.packages import (
    MAX_CHARS,
    Release,
    bullets,
    code,
    explain_missing,
    head,
    links,
    mapping,
    releases,
    segments,
    some,
    warning,
)
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, request_deadline

NAME = "crates"
_HOME = "https://crates.io"
_CRATE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,80})?")
_README_BYTES = 1_000_000
# What the place of READMEs says of one that is not there.
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
        return bool(_target(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        name, wanted = _target(parsed) if parsed else ("", "")
        patience = request_deadline(deadline)
        found = await self._crate(name, patience)
        versions = items(NAME, found, "versions")
        version = _chosen(found, versions, wanted)
        number = string(version, "num")
        needed, html = await asyncio.gather(
            self._dependencies(name, number, patience), self._readme(name, number, patience)
        )
        readme = await self._rendered(html, deadline) if html else html
        link = f"{_HOME}/crates/{name}" + (f"/{number}" if wanted else "")
        return _page(mapping(found, "crate"), version, versions, needed, readme, link)

    async def _crate(self, name: str, deadline: Deadline) -> Json:
        try:
            return await self._get(name, deadline)
        except ProviderError as error:
            raise explain_missing(error, "crate on crates.io") from error

    async def _dependencies(self, name: str, number: str, deadline: Deadline) -> list[Json] | None:
        """`None` where they could not be got: that is not the same as having none."""
        try:
            return items(NAME, await self._get(f"{name}/{number}/dependencies", deadline), "dependencies")
        except ProviderError:
            return None

    async def _readme(self, name: str, number: str, deadline: Deadline) -> str | None:
        """The README as HTML, empty where there is none; `None` where it could not be got.

        Asked for JSON, the API says where it is instead of leading there, and does so for those that do not exist.
        """
        try:
            address = string(await self._get(f"{name}/{number}/readme", deadline), "url")
            fetched = await self._pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=_README_BYTES)
        except (ProviderError, WireError):
            return None
        if fetched.status in _NO_README:
            return ""
        return fetched.body.decode("utf-8", "replace") if fetched.status == _OK else None

    async def _rendered(self, html: str, deadline: Deadline) -> str | None:
        """The README as Markdown; one that cannot be converted is as good as one that could not be got."""
        try:
            [text] = await self._extractor.render([html], url=f"{_HOME}/", timeout_s=deadline.remaining_s())
        except PageUnreadable:
            return None
        return nest_headings(text, 3)

    async def _get(self, path: str, deadline: Deadline) -> Json:
        headers = {"Accept": "application/json"}
        return await self._api.get(f"{self._base}/crates/{path}", deadline, headers=headers, params={})


def _target(url: Url) -> tuple[str, str]:
    """The crate, and the version if the address names one."""
    match segments(url, "crates.io", "www.crates.io"):
        case ["crates", name] if _CRATE.fullmatch(name):
            return name, ""
        case ["crates", name, version] if _CRATE.fullmatch(name) and _VERSION.fullmatch(version):
            return name, version
    return "", ""


def _chosen(found: Json, versions: Sequence[Json], wanted: str) -> Json:
    """The version of the address, or the one that the site shows."""
    crate = mapping(found, "crate")
    number = wanted or string(crate, "default_version", "max_stable_version", "max_version")
    version = next((version for version in versions if string(version, "num") == number), None)
    if version is None and wanted:
        raise PageUnreadable(Status.NOT_FOUND, "no such version on crates.io")
    if version is None or not string(crate, "name"):
        raise BadAnswer(NAME, "the answer names no crate")
    return version


def _page(
    crate: Json, version: Json, versions: Sequence[Json], needed: Sequence[Json] | None, readme: str | None, link: str
) -> Text:
    name, number = string(crate, "name"), string(version, "num")
    latest = string(crate, "default_version", "max_stable_version", "max_version")
    warnings = [
        warning("This version was yanked", string(version, "yank_message")) if version.get("yanked") is True else "",
        warning("Not the latest version", f"that is {latest}") if latest not in ("", number) else "",
    ]
    title = f"{label(name)} {label(number)}"
    return compose_page(
        link,
        title,
        [
            *head(title, _facts(crate, version, link), warnings, string(crate, "description")),
            *(() if needed is None else _dependencies(needed)),
            bullets("## Features", _features(version), _MOST_FEATURES),
            links(_links(crate, name, number)),
            releases(_releases(versions), f"{_HOME}/crates/{name}/versions"),
            "" if readme is None else Part("## README", body=readme or "There is none."),
        ],
        max_chars=MAX_CHARS,
        rest=_unread({"the dependencies": needed, "the README": readme}, f"{_HOME}/crates/{name}/{number}"),
    )


def _unread(parts: Mapping[str, object], link: str) -> str:
    """What could not be got: that is not the same as there being none."""
    names = [name for name, part in parts.items() if part is None]
    return f"…({' and '.join(names)} could not be read; the whole is at {link})" if names else ""


def _facts(crate: Json, version: Json, link: str) -> list[str]:
    told = {
        "Published": day(version.get("created_at")),
        "Licence": string(version, "license"),
        "Rust": f"{string(version, 'rust_version')} or newer" if string(version, "rust_version") else "",
        "Edition": string(version, "edition"),
        "Downloads": f"{whole(crate, 'downloads'):,}",
        "Downloads in the last 90 days": f"{whole(crate, 'recent_downloads'):,}",
        "Keywords": ", ".join(strings(crate.get("keywords"))),
    }
    return ["Rust crate", f"Link: {link}", *(f"{name}: {label(text, 120)}" for name, text in told.items() if text)]


def _dependencies(needed: Sequence[Json]) -> list[Part | str]:
    parts = [
        bullets(heading, [_dependency(item) for item in needed if string(item, "kind") == kind])
        for kind, heading in _KINDS.items()
    ]
    return parts if any(parts) else [Part("## Dependencies", body="None are declared.")]


def _dependency(item: Json) -> str:
    features = _listed(strings(item.get("features")))
    remarks = [
        "optional" if item.get("optional") is True else "",
        "without default features" if item.get("default_features") is False else "",
        f"features {features}" if features else "",
        f"for {code(string(item, 'target'))}" if string(item, "target") else "",
    ]
    told = "; ".join(filter(None, remarks))
    return f"{code(string(item, 'crate_id'))} {code(string(item, 'req'))}" + (f" ({told})" if told else "")


def _features(version: Json) -> list[str]:
    found = mapping(version, "features")
    # What is on without asking comes first.
    names = sorted(found, key=lambda name: (name != "default", name))
    return [_feature(name, strings(found[name])) for name in names]


def _feature(name: str, brings: Sequence[str]) -> str:
    return code(name) + (f": {_listed(brings)}" if brings else "")


def _listed(features: Sequence[str]) -> str:
    return some([code(feature) for feature in features], _MOST_IN_FEATURE)


def _links(crate: Json, name: str, number: str) -> dict[str, str]:
    return {
        "Documentation": string(crate, "documentation") or f"https://docs.rs/{name}/{number}",
        "Repository": string(crate, "repository"),
        "Homepage": string(crate, "homepage"),
    }


def _releases(versions: Sequence[Json]) -> list[Release]:
    return sorted(map(_release, versions), key=lambda release: release.date, reverse=True)


def _release(version: Json) -> Release:
    said = label(string(version, "yank_message"), 120)
    remark = "yanked" + (f": {said}" if said else "") if version.get("yanked") is True else ""
    return Release(string(version, "num"), day(version.get("created_at")), remark)


SITE = Site(NAME, "crates.io", loader=CratesLoader)
