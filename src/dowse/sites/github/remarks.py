"""What people say to each other on GitHub, whichever API told it, and how it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.core.models import Text
from dowse.sites.compose import Listed, Part, day, label, page, title
from dowse.sites.github.facts import person
from dowse.sites.markup import quoted

_WORTHLESS = ("spam", "abuse")
# So that one long text leaves room for the others.
_BODY_SHARE, _REMARK_SHARE = 0.6, 0.25
# Headings of ours are above this level.
_THEIR_LEVEL = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The caps that the user has set."""

    comments: int
    chars: int


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing somebody said. `did` is what they did by it, `about` what it is about, `hidden` why it was hidden."""

    author: str
    moment: str
    body: str
    anchor: str = ""
    reactions: str = ""
    role: str = ""
    did: str = ""
    about: str = ""
    hidden: str = ""
    mark: str = ""
    replies: tuple[Remark, ...] = ()
    reply_count: int = 0


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation: what it is about, and what has been said.

    `total` counts the remarks that are not here, too; `uncounted` says what it does not count.
    """

    kind: str
    title: str
    number: int
    link: str
    opening: Remark
    facts: Sequence[str]
    remarks: Sequence[Remark]
    total: int
    noun: str = "comments"
    answer: Remark | None = None
    uncounted: str = ""


def thread_page(thread: Thread, linked: Remark | None, limits: Limits, why: str, warnings: Sequence[str]) -> Text:
    """The conversation as a page: the answer, then what the address points to, then all in order.

    `why` says what kept away the remarks that are missing.
    """
    above = {remark.anchor for remark in (thread.answer, linked) if remark and remark.anchor}
    remarks = [_shown_above(remark) if remark.anchor in above else remark for remark in thread.remarks]
    return page(
        thread.link,
        thread.title,
        [
            _opening(thread, limits),
            *_section("## Answer", thread.answer, thread, limits),
            *_section("## The linked comment", linked if linked != thread.answer else None, thread, limits),
            f"## {thread.noun.capitalize()}" if remarks else "",
        ],
        listed=Listed(thread.noun, _parts(remarks, thread, limits), thread.total, why),
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        rest=f"…({thread.uncounted}; the whole is at {thread.link})" if thread.uncounted else "",
        warnings=warnings,
    )


def _opening(thread: Thread, limits: Limits) -> Part:
    said = thread.opening
    facts = [
        thread.kind,
        f"Link: {thread.link}",
        f"Author: {person(said.author, said.role)}",
        f"Date: {day(said.moment)}" if day(said.moment) else "",
        *thread.facts,
        f"Reactions: {said.reactions}" if said.reactions else "",
    ]
    share = _BODY_SHARE if thread.remarks else 1.0
    return Part(f"# {title(thread.title)} (#{thread.number})", facts, _body(said, int(limits.chars * share)))


def _section(heading: str, remark: Remark | None, thread: Thread, limits: Limits) -> Sequence[Part | str]:
    return (heading, _part(remark, thread, limits)) if remark else ()


def _parts(remarks: Sequence[Remark], thread: Thread, limits: Limits) -> list[Part]:
    """All of them; those that cannot be on the page any more have a heading only, which is enough to count them."""
    parts, left = [], limits.chars
    for remark in remarks:
        parts.append(_part(remark if left > 0 else replace(remark, body="", replies=()), thread, limits))
        left -= len(str(parts[-1]))
    return parts


def _part(remark: Remark, thread: Thread, limits: Limits, level: int = 3) -> Part:
    did = f" {remark.did}" if remark.did else ""
    about = f" on {remark.about}" if remark.about else ""
    role = "author" if remark.author == thread.opening.author and remark.author else remark.role
    when = f", {day(remark.moment)}" if day(remark.moment) else ""
    mark = f" ({remark.mark})" if remark.mark else ""
    facts = [
        f"hidden as {label(remark.hidden)}" if remark.hidden else "",
        remark.reactions,
        f"{thread.link}#{remark.anchor}" if remark.anchor else "",
    ]
    body = _body(remark, max(200, int(limits.chars * _REMARK_SHARE)))
    replies = [str(_part(reply, thread, limits, level + 1)) for reply in remark.replies]
    missing = remark.reply_count - len(replies)
    note = f"…({len(replies)} of {remark.reply_count} replies are shown)" if missing > 0 else ""
    text = "\n\n".join(filter(None, [body, *replies, note]))
    return Part(f"{'#' * level} {person(remark.author, role)}{did}{about}{when}{mark}", facts, text)


def _body(remark: Remark, limit: int) -> str:
    if remark.hidden in _WORTHLESS:
        return "(left out)"
    return quoted(remark.body, _THEIR_LEVEL, limit) if remark.body.strip() else ""


def _shown_above(remark: Remark) -> Remark:
    return replace(remark, body="", replies=(), reply_count=0, mark="shown above")
