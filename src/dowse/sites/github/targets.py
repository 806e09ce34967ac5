"""Targets of GitHub URLs: repositories, conversations, files and folders, releases."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from dowse.core.urls import Url
from dowse.sites.site import path_segments

NAME = "github"
_HOME = "https://github.com"
_HOSTS = ("github.com", "www.github.com")
# Managed user names may hold an underscore.
_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}")
# Neither a step to another folder nor a name that GitHub takes for the address of a clone.
_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}(?<!\.git)", re.IGNORECASE)
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_ANCHOR = re.compile(r"[A-Za-z0-9_-]{1,80}")
_LINES = re.compile(r"L([1-9][0-9]{0,6})(?:C[0-9]{1,6})?(?:-L([1-9][0-9]{0,6})(?:C[0-9]{1,6})?)?")
# Names of GitHub's own pages, which no account can have.
_RESERVED = frozenset(
    (
        "about", "accelerator", "account", "advisories", "apps", "blog", "codespaces", "collections", "contact",
        "copilot", "customer-stories", "dashboard", "discussions", "enterprise", "events", "explore", "features",
        "gist", "git-guides", "github-copilot", "issues", "join", "login", "logout", "marketplace", "mcp", "mobile",
        "models", "new", "newsroom", "nonprofit", "notifications", "organizations", "orgs", "premium-support",
        "pricing", "projects", "pulls", "readme", "resources", "search", "security", "sessions", "settings", "signup",
        "site", "solutions", "sponsors", "stars", "team", "topics", "trending", "trust-center", "users", "watching",
        "why-github",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, to which every other target belongs."""

    owner: str
    name: str

    @property
    def link(self) -> str:
        return f"{_HOME}/{self.owner}/{self.name}"

    @property
    def api_path(self) -> str:
        return f"/repos/{self.owner}/{self.name}"

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class ConversationTarget:
    """An issue, a pull request or a discussion; `anchor` names the linked comment."""

    repository: Repository
    kind: str
    number: int
    anchor: str = ""

    @property
    def link(self) -> str:
        return f"{self.repository.link}/{self.kind}/{self.number}"


@dataclass(frozen=True, slots=True)
class Contents:
    """A file or a folder at a branch, a tag or a commit; `lines` are the linked ones."""

    repository: Repository
    kind: str
    ref: str
    path: str
    lines: tuple[int, int] | None = None

    @property
    def link(self) -> str:
        return f"{self.repository.link}/{self.kind}/{escape(f'{self.ref}/{self.path}'.rstrip('/'))}"

    @property
    def api_path(self) -> str:
        return f"{self.repository.api_path}/contents/{escape(self.path)}".rstrip("/")


@dataclass(frozen=True, slots=True)
class Releases:
    """One release by its tag, the latest one, or (without a tag) the list of them."""

    repository: Repository
    tag: str = ""
    is_latest: bool = False


Target = Repository | ConversationTarget | Contents | Releases


def find_target(url: Url) -> Target | None:
    """The target of a URL; `None` for other pages, which the general reader reads."""
    repository = find_repository(url)
    rest = _segments(url)[2:]
    if repository is None or not rest:
        return repository
    read = _KINDS.get(rest[0])
    return read(repository, rest, url) if read else None


def find_repository(url: Url) -> Repository | None:
    """The repository that a URL of any kind belongs to, by GitHub's rules for names."""
    match _segments(url):
        case [owner, name, *_] if _OWNER.fullmatch(owner) and owner.lower() not in _RESERVED:
            name = name.removesuffix(".git")
            return Repository(owner, name) if _NAME.fullmatch(name) else None
    return None


def _segments(url: Url) -> list[str]:
    return [segment for segment in path_segments(url, *_HOSTS) if segment]


def escape(text: str, safe: str = "/") -> str:
    """Part of a URL; lone surrogates from an answer are replaced."""
    return quote(text, safe=safe, errors="replace")


def _find_conversation(repository: Repository, rest: Sequence[str], url: Url) -> ConversationTarget | None:
    match rest:
        case [kind, number]:
            pass
        case ["pull" as kind, number, "files" | "changes" | "commits"]:
            pass
        case _:
            return None
    if not _NUMBER.fullmatch(number):
        return None
    anchor = _fragment(url)
    return ConversationTarget(repository, kind, int(number), anchor if _ANCHOR.fullmatch(anchor) else "")


def _find_contents(repository: Repository, rest: Sequence[str], url: Url) -> Contents | None:
    """The first segment is taken for the branch; the API does not find one with a slash in its name."""
    kind, *where = rest
    if len(where) < (2 if kind == "blob" else 1):
        return None
    found = _LINES.fullmatch(_fragment(url))
    lines = (int(found[1]), int(found[2] or 0)) if found else None
    return Contents(repository, kind, where[0], "/".join(where[1:]), lines)


def _find_releases(repository: Repository, rest: Sequence[str], url: Url) -> Releases | None:
    match rest:
        case ["releases"] if not parse_qs(url.query).keys() & {"page", "q"}:
            return Releases(repository)
        case ["releases", "latest"]:
            return Releases(repository, is_latest=True)
        case ["releases", "tag", _, *_]:
            return Releases(repository, tag="/".join(rest[2:]))
    return None


def _fragment(url: Url) -> str:
    return url.href.partition("#")[2]


_KINDS: Mapping[str, Callable[[Repository, Sequence[str], Url], Target | None]] = {
    "issues": _find_conversation,
    "pull": _find_conversation,
    "discussions": _find_conversation,
    "blob": _find_contents,
    "tree": _find_contents,
    "releases": _find_releases,
}
