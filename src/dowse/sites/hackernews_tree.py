"""The comments of a discussion as a tree: which of them are shown, and how they are written down."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from dowse.net.json_api import Json, objects, string, whole
from dowse.sites.compose import Part, day, label, link, shifted

SITE = "https://news.ycombinator.com"
# Lists that are nested more deeply are hard to follow; what is further down says whom it answers instead.
_DEEPEST = 3
_INDENT = "  "


@dataclass(eq=False, slots=True)
class Item:
    """A story or a comment, with the comments on it."""

    number: int
    author: str
    date: str
    html: str
    above: Item | None = None
    depth: int = 0
    answers_deleted: bool = False
    replies: list[Item] = field(default_factory=list)
    below: int = 0
    """How many comments there are on it, on those, and so on."""

    @property
    def url(self) -> str:
        return f"{SITE}/item?id={self.number}"


def tree_of(source: Json) -> Item:
    """The item with all comments, however deep. Deleted ones are left out; what answered them moves up."""
    root = _item(source, None)
    waiting = deque([(source, root)])
    while waiting:
        parent, above = waiting.popleft()
        for child in objects(parent.get("children")):
            item = _item(child, above)
            item.answers_deleted = whole(parent, "id") != above.number
            is_there = bool(item.author and item.html)
            if is_there:
                above.replies.append(item)
            waiting.append((child, item if is_there else above))
    for item in reversed(breadth_first(root)):
        if item.above is not None:
            item.above.below += item.below + 1
    return root


def breadth_first(*above: Item) -> list[Item]:
    """All comments on these, then those on the comments, and so on."""
    found, waiting = list[Item](), deque(reply for item in above for reply in item.replies)
    while waiting:
        item = waiting.popleft()
        found.append(item)
        waiting.extend(item.replies)
    return found


def chosen(root: Item, *, most: int, max_chars: int, linked: int) -> list[Item]:
    """Those that are shown: the linked one with all above it, then some threads with replies, then all others.

    A list of first words is no discussion: half of the room is for what was said to them.
    """
    everything, begun = breadth_first(root), root.replies[: (most + 1) // 2]
    first = [item for item in everything if item.number == linked][:1]
    while first and first[0].above is not None and first[0].above is not root:
        first.insert(0, first[0].above)
    shown, left = list[Item](), max_chars
    for item in dict.fromkeys([*first, *begun, *breadth_first(*begun), *everything]):
        left -= len(item.html)
        if len(shown) == most or (left < 0 and shown):
            break
        shown.append(item)
    return shown


def threads(root: Item, texts: Mapping[Item, str], linked: int) -> list[Part]:
    """Each comment on the story under a heading of its own, with what was said to it as a nested list."""
    return [
        Part(
            f"### {label(top.author)}",
            [link(top.date or "Link", top.url), *_marks(top, texts, linked)],
            "\n\n".join([shifted(texts[top], 3), *_replies(top, texts, linked)]),
        )
        for top in root.replies
        if top in texts
    ]


def _replies(top: Item, texts: Mapping[Item, str], linked: int) -> list[str]:
    """What is below a comment in the order of reading: every reply is followed by the replies to it."""
    lines = list[str]()
    waiting = list(reversed(top.replies))
    while waiting:
        item = waiting.pop()
        if item not in texts:
            continue
        waiting.extend(reversed(item.replies))
        level = min(item.depth - top.depth, _DEEPEST)
        facts = ", ".join([link(item.date or "link", item.url), *_marks(item, texts, linked)])
        lines.append(_indented(f"- **{label(item.author)}** ({facts}):", _INDENT * (level - 1)))
        lines.append(_indented(shifted(texts[item], 3), _INDENT * level))
    return lines


def _marks(item: Item, texts: Mapping[Item, str], linked: int) -> list[str]:
    """What has to be said of a comment besides who wrote it and when."""
    marks, hidden = list[str](), sum(1 + reply.below for reply in item.replies if reply not in texts)
    if item.answers_deleted:
        marks.append("reply to a deleted comment")
    elif item.above is not None and item.depth > _DEEPEST + 1:
        marks.append(f"reply to {label(item.above.author)}")
    if item.number == linked:
        marks.append("the link points here")
    if hidden:
        marks.append(f"{hidden} {'reply is' if hidden == 1 else 'replies are'} not shown")
    return marks


def _indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _item(source: Json, above: Item | None) -> Item:
    return Item(
        whole(source, "id"),
        string(source, "author"),
        day(source.get("created_at")),
        string(source, "text"),
        above,
        above.depth + 1 if above else 0,
    )
