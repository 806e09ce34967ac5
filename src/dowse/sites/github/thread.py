"""Issues, pull requests and discussions of GitHub as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dowse.core.errors import BadAnswer
from dowse.core.models import Text
from dowse.core.text import one_line
from dowse.net.json_fields import Json, mapping, string
from dowse.sites.compose import Part, PartList, compose_page, day, label, labels, title
from dowse.sites.github.targets import NAME
from dowse.sites.markup import quote_markdown

# GitHub's name for the author of a deleted account.
_GHOST = "ghost"
# By their names in REST and in GraphQL.
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
_REVIEWS = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "requested changes",
    "COMMENTED": "reviewed",
    "DISMISSED": "reviewed (dismissed)",
}
_WORTHLESS = ("spam", "abuse")
# Shares of the page for one text, which leave room for the others.
_BODY_SHARE, _REMARK_SHARE = 0.6, 0.25
# Level of headings inside remarks, below those of the page.
_QUOTED_LEVEL = 5


@dataclass(frozen=True, slots=True)
class ThreadLimits:
    """The limits of the settings."""

    comments: int
    chars: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment, a review or a reply; `did` is the verb of a review, `about` a place in the code, `hidden` a reason."""

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
    """An issue, a pull request or a discussion; `total` includes remarks not loaded, except the `uncounted` ones."""

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


def compose_thread(
    thread: Thread, linked: Remark | None, limits: ThreadLimits, why: str, warnings: Sequence[str]
) -> Text:
    """The page of a thread: opening, answer, linked remark, then all in order. `why` explains missing remarks."""
    above = {remark.anchor for remark in (thread.answer, linked) if remark and remark.anchor}
    remarks = [_replace_by_mark(remark) if remark.anchor in above else remark for remark in thread.remarks]
    return compose_page(
        thread.link,
        thread.title,
        [
            _compose_opening(thread, limits),
            *_compose_section("## Answer", thread.answer, thread, limits),
            *_compose_section("## The linked comment", linked if linked != thread.answer else None, thread, limits),
            f"## {thread.noun.capitalize()}" if remarks else "",
        ],
        listed=PartList(thread.noun, _compose_remarks(remarks, thread, limits), thread.total, why),
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        rest=f"…({thread.uncounted}; the whole is at {thread.link})" if thread.uncounted else "",
        warnings=warnings,
    )


def _compose_opening(thread: Thread, limits: ThreadLimits) -> Part:
    opening = thread.opening
    facts = [
        thread.kind,
        f"Link: {thread.link}",
        f"Author: {person(opening.author, opening.role)}",
        f"Date: {day(opening.moment)}" if day(opening.moment) else "",
        *thread.facts,
        f"Reactions: {opening.reactions}" if opening.reactions else "",
    ]
    share = _BODY_SHARE if thread.remarks else 1.0
    return Part(f"# {title(thread.title)} (#{thread.number})", facts, _quote_body(opening, int(limits.chars * share)))


def _compose_section(heading: str, remark: Remark | None, thread: Thread, limits: ThreadLimits) -> Sequence[Part | str]:
    return (heading, _compose_remark(remark, thread, limits)) if remark else ()


def _compose_remarks(remarks: Sequence[Remark], thread: Thread, limits: ThreadLimits) -> list[Part]:
    """All remarks; those beyond the limit of the page as headings only, which suffice for counting."""
    parts, left = [], limits.chars
    for remark in remarks:
        parts.append(_compose_remark(remark if left > 0 else replace(remark, body="", replies=()), thread, limits))
        left -= len(str(parts[-1]))
    return parts


def _compose_remark(remark: Remark, thread: Thread, limits: ThreadLimits, level: int = 3) -> Part:
    facts = [
        f"hidden as {label(remark.hidden)}" if remark.hidden else "",
        remark.reactions,
        f"{thread.link}#{remark.anchor}" if remark.anchor else "",
    ]
    body = _quote_body(remark, max(200, int(limits.chars * _REMARK_SHARE)))
    replies = [str(_compose_remark(reply, thread, limits, level + 1)) for reply in remark.replies]
    is_cut = remark.reply_count > len(replies)
    note = f"…({len(replies)} of {remark.reply_count} replies are shown)" if is_cut else ""
    text = "\n\n".join(filter(None, [body, *replies, note]))
    return Part(f"{'#' * level} {_byline(remark, thread)}", facts, text)


def _byline(remark: Remark, thread: Thread) -> str:
    """`@ana (owner) approved on a.py line 3, 2026-02-01 (resolved)`."""
    role = "author" if remark.author == thread.opening.author and remark.author else remark.role
    pieces = [
        f" {remark.did}" if remark.did else "",
        f" on {remark.about}" if remark.about else "",
        f", {day(remark.moment)}" if day(remark.moment) else "",
        f" ({remark.mark})" if remark.mark else "",
    ]
    return person(remark.author, role) + "".join(pieces)


def _quote_body(remark: Remark, limit: int) -> str:
    if remark.hidden in _WORTHLESS:
        return "(left out)"
    return quote_markdown(remark.body, _QUOTED_LEVEL, limit) if remark.body.strip() else ""


def _replace_by_mark(remark: Remark) -> Remark:
    return replace(remark, body="", replies=(), reply_count=0, mark="shown above")


def require(item: Json, name: str) -> str:
    """A field that every answer has. Raises `BadAnswer` without it."""
    text = string(item, name)
    if not one_line(text):
        raise BadAnswer(NAME, f"the answer has no {name!r}")
    return text


def person(login: str, role: str = "") -> str:
    return f"@{label(login or _GHOST)}" + (f" ({role})" if role else "")


def login_of(item: Json, name: str) -> str:
    """The login of an account; empty for a deleted one, which is null."""
    return string(mapping(item, name), "login")


def role_of(association: str) -> str:
    return association.lower() if association in _ROLES else ""


def hidden_for(node: Json) -> str:
    return (string(node, "minimizedReason").lower() or "hidden") if node.get("isMinimized") is True else ""


def reactions_of(counts: Mapping[str, int]) -> str:
    """`👍 3 🎉 1`, from counts by the names of either API."""
    found = [(emoji, counts.get(names[0]) or counts.get(names[1]) or 0) for names, emoji in _EMOJI.items()]
    return " ".join(f"{emoji} {count}" for emoji, count in found if count > 0)


def anchor_of(url: str) -> str:
    """The fragment of a permalink."""
    anchor = url.rpartition("#")[2][:80]
    return anchor if anchor.replace("-", "").replace("_", "").isalnum() else ""


def count(item: Json, *names: str) -> int:
    """A number in nested objects; 0 for anything else."""
    value: object = item
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int) and value > 0 else 0


def review_verb(state: str) -> str:
    return _REVIEWS.get(state, "reviewed")


def is_submitted(review: Json) -> bool:
    """Whether others see a review or a comment on the code: a pending one is shown to the owner of the token only."""
    return string(review, "state") != "PENDING"


def code_place(path: str, line: int) -> str:
    return label(path, 200) + (f" line {line}" if line else "")


def state_fact(state: str, detail: str, ended: str, *, is_locked: bool) -> str:
    """`State: closed (completed, 2026-02-01), locked`; details only of an ended thread."""
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
