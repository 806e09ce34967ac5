"""GitHub's APIs when they fail: another way is found, and the token stays where it belongs."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import astuple, replace
from typing import Any

import pytest

from dowse.app import App
from dowse.core.errors import BadAnswer, KeyRejected, PageUnreadable, ProviderError, RateLimited, Unavailable
from dowse.core.models import Deadline, Page, Status
from dowse.core.runtime import SystemClock, no_progress
from dowse.settings.sources import load
from tests.canaries import repeated
from tests.contract.sites.brook import API, REPOSITORY, answer, publish, read
from tests.contract.sites.conftest import GENERAL, Bench, Recorded
from tests.doubles import PocketWeb
from tests.doubles.sites_github import TOKEN, GithubApi
from tests.fakes import FakeClock

ISSUE = f"{REPOSITORY}/issues/12"
DISCUSSION = f"{REPOSITORY}/discussions/20"
WRONG_TOKEN = "ghp_0000000000000000000000000000000000ab"
LIMITED = {
    "message": "API rate limit exceeded for 203.0.113.7. (But here's the good news: Authenticated requests get a "
    "higher rate limit. Check out the documentation for more details.)",
    "documentation_url": "https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting",
}
MOVED = {"message": "Moved Permanently", "url": "https://api.github.com/repositories/5/issues/12"}


@pytest.fixture(autouse=True)
def github(bench: Bench, recorded: Recorded) -> GithubApi:
    return publish(bench, recorded)


@pytest.mark.promise("case-43")
@pytest.mark.parametrize(
    ("trouble", "kind"),
    [("500", Unavailable), ("429", RateLimited), ("broken_json", BadAnswer), ("html", BadAnswer), ("503", Unavailable)],
)
@pytest.mark.parametrize("token", ["", TOKEN])
async def test_an_api_that_fails_is_a_typed_error_and_the_general_reader_answers(
    bench: Bench, github: GithubApi, trouble: str, kind: type[ProviderError], token: str
) -> None:
    """Case 43: on an error of the API the page is read another way, and still is a string."""
    github.fails(trouble)
    with pytest.raises(kind):
        await read(bench, "/issues/12", token=token)
    page = await bench.page("github", ISSUE, GITHUB_TOKEN=token)
    assert (page.text, page.status) == (GENERAL, Status.OK)
    assert page.attempts[0].provider == "github"


@pytest.mark.promise("case-43")
async def test_a_discussion_without_a_token_is_read_as_any_page_is(bench: Bench, github: GithubApi) -> None:
    """Case 43: without a token, the other way."""
    page = await bench.page("github", DISCUSSION)
    assert (page.text, page.warnings, github.requests) == (GENERAL, (), [])


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"message": "Not Found", "status": "404"}),
        (410, {"message": "This issue was deleted", "status": "410"}),
        (451, {"message": "Repository access blocked", "block": {"reason": "dmca"}}),
        (301, MOVED),
        (403, {"message": "Repository access blocked", "block": {"reason": "tos"}}),
    ],
)
async def test_a_page_that_the_api_does_not_have_is_left_to_the_general_reader_without_a_warning(
    bench: Bench, github: GithubApi, status: int, body: dict[str, Any]
) -> None:
    headers = {"Location": "https://api.github.com/repositories/5/issues/12"} if status == 301 else {}
    github.has(f"{API}/issues/12", json.dumps(body), status=status, headers=headers)
    with pytest.raises(PageUnreadable):
        await read(bench, "/issues/12")
    page = await bench.page("github", ISSUE)
    assert (page.text, page.warnings) == (GENERAL, ())


def limit(**headers: str) -> dict[str, Any]:
    return {"json": LIMITED, "headers": {name.replace("_", "-"): value for name, value in headers.items()}}


@pytest.mark.parametrize("status", [403, 429])
async def test_a_limit_ends_when_github_says_it_does(bench: Bench, github: GithubApi, status: int) -> None:
    github.replies(status=status, **limit(X_RateLimit_Remaining="0", X_RateLimit_Reset=str(int(time.time()) + 900)))
    with pytest.raises(RateLimited) as caught:
        await read(bench, "/issues/12")
    assert caught.value.retry_after_s == pytest.approx(900, abs=5)
    assert "with GITHUB_TOKEN the limit is higher" in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry_After": "45"}, 45),
        ({"Retry_After": "0"}, 60),
        ({"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "soon"}, 60),
        ({"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1"}, 1),
        ({"X_RateLimit_Remaining": "0"}, 60),
        ({"X_RateLimit_Remaining": "4999", "X_RateLimit_Reset": "9999999999"}, 60),
        ({"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "9999999999", "Date": "soon"}, 60),
        ({}, 60),
    ],
)
async def test_a_limit_without_a_sensible_end_lasts_a_minute(
    bench: Bench, github: GithubApi, headers: dict[str, str], wait_s: float
) -> None:
    github.replies(status=403, **limit(**headers))
    with pytest.raises(RateLimited) as caught:
        await read(bench, "/issues/12", token=TOKEN)
    assert caught.value.retry_after_s == wait_s
    assert "GITHUB_TOKEN" not in str(caught.value)


async def test_while_a_limit_lasts_nothing_more_is_asked(bench: Bench, github: GithubApi) -> None:
    github.replies(status=403, **limit(Retry_After="45"))
    flow = bench.flow("github", ISSUE)
    for _ in range(3):
        page = await flow.read(ISSUE, Deadline.after(FakeClock(), 30))
        assert page.text == GENERAL
    assert len(github.requests) == 1


@pytest.mark.parametrize(
    "answered",
    [
        {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]},
        {
            "errors": [
                {"type": "RATE_LIMIT", "code": "graphql_rate_limit", "message": "API rate limit already exceeded"}
            ]
        },
        {"data": {"repository": None}, "errors": [{"type": "FORBIDDEN", "message": "Resource protected by SAML."}]},
        {"errors": [{"message": "Something went wrong while executing your query."}]},
        {"errors": "no list"},
        {},
        {"message": "Server Error"},
    ],
)
async def test_a_query_that_fails_is_asked_once_more_by_rest(
    bench: Bench, github: GithubApi, recorded: Recorded, answered: dict[str, Any]
) -> None:
    github.has("/graphql", json.dumps(answered))
    text = await read(bench, "/issues/12", token=TOKEN)
    assert "State: closed (completed, 2026-02-01)" in text.markdown
    assert text.warnings == ()
    asked = [(seen.method, seen.path.removeprefix(f"/github{API}")) for seen in github.requests]
    # The second request asks whether the repository is public.
    assert asked == [("POST", "/github/graphql"), ("GET", ""), ("GET", "/issues/12"), ("GET", "/issues/12/comments")]
    assert all(seen.headers["authorization"] == f"Bearer {TOKEN}" for seen in github.requests)


@pytest.mark.parametrize(("kind", "code"), [("RATE_LIMIT", "graphql_rate_limit"), ("RATE_LIMITED", "")])
async def test_a_limit_of_graphql_ends_when_github_says_it_does(
    bench: Bench, github: GithubApi, kind: str, code: str
) -> None:
    """It comes with the status of a success."""
    errors = [{"type": kind, "code": code, "message": "API rate limit already exceeded for user ID 1."}]
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 900)}
    github.has("/graphql", json.dumps({"errors": errors}), headers=reset)
    with pytest.raises(RateLimited) as caught:
        await read(bench, "/discussions/20", token=TOKEN)
    assert caught.value.retry_after_s == pytest.approx(900, abs=5)


@pytest.mark.parametrize("kind", ["FORBIDDEN", "INSUFFICIENT_SCOPES"])
async def test_a_discussion_that_a_token_may_not_see_is_no_failure_of_github(
    bench: Bench, github: GithubApi, kind: str
) -> None:
    """Five of them in a row would otherwise keep everybody from asking it."""
    answered = {"data": {"repository": None}, "errors": [{"type": kind, "message": "Resource protected by SAML."}]}
    github.has("/graphql", json.dumps(answered))
    flow = bench.flow("github", DISCUSSION, GITHUB_TOKEN=TOKEN)
    for _ in range(6):
        page = await flow.read(DISCUSSION, Deadline.after(FakeClock(), 30))
        assert page.text == GENERAL
    assert len(github.requests) == 6


async def test_what_graphql_does_not_know_is_not_asked_for_again(bench: Bench, github: GithubApi) -> None:
    with pytest.raises(PageUnreadable) as caught:
        await bench.loader("github", GITHUB_TOKEN=TOKEN).read(
            "https://github.com/otterworks/nowhere/issues/1", Deadline.after(FakeClock(), 30)
        )
    assert caught.value.status is Status.NOT_FOUND
    assert len(github.requests) == 1


async def test_errors_beside_an_answer_cost_single_fields_only(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    body = json.loads(recorded("github/pull_graphql.json"))
    pull = body["data"]["repository"]["issueOrPullRequest"]
    pull["headRepositoryOwner"], pull["reviews"]["nodes"][0] = None, None
    answer(bench, "pull_graphql", {**body, "errors": [{"type": "FORBIDDEN", "message": "Not for you."}]})
    text = await read(bench, "/pull/15", token=TOKEN)
    assert "Branches: main ← close-file" in text.markdown
    assert len(github.requests) == 1


@pytest.mark.parametrize(
    ("page", "part", "warning"),
    [
        ("/pull/15", "/pulls/15/reviews", "the reviews could not be loaded from GitHub"),
        ("/pull/15", "/pulls/15/comments", "the comments on the code could not be loaded from GitHub"),
        ("", "/readme", "the README could not be loaded from GitHub"),
        ("/tree/main/docs", "/contents/docs/README.rst", "the README could not be loaded from GitHub"),
    ],
)
async def test_a_part_that_could_not_be_loaded_is_said_to_be_missing(
    bench: Bench, github: GithubApi, page: str, part: str, warning: str
) -> None:
    github.has(API + part, json.dumps({"message": "Server Error"}), status=502)
    text = await read(bench, page)
    assert text.markdown.startswith("# ")
    assert text.warnings == (warning,)


async def test_a_rejected_token_is_not_used_again_for_the_page_and_the_user_is_told(
    bench: Bench, github: GithubApi
) -> None:
    text = await read(bench, "/issues/12", token=WRONG_TOKEN)
    assert "State: closed (completed, 2026-02-01)" in text.markdown
    assert text.warnings == ("GitHub rejected GITHUB_TOKEN (HTTP 401); it was not used",)
    assert ["authorization" in seen.headers for seen in github.requests] == [True, False, False]


async def test_a_rejected_token_costs_a_repository_nothing_but_two_requests(bench: Bench, github: GithubApi) -> None:
    text = await read(bench, "", token=WRONG_TOKEN)
    assert "## README.md" in text.markdown
    assert text.warnings == ("GitHub rejected GITHUB_TOKEN (HTTP 401); it was not used",)
    assert len(github.requests) == 4


async def test_a_rejected_token_leaves_a_discussion_to_the_general_reader_with_a_warning(bench: Bench) -> None:
    with pytest.raises(KeyRejected):
        await read(bench, "/discussions/20", token=WRONG_TOKEN)
    page = await bench.page("github", DISCUSSION, GITHUB_TOKEN=WRONG_TOKEN)
    assert page.text == GENERAL
    assert "check GITHUB_TOKEN" in page.warnings[0]


async def test_a_slow_query_leaves_time_for_rest(bench: Bench, github: GithubApi) -> None:
    """The first request hangs; the second is answered, by a clock that goes on in the meantime."""
    github.fails("hang", times=1)
    deadline = Deadline.after(SystemClock(), 1.0)
    text = await bench.loader("github", GITHUB_TOKEN=TOKEN).read(ISSUE, deadline)
    assert "## Comments" in text.markdown


async def test_graphql_is_beside_the_rest_api_however_that_is_written(bench: Bench, github: GithubApi) -> None:
    base = bench.web.environment()["GITHUB_API_URL"]
    for written in (base, f"{base}/"):
        await read(bench, "/issues/12", token=TOKEN, GITHUB_API_URL=written)
    assert {seen.path for seen in github.requests} == {"/github/graphql"}


def all_of(page: Page) -> str:
    return repr(astuple(page))


@pytest.mark.parametrize("spoken", [*repeated(TOKEN), f"Bearer {TOKEN}", f"{TOKEN[:8]}****{TOKEN[-8:]}"])
async def test_an_error_that_repeats_the_token_is_not_quoted(
    bench: Bench, github: GithubApi, caplog: pytest.LogCaptureFixture, spoken: str
) -> None:
    caplog.set_level(logging.DEBUG)
    failures: list[dict[str, Any]] = [
        {"json": {"message": f"Bad credentials: {spoken}"}, "status": 401},
        {"json": {"message": f"Forbidden for {spoken}"}, "status": 403},
        {"json": {"message": f"it broke: {spoken}"}, "status": 500},
        {"json": {"message": f"API rate limit exceeded for {spoken}"}, "status": 403, "headers": {"Retry-After": "9"}},
        {"json": {"errors": [{"message": f"it broke: {spoken}"}]}},
        {"json": {"errors": [{"type": "FORBIDDEN", "message": spoken}], "data": {"repository": None}}},
    ]
    for failure in failures:
        for url in (ISSUE, DISCUSSION):
            github.works().replies(**failure)
            page = await bench.page("github", url, GITHUB_TOKEN=TOKEN)
            assert page.text == GENERAL
            said = all_of(page) + caplog.text
            assert spoken not in said
            assert TOKEN[:8] not in said
            assert TOKEN[-8:] not in said


async def test_an_answer_that_repeats_the_token_is_masked_on_its_way_out(
    bench: Bench, recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    """Through the whole application, on real connections: the token is in an issue, or the API mirrors it."""
    caplog.set_level(logging.DEBUG)
    body = json.loads(recorded("github/issue_graphql.json"))
    issue = body["data"]["repository"]["issueOrPullRequest"]
    issue |= {"title": f"Leaked {TOKEN}", "body": "\n\n".join(repeated(TOKEN)), "author": {"login": TOKEN}}
    async with PocketWeb() as web:
        answer(replace(bench, web=web), "issue_graphql", body)
        settings = load({}, {**web.environment(), "GITHUB_TOKEN": TOKEN, "DOWSE_CONTRACT": "dowse"}).settings
        async with App(settings) as app:
            tool = next(tool for tool in app.contract.tools if tool.name == "get_content")
            found = await app.dispatcher.call(tool, {"url": ISSUE}, no_progress)
    said = "\n".join([found.text, *found.further, json.dumps(found.structured), caplog.text])
    assert "Issue in otterworks/brook" in said
    assert "[redacted]" in said
    assert [form for form in repeated(TOKEN) if form in said] == []
