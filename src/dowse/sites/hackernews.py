"""Discussions on Hacker News: a story, a poll, a job or one comment, with the tree of comments below it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import BadRequest, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Hit, Query, Status, Text
from dowse.core.urls import Url
from dowse.document.clean import to_plain_text
from dowse.net.json_api import PAGE_CHARS, Api, Json, first_hits, hit, items, objects, string, whole
from dowse.settings import Settings
from dowse.sites.compose import Part, compose_page, day, label, link, shift_headings, title
from dowse.sites.query import Period, keywords, period_of, without_tags
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, SiteHits, request_deadline

NAME = "hackernews"
_HOST = "news.ycombinator.com"
_NUMBER = re.compile(r"[1-9]\d{0,9}")
# Comments hardly know other links than addresses that were typed; once is enough.
_BARE_LINK = re.compile(r"\[(https?://[^\s\[\]()]{1,500})\]\(\1\)")
_NOT_FOUND = 404
# What a poll lets people choose from.
_MOST_OPTIONS = 50
# Converted text may be longer than its HTML: links are written out.
_HTML_CHARS = PAGE_CHARS // 2
# Lists that are nested more deeply are hard to follow; what is further down says whom it answers instead.
_DEEPEST = 3
_INDENT = "  "
_DISCUSSION = "https://news.ycombinator.com/item?id="
# It looks for every word, and titles are short.
_LONGEST_QUERY, _MOST_WORDS = 250, 6
_MOST = 50
_NOISE = frozenset("hacker news hn".split())


class HackerNewsLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = kit.api(NAME)
        self._extractor = kit.extractor
        self._base = kit.settings.hackernews_api_url.rstrip("/")
        self._max_comments = kit.settings.hackernews_max_comments

    def accepts(self, url: Url) -> bool:
        return _numbers_of(url)[0] > 0

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        number, linked = _numbers_of(parsed) if parsed else (0, 0)
        patience = request_deadline(deadline)
        source = await self._item(number, patience)
        story = await self._story_of(source, patience) if source.get("type") == "comment" else None
        root, every_option = tree_of(source), objects(source.get("options"))
        options = every_option[:_MOST_OPTIONS]
        shown = chosen(root, most=self._max_comments, max_chars=_HTML_CHARS, linked=linked)
        html = [root.html, *(string(option, "text") for option in options), *(item.html for item in shown)]
        markdown = await self._extractor.render(html, url=_HOME, timeout_s=deadline.remaining_s())
        body, *texts = (_BARE_LINK.sub(r"\1", text) for text in markdown)
        poll = [_option(*each) for each in zip(options, texts, strict=False)]
        poll += [f"- … and {len(every_option) - _MOST_OPTIONS} more"] if len(every_option) > _MOST_OPTIONS else []
        parts = threads(root, dict(zip(shown, texts[len(options) :], strict=True)), linked)
        what = "comments" if story is None else "replies"
        name, facts = _head_of_story(root, source) if story is None else _head_of_comment(root, source, story)
        head = Part(f"# {title(name) or 'Item without a title'}", facts, shift_headings(body, 3))
        return compose_page(
            root.url,
            name,
            [head, "\n".join(poll), f"## {what.capitalize()}" if parts else f"No {what} yet.", *parts],
            max_chars=PAGE_CHARS,
            rest=self._missing(root, len(shown)),
        )

    def _missing(self, root: Item, shown: int) -> str:
        """How many comments are not shown, and why."""
        if shown == root.below:
            return ""
        is_full = shown == self._max_comments
        why = f"HACKERNEWS_MAX_COMMENTS is {shown}" if is_full else f"the text is limited to {PAGE_CHARS} characters"
        return f"…(truncated: {shown} of {root.below} comments are shown; {why}; the whole is at {root.url})"

    async def _item(self, number: int, deadline: Deadline) -> Json:
        """The item with its whole tree of comments, in one answer."""
        try:
            source = await self._api.get(f"{self._base}/items/{number}", deadline, headers={}, params={})
        except BadRequest as error:
            if error.http_status != _NOT_FOUND:
                raise
            raise PageUnreadable(Status.ERROR, "the API of Hacker News has no such item") from error
        if not string(source, "author") or not string(source, "title", "text"):
            raise PageUnreadable(Status.ERROR, "the item was deleted")
        return source

    async def _story_of(self, comment: Json, deadline: Deadline) -> Json:
        """The story a comment belongs to, as far as it can be told: a page that lacks its title is still a page."""
        number = whole(comment, "story_id")
        params = {"tags": f"story_{number},(story,poll)", "hitsPerPage": "1"}
        try:
            answer = await self._api.get(f"{self._base}/search", deadline, headers={}, params=params)
            found = items(NAME, answer, "hits")[:1]
        except ProviderError:
            found = []
        return {**(found[0] if found else {}), "id": number}


def _head_of_story(root: Item, source: Json) -> tuple[str, list[str]]:
    """The title and the facts of a story, a poll or a job."""
    address, points = urls.parse(string(source, "url")), whole(source, "points")
    facts = [
        link("Discussion on Hacker News", root.url),
        f"Story: {address.href}" if address and address.scheme in ("http", "https") else "",
        f"By: {label(root.author)}",
        f"Date: {root.date}" if root.date else "",
        f"Points: {points}" if points else "",
        f"Comments: {root.below}",
    ]
    return string(source, "title"), facts


def _head_of_comment(root: Item, source: Json, story: Json) -> tuple[str, list[str]]:
    """The same of a single comment, with the way to the story and to what it answers."""
    title, number, parent = string(story, "title"), whole(story, "id"), whole(source, "parent_id")
    facts = [
        link("Comment on Hacker News", root.url),
        f"Date: {root.date}" if root.date else "",
        f"Story: {link(title or 'link', f'{_HOME}/item?id={number}')}" if number else "",
        link("In reply to another comment", f"{_HOME}/item?id={parent}") if parent not in (0, number) else "",
        f"Replies: {root.below}",
    ]
    return f"Comment by {root.author} on " + (f"“{title}”" if title else "Hacker News"), facts


def _option(option: Json, text: str) -> str:
    return f"- {title(to_plain_text(text))} ({whole(option, 'points')} points)"


def _numbers_of(url: Url) -> tuple[int, int]:
    """The item and the comment in its page that a URL leads to; 0 for none."""
    if not url.is_page_of(_HOST) or url.path != "/item":
        return 0, 0
    return _number(parse_qs(url.query).get("id", [""])[0]), _number(url.href.partition("#")[2])


def _number(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 0


_HOME = "https://news.ycombinator.com"


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
        return f"{_HOME}/item?id={self.number}"


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
            "\n\n".join([shift_headings(texts[top], 3), *_replies(top, texts, linked)]),
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
        lines.append(_indented(shift_headings(texts[item], 3), _INDENT * level))
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


class HackerNewsSearch:
    """Implements `SiteSearch`."""

    # The API allows 10,000 an hour; a shorter window needs less memory.
    rate = Rate(150, 60.0)

    def __init__(self, settings: Settings, api: Api) -> None:
        self._api = api
        self._base = settings.hackernews_api_url.rstrip("/")

    def address(self, query: Query) -> str:
        # Within a period the newest stories are wanted, else the best.
        wants_news = query.time_range or query.start_date or query.end_date
        return f"{self._base}/{'search_by_date' if wants_news else 'search'}"

    async def search(self, query: Query, deadline: Deadline) -> SiteHits:
        params = {
            "query": keywords(query.text, max_chars=_LONGEST_QUERY, most=_MOST_WORDS, without=_NOISE),
            "tags": "story",
            "hitsPerPage": str(min(query.num_results, _MOST)),
        }
        if filters := _filters(period_of(query, deadline.clock.today())):
            params["numericFilters"] = filters
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        return SiteHits(first_hits(map(_hit, items(NAME, body, "hits")), query.num_results))


def _filters(period: Period) -> str:
    first = f"created_at_i>={period.starts_at}" if period.first else ""
    last = f"created_at_i<{period.ends_at}" if period.last else ""
    return ",".join(filter(None, [first, last]))


def _hit(item: Json) -> Hit | None:
    number = string(item, "objectID")
    url = string(item, "url") or (f"{_DISCUSSION}{number}" if number.isdecimal() else "")
    facts = f"{whole(item, 'points')} points, {whole(item, 'num_comments')} comments on Hacker News"
    snippet = " · ".join(filter(None, [without_tags(string(item, "story_text")), facts]))
    return hit(string(item, "title"), url, snippet, engine=NAME, published=string(item, "created_at"))


SITE = Site(
    NAME,
    "Hacker News",
    loader=HackerNewsLoader,
    search=HackerNewsSearch,
    search_domains=("news.ycombinator.com",),
    filters_dates=True,
)
