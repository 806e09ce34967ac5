"""The loader: which addresses are its own, and who reads what is behind them."""

from __future__ import annotations

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Deadline, Status, Text
from dowse.core.urls import Url
from dowse.sites.github import contents, conversations, releases, repositories
from dowse.sites.github.remarks import Limits
from dowse.sites.github.session import Session
from dowse.sites.github.urls import NAME, Contents, Conversation, Releases, Repository, Target, target
from dowse.sites.kit import TIMEOUT_S, Kit


class Github:
    """Reads pages of github.com through its APIs; what they do not have is left to the general reader."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: Kit) -> None:
        settings = kit.settings
        self._kit = kit
        self._token = settings.github_token.get_secret_value() if settings.github_token else ""
        self._limits = Limits(settings.github_max_comments, settings.github_max_chars)

    def accepts(self, url: Url) -> bool:
        return self._target(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        found = self._target(parsed) if parsed else None
        session = Session.start(self._kit, self._token, deadline)
        match found:
            case Repository():
                return await repositories.read(session, found, self._limits)
            case Conversation():
                return await conversations.read(session, found, self._limits)
            case Contents():
                return await contents.read(session, found, self._limits)
            case Releases():
                return await releases.read(session, found, self._limits)
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME} has no way to read this page")

    def _target(self, url: Url) -> Target | None:
        found = target(url)
        # Discussions are shown by GraphQL only, and that to nobody without a token.
        if isinstance(found, Conversation) and found.kind == "discussions" and not self._token:
            return None
        return found
