"""PyPI: releases of Python packages with dependencies, known vulnerabilities and description.

https://docs.pypi.org/api/json/ has no search; packages are found by guessing their names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from email.utils import getaddresses
from urllib.parse import quote

from dowse.core import urls
from dowse.core.errors import BadAnswer, BadRequest, PageUnreadable, ProviderError, Redirected
from dowse.core.models import Deadline, Hit, Query, Text
from dowse.core.text import enclose, one_line
from dowse.core.urls import Url
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, first_object, hit, mapping, objects, required_mapping, string, strings
from dowse.settings import Settings
from dowse.sites.compose import Part, bullets, code, day, fact, join_first, label
from dowse.sites.packages import PackagePage, Release, explain_yank, list_dependencies, list_facts, quote_readme, warn
from dowse.sites.query import keywords, words_of
from dowse.sites.site import (
    TIMEOUT_S,
    LoaderKit,
    Site,
    SiteHits,
    gather_both,
    path_segments,
    request_deadline,
    translate_missing,
)

NAME = "pypi"
_HOME = "https://pypi.org"
_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,60}")
_SEPARATORS = re.compile(r"[-_.]+")
_EXTRA = re.compile(r"""\bextra\s{0,3}==\s{0,3}["']([\w.-]{1,60})["']""")
_MOST_VULNERABILITIES = 20
_MOST_NAMES = 5
_MOST_IN_EXTRA = 30
_LONGEST_LICENCE = 80
# Placeholder that old tools uploaded without a description.
_NO_DESCRIPTION = "UNKNOWN"
_INSTALLED = re.compile(r"(?i)\b(?:pip3?|pipx|uv|poetry|conda)(?: pip)? (?:install|add) ([^;&|]{1,200})")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,98}[a-z0-9]")
_OPTION = re.compile(r"(?<!\S)-\S{1,80}")
# Each guess is a request.
_MOST_GUESSES = 3
_NOISE = frozenset(
    "add conda error errors install latest library module package packages pip pip3 pipx poetry pypi python python3 uv "
    "version".split()
)


class PypiLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = kit.api(NAME)
        self._base = kit.settings.pypi_url.rstrip("/")

    def accepts(self, url: Url) -> bool:
        return bool(_find_package(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        package, version = _find_package(urls.parse(url))
        if not version:
            found = await self._get(package, deadline)
            return _compose(found, found, package)
        # The other versions come with the project; a page about one version does without them.
        found, project = await gather_both(
            self._get(f"{package}/{version}", deadline), self._try_project(package, request_deadline(deadline))
        )
        return _compose(found, project, package)

    async def _try_project(self, package: str, deadline: Deadline) -> Json:
        try:
            return await self._get(package, deadline)
        except (ProviderError, PageUnreadable):
            return {}

    async def _get(self, path: str, deadline: Deadline) -> Json:
        try:
            return await self._api.get(f"{self._base}/pypi/{path}/json", deadline, headers={}, params={})
        except ProviderError as error:
            raise translate_missing(error, "package on PyPI") from error


class PypiSearch:
    """Implements `SiteSearch` by exact names, as PyPI has no search for programs."""

    rate = None

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._base = settings.pypi_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/pypi/"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        found = [await self._try_package(name, deadline) for name in guess_names(query.text)]
        return SiteHits(tuple(filter(None, found)))

    async def _try_package(self, name: str, deadline: Deadline) -> Hit | None:
        try:
            body = await self._api.get(f"{self._base}/pypi/{name}/json", deadline, headers={}, params={})
        except BadRequest as error:
            if error.http_status != 404:
                raise
            return None
        except Redirected:
            return None
        return _hit(required_mapping(NAME, body, "info"), body, name)


def _find_package(url: Url | None) -> tuple[str, str]:
    """The normalised name of a package (PEP 503), and the version if the URL names one."""
    match path_segments(url, "pypi.org"):
        case ["project", package] if _PACKAGE.fullmatch(package):
            return _normalise(package), ""
        case ["project", package, version] if _PACKAGE.fullmatch(package) and _VERSION.fullmatch(version):
            return _normalise(package), version
    return "", ""


def _normalise(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _compose(found: Json, project: Json, package: str) -> Text:
    info = mapping(found, "info")
    name, version = string(info, "name"), string(info, "version")
    if not label(name) or not label(version):
        raise BadAnswer(NAME, "the answer names no package")
    latest = string(mapping(project, "info"), "version")
    home = f"{_HOME}/project/{package}/"
    vulnerabilities = _vulnerabilities(found)
    warnings = [
        warn("This version was yanked", string(info, "yanked_reason")) if info.get("yanked") is True else "",
        warn("This version has known vulnerabilities", f"{len(vulnerabilities)}, see below") if vulnerabilities else "",
    ]
    return PackagePage(
        kind="Python package",
        name=name,
        version=version,
        link=home if latest in ("", version) else f"{home}{quote(version)}/",
        latest=latest,
        facts=_facts(info, found),
        warnings=warnings,
        description=string(info, "summary"),
        sections=[
            bullets("## Known vulnerabilities of this version", vulnerabilities, _MOST_VULNERABILITIES),
            *_dependencies(strings(info.get("requires_dist"))),
        ],
        links=_links(info),
        releases=_releases(mapping(project, "releases")),
        releases_link=f"{home}#history",
        readme=quote_readme(_description(info), "## Description", is_markdown=_is_markdown(info)),
    ).compose()


def _facts(info: Json, found: Json) -> list[str]:
    classifiers = strings(info.get("classifiers"))
    facts = {
        "Released": _read_upload(found.get("urls"))[0],
        "Licence": _licence(info, classifiers),
        "Author": _people(info, "author"),
        "Maintainer": _people(info, "maintainer"),
        "Status": _last_of(classifiers, "Development Status :: "),
        "Tested with Python": _last_of(classifiers, "Programming Language :: Python :: 3."),
        "Frameworks": _last_of(classifiers, "Framework :: "),
        "Systems": _last_of(classifiers, "Operating System :: "),
        "Types": "included" if "Typing :: Typed" in classifiers else "",
    }
    return [fact("Requires Python", code(string(info, "requires_python"))), *list_facts(facts)]


def _last_of(classifiers: Sequence[str], beginning: str) -> str:
    """The last parts of the classifiers with this beginning."""
    kept = [text.removeprefix(beginning) for text in classifiers if text.startswith(beginning)]
    versions = sorted(filter(str.isdecimal, kept), key=int)
    return ", ".join(f"3.{version}" for version in versions) if versions else ", ".join(kept)


def _licence(info: Json, classifiers: Sequence[str]) -> str:
    """The name of the licence; for a field that holds its whole text, that of the classifier."""
    named = string(info, "license_expression", "license").strip()
    if named and len(named) <= _LONGEST_LICENCE and "\n" not in named:
        return named
    return _last_of(classifiers, "License :: OSI Approved :: ") or named.partition("\n")[0]


def _people(info: Json, role: str) -> str:
    """The names of a role; newer packages have them only in the mail addresses."""
    mailed = getaddresses([one_line(string(info, f"{role}_email"), 500)])
    names = [name or address for name, address in mailed if name or address]
    return string(info, role) or join_first(names, _MOST_NAMES)


def _links(info: Json) -> dict[str, str]:
    named = {name: address for name, address in mapping(info, "project_urls").items() if isinstance(address, str)}
    return {"Homepage": string(info, "home_page"), **named}


def _vulnerabilities(found: Json) -> list[str]:
    known = objects(found.get("vulnerabilities"))
    return [_vulnerability(item) for item in known if not item.get("withdrawn")]


def _vulnerability(item: Json) -> str:
    aliases, fixed = (join_first(strings(item.get(name)), _MOST_NAMES) for name in ("aliases", "fixed_in"))
    return " ".join(
        filter(
            None,
            [
                f"**{label(string(item, 'id')) or 'unnamed'}**{enclose(' (', label(aliases, 200), ')')}:",
                label(string(item, "summary", "details"), 300),
                f"(fixed in {label(fixed)})" if fixed else "(no fixed version is known)",
                label(string(item, "link"), 300),
            ],
        )
    )


def _dependencies(required: Sequence[str]) -> list[Part | str]:
    """The required packages, and those of each extra."""
    always: list[str] = []
    extras: defaultdict[str, list[str]] = defaultdict(list)
    for requirement in required:
        what, _, marker = requirement.partition(";")
        extra = _EXTRA.search(marker)
        condition = _EXTRA.sub("", marker).strip(" ()").removeprefix("and ").removesuffix(" and").strip(" ()")
        line = code(what) + (f" if {code(condition)}" if condition else "")
        (extras[extra[1]] if extra else always).append(line)
    added = [f"{code(extra)}: {join_first(lines, _MOST_IN_EXTRA)}" for extra, lines in extras.items()]
    return [
        list_dependencies(always),
        bullets("## Extras", added),
    ]


def _releases(found: Json) -> list[Release]:
    """Versions with files, by the date of the first one."""
    known = [Release(version, *_read_upload(files)) for version, files in found.items()]
    return sorted((release for release in known if release.date), key=lambda release: release.date, reverse=True)


def _read_upload(files: object) -> tuple[str, str]:
    """The date of the first file, and a remark if all files were yanked."""
    items = objects(files)
    days = [day(string(item, "upload_time_iso_8601", "upload_time")) for item in items]
    is_yanked = bool(items) and all(item.get("yanked") is True for item in items)
    remark = explain_yank(string(items[0], "yanked_reason")) if is_yanked else ""
    return min(filter(None, days), default=""), remark


def _description(info: Json) -> str:
    text = string(info, "description")
    return "" if text.strip() == _NO_DESCRIPTION else text


def _is_markdown(info: Json) -> bool:
    return string(info, "description_content_type").lower().startswith("text/markdown")


def guess_names(text: str) -> list[str]:
    """Possible names of packages in a query, normalised (PEP 503) so that PyPI does not redirect."""
    installed = _INSTALLED.search(text)
    words = words_of(_OPTION.sub(" ", installed[1]) if installed else keywords(text, max_chars=200, without=_NOISE))
    names = (_normalise(word) for word in words if word.lower() not in _NOISE)
    return list(dict.fromkeys(filter(_NAME.fullmatch, names)))[:_MOST_GUESSES]


def _hit(info: Json, body: Json, name: str) -> Hit | None:
    released = string(first_object(body.get("urls")), "upload_time_iso_8601")
    title = f"{string(info, 'name') or name} {string(info, 'version')} · PyPI"
    url = string(info, "package_url", "project_url") or f"{_HOME}/project/{name}/"
    return hit(title, url, string(info, "summary"), engine=NAME, published=released)


SITE = Site(loader=PypiLoader, search=PypiSearch)
