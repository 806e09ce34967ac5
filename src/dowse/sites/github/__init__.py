"""GitHub: issues, pull requests, discussions, repositories, files and releases, and a search over them."""

from __future__ import annotations

from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import NotRead, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Principal, Status, Text
from dowse.core.urls import Url
from dowse.sites.github.api import (
    GithubSearch,
    GithubSession,
    PrivateAccess,
    Visibilities,
    missing,
    with_failures,
)
from dowse.sites.github.graphql import load_discussion, load_thread_with_token
from dowse.sites.github.repository import read_contents, read_releases, read_repository
from dowse.sites.github.rest import load_comment, load_thread
from dowse.sites.github.targets import (
    NAME,
    Contents,
    ConversationTarget,
    Releases,
    Repository,
    Target,
    find_repository,
    find_target,
)
from dowse.sites.github.thread import Remark, Thread, ThreadLimits, compose_thread
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site


class GithubLoader:
    """Implements `protocols.SiteLoader` for pages of github.com that its APIs cover."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        settings = kit.settings
        self._kit = kit
        self._token = settings.github_token.get_secret_value() if settings.github_token else ""
        self._limits = ThreadLimits(settings.github_max_comments, settings.github_max_chars)
        self._visibilities = Visibilities()

    def accepts(self, url: Url) -> bool:
        return self._find_target(url) is not None

    def private_reader(self, url: Url, caller: Principal) -> PrivateReader | None:
        """Implements `protocols.PrivatePages`: a reader for repositories that GITHUB_PRIVATE opens to the caller."""
        repository, access = find_repository(url), PrivateAccess.of(caller, self._kit.settings.github_private)
        return PrivateReader(self, access) if repository and access.covers(str(repository)) else None

    async def read(self, url: str, deadline: Deadline) -> Text:
        return await self.load(url, deadline, PrivateAccess())

    async def load(self, url: str, deadline: Deadline, access: PrivateAccess) -> Text:
        """The page, if its repository is public or within `access`."""
        parsed = urls.parse(url)
        target = self._find_target(parsed) if parsed else None
        session = self._start(deadline, access)
        match target:
            case Repository():
                return await read_repository(session, target, self._limits)
            case ConversationTarget():
                return await _read_conversation(session, target, self._limits)
            case Contents():
                return await read_contents(session, target, self._limits)
            case Releases():
                return await read_releases(session, target, self._limits)
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME} has no way to read this page")

    def _start(self, deadline: Deadline, access: PrivateAccess) -> GithubSession:
        api = with_failures(self._kit.api(NAME), has_token=bool(self._token))
        base = self._kit.settings.github_api_url.rstrip("/")
        return GithubSession(api, base, self._token, deadline, self._visibilities, access)

    def _find_target(self, url: Url) -> Target | None:
        target = find_target(url)
        # Discussions are in the GraphQL API only, which requires a token.
        if isinstance(target, ConversationTarget) and target.kind == "discussions" and not self._token:
            return None
        return target


class PrivateReader:
    """Implements `protocols.PageReader` for one caller; its texts are not cached."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, loader: GithubLoader, access: PrivateAccess) -> None:
        self._loader = loader
        self._access = access

    async def read(self, url: str, deadline: Deadline) -> Text:
        return replace(await self._loader.load(url, deadline, self._access), may_be_kept=False)


async def _read_conversation(session: GithubSession, target: ConversationTarget, limits: ThreadLimits) -> Text:
    thread = await _load_thread(session, target, limits.comments)
    linked = _find_linked(thread, target.anchor)
    if linked is None and target.anchor and thread.total > len(thread.remarks):
        linked = await load_comment(session, target)
    return compose_thread(thread, linked, limits, _why_cut(thread, limits, session), session.warnings)


async def _load_thread(session: GithubSession, target: ConversationTarget, cap: int) -> Thread:
    """Through GraphQL with a token; through REST without one, or where GraphQL fails."""
    if target.kind == "discussions":
        try:
            return await load_discussion(session, target, cap)
        except NotRead:
            # Also where the owner of the token may not see it: that it exists is not for others to know.
            raise missing() from None
    if session.token:
        try:
            return await load_thread_with_token(session, target, cap)
        except ProviderError:
            # REST has a rate limit of its own, and shows public pages without a token.
            pass
    return await load_thread(session, target, cap)


def _find_linked(thread: Thread, anchor: str) -> Remark | None:
    """The remark of the anchor, or the parent of the reply that it names."""
    for remark in thread.remarks if anchor else ():
        if anchor in (remark.anchor, *(reply.anchor for reply in remark.replies)):
            return remark
    return None


def _why_cut(thread: Thread, limits: ThreadLimits, session: GithubSession) -> str:
    """The reason for missing remarks: the setting, a failure, or the limit of requests for one page."""
    if len(thread.remarks) >= limits.comments:
        return f"GITHUB_MAX_COMMENTS is {limits.comments}"
    return "the others could not be loaded" if session.is_short else "no more are loaded for one page"


SITE = Site(loader=GithubLoader, search=GithubSearch)
