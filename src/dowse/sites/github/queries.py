"""The GraphQL queries."""

from __future__ import annotations

_SAID = "author { login } authorAssociation body createdAt url reactionGroups { content reactors { totalCount } }"
_HIDDEN = "isMinimized minimizedReason"
_PAGED = "totalCount pageInfo { hasNextPage endCursor }"
_TAGGED = "title locked closedAt labels(first: 100) { nodes { name } } milestone { title }"
_COMMENTS = f"comments(first: $first, after: $after) {{ {_PAGED} nodes {{ {_SAID} {_HIDDEN} }} }}"
_ARGUMENTS = "($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String)"

# The two states have names of their own: fields of different types may not share one.
CONVERSATION = f"""
query Conversation{_ARGUMENTS} {{
  repository(owner: $owner, name: $name) {{
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
            comments(first: 20) {{ totalCount nodes {{ {_SAID} {_HIDDEN} }} }}
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
    discussion(number: $number) {{ {_DISCUSSION_COMMENTS} }}
  }}
}}
"""
