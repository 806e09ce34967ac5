"""Hacker News: stories, polls, jobs and comments with the discussion below them, and a search over stories."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from dowse.core import urls
from dowse.core.allowances import Rate
from dowse.core.errors import BadRequest, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Hit, Query, Status, Text
from dowse.core.text import count_noun, enclose
from dowse.core.urls import Url
from dowse.document.clean import to_plain_text
from dowse.net.json_api import PAGE_CHARS, Api
from dowse.net.json_fields import Json, first_hits, hit, items, objects, results, string, whole
from dowse.settings import Settings
from dowse.sites.compose import Part, compose_page, day, fact, label, link, shift_headings, title
from dowse.sites.query import Period, keywords, period_of, without_tags
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, SiteHits, request_deadline

NAME = "hackernews"
_HOST = "news.ycombinator.com"
_HOME = f"https://{_HOST}"
_NUMBER = re.compile(r"[1-9]\d{0,9}")
# A link with its address for a text, as most links in comments are.
_BARE_LINK = re.compile(r"\[(https?://[^\s\[\]()]{1,500})\]\(\1\)")
_NOT_FOUND = 404
_MOST_OPTIONS = 50
# Converted text may be longer than its HTML: links are written out.
_HTML_CHARS = PAGE_CHARS // 2
# Deepest level of nested lists; replies below it name the author of the parent instead.
_DEEPEST = 3
_INDENT = "  "
# Every word must occur, and titles are short.
_LONGEST_QUERY, _MOST_WORDS = 250, 6
_MOST = 50
_NOISE = frozenset("hacker news hn".split())


@dataclass(eq=False, slots=True)
class CommentNode:
    """A story or a comment, with the comments on it."""

    number: int
    author: str
    date: str
    html: str
    above: CommentNode | None = None
    depth: int = 0
    answers_deleted: bool = False
    replies: list[CommentNode] = field(default_factory=list)
    below: int = 0
    """Number of comments at all depths."""

    @property
    def url(self) -> str:
        return _item_url(self.number)


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
        return _find_numbers(url)[0] > 0

    async def read(self, url: str, deadline: Deadline) -> Text:
        number, linked = _find_numbers(urls.parse(url))
        requests = request_deadline(deadline)
        source = await self._get_item(number, requests)
        story = await self._find_story(source, requests) if source.get("type") == "comment" else None
        root, options = _read_tree(source), objects(source.get("options"))
        shown = _choose_comments(root, most=self._max_comments, max_chars=_HTML_CHARS, linked=linked)
        polled = [string(option, "text") for option in options[:_MOST_OPTIONS]]
        html = [root.html, *polled, *(item.html for item in shown)]
        markdown = await self._extractor.render(html, url=_HOME, timeout_s=deadline.remaining_s())
        body, *texts = (_BARE_LINK.sub(r"\1", text) for text in markdown)
        name, facts = _describe_story(root, source) if story is None else _describe_comment(root, source, story)
        threads = _compose_threads(root, dict(zip(shown, texts[len(polled) :], strict=True)), linked)
        what = "comments" if story is None else "replies"
        return compose_page(
            root.url,
            name,
            [
                Part(f"# {title(name) or 'Item without a title'}", facts, shift_headings(body, 3)),
                _list_options(options, texts),
                f"## {what.capitalize()}" if threads else f"No {what} yet.",
                *threads,
            ],
            max_chars=PAGE_CHARS,
            rest=self._count_missing(root, len(shown)),
        )

    def _count_missing(self, root: CommentNode, shown: int) -> str:
        """A note on the number of missing comments and the reason."""
        if shown == root.below:
            return ""
        is_full = shown == self._max_comments
        why = f"HACKERNEWS_MAX_COMMENTS is {shown}" if is_full else f"the text is limited to {PAGE_CHARS} characters"
        return f"…(truncated: {shown} of {root.below} comments are shown; {why}; the whole is at {root.url})"

    async def _get_item(self, number: int, deadline: Deadline) -> Json:
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

    async def _find_story(self, comment: Json, deadline: Deadline) -> Json:
        """The story of a comment; only its number on failure."""
        number = whole(comment, "story_id")
        params = {"tags": f"story_{number},(story,poll)", "hitsPerPage": "1"}
        try:
            answer = await self._api.get(f"{self._base}/search", deadline, headers={}, params=params)
            found = items(NAME, answer, "hits")[:1]
        except ProviderError:
            found = []
        return {**(found[0] if found else {}), "id": number}


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
        return SiteHits(first_hits(list(map(_hit, results(NAME, body, "hits"))), query.num_results))


def _describe_story(root: CommentNode, source: Json) -> tuple[str, list[str]]:
    """The title and the facts of a story, a poll or a job."""
    address = urls.parse_web(string(source, "url"))
    facts = [
        link("Discussion on Hacker News", root.url),
        f"Story: {address.href}" if address else "",
        f"By: {label(root.author)}",
        fact("Date", root.date),
        fact("Points", whole(source, "points")),
        f"Comments: {root.below}",
    ]
    return string(source, "title"), facts


def _describe_comment(root: CommentNode, source: Json, story: Json) -> tuple[str, list[str]]:
    """The title and the facts of a comment, with links to its story and its parent."""
    title, number, parent = string(story, "title"), whole(story, "id"), whole(source, "parent_id")
    facts = [
        link("Comment on Hacker News", root.url),
        fact("Date", root.date),
        f"Story: {link(title or 'link', _item_url(number))}" if number else "",
        link("In reply to another comment", _item_url(parent)) if parent not in (0, number) else "",
        f"Replies: {root.below}",
    ]
    return f"Comment by {root.author} on " + (f"“{title}”" if title else "Hacker News"), facts


def _list_options(options: Sequence[Json], texts: Sequence[str]) -> str:
    """The options of a poll with their points; `texts` begins with those of the first options."""
    lines = [
        f"- {title(to_plain_text(text))} ({whole(option, 'points')} points)"
        for option, text in zip(options[:_MOST_OPTIONS], texts, strict=False)
    ]
    more = [f"- … and {len(options) - _MOST_OPTIONS} more"] if len(options) > _MOST_OPTIONS else []
    return "\n".join([*lines, *more])


def _find_numbers(url: Url | None) -> tuple[int, int]:
    """The item of a URL and the comment of its fragment; 0 for none."""
    if url is None or not url.is_page_of(_HOST) or url.path != "/item":
        return 0, 0
    return _number(parse_qs(url.query).get("id", [""])[0]), _number(url.href.partition("#")[2])


def _item_url(number: int | str) -> str:
    return f"{_HOME}/item?id={number}"


def _number(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 0


def _read_tree(source: Json) -> CommentNode:
    """The item with all comments. Deleted ones are left out, and replies to them move up."""
    root = _read_item(source, None)
    waiting = deque([(source, root)])
    while waiting:
        parent, above = waiting.popleft()
        for child in objects(parent.get("children")):
            item = _read_item(child, above)
            item.answers_deleted = whole(parent, "id") != above.number
            is_there = bool(item.author and item.html)
            if is_there:
                above.replies.append(item)
            waiting.append((child, item if is_there else above))
    _count_comments(root)
    return root


def _count_comments(root: CommentNode) -> None:
    for item in reversed(_walk(root)):
        if item.above is not None:
            item.above.below += item.below + 1


def _walk(*above: CommentNode) -> list[CommentNode]:
    """All comments below some items, breadth first."""
    found, waiting = list[CommentNode](), deque(reply for item in above for reply in item.replies)
    while waiting:
        item = waiting.popleft()
        found.append(item)
        waiting.extend(item.replies)
    return found


def _choose_comments(root: CommentNode, *, most: int, max_chars: int, linked: int) -> list[CommentNode]:
    """The comments to show: the linked one with its ancestors, then some threads with replies, then all others.

    Half of the room is for replies: a list of top-level comments is no discussion.
    """
    everything, begun = _walk(root), root.replies[: (most + 1) // 2]
    first = _find_with_ancestors(everything, linked)
    shown, left = list[CommentNode](), max_chars
    for item in dict.fromkeys([*first, *begun, *_walk(*begun), *everything]):
        left -= len(item.html)
        if len(shown) == most or (left < 0 and shown):
            break
        shown.append(item)
    return shown


def _find_with_ancestors(comments: Sequence[CommentNode], number: int) -> list[CommentNode]:
    """A comment and those above it, the topmost first; none without such a comment."""
    found = [item for item in comments if item.number == number][:1]
    # The story or comment of the page is above all of them.
    while found and found[0].above is not None and found[0].above.above is not None:
        found.insert(0, found[0].above)
    return found


def _compose_threads(root: CommentNode, texts: Mapping[CommentNode, str], linked: int) -> list[Part]:
    """Each top-level comment under a heading, with its replies as a nested list."""
    return [
        Part(
            f"### {label(top.author)}",
            [link(top.date or "Link", top.url), *_marks(top, texts, linked)],
            "\n\n".join([shift_headings(texts[top], 3), *_list_replies(top, texts, linked)]),
        )
        for top in root.replies
        if top in texts
    ]


def _list_replies(top: CommentNode, texts: Mapping[CommentNode, str], linked: int) -> list[str]:
    """The replies below a comment, depth first."""
    lines = list[str]()
    waiting = list(reversed(top.replies))
    while waiting:
        item = waiting.pop()
        if item not in texts:
            continue
        waiting.extend(reversed(item.replies))
        level = min(item.depth - top.depth, _DEEPEST)
        facts = ", ".join([link(item.date or "link", item.url), *_marks(item, texts, linked)])
        lines.append(_indent(f"- **{label(item.author)}** ({facts}):", _INDENT * (level - 1)))
        lines.append(_indent(shift_headings(texts[item], 3), _INDENT * level))
    return lines


def _marks(item: CommentNode, texts: Mapping[CommentNode, str], linked: int) -> list[str]:
    """Remarks on a comment: its parent, the link of the URL, and missing replies."""
    marks, hidden = list[str](), sum(1 + reply.below for reply in item.replies if reply not in texts)
    if item.answers_deleted:
        marks.append("reply to a deleted comment")
    elif item.above is not None and item.depth > _DEEPEST + 1:
        marks.append(f"reply to {label(item.above.author)}")
    if item.number == linked:
        marks.append("the link points here")
    if hidden:
        marks.append(f"{count_noun(hidden, 'reply is', 'replies are')} not shown")
    return marks


def _indent(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _read_item(source: Json, above: CommentNode | None) -> CommentNode:
    return CommentNode(
        whole(source, "id"),
        string(source, "author"),
        day(source.get("created_at")),
        string(source, "text"),
        above,
        above.depth + 1 if above else 0,
    )


def _filters(period: Period) -> str:
    bounds = [enclose("created_at_i>=", period.starts_at), enclose("created_at_i<", period.ends_at)]
    return ",".join(filter(None, bounds))


def _hit(item: Json) -> Hit | None:
    number = string(item, "objectID")
    url = string(item, "url") or (_item_url(number) if number.isdecimal() else "")
    facts = f"{whole(item, 'points')} points, {whole(item, 'num_comments')} comments on Hacker News"
    snippet = " · ".join(filter(None, [without_tags(string(item, "story_text")), facts]))
    return hit(string(item, "title"), url, snippet, engine=NAME, published=string(item, "created_at"))


SITE = Site(loader=HackerNewsLoader, search=HackerNewsSearch)
