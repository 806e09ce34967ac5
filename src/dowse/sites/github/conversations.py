"""Issues, pull requests and discussions: GraphQL where there is a token, REST otherwise and where GraphQL fails."""

from __future__ import annotations

from dowse.core.errors import ProviderError
from dowse.core.models import Text
from dowse.sites.github import graphql, rest
from dowse.sites.github.remarks import Limits, Remark, Thread, thread_page
from dowse.sites.github.session import Session
from dowse.sites.github.urls import Conversation


async def read(session: Session, target: Conversation, limits: Limits) -> Text:
    thread = await _thread(session, target, limits.comments)
    linked = _linked(thread, target.anchor)
    if linked is None and target.anchor and thread.total > len(thread.remarks):
        linked = await rest.comment(session, target)
    return thread_page(thread, linked, limits, _why(thread, limits, session), session.warnings)


async def _thread(session: Session, target: Conversation, cap: int) -> Thread:
    if target.kind == "discussions":
        # There is no other API for them.
        return await graphql.discussion(session, target, cap)
    if session.token:
        try:
            return await graphql.thread(session, target, cap)
        except ProviderError:
            # REST has a limit of its own, and shows what is public to everybody.
            pass
    return await rest.thread(session, target, cap)


def _linked(thread: Thread, anchor: str) -> Remark | None:
    """The remark that the address points to, or the one it replies to."""
    for remark in thread.remarks if anchor else ():
        if anchor in (remark.anchor, *(reply.anchor for reply in remark.replies)):
            return remark
    return None


def _why(thread: Thread, limits: Limits, session: Session) -> str:
    """What kept the other remarks away: the user's cap, GitHub, or the number of requests that one page may take."""
    if len(thread.remarks) >= limits.comments:
        return f"GITHUB_MAX_COMMENTS is {limits.comments}"
    return "the others could not be loaded" if session.is_short else "no more are loaded for one page"
