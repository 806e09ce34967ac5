"""Issues, pull requests and discussions by GraphQL: one request for nearly everything, with a token only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dowse.core.errors import PageUnreadable, ProviderError
from dowse.net.json_fields import Json, mapping, objects, string
from dowse.sites.compose import day, label
from dowse.sites.github.api import GithubSession, missing
from dowse.sites.github.targets import ConversationTarget
from dowse.sites.github.thread import (
    Remark,
    Thread,
    anchor_of,
    change_facts,
    code_place,
    count,
    hidden_for,
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

_SAID = "author { login } authorAssociation body createdAt url reactionGroups { content reactors { totalCount } }"
_HIDDEN = "isMinimized minimizedReason"
_PAGED = "totalCount pageInfo { hasNextPage endCursor }"
_TAGGED = "title locked closedAt labels(first: 100) { nodes { name } } milestone { title }"
_COMMENTS = f"comments(first: $first, after: $after) {{ {_PAGED} nodes {{ {_SAID} {_HIDDEN} }} }}"
# Decides whether the answer may be used; see `GithubSession`.
_VISIBLE = "nameWithOwner isPrivate visibility"
_ARGUMENTS = "($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String)"

# The two states have names of their own: fields of different types may not share one.
CONVERSATION = f"""
query Conversation{_ARGUMENTS} {{
  repository(owner: $owner, name: $name) {{
    {_VISIBLE}
    issueOrPullRequest(number: $number) {{
      __typename
      ... on Issue {{
        {_TAGGED} {_SAID} issueState: state stateReason
        {_COMMENTS}
      }}
      ... on PullRequest {{
        {_TAGGED} {_SAID} pullState: state isDraft mergedAt mergedBy {{ login }}
        baseRefName headRefName headRepositoryOwner {{ login }} changedFiles additions deletions
        {_COMMENTS}
        reviews(first: 50) {{ totalCount nodes {{ {_SAID} state }} }}
        reviewThreads(first: 50) {{
          totalCount
          nodes {{
            path line originalLine isResolved isOutdated
            comments(first: 20) {{ totalCount nodes {{ {_SAID} {_HIDDEN} state }} }}
          }}
        }}
      }}
    }}
  }}
}}
"""

MORE_COMMENTS = f"""
query MoreComments{_ARGUMENTS} {{
  repository(owner: $owner, name: $name) {{
    {_VISIBLE}
    issueOrPullRequest(number: $number) {{
      ... on Issue {{ {_COMMENTS} }}
      ... on PullRequest {{ {_COMMENTS} }}
    }}
  }}
}}
"""

_REPLY = f"{_SAID} {_HIDDEN} isAnswer upvoteCount"
_DISCUSSED = f"{_REPLY} replies(first: 20) {{ totalCount nodes {{ {_REPLY} }} }}"
_DISCUSSION_COMMENTS = f"comments(first: $first, after: $after) {{ {_PAGED} nodes {{ {_DISCUSSED} }} }}"

DISCUSSION = f"""
query Discussion{_ARGUMENTS} {{
  repository(owner: $owner, name: $name) {{
    {_VISIBLE}
    discussion(number: $number) {{
      title {_SAID} category {{ name }} closed closedAt stateReason locked updatedAt upvoteCount
      isAnswered answerChosenBy {{ login }} answer {{ {_DISCUSSED} }}
      {_DISCUSSION_COMMENTS}
    }}
  }}
}}
"""

MORE_DISCUSSION_COMMENTS = f"""
query MoreDiscussionComments{_ARGUMENTS} {{
  repository(owner: $owner, name: $name) {{
    {_VISIBLE}
    discussion(number: $number) {{ {_DISCUSSION_COMMENTS} }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of thread: its field in the answer, its queries, and the comments in one page."""

    name: str
    query: str
    more: str
    page: int


_CONVERSATION = _Kind("issueOrPullRequest", CONVERSATION, MORE_COMMENTS, 100)
# Smaller pages: each comment brings its replies, and GitHub limits the nodes of a query.
_DISCUSSION = _Kind("discussion", DISCUSSION, MORE_DISCUSSION_COMMENTS, 50)


async def load_thread_with_token(session: GithubSession, target: ConversationTarget, cap: int) -> Thread:
    """An issue or a pull request, whichever has the number, as on the site."""
    found, comments = await _load_with_comments(session, target, _CONVERSATION, cap)
    is_pull = found.get("__typename") == "PullRequest"
    target = replace(target, kind="pull" if is_pull else "issues")
    return _pull(target, found, comments, cap) if is_pull else _issue(target, found, comments)


async def load_discussion(session: GithubSession, target: ConversationTarget, cap: int) -> Thread:
    found, comments = await _load_with_comments(session, target, _DISCUSSION, cap)
    answer, chosen_by = found.get("answer"), login_of(found, "answerChosenBy")
    category = string(mapping(found, "category"), "name")
    facts = [
        f"Category: {label(category)}" if category else "",
        state_fact(
            "closed" if found.get("closed") is True else "open",
            string(found, "stateReason").lower(),
            string(found, "closedAt"),
            is_locked=found.get("locked") is True,
        ),
        _answer_fact(found, chosen_by),
        f"Updated: {day(string(found, 'updatedAt'))}",
        f"Upvotes: {count(found, 'upvoteCount')}",
        f"Comments: {count(found, 'comments', 'totalCount')}",
    ]
    return Thread(
        f"Discussion in {target.repository}",
        require(found, "title"),
        target.number,
        target.link,
        _remark(found),
        facts,
        comments,
        max(count(found, "comments", "totalCount"), len(comments)),
        answer=_remark(answer) if isinstance(answer, dict) else None,
    )


async def _load_with_comments(
    session: GithubSession, target: ConversationTarget, kind: _Kind, cap: int
) -> tuple[Json, list[Remark]]:
    """A thread and its first comments; failures after the first page only leave comments out."""
    repository = target.repository
    variables: dict[str, object] = {"owner": repository.owner, "name": repository.name, "number": target.number}
    variables |= {"first": min(cap, kind.page), "after": None}
    found = await _query(session, kind.query, kind.name, variables)
    comments, connection = _nodes(found, "comments"), mapping(found, "comments")
    while len(comments) < cap and session.requests_left and (cursor := _next_cursor(connection)):
        try:
            more = await _query(session, kind.more, kind.name, {**variables, "after": cursor})
        except (ProviderError, PageUnreadable):
            session.miss()
            break
        comments, connection = [*comments, *_nodes(more, "comments")], mapping(more, "comments")
    return found, [_remark(node) for node in comments[:cap]]


async def _query(session: GithubSession, query: str, name: str, variables: Mapping[str, object]) -> Json:
    found = (await session.query(query, variables)).get(name)
    if not isinstance(found, dict):
        raise missing()
    return found


def _next_cursor(connection: Json) -> str:
    """The cursor of the next page; empty on the last one."""
    page = mapping(connection, "pageInfo")
    return string(page, "endCursor") if page.get("hasNextPage") is True else ""


def _issue(target: ConversationTarget, issue: Json, comments: Sequence[Remark]) -> Thread:
    total = count(issue, "comments", "totalCount")
    reason = string(issue, "stateReason").replace("_", " ").lower()
    state = string(issue, "issueState").lower()
    is_locked = issue.get("locked") is True
    return Thread(
        f"Issue in {target.repository}",
        require(issue, "title"),
        target.number,
        target.link,
        _remark(issue),
        [
            state_fact(state, reason, string(issue, "closedAt"), is_locked=is_locked),
            *_labels(issue),
            f"Comments: {total}",
        ],
        comments,
        max(total, len(comments)),
    )


def _pull(target: ConversationTarget, pull: Json, comments: Sequence[Remark], cap: int) -> Thread:
    reviews = [node for node in _nodes(pull, "reviews") if _says_something(node)]
    on_code = [node for node in _nodes(pull, "reviewThreads") if _submitted(node)]
    remarks = [*comments, *map(_review, reviews), *map(_code_thread, on_code)]
    silent = len(_nodes(pull, "reviews")) - len(reviews)
    total = sum(count(pull, name, "totalCount") for name in ("comments", "reviews", "reviewThreads")) - silent
    return Thread(
        f"Pull request in {target.repository}",
        require(pull, "title"),
        target.number,
        target.link,
        _remark(pull),
        [_pull_state(pull), *_pull_facts(pull), *_labels(pull)],
        sorted(remarks, key=lambda remark: remark.moment)[:cap],
        max(total, len(remarks)),
        "comments and reviews",
    )


def _remark(node: Json) -> Remark:
    replies = tuple(_remark(reply) for reply in _nodes(node, "replies"))
    # Upvotes of a discussion are among its facts; one upvote is that of the author.
    upvotes = count(node, "upvoteCount") if "isAnswer" in node else 0
    return Remark(
        login_of(node, "author"),
        string(node, "createdAt"),
        string(node, "body"),
        anchor_of(string(node, "url")),
        " ".join(filter(None, [f"↑ {upvotes}" if upvotes > 1 else "", _reactions(node)])),
        role_of(string(node, "authorAssociation")),
        hidden=hidden_for(node),
        mark="the answer" if node.get("isAnswer") is True else "",
        replies=replies,
        reply_count=count(node, "replies", "totalCount"),
    )


def _review(node: Json) -> Remark:
    return replace(_remark(node), did=review_verb(string(node, "state")))


def _says_something(review: Json) -> bool:
    """Whether a review has a verdict or a text; others only hold comments on the code."""
    return is_submitted(review) and (bool(string(review, "body")) or string(review, "state") != "COMMENTED")


def _submitted(thread: Json) -> list[Json]:
    return [comment for comment in _nodes(thread, "comments") if is_submitted(comment)]


def _code_thread(node: Json) -> Remark:
    first, *replies = map(_remark, _submitted(node))
    place = code_place(string(node, "path"), count(node, "line") or count(node, "originalLine"))
    state = "resolved" if node.get("isResolved") is True else "outdated" if node.get("isOutdated") is True else ""
    return replace(
        first,
        about=place,
        mark=state,
        replies=tuple(replies),
        reply_count=max(0, count(node, "comments", "totalCount") - 1),
    )


def _nodes(item: Json, name: str) -> list[Json]:
    """The objects of a connection; hidden ones are null."""
    return objects(mapping(item, name).get("nodes"))


def _reactions(node: Json) -> str:
    groups = objects(node.get("reactionGroups"))
    return reactions_of({string(group, "content"): count(group, "reactors", "totalCount") for group in groups})


def _labels(item: Json) -> list[str]:
    names = [string(node, "name") for node in _nodes(item, "labels")]
    return label_facts(names, string(mapping(item, "milestone"), "title"))


def _pull_state(pull: Json) -> str:
    state = string(pull, "pullState").lower()
    by = login_of(pull, "mergedBy")
    return state_fact(
        "draft" if state == "open" and pull.get("isDraft") is True else state,
        f"by {person(by)}" if by else "",
        string(pull, "mergedAt", "closedAt"),
        is_locked=pull.get("locked") is True,
    )


def _pull_facts(pull: Json) -> list[str]:
    owner, branch = login_of(pull, "headRepositoryOwner"), string(pull, "headRefName")
    out_of = f"{owner}:{branch}" if owner else branch
    files, added, deleted = (count(pull, name) for name in ("changedFiles", "additions", "deletions"))
    return change_facts(string(pull, "baseRefName"), out_of, files, added, deleted)


def _answer_fact(found: Json, chosen_by: str) -> str:
    if not isinstance(found.get("isAnswered"), bool):
        return ""  # The category has no answers.
    by = f", chosen by {person(chosen_by)}" if chosen_by else ""
    return f"Answered: yes{by}" if found["isAnswered"] else "Answered: no"
