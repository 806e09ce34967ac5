"""Issues, pull requests and discussions of GitHub as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dowse.core.errors import BadAnswer
from dowse.core.models import Text
from dowse.core.text import one_line
from dowse.net.json_api import Json, string
from dowse.sites.compose import Part, PartList, compose_page, day, label, labels, title
from dowse.sites.github.targets import NAME
from dowse.sites.markup import quote_markdown

NOBODY = "ghost"
"""GitHub's own name for an author whose account is gone."""

# By their names in the REST API and in GraphQL.
_EMOJI = {
    ("+1", "THUMBS_UP"): "👍",
    ("-1", "THUMBS_DOWN"): "👎",
    ("laugh", "LAUGH"): "😄",
    ("hooray", "HOORAY"): "🎉",
    ("confused", "CONFUSED"): "😕",
    ("heart", "HEART"): "❤️",
    ("rocket", "ROCKET"): "🚀",
    ("eyes", "EYES"): "👀",
}
_MOST_LABELS = 20
_ROLES = ("OWNER", "MEMBER", "COLLABORATOR")
_DEEDS = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "requested changes",
    "COMMENTED": "reviewed",
    "DISMISSED": "reviewed (dismissed)",
}
_WORTHLESS = ("spam", "abuse")
# So that one long text leaves room for the others.
_BODY_SHARE, _REMARK_SHARE = 0.6, 0.25
# Headings of ours are above this level.
_THEIR_LEVEL = 5


def required(item: Json, name: str) -> str:
    """A field that no answer lacks: without it, this is an error message or nothing at all."""
    text = string(item, name)
    if not one_line(text):
        raise BadAnswer(NAME, f"the answer has no {name!r}")
    return text


def person(login: str, role: str = "") -> str:
    return f"@{label(login or NOBODY)}" + (f" ({role})" if role else "")


def login_of(value: object) -> str:
    """The name in an account; accounts that are gone are null."""
    return string(value, "login") if isinstance(value, dict) else ""


def role_of(association: str) -> str:
    return association.lower() if association in _ROLES else ""


def hidden_for(node: Json) -> str:
    return (string(node, "minimizedReason").lower() or "hidden") if node.get("isMinimized") is True else ""


def reactions_of(counts: Mapping[str, int]) -> str:
    """`👍 3 🎉 1`, from counts by either API's names."""
    found = [(emoji, counts.get(names[0]) or counts.get(names[1]) or 0) for names, emoji in _EMOJI.items()]
    return " ".join(f"{emoji} {count}" for emoji, count in found if count > 0)


def anchor_of(url: str) -> str:
    """What a permalink says behind the page's address."""
    anchor = url.rpartition("#")[2][:80]
    return anchor if anchor.replace("-", "").replace("_", "").isalnum() else ""


def count(item: Json, *names: str) -> int:
    """A number in an object, or in objects within; 0 where there is none."""
    value: object = item
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int) and value > 0 else 0


def deed(state: str) -> str:
    """What a reviewer did."""
    return _DEEDS.get(state, "reviewed")


def code_place(path: str, line: int) -> str:
    return label(path, 200) + (f" line {line}" if line else "")


def state_fact(state: str, detail: str, ended: str, *, is_locked: bool) -> str:
    """`State: closed (completed, 2026-02-01), locked`; what once was is no detail of what is open."""
    ending = ", ".join(filter(None, [detail, day(ended)])) if state in ("closed", "merged") else ""
    return f"State: {label(state)}" + (f" ({label(ending)})" if ending else "") + (", locked" if is_locked else "")


def change_facts(into: str, out_of: str, files: int, added: int, deleted: int) -> list[str]:
    return [
        f"Branches: {label(into)} ← {label(out_of)}" if into and out_of else "",
        f"Changes: {files} {'file' if files == 1 else 'files'}, +{added} −{deleted}" if files else "",
    ]


def label_facts(names: Sequence[str], milestone: str) -> list[str]:
    shown = labels(names, _MOST_LABELS)
    return [f"Labels: {shown}" if shown else "", f"Milestone: {label(milestone)}" if milestone else ""]


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


def compose_thread(thread: Thread, linked: Remark | None, limits: Limits, why: str, warnings: Sequence[str]) -> Text:
    """The conversation as a page: the answer, then what the address points to, then all in order.

    `why` says what kept away the remarks that are missing.
    """
    above = {remark.anchor for remark in (thread.answer, linked) if remark and remark.anchor}
    remarks = [_shown_above(remark) if remark.anchor in above else remark for remark in thread.remarks]
    return compose_page(
        thread.link,
        thread.title,
        [
            _opening(thread, limits),
            *_section("## Answer", thread.answer, thread, limits),
            *_section("## The linked comment", linked if linked != thread.answer else None, thread, limits),
            f"## {thread.noun.capitalize()}" if remarks else "",
        ],
        listed=PartList(thread.noun, _parts(remarks, thread, limits), thread.total, why),
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
    return quote_markdown(remark.body, _THEIR_LEVEL, limit) if remark.body.strip() else ""


def _shown_above(remark: Remark) -> Remark:
    return replace(remark, body="", replies=(), reply_count=0, mark="shown above")
