"""npm: versions of packages with dependencies, commands, deprecation and README, and a search over them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from dowse.core import urls
from dowse.core.errors import BadAnswer, NetworkFailed, NotRead, PageUnreadable, ProviderError, TimedOut
from dowse.core.models import Deadline, Hit, Query, Status, Text
from dowse.core.text import enclose
from dowse.core.urls import Url
from dowse.core.wire_errors import WireError
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, elements, first_hits, hit, mapping, results, string, strings
from dowse.settings import Settings
from dowse.sites.compose import Part, bullets, code, day, fact
from dowse.sites.markup import LinkBase
from dowse.sites.packages import PackagePage, Release, list_dependencies, list_facts, quote_readme, warn
from dowse.sites.query import keywords
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, SiteHits, path_segments, request_deadline, translate_missing

NAME = "npm"
_HOME = "https://www.npmjs.com"
_SCOPE = re.compile(r"@[A-Za-z0-9~_-][A-Za-z0-9._~-]{0,100}")
# Without a leading underscore, which marks paths of the registry itself.
_PACKAGE = re.compile(r"[A-Za-z0-9~-][A-Za-z0-9._~-]{0,213}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,80}")
_SHORT_REPOSITORY = re.compile(r"(?:(github|gitlab|bitbucket):)?([\w.-]{1,100}/[\w.-]{1,100})")
_HOSTS = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}
# Placeholder of the registry for a missing README.
_NO_README = "ERROR: No README data found!"
_MOST_MAINTAINERS = 10
_FILE_BYTES = 1_000_000
_NO_DOCUMENT = (
    "…(the registry's document on this package is too large or could not be read: {what} are missing here; they are at "
    "{link})"
)
# Other lengths are refused (ERR_TEXT_LENGTH).
_SHORTEST_QUERY, _LONGEST_QUERY = 2, 64
_MOST = 50
_NOISE = frozenset(
    "add error i install javascript js latest library module node node.js nodejs npm npx package packages pnpm "
    "typescript version yarn".split()
)


class NpmLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = kit.api(NAME)
        self._pages = kit.pages
        self._base = kit.settings.npm_registry_url.rstrip("/")
        self._files = kit.settings.npm_files_url.rstrip("/")

    def accepts(self, url: Url) -> bool:
        return bool(_find_package(url)[0])

    async def read(self, url: str, deadline: Deadline) -> Text:
        package, version = _find_package(urls.parse(url))
        try:
            # The document holds every version, of which popular packages have thousands.
            document = await self._get(package, request_deadline(deadline))
        except (NetworkFailed, TimedOut, NotRead):
            manifest = await self._get(f"{package}/{version or 'latest'}", request_deadline(deadline))
            text = await self._fetch_file(package, string(manifest, "version"), "README.md", deadline)
            return _compose({}, {"readme": text, **manifest}, package, version)
        return _compose(document, _find_manifest(document, version), package, version)

    async def _fetch_file(self, package: str, version: str, name: str, deadline: Deadline) -> str:
        """A file of a version, empty on failure. From a CDN: the registry has files only in archives."""
        address = f"{self._files}/{package}@{quote(version, safe='')}/{name}"
        try:
            fetched = await self._pages.get(address, timeout_s=deadline.remaining_s(), max_bytes=_FILE_BYTES)
        except WireError:
            return ""
        return fetched.body.decode("utf-8", "replace")

    async def _get(self, path: str, deadline: Deadline) -> Json:
        name = path.replace("/", "%2F", 1) if path.startswith("@") else path
        try:
            return await self._api.get(f"{self._base}/{name}", deadline, headers={}, params={})
        except ProviderError as error:
            raise translate_missing(error, "package on npm") from error


class NpmSearch:
    """Implements `SiteSearch`."""

    rate = None

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._base = settings.npm_registry_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/-/v1/search"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        text = keywords(query.text, max_chars=_LONGEST_QUERY, most=5, without=_NOISE)
        if len(text) < _SHORTEST_QUERY:
            return SiteHits(())
        params = {"text": text, "size": str(min(query.num_results, _MOST))}
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        return SiteHits(first_hits(list(map(_hit, results(NAME, body, "objects"))), query.num_results))


def _find_package(url: Url | None) -> tuple[str, str]:
    """The package with its scope, and the version if the URL names one."""
    match path_segments(url, "www.npmjs.com", "npmjs.com"):
        case ["package", scope, name, *rest] if _SCOPE.fullmatch(scope):
            package = f"{scope}/{name}"
        case ["package", name, *rest]:
            package = name
        case _:
            return "", ""
    if not _PACKAGE.fullmatch(name):
        return "", ""
    match rest:
        case []:
            return package, ""
        case ["v", version] if _VERSION.fullmatch(version):
            return package, version
    return "", ""


def _find_manifest(document: Json, version: str) -> Json:
    """One version of the document, by number or by tag."""
    tags = mapping(document, "dist-tags")
    wanted = string(tags, version or "latest") or version
    found = mapping(mapping(document, "versions"), wanted)
    if not found:
        raise PageUnreadable(Status.NOT_FOUND, "no such version on npm")
    return found


def _compose(document: Json, manifest: Json, package: str, version: str) -> Text:
    number = string(manifest, "version")
    if not number:
        raise BadAnswer(NAME, "the answer names no version")
    home = f"{_HOME}/package/{package}"
    link = f"{home}/v/{number}" if version else home
    tags = mapping(document, "dist-tags")
    return PackagePage(
        kind="npm package",
        name=package,
        version=number,
        link=link,
        latest=string(tags, "latest"),
        facts=_facts(document, manifest),
        warnings=[_deprecation(manifest)],
        description=string(manifest, "description"),
        sections=[
            list_dependencies(_ranges(manifest, "dependencies")),
            bullets("## Peer dependencies", _ranges(manifest, "peerDependencies")),
            bullets("## Optional dependencies", _ranges(manifest, "optionalDependencies")),
            bullets("## Commands", _commands(manifest)),
            bullets("## Tags", [f"{code(tag)}: {code(str(of))}" for tag, of in tags.items()]),
        ],
        links=_links(manifest),
        releases=_releases(document),
        releases_link=f"{home}?activeTab=versions",
        readme=_readme(document, manifest),
        rest="" if document else _missing(manifest, link),
    ).compose()


def _missing(manifest: Json, link: str) -> str:
    what = "the dates and the other versions"
    return _NO_DOCUMENT.format(what=what if string(manifest, "readme") else f"the README, {what}", link=link)


def _facts(document: Json, manifest: Json) -> list[str]:
    engines = ", ".join(code(f"{name} {wanted}") for name, wanted in mapping(manifest, "engines").items())
    facts = {
        "Published": day(mapping(document, "time").get(string(manifest, "version"))),
        "Licence": _name_of(manifest.get("license"), "type"),
        "Module system": "ES modules" if string(manifest, "type") == "module" else "",
        "Types": "included" if string(manifest, "types", "typings") else "",
        "Author": _name_of(manifest.get("author"), "name"),
        "Maintainers": ", ".join(_people(document.get("maintainers") or manifest.get("maintainers"))),
    }
    return [fact("Engines", engines), *list_facts(facts)]


def _deprecation(manifest: Json) -> str:
    """The field is a reason, or only a flag."""
    reason = manifest.get("deprecated")
    return warn("Deprecated", reason if isinstance(reason, str) else "") if reason else ""


def _name_of(value: object, name: str) -> str:
    """A field that is a text in some packages and an object in others."""
    return string(value, name) if isinstance(value, dict) else value if isinstance(value, str) else ""


def _people(value: object) -> list[str]:
    people = elements(value)
    found = [_name_of(item, "name") for item in people[:_MOST_MAINTAINERS]]
    return [*filter(None, found), *filter(None, [enclose("and ", len(people) - len(found), " more")])]


def _ranges(manifest: Json, name: str) -> list[str]:
    optional = mapping(manifest, "peerDependenciesMeta") if name == "peerDependencies" else {}
    return [
        f"{code(package)} {code(str(wanted))}" + (" (optional)" if mapping(optional, package).get("optional") else "")
        for package, wanted in mapping(manifest, name).items()
    ]


def _commands(manifest: Json) -> Sequence[str]:
    value = manifest.get("bin")
    if isinstance(value, dict):
        return list(map(code, value))
    return [code(string(manifest, "name").rpartition("/")[2])] if isinstance(value, str) else []


def _links(manifest: Json) -> dict[str, str]:
    return {
        "Repository": _repository(_name_of(manifest.get("repository"), "url")),
        "Homepage": string(manifest, "homepage"),
        "Issues": _name_of(manifest.get("bugs"), "url"),
    }


def _repository(written: str) -> str:
    """The web address of a repository, written in the ways of git or of npm."""
    written = written.strip()
    if short := _SHORT_REPOSITORY.fullmatch(written):
        return f"https://{_HOSTS[short[1] or 'github']}/{short[2]}"
    address = written.removeprefix("git+").removesuffix(".git")
    for beginning in ("git://", "ssh://git@", "git@"):
        if address.startswith(beginning):
            return "https://" + address.removeprefix(beginning).replace(":", "/", 1)
    return address


def _releases(document: Json) -> list[Release]:
    """Versions by date, without unpublished ones."""
    versions, times = mapping(document, "versions"), mapping(document, "time")
    dated = sorted(((str(times.get(number, "")), number) for number in versions), reverse=True)
    return [
        Release(number, day(moment), "deprecated" if mapping(versions, number).get("deprecated") else "")
        for moment, number in dated
    ]


def _readme(document: Json, manifest: Json) -> Part | str:
    """The README of the version; most packages have only that of the latest one."""
    own = string(manifest, "readme")
    text = own or string(document, "readme")
    is_own = own or string(manifest, "version") == string(mapping(document, "dist-tags"), "latest")
    heading = "## README" if is_own else "## README of the latest version"
    text = "" if text.strip() == _NO_README else text
    return quote_readme(text, heading, is_markdown=True, base=_link_base(manifest))


def _link_base(manifest: Json) -> LinkBase | None:
    """The base of relative links in the README: the folder of the package in its repository."""
    address = urls.parse(_repository(_name_of(manifest.get("repository"), "url")))
    if address is None or address.name != _HOSTS["github"]:
        return None
    return LinkBase(f"{address.href}/blob/HEAD", string(mapping(manifest, "repository"), "directory").strip("/"))


def _hit(item: Json) -> Hit | None:
    package = mapping(item, "package")
    name = string(package, "name")
    url = string(mapping(package, "links"), "npm") or f"{_HOME}/package/{name}"
    known_for = ", ".join(strings(package.get("keywords"))[:8])
    snippet = string(package, "description") + enclose(" (", known_for, ")")
    title = f"{name} {string(package, 'version')} · npm" if name else ""
    return hit(title, url, snippet, engine=NAME, published=string(package, "date"))


SITE = Site(loader=NpmLoader, search=NpmSearch)
