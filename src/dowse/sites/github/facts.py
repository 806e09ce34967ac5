"""Single facts out of GitHub's answers, as both APIs tell them, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dowse.core.errors import BadAnswer
from dowse.core.text import one_line
from dowse.net.json_api import Json, string
from dowse.sites.compose import day, label, labels
from dowse.sites.github.urls import NAME

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
