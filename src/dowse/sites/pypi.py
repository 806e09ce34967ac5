"""Python packages on PyPI: a release with its dependencies, its known vulnerabilities and its description."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from email.utils import getaddresses
from urllib.parse import quote

from dowse.core import urls
from dowse.core.errors import BadAnswer, BadRequest, PageUnreadable, ProviderError, Redirected
from dowse.core.models import Deadline, Hit, Query, Text
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.net.json_api import Api, Json, hit, objects, string, strings
from dowse.settings import Settings
from dowse.sites.compose import Part, compose_page, day, label
from dowse.sites.packages import (
    MAX_CHARS,
    Release,
    bullets,
    code,
    explain_missing,
    head,
    links,
    mapping,
    readme,
    releases,
    segments,
    some,
    warning,
)
from dowse.sites.query import keywords, words_of
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, SiteHits, gather_both, request_deadline

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
# What old tools uploaded in place of a description that they did not have.
_NO_DESCRIPTION = "UNKNOWN"
_PROJECT_URL = "https://pypi.org/project/"
_INSTALLED = re.compile(r"(?i)\b(?:pip3?|pipx|uv|poetry|conda)(?: pip)? (?:install|add) ([^;&|]{1,200})")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,98}[a-z0-9]")
_OPTION = re.compile(r"(?<!\S)-\S{1,80}")
# A few guesses, not a search: each name is a request.
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
        return bool(_target(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        package, version = _target(parsed) if parsed else ("", "")
        if not version:
            found = await self._get(package, deadline)
            return _page(found, found, package)
        # Only the whole project knows its other versions; a page about one of them can do without.
        found, project = await gather_both(
            self._get(f"{package}/{version}", deadline), self._project(package, request_deadline(deadline))
        )
        return _page(found, project, package)

    async def _project(self, package: str, deadline: Deadline) -> Json:
        try:
            return await self._get(package, deadline)
        except (ProviderError, PageUnreadable):
            return {}

    async def _get(self, path: str, deadline: Deadline) -> Json:
        try:
            return await self._api.get(f"{self._base}/pypi/{path}/json", deadline, headers={}, params={})
        except ProviderError as error:
            raise explain_missing(error, "package on PyPI") from error


def _target(url: Url) -> tuple[str, str]:
    """The package in the spelling that PyPI knows without a redirect (PEP 503), and the version if there is one."""
    match segments(url, "pypi.org"):
        case ["project", package, *rest] if _PACKAGE.fullmatch(package) and len(rest) <= 1:
            version = rest[0] if rest else ""
            if not rest or _VERSION.fullmatch(version):
                return _SEPARATORS.sub("-", package).lower(), version
    return "", ""


def _page(found: Json, project: Json, package: str) -> Text:
    info = mapping(found, "info")
    name, version = label(string(info, "name")), label(string(info, "version"))
    if not name or not version:
        raise BadAnswer(NAME, "the answer names no package")
    latest = string(mapping(project, "info"), "version")
    is_latest = latest in ("", string(info, "version"))
    home = f"{_HOME}/project/{package}/"
    link = home if is_latest else f"{home}{quote(string(info, 'version'))}/"
    vulnerabilities = _vulnerabilities(found)
    warnings = [
        warning("This version was yanked", string(info, "yanked_reason")) if info.get("yanked") is True else "",
        warning("This version has known vulnerabilities", f"{len(vulnerabilities)}, see below")
        if vulnerabilities
        else "",
        "" if is_latest else warning("Not the latest version", f"that is {latest}"),
    ]
    return compose_page(
        link,
        f"{name} {version}",
        [
            *head(f"{name} {version}", _facts(info, found, link), warnings, string(info, "summary")),
            bullets("## Known vulnerabilities of this version", vulnerabilities, _MOST_VULNERABILITIES),
            *_dependencies(strings(info.get("requires_dist"))),
            links(_links(info)),
            releases(_releases(mapping(project, "releases")), f"{home}#history"),
            readme(_description(info), is_markdown=_is_markdown(info), heading="## Description"),
        ],
        max_chars=MAX_CHARS,
    )


def _facts(info: Json, found: Json, link: str) -> list[str]:
    classifiers = strings(info.get("classifiers"))
    told = {
        "Released": _uploaded(found.get("urls"))[0],
        "Licence": _licence(info, classifiers),
        "Author": _people(info, "author"),
        "Maintainer": _people(info, "maintainer"),
        "Status": _last_of(classifiers, "Development Status :: "),
        "Tested with Python": _last_of(classifiers, "Programming Language :: Python :: 3."),
        "Frameworks": _last_of(classifiers, "Framework :: "),
        "Systems": _last_of(classifiers, "Operating System :: "),
        "Types": "included" if "Typing :: Typed" in classifiers else "",
    }
    return [
        "Python package",
        f"Link: {link}",
        f"Requires Python: {code(string(info, 'requires_python'))}" if string(info, "requires_python") else "",
        *(f"{name}: {label(text, 120)}" for name, text in told.items() if text),
    ]


def _last_of(classifiers: Sequence[str], beginning: str) -> str:
    """What classifiers of one kind say, without what they have in common."""
    kept = [text.removeprefix(beginning) for text in classifiers if text.startswith(beginning)]
    versions = sorted((text for text in kept if text.isdecimal()), key=int)
    return ", ".join(f"3.{version}" for version in versions) if versions else ", ".join(kept)


def _licence(info: Json, classifiers: Sequence[str]) -> str:
    """Its name; the field may hold the whole text of a licence, of which the classifier has the name."""
    named = string(info, "license_expression", "license").strip()
    if named and len(named) <= _LONGEST_LICENCE and "\n" not in named:
        return named
    return _last_of(classifiers, "License :: OSI Approved :: ") or named.partition("\n")[0]


def _people(info: Json, role: str) -> str:
    """Names, which newer packages only have beside their mail addresses."""
    mailed = getaddresses([one_line(string(info, f"{role}_email"), 500)])
    return string(info, role) or some([name or address for name, address in mailed if name or address], _MOST_NAMES)


def _links(info: Json) -> dict[str, str]:
    named = {name: address for name, address in mapping(info, "project_urls").items() if isinstance(address, str)}
    return {"Homepage": string(info, "home_page"), **named}


def _vulnerabilities(found: Json) -> list[str]:
    known = objects(found.get("vulnerabilities"))
    return [_vulnerability(item) for item in known if not item.get("withdrawn")]


def _vulnerability(item: Json) -> str:
    aliases, fixed = (some(strings(item.get(name)), _MOST_NAMES) for name in ("aliases", "fixed_in"))
    return " ".join(
        filter(
            None,
            [
                f"**{label(string(item, 'id')) or 'unnamed'}**"
                + (f" ({label(aliases, 200)})" if aliases else "")
                + ":",
                label(string(item, "summary", "details"), 300),
                f"(fixed in {label(fixed)})" if fixed else "(no fixed version is known)",
                label(string(item, "link"), 300),
            ],
        )
    )


def _dependencies(required: Sequence[str]) -> list[Part | str]:
    """What is always needed, and what each extra adds."""
    always: list[str] = []
    extras: defaultdict[str, list[str]] = defaultdict(list)
    for requirement in required:
        what, _, marker = requirement.partition(";")
        extra = _EXTRA.search(marker)
        condition = _EXTRA.sub("", marker).strip(" ()").removeprefix("and ").removesuffix(" and").strip(" ()")
        line = code(what) + (f" if {code(condition)}" if condition else "")
        (extras[extra[1]] if extra else always).append(line)
    added = [f"{code(extra)}: {some(lines, _MOST_IN_EXTRA)}" for extra, lines in extras.items()]
    return [
        bullets("## Dependencies", always) or Part("## Dependencies", body="None are declared."),
        bullets("## Extras", added),
    ]


def _releases(found: Json) -> list[Release]:
    """Versions that can be installed, by the date of their first file."""
    known = [Release(version, *_uploaded(files)) for version, files in found.items()]
    return sorted((release for release in known if release.date), key=lambda release: release.date, reverse=True)


def _uploaded(files: object) -> tuple[str, str]:
    """The day on which the first file came, and a remark if all of them were yanked."""
    items = objects(files)
    days = [day(string(item, "upload_time_iso_8601", "upload_time")) for item in items]
    is_yanked = bool(items) and all(item.get("yanked") is True for item in items)
    reason = label(string(items[0], "yanked_reason"), 120) if is_yanked else ""
    return min(filter(None, days), default=""), "yanked" + (f": {reason}" if reason else "") if is_yanked else ""


def _description(info: Json) -> str:
    text = string(info, "description")
    return "" if text.strip() == _NO_DESCRIPTION else text


def _is_markdown(info: Json) -> bool:
    return string(info, "description_content_type").lower().startswith("text/markdown")


class PypiSearch:
    """Implements `SiteSearch` by exact names, as PyPI has no search for programs."""

    rate = None

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._base = settings.pypi_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/pypi/"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        found = [await self._find_package(name, deadline) for name in guess_names(query.text)]
        return SiteHits(tuple(filter(None, found)))

    async def _find_package(self, name: str, deadline: Deadline) -> Hit | None:
        try:
            body = await self._api.get(f"{self._base}/pypi/{name}/json", deadline, headers={}, params={})
        except BadRequest as error:
            if error.http_status != 404:
                raise
            return None
        except Redirected:
            return None
        info = body.get("info")
        if not isinstance(info, dict):
            raise BadAnswer(NAME, "the answer has no object 'info'")
        return _hit(info, body, name)


def guess_names(text: str) -> list[str]:
    """Possible names of packages in a query, normalised (PEP 503) so that PyPI does not redirect."""
    installed = _INSTALLED.search(text)
    words = words_of(_OPTION.sub(" ", installed[1]) if installed else keywords(text, max_chars=200, without=_NOISE))
    names = (_SEPARATORS.sub("-", word).lower() for word in words if word.lower() not in _NOISE)
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))[:_MOST_GUESSES]


def _hit(info: Json, body: Json, name: str) -> Hit | None:
    files = objects(body.get("urls"))
    released = string(files[0], "upload_time_iso_8601") if files else ""
    title = f"{string(info, 'name') or name} {string(info, 'version')} · PyPI"
    url = string(info, "package_url", "project_url") or f"{_PROJECT_URL}{name}/"
    return hit(title, url, string(info, "summary"), engine=NAME, published=released)


SITE = Site(NAME, "PyPI", loader=PypiLoader, search=PypiSearch, search_domains=("pypi.org",))
