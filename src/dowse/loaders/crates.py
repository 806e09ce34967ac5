"""Rust crates on crates.io: one version with its features and dependencies, and the README."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from dowse import urls
from dowse.errors import BadAnswer, PageUnreadable, ProviderError, WireError
from dowse.loaders.compose import Part, day, label, page
from dowse.loaders.kit import TIMEOUT_S, Kit
from dowse.loaders.markup import below
from dowse.loaders.packages import (
    ASKING_SHARE,
    MAX_CHARS,
    Release,
    bullets,
    code,
    links,
    mapping,
    missing,
    releases,
    segments,
    sentence,
    warning,
)
from dowse.models import Deadline, Status, Text
from dowse.providers.api import Json, items, string, strings, whole
from dowse.urls import Url

NAME = "crates"
SITE = "https://crates.io"
_CRATE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,80})?")
_README_BYTES = 1_000_000
_MOST_FEATURES = 40
_MOST_IN_FEATURE = 15
_KINDS = {"normal": "## Dependencies", "build": "## Build dependencies"}


class Crates:
    """Implements `interfaces.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: Kit) -> None:
        self._api = kit.api(NAME)
        self._pages = kit.pages
        self._extractor = kit.extractor
        self._base = kit.settings.crates_api_url.rstrip("/")

    def accepts(self, url: Url) -> bool:
        return bool(_target(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        name, wanted = _target(parsed) if parsed else ("", "")
        asking = deadline.capped(ASKING_SHARE * deadline.remaining_s())
        found = await self._crate(name, asking)
        versions = items(NAME, found, "versions")
        version = _chosen(found, versions, wanted)
        number = string(version, "num")
        needed, html = await asyncio.gather(
            self._dependencies(name, number, asking), self._readme(name, number, asking)
        )
        [readme] = await self._extractor.render([html], url=f"{SITE}/", timeout_s=deadline.remaining_s())
        link = f"{SITE}/crates/{name}" + (f"/{number}" if wanted else "")
        return _page(mapping(found, "crate"), version, versions, needed, below(readme, 3), link)

    async def _crate(self, name: str, deadline: Deadline) -> Json:
        try:
            return await self._get(f"{name}", deadline)
        except ProviderError as error:
            raise missing(error, "crate on crates.io") from error

    async def _dependencies(self, name: str, number: str, deadline: Deadline) -> list[Json] | None:
        """`None` where they could not be got: that is not the same as having none."""
        try:
            return items(NAME, await self._get(f"{name}/{number}/dependencies", deadline), "dependencies")
        except ProviderError:
            return None

    async def _readme(self, name: str, number: str, deadline: Deadline) -> str:
        """The README as HTML; asked for JSON, the API says where it is instead of leading there."""
        try:
            address = string(await self._get(f"{name}/{number}/readme", deadline), "url")
            fetched = await self._pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=_README_BYTES)
        except (ProviderError, WireError):
            return ""
        return fetched.body.decode("utf-8", "replace")

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
    crate: Json, version: Json, versions: Sequence[Json], needed: Sequence[Json] | None, readme: str, link: str
) -> Text:
    name, number = string(crate, "name"), string(version, "num")
    latest = string(crate, "default_version", "max_stable_version", "max_version")
    warnings = [
        warning("This version was yanked", string(version, "yank_message")) if version.get("yanked") is True else "",
        warning("Not the latest version", f"that is {latest}") if latest not in ("", number) else "",
    ]
    title = f"{label(name)} {label(number)}"
    return page(
        link,
        title,
        [
            Part(f"# {title}", _facts(crate, version, link), "\n>\n".join(filter(None, warnings))),
            sentence(string(crate, "description")),
            *_dependencies(needed),
            bullets("## Features", _features(version), _MOST_FEATURES),
            links(_links(crate, name, number)),
            releases(_releases(versions), f"{SITE}/crates/{name}/versions"),
            Part("## README", body=readme) if readme else f"The README is at {SITE}/crates/{name}/{number}.",
        ],
        max_chars=MAX_CHARS,
    )


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


def _dependencies(needed: Sequence[Json] | None) -> list[Part | str]:
    if needed is None:
        return [Part("## Dependencies", body="They could not be read.")]
    parts = [
        bullets(heading, [_dependency(item) for item in needed if string(item, "kind") == kind])
        for kind, heading in _KINDS.items()
    ]
    return parts if any(parts) else [Part("## Dependencies", body="None are declared.")]


def _dependency(item: Json) -> str:
    features = ", ".join(code(feature) for feature in strings(item.get("features"))[:_MOST_IN_FEATURE])
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
    listed = ", ".join(code(other) for other in brings[:_MOST_IN_FEATURE])
    more = f" and {len(brings) - _MOST_IN_FEATURE} more" if len(brings) > _MOST_IN_FEATURE else ""
    return code(name) + (f": {listed}{more}" if brings else "")


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
