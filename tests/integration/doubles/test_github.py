"""The double of GitHub refuses what GitHub refuses, in its words."""

import pytest

from dowse.sites.github.graphql import CONVERSATION, DISCUSSION, MORE_COMMENTS, MORE_DISCUSSION_COMMENTS
from tests.doubles.sites_github import TOKEN

GOOD = {
    "User-Agent": "test",
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "Authorization": f"Bearer {TOKEN}",
}
VARIABLES = {"owner": "otterworks", "name": "brook", "number": 1, "first": 50, "after": None}


async def get(http, pocket, path, **headers):
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    async with http.get(pocket.page(f"/github{path}"), headers={**GOOD, **changed}) as response:
        return response.status, await response.text()


async def query(http, pocket, text, variables=VARIABLES, headers=GOOD):
    body = {"query": text, "variables": variables}
    async with http.post(pocket.page("/github/graphql"), json=body, headers=headers) as response:
        return response.status, await response.json()


async def test_a_recorded_answer_is_given_with_and_without_a_token(pocket, http):
    pocket.sites["github"].has("/repos/a/b", '{"full_name": "a/b"}')
    assert await get(http, pocket, "/repos/a/b") == (200, '{"full_name": "a/b"}')
    without = {name: value for name, value in GOOD.items() if name != "Authorization"}
    async with http.get(pocket.page("/github/repos/a/b"), headers=without) as response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"User_Agent": ""}, 403, "User-Agent"),
        ({"Authorization": "Bearer ghp_wrong"}, 401, "Bad credentials"),
        ({"Authorization": TOKEN}, 401, "Bad credentials"),
        ({"Authorization": ""}, 401, "Bad credentials"),
        ({"X_GitHub_Api_Version": "2021-01-01"}, 400, "version"),
        ({"Accept": "text/html"}, 415, "Accept"),
        ({}, 404, "Not Found"),
    ],
)
async def test_a_request_that_github_refuses_is_refused(pocket, http, headers, status, said):
    found, body = await get(http, pocket, "/repos/a/b", **headers)
    assert found == status
    assert said in body


async def test_folders_may_be_asked_for_as_objects(pocket, http):
    pocket.sites["github"].has("/repos/a/b/contents", '{"type": "dir"}')
    assert (await get(http, pocket, "/repos/a/b/contents", Accept="application/vnd.github.object+json"))[0] == 200


async def test_graphql_answers_no_request_without_a_token(pocket, http):
    without = {name: value for name, value in GOOD.items() if name != "Authorization"}
    status, body = await query(http, pocket, CONVERSATION, headers=without)
    assert status == 401
    assert "authenticated" in body["message"]


@pytest.mark.parametrize("text", [CONVERSATION, DISCUSSION, MORE_COMMENTS, MORE_DISCUSSION_COMMENTS])
async def test_what_is_not_there_is_an_error_of_a_type(pocket, http, text):
    status, body = await query(http, pocket, text)
    assert (status, body["data"], body["errors"][0]["type"]) == (200, {"repository": None}, "NOT_FOUND")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query { repository(owner: $owner) { name } }", "not declared"),
        ("query { repository { stars } }", "Field 'stars' doesn't exist on type 'Repository'"),
        ("query { repository { issue(number: 1) { comments(first: 1) { items { body } } } }", "Expected"),
        (
            "query { repository { issue(number: 1) { comments { items } } } }",
            "'items' doesn't exist on type 'IssueComm",
        ),
        (CONVERSATION.replace("issueState: ", "").replace("pullState: ", ""), "Field 'state' has a field conflict"),
        ("", "Expected"),
    ],
)
async def test_a_query_that_does_not_fit_the_schema_is_refused(pocket, http, text, said):
    status, body = await query(http, pocket, text)
    assert status == 200
    assert said in body["errors"][0]["message"]


async def test_a_variable_that_must_be_there_is_missed(pocket, http):
    _, body = await query(http, pocket, CONVERSATION, {"owner": "a"})
    assert "Variable $name of type String!" in body["errors"][0]["message"]


async def test_answers_to_queries_are_told_apart_by_their_variables(pocket, http):
    pocket.sites["github"].has("/graphql", '{"data": 1}', params={"number": "1", "after": ""})
    pocket.sites["github"].has("/graphql", '{"data": 2}', params={"number": "1", "after": "next"})
    assert (await query(http, pocket, CONVERSATION))[1] == {"data": 1}
    assert (await query(http, pocket, CONVERSATION, {**VARIABLES, "after": "next"}))[1] == {"data": 2}


@pytest.mark.parametrize("body", ["[]", "{", '{"query": 1, "variables": {}}', '{"query": "query { repository }"}'])
async def test_what_is_no_query_is_refused(pocket, http, body):
    headers = {**GOOD, "Content-Type": "application/json"}
    async with http.post(pocket.page("/github/graphql"), data=body, headers=headers) as response:
        assert response.status == 400
