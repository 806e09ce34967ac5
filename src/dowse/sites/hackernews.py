"""Discussions on Hacker News: a story, a poll, a job or one comment, with the tree of comments below it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from dowse.core import urls
from dowse.core.errors import BadRequest, PageUnreadable, ProviderError
from dowse.core.models import Deadline, Status, Text
from dowse.core.urls import Url
from dowse.document.clean import to_plain_text
from dowse.net.json_api import PAGE_CHARS, Json, items, objects, string, whole
from dowse.sites.compose import Part, label, link, page, shifted, title
from dowse.sites.hackernews_tree import SITE, Item, chosen, threads, tree_of
from dowse.sites.kit import TIMEOUT_S, Kit, asking

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


class HackerNews:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: Kit) -> None:
        self._api = kit.api(NAME)
        self._extractor = kit.extractor
        self._base = kit.settings.hackernews_api_url.rstrip("/")
        self._max_comments = kit.settings.hackernews_max_comments

    def accepts(self, url: Url) -> bool:
        return _numbers_of(url)[0] > 0

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        number, linked = _numbers_of(parsed) if parsed else (0, 0)
        patience = asking(deadline)
        source = await self._item(number, patience)
        story = await self._story_of(source, patience) if source.get("type") == "comment" else None
        root, every_option = tree_of(source), objects(source.get("options"))
        options = every_option[:_MOST_OPTIONS]
        shown = chosen(root, most=self._max_comments, max_chars=_HTML_CHARS, linked=linked)
        html = [root.html, *(string(option, "text") for option in options), *(item.html for item in shown)]
        markdown = await self._extractor.render(html, url=SITE, timeout_s=deadline.remaining_s())
        body, *texts = (_BARE_LINK.sub(r"\1", text) for text in markdown)
        poll = [_option(*each) for each in zip(options, texts, strict=False)]
        poll += [f"- … and {len(every_option) - _MOST_OPTIONS} more"] if len(every_option) > _MOST_OPTIONS else []
        parts = threads(root, dict(zip(shown, texts[len(options) :], strict=True)), linked)
        what = "comments" if story is None else "replies"
        name, facts = _head_of_story(root, source) if story is None else _head_of_comment(root, source, story)
        head = Part(f"# {title(name) or 'Item without a title'}", facts, shifted(body, 3))
        return page(
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
        f"Story: {link(title or 'link', f'{SITE}/item?id={number}')}" if number else "",
        link("In reply to another comment", f"{SITE}/item?id={parent}") if parent not in (0, number) else "",
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
