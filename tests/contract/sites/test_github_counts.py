"""GitHub: conversations of which not everything is shown say how much is missing, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.sites.brook import API, REPOSITORY, answer, comment, conversation, node, publish, read
from tests.contract.sites.conftest import Bench, Recorded
from tests.doubles.sites_github import TOKEN, GithubApi


@pytest.fixture(autouse=True)
def github(bench: Bench, recorded: Recorded) -> GithubApi:
    return publish(bench, recorded)


def loaded(markdown: str) -> list[int]:
    """The comments that are shown, by their permalinks."""
    permalinks = [line for line in markdown.split("\n") if line.startswith(f"{REPOSITORY}/issues/12#issuecomment-")]
    return [int(line.rpartition("-")[2]) for line in permalinks]


@pytest.mark.promise("case-43")
async def test_comments_beyond_the_cap_are_counted_and_the_variable_is_named(bench: Bench, recorded: Recorded) -> None:
    """Case 43: the footer says "x of y"."""
    issue = json.loads(recorded("github/issue.json"))
    answer(bench, "issue", {**issue, "comments": 85})
    answer(bench, "issue_comments", [comment(number) for number in range(1, 51)], per_page="50")
    text = await read(bench, "/issues/12")
    assert loaded(text.markdown) == list(range(1, 51))
    assert text.markdown.endswith(
        "…(truncated: 50 of 85 comments are shown; GITHUB_MAX_COMMENTS is 50; the whole is at "
        "https://github.com/otterworks/brook/issues/12)"
    )
    assert text.is_cut


@pytest.mark.parametrize("token", ["", TOKEN])
async def test_more_comments_than_a_page_has_are_loaded_page_by_page(
    bench: Bench, recorded: Recorded, github: GithubApi, token: str
) -> None:
    issue = json.loads(recorded("github/issue.json"))
    answer(bench, "issue", {**issue, "comments": 230, "body": "Start."})
    answer(bench, "issue_graphql", conversation(range(1, 101), 230, "Y3Vyc29yOjEwMA=="))
    answer(bench, "issue_graphql", conversation(range(101, 201), 230, "Y3Vyc29yOjIwMA=="), after="Y3Vyc29yOjEwMA==")
    answer(bench, "issue_graphql", conversation(range(201, 231), 230, None), after="Y3Vyc29yOjIwMA==")
    for page in (1, 2, 3):
        listed = [comment(number) for number in range(page * 100 - 99, min(page * 100, 230) + 1)]
        github.has(f"{API}/issues/12/comments", json.dumps(listed), params={"per_page": "100", "page": str(page)})
    text = await read(bench, "/issues/12", token=token, GITHUB_MAX_COMMENTS="300", GITHUB_MAX_CHARS="200000")
    assert loaded(text.markdown) == list(range(1, 231))
    assert not text.is_cut
    further = [str(seen.json) for seen in github.requests if seen.method == "POST"][1:]
    assert not any("title" in query or "reviews" in query for query in further), "only comments are asked for again"


@pytest.mark.parametrize("token", ["", TOKEN])
async def test_a_later_page_of_comments_that_fails_is_missing_and_said_to_be(
    bench: Bench, recorded: Recorded, token: str
) -> None:
    issue = json.loads(recorded("github/issue.json"))
    answer(bench, "issue", {**issue, "comments": 150})
    answer(bench, "issue_comments", [comment(number) for number in range(1, 101)], per_page="100")
    answer(bench, "issue_graphql", conversation(range(1, 101), 150, "Y3Vyc29yOjEwMA=="))
    text = await read(bench, "/issues/12", token=token, GITHUB_MAX_COMMENTS="300", GITHUB_MAX_CHARS="200000")
    assert loaded(text.markdown) == list(range(1, 101))
    assert "100 of 150 comments are shown; the others could not be loaded" in text.markdown


async def test_the_longest_page_takes_no_more_requests_than_allowed(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    """Without reviews that it would have to go without, and without blaming GitHub."""
    pull = json.loads(recorded("github/pull.json"))
    answer(bench, "pull", {**pull, "comments": 10_000, "review_comments": 2})
    for page in (1, 2, 3):
        listed = [comment(number) for number in range(page * 100 - 99, page * 100 + 1)]
        github.has(f"{API}/issues/15/comments", json.dumps(listed), params={"per_page": "100", "page": str(page)})
    text = await read(bench, "/pull/15", GITHUB_MAX_COMMENTS="500", GITHUB_MAX_CHARS="200000")
    assert len(github.requests) == 6
    assert "303 of 10003 comments and reviews are shown; no more are loaded for one page;" in text.markdown
    assert text.warnings == ()
    assert text.is_cut


async def test_a_linked_comment_has_a_request_to_itself(bench: Bench, recorded: Recorded, github: GithubApi) -> None:
    issue = json.loads(recorded("github/issue.json"))
    answer(bench, "issue", {**issue, "comments": 10_000})
    for page in range(1, 6):
        listed = [comment(number) for number in range(page * 100 - 99, page * 100 + 1)]
        github.has(f"{API}/issues/12/comments", json.dumps(listed), params={"per_page": "100", "page": str(page)})
    github.has(f"{API}/issues/comments/5099", json.dumps(comment(5099, "This solved it for me.")))
    text = await read(bench, "/issues/12#issuecomment-5099", GITHUB_MAX_COMMENTS="500", GITHUB_MAX_CHARS="200000")
    assert "This solved it for me." in text.markdown
    assert len(github.requests) == 6


async def test_the_longest_discussion_takes_no_more_requests_than_allowed_either(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    body = json.loads(recorded("github/discussion_graphql.json"))
    found = body["data"]["repository"]["discussion"]
    for page in range(12):
        found["comments"] = {
            "totalCount": 600,
            "pageInfo": {"hasNextPage": True, "endCursor": f"cursor {page + 1}"},
            "nodes": [node(number) for number in range(page * 50 + 1, page * 50 + 51)],
        }
        answer(bench, "discussion_graphql", body, after=f"cursor {page}" if page else "")
    text = await read(bench, "/discussions/20", token=TOKEN, GITHUB_MAX_COMMENTS="500", GITHUB_MAX_CHARS="200000")
    assert len(github.requests) == 6
    assert "300 of 600 comments are shown; no more are loaded for one page;" in text.markdown


def code_comment(number: int) -> dict[str, Any]:
    return {**comment(number), "id": number, "path": "a.py", "line": number}


async def test_comments_on_the_code_that_are_not_loaded_are_counted(bench: Bench, recorded: Recorded) -> None:
    pull = json.loads(recorded("github/pull.json"))
    answer(bench, "pull", {**pull, "comments": 0, "review_comments": 250})
    answer(bench, "pull_reviews", [])
    answer(bench, "pull_review_comments", [code_comment(number) for number in range(1, 101)])
    text = await read(bench, "/pull/15", GITHUB_MAX_COMMENTS="500", GITHUB_MAX_CHARS="200000")
    assert "100 of 250 comments and reviews are shown; no more are loaded for one page;" in text.markdown
    assert text.is_cut


async def test_uncounted_reviews_are_said_to_be_possible(bench: Bench, recorded: Recorded) -> None:
    pull = json.loads(recorded("github/pull.json"))
    answer(bench, "pull", {**pull, "comments": 0, "review_comments": 0})
    answer(bench, "pull_reviews", [{**comment(number), "state": "APPROVED"} for number in range(1, 101)])
    text = await read(bench, "/pull/15", GITHUB_MAX_COMMENTS="500", GITHUB_MAX_CHARS="200000")
    assert text.markdown.endswith(f"…(there may be more than 100 reviews; the whole is at {REPOSITORY}/pull/15)")
    assert text.is_cut


@pytest.mark.parametrize("token", ["", TOKEN])
async def test_labels_beyond_the_first_are_counted(bench: Bench, recorded: Recorded, token: str) -> None:
    labels = [{"name": f"area {number}"} for number in range(25)]
    answer(bench, "issue", {**json.loads(recorded("github/issue.json")), "labels": labels})
    body = json.loads(recorded("github/issue_graphql.json"))
    body["data"]["repository"]["issueOrPullRequest"]["labels"] = {"nodes": labels}
    answer(bench, "issue_graphql", body)
    assert "area 18, area 19 and 5 more |" in (await read(bench, "/issues/12", token=token)).markdown
