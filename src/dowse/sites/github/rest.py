"""Issues and pull requests of GitHub through its REST API, which needs no token."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from dowse.net.json_fields import Json, mapping, objects, string
from dowse.sites.github.api import GithubSession
from dowse.sites.github.targets import ConversationTarget
from dowse.sites.github.thread import (
    Remark,
    Thread,
    anchor_of,
    change_facts,
    code_place,
    count,
    is_submitted,
    label_facts,
    login_of,
    person,
    reactions_of,
    require,
    review_verb,
    role_of,
    state_fact,
)

_PAGE = 100
# Requests for a pull request besides those for its comments.
_FOR_REVIEWS = 2


async def load_thread(session: GithubSession, target: ConversationTarget, cap: int) -> Thread:
    """The thread with at most `cap` comments. After the first answer, failures only leave parts out."""
    await session.require_readable(target.repository)
    if target.kind == "pull":
        return await _load_pull(session, target, cap)
    issue = await session.get(f"{target.repository.api_path}/issues/{target.number}")
    if isinstance(issue.get("pull_request"), dict):
        return await _load_pull(session, replace(target, kind="pull"), cap)
    return await _load_issue(session, target, issue, cap)


async def load_comment(session: GithubSession, target: ConversationTarget) -> Remark | None:
    """The comment of the anchor."""
    kind, _, number = target.anchor.rpartition("-")
    if kind != "issuecomment" or not number.isdecimal():
        return None
    found = await session.try_get(f"{target.repository.api_path}/issues/comments/{number}", "the linked comment")
    return _remark(found) if found else None


async def _load_issue(session: GithubSession, target: ConversationTarget, issue: Json, cap: int) -> Thread:
    total = count(issue, "comments")
    comments = await _load_comments(session, target, total, cap, session.requests_left)
    return Thread(
        f"Issue in {target.repository}",
        require(issue, "title"),
        target.number,
        target.link,
        _remark(issue),
        [_issue_state(issue), *_labels(issue), f"Comments: {total}"],
        comments,
        max(total, len(comments)),
    )


async def _load_pull(session: GithubSession, target: ConversationTarget, cap: int) -> Thread:
    base = f"{target.repository.api_path}/pulls/{target.number}"
    pull = await session.get(base)
    total, total_on_code = count(pull, "comments"), count(pull, "review_comments")
    comments, reviews, on_code = await asyncio.gather(
        _load_comments(session, target, total, cap, session.requests_left - _FOR_REVIEWS),
        session.try_list(f"{base}/reviews", "the reviews", per_page=str(_PAGE)),
        session.try_list(f"{base}/comments", "the comments on the code", per_page=str(_PAGE))
        if total_on_code
        else _nothing(),
    )
    remarks = [*comments, *_reviews(reviews), *_code_threads(on_code)]
    missing = max(0, total - len(comments)) + max(0, total_on_code - len(on_code))
    return Thread(
        f"Pull request in {target.repository}",
        require(pull, "title"),
        target.number,
        target.link,
        _remark(pull),
        [_pull_state(pull), *_pull_facts(pull), *_labels(pull)],
        sorted(remarks, key=lambda remark: remark.moment)[:cap],
        len(remarks) + missing,
        "comments and reviews",
        # The API does not count reviews.
        uncounted=f"there may be more than {_PAGE} reviews" if len(reviews) >= _PAGE else "",
    )


async def _load_comments(
    session: GithubSession, target: ConversationTarget, total: int, cap: int, most_pages: int
) -> list[Remark]:
    """The first comments; pages fail one by one."""
    size, wanted = min(cap, _PAGE), min(total, cap)
    path = f"{target.repository.api_path}/issues/{target.number}/comments"
    pages = min(math.ceil(wanted / size), most_pages - bool(target.anchor))
    loaded = await asyncio.gather(
        *(session.try_list(path, per_page=str(size), page=str(page)) for page in range(1, pages + 1))
    )
    return [_remark(item) for items in loaded for item in items][:cap]


async def _nothing() -> list[Json]:
    return []


def _remark(item: Json) -> Remark:
    counts = mapping(item, "reactions")
    return Remark(
        login_of(item, "user"),
        string(item, "created_at", "submitted_at"),
        string(item, "body"),
        anchor_of(string(item, "html_url")),
        reactions_of({name: count(counts, name) for name in counts}),
        role_of(string(item, "author_association")),
    )


def _reviews(reviews: Sequence[Json]) -> list[Remark]:
    """Reviews with a verdict or a text; others only hold comments on the code."""
    shown = [review for review in reviews if is_submitted(review)]
    worded = [review for review in shown if string(review, "body") or string(review, "state") != "COMMENTED"]
    return [replace(_remark(review), did=review_verb(string(review, "state"))) for review in worded]


def _code_threads(comments: Sequence[Json]) -> list[Remark]:
    """Comments on the code, each with its replies."""
    replies: defaultdict[int, list[Remark]] = defaultdict(list)
    for item in comments:
        if parent := count(item, "in_reply_to_id"):
            replies[parent].append(_remark(item))
    firsts = [item for item in comments if not count(item, "in_reply_to_id")]
    return [
        replace(
            _remark(item),
            about=code_place(string(item, "path"), count(item, "line") or count(item, "original_line")),
            replies=tuple(replies[count(item, "id")]),
        )
        for item in firsts
    ]


def _issue_state(issue: Json) -> str:
    reason = string(issue, "state_reason").replace("_", " ")
    return state_fact(string(issue, "state"), reason, string(issue, "closed_at"), is_locked=issue.get("locked") is True)


def _pull_state(pull: Json) -> str:
    merged, closed = string(pull, "merged_at"), string(pull, "closed_at")
    state = "merged" if merged else "draft" if pull.get("draft") is True else string(pull, "state")
    by = login_of(pull, "merged_by")
    return state_fact(state, f"by {person(by)}" if by else "", merged or closed, is_locked=pull.get("locked") is True)


def _pull_facts(pull: Json) -> list[str]:
    into, out_of = string(mapping(pull, "base"), "ref"), string(mapping(pull, "head"), "label", "ref")
    return change_facts(into, out_of, count(pull, "changed_files"), count(pull, "additions"), count(pull, "deletions"))


def _labels(item: Json) -> list[str]:
    names = [string(each, "name") for each in objects(item.get("labels"))]
    return label_facts(names, string(mapping(item, "milestone"), "title"))
