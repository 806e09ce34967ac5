"""A repository on GitHub as its APIs describe it, for the tests of the GitHub loader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dowse.core.models import Deadline, Text
from tests.contract.sites.conftest import Bench, Recorded
from tests.doubles.sites_github import GithubApi
from tests.fakes import FakeClock

REPOSITORY = "https://github.com/otterworks/brook"
API = "/repos/otterworks/brook"
# What GraphQL says of the repository itself.
PUBLIC = {"nameWithOwner": "otterworks/brook", "isPrivate": False, "visibility": "PUBLIC"}
_NAMED = {"owner": "otterworks", "name": "brook"}
# Which answer is at which path; those at /graphql only speak to who has a token.
ANSWERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "issue": (f"{API}/issues/12", {}),
    "issue_comments": (f"{API}/issues/12/comments", {"page": "1"}),
    "issue_graphql": ("/graphql", {**_NAMED, "number": "12", "after": ""}),
    "pull": (f"{API}/pulls/15", {}),
    "pull_comments": (f"{API}/issues/15/comments", {"page": "1"}),
    "pull_reviews": (f"{API}/pulls/15/reviews", {}),
    "pull_review_comments": (f"{API}/pulls/15/comments", {}),
    "pull_graphql": ("/graphql", {**_NAMED, "number": "15"}),
    "discussion_graphql": ("/graphql", {**_NAMED, "number": "20"}),
    "repository": (API, {}),
    "readme": (f"{API}/readme", {}),
    "folder": (f"{API}/contents/docs", {"ref": "main"}),
    "folder_readme": (f"{API}/contents/docs/README.rst", {"ref": "main"}),
    "file": (f"{API}/contents/src/brook/reader.py", {"ref": "main"}),
    "guide": (f"{API}/contents/docs/guide.md", {"ref": "main"}),
    "release": (f"{API}/releases/tags/v1.4.0", {}),
    "releases": (f"{API}/releases", {}),
}


def double(bench: Bench) -> GithubApi:
    found = bench.web.sites["github"]
    assert isinstance(found, GithubApi)
    return found


def publish(bench: Bench, recorded: Recorded) -> GithubApi:
    """Everything that is recorded, at its place."""
    for name in ANSWERS:
        answer(bench, name, json.loads(recorded(f"github/{name}.json")))
    return double(bench)


def answer(bench: Bench, name: str, body: Any, **params: str) -> None:
    """Put another answer in the place of a recorded one."""
    path, expected = ANSWERS[name]
    double(bench).has(path, json.dumps(body), params={**expected, **params})


async def read(bench: Bench, path: str, *, token: str = "", **environ: str) -> Text:
    """A page of the repository, read with or without a token."""
    environ |= {"GITHUB_TOKEN": token} if token else {}
    return await bench.loader("github", **environ).read(REPOSITORY + path, Deadline.after(FakeClock(), 30))


def comment(number: int, body: str = "word") -> dict[str, Any]:
    return {
        "user": {"login": "ana"},
        "created_at": f"2026-01-02T00:00:{number % 60:02d}Z",
        "html_url": f"{REPOSITORY}/issues/12#issuecomment-{number}",
        "body": body,
    }


def node(number: int, body: str = "word") -> dict[str, Any]:
    return {
        "author": {"login": "ana"},
        "createdAt": f"2026-01-02T00:00:{number % 60:02d}Z",
        "url": f"{REPOSITORY}/issues/12#issuecomment-{number}",
        "body": body,
    }


def conversation(numbers: range, total: int, cursor: str | None) -> dict[str, Any]:
    page = {"hasNextPage": cursor is not None, "endCursor": cursor}
    comments = {"totalCount": total, "pageInfo": page, "nodes": [node(number) for number in numbers]}
    issue = {"__typename": "Issue", "title": "Long", "issueState": "OPEN", "comments": comments, **node(0, "Start.")}
    return {"data": {"repository": {**PUBLIC, "issueOrPullRequest": issue}}}
