"""The part of GitHub's GraphQL schema that is asked for here, and the objections of GitHub to a query against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

# A name before a colon is an alias, except among arguments.
_TOKEN = re.compile(r"\.\.\.|[{}()]|[A-Za-z_]\w*:?")
_SCALARS = "scalar"
_COMMENT = (
    "author:Actor authorAssociation:CommentAuthorAssociation body bodyHTML bodyText createdAt id lastEditedAt url "
    "updatedAt publishedAt reactionGroups:ReactionGroup"
)
_MINIMISED = "isMinimized minimizedReason"
_LISTED = "totalCount pageInfo:PageInfo"
_ISSUE_LIKE = (
    f"{_COMMENT} activeLockReason assignees:UserConnection closed closedAt labels:LabelConnection locked "
    "milestone:Milestone number title comments:IssueCommentConnection"
)

# `field:Type`; a field without a type is a string, a number, a date or a truth value.
SCHEMA = {
    "Query": "repository:Repository rateLimit:RateLimit",
    "Repository": (
        "issueOrPullRequest:IssueOrPullRequest issue:Issue pullRequest:PullRequest discussion:Discussion "
        "nameWithOwner isPrivate visibility"
    ),
    "IssueOrPullRequest": "__typename",
    "Issue": f"{_ISSUE_LIKE} state:IssueState stateReason:IssueStateReason",
    "PullRequest": (
        f"{_ISSUE_LIKE} additions baseRefName changedFiles deletions headRefName headRepositoryOwner:Actor isDraft "
        "merged mergedAt mergedBy:Actor reviews:PullRequestReviewConnection state:PullRequestState "
        "reviewThreads:PullRequestReviewThreadConnection"
    ),
    "PullRequestReviewConnection": f"{_LISTED} nodes:PullRequestReview",
    "PullRequestReview": f"{_COMMENT} state:PullRequestReviewState submittedAt",
    "PullRequestReviewThreadConnection": f"{_LISTED} nodes:PullRequestReviewThread",
    "PullRequestReviewThread": (
        "comments:PullRequestReviewCommentConnection id isOutdated isResolved line originalLine path startLine"
    ),
    "PullRequestReviewCommentConnection": f"{_LISTED} nodes:PullRequestReviewComment",
    "PullRequestReviewComment": f"{_COMMENT} {_MINIMISED} diffHunk path state:PullRequestReviewCommentState",
    "IssueCommentConnection": f"{_LISTED} nodes:IssueComment",
    "IssueComment": f"{_COMMENT} {_MINIMISED}",
    "Discussion": (
        f"{_COMMENT} answer:DiscussionComment answerChosenAt answerChosenBy:Actor category:DiscussionCategory closed "
        "closedAt comments:DiscussionCommentConnection isAnswered labels:LabelConnection locked number "
        "stateReason:DiscussionStateReason title upvoteCount"
    ),
    "DiscussionCategory": "description emoji id isAnswerable name slug",
    "DiscussionCommentConnection": f"{_LISTED} nodes:DiscussionComment",
    "DiscussionComment": (
        f"{_COMMENT} {_MINIMISED} deletedAt isAnswer replies:DiscussionCommentConnection upvoteCount"
    ),
    "Actor": "login url avatarUrl",
    "LabelConnection": f"{_LISTED} nodes:Label",
    "Label": "name color description",
    "Milestone": "title dueOn number",
    "ReactionGroup": "content:ReactionContent createdAt reactors:ReactorConnection",
    "ReactorConnection": _LISTED,
    "PageInfo": "endCursor hasNextPage hasPreviousPage startCursor",
}


def objection(query: str, variables: Mapping[str, object]) -> str:
    """What GitHub would say of a query; empty for a good one."""
    tokens = _TOKEN.findall(query)
    if tokens.count("{") != tokens.count("}") or "{" not in tokens:
        return "Expected one of SCHEMA, SCALAR, TYPE, ENUM, actual: (none)"
    start = tokens.index("{")
    declared = dict(re.findall(r"\$(\w+): ?(\w+!?)", query[: query.index("{")]))
    missing = next((name for name, kind in declared.items() if kind.endswith("!") and variables.get(name) is None), "")
    if missing:
        return f"Variable ${missing} of type {declared[missing]} was provided invalid value"
    undeclared = next((name for name in re.findall(r"\$(\w+)", query) if name not in declared), "")
    if undeclared:
        return f"Variable ${undeclared} is used by the query but not declared"
    try:
        _selection(iter(tokens[start + 1 :]), "Query", {})
    except ValueError as error:
        return str(error)
    return ""


def _selection(tokens: Iterator[str], kind: str, seen: dict[str, str]) -> None:
    """Go through one pair of braces; `seen` has the types of the answer's fields, which must not conflict."""
    fields = dict((f"{field}:{_SCALARS}").split(":")[:2] for field in f"__typename {SCHEMA[kind]}".split())
    name = alias = ""
    for token in tokens:
        if token == "}":
            return
        if token == "...":
            next(tokens)  # on
            fragment = next(tokens)
            next(tokens)  # {
            _selection(tokens, fragment, seen)
        elif token.endswith(":"):
            alias = token.removesuffix(":")
        elif token == "(":
            while next(tokens) != ")":
                pass
        elif token == "{":
            _selection(tokens, fields[name], {})
        else:
            name = token
            _check(kind, name, fields, alias, seen)
            alias = ""
    raise ValueError("Expected NAME, actual: (none)")


def _check(kind: str, name: str, fields: Mapping[str, str], alias: str, seen: dict[str, str]) -> None:
    if name not in fields:
        raise ValueError(f"Field '{name}' doesn't exist on type '{kind}'")
    shown, type_ = alias or name, fields[name]
    if seen.setdefault(shown, type_) != type_:
        raise ValueError(f"Field '{shown}' has a field conflict: {seen[shown]} or {type_}?")
