"""Private repositories of GitHub: GITHUB_TOKEN shows them, and callers without permission must not notice."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from dowse.cache.entries import PageLifetimes
from dowse.core.errors import PageUnreadable
from dowse.core.models import LOCAL, Deadline, Page, Principal, Query, Status
from dowse.core.runtime import ANONYMOUS
from dowse.flows.read import ReadFlow
from dowse.net.clients import ConfiguredClient, Reply
from dowse.net.json_api import Api
from dowse.sites.github import GithubLoader
from dowse.sites.github.api import GithubSearch
from tests.contract.sites.brook import API, REPOSITORY, answer, publish, read
from tests.contract.sites.conftest import Bench, Recorded
from tests.doubles.sites_github import TOKEN, GithubApi
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import ScriptedFetcher, ScriptedReader

ABSENT = "https://github.com/otterworks/absent"
PAGES = (
    "",
    "/issues/12",
    "/issues/12#issuecomment-5002",
    "/pull/15",
    "/discussions/20",
    "/tree/main/docs",
    "/blob/main/src/brook/reader.py",
    "/releases",
    "/releases/tag/v1.4.0",
)
HIDDEN = {
    "private": {"private": True, "visibility": "private"},
    "internal": {"private": True, "visibility": "internal"},
}
ALICE, BOB = Principal("alice"), Principal("bob")


def say(bench: Bench, recorded: Recorded, rest: dict[str, Any], graphql: dict[str, Any]) -> None:
    """Change what both APIs say of the repository itself; every page of it stays as it is."""
    answer(bench, "repository", {**json.loads(recorded("github/repository.json")), **rest})
    for name in ("issue_graphql", "pull_graphql", "discussion_graphql"):
        body = json.loads(recorded(f"github/{name}.json"))
        body["data"]["repository"] |= graphql
        answer(bench, name, body)


def hide(bench: Bench, recorded: Recorded, kind: str = "private") -> None:
    say(bench, recorded, HIDDEN[kind], {"isPrivate": True, "visibility": kind.upper()})


@pytest.fixture(autouse=True)
def github(bench: Bench, recorded: Recorded) -> GithubApi:
    return publish(bench, recorded)


def flow_of(bench: Bench, api: ScriptedReader | None = None, *, apis_first: bool = False, **environ: str) -> ReadFlow:
    """The real chain; the pages of github.com itself are 404 for everybody."""
    return reading(
        ScriptedFetcher({}),
        clock=FakeClock(),
        observer=RecordingObserver(),
        apis=[api] if api else [],
        apis_first=apis_first,
        loaders=[bench.loader("github", GITHUB_TOKEN=TOKEN, **environ)],
        memory=remembering(FakeClock(), observer=RecordingObserver()),
        lifetimes=PageLifetimes(fresh_s=3600, failure_s=60, stale_s=3600),
    )


async def page(flow: ReadFlow, url: str, caller: Principal = LOCAL, *, for_search: bool = False) -> Page:
    return await flow.read(url, Deadline.after(FakeClock(), 30), caller=caller, for_search=for_search)


def seen_by_caller(page: Page, url: str) -> Page:
    """A page without its address and its duration: the rest must not depend on what exists."""
    attempts = tuple(replace(attempt, ms=0) for attempt in page.attempts)
    return replace(page, url=page.url.replace(url, ""), final_url="", attempts=attempts, fetch_ms=0)


@pytest.mark.promise("credential-github-public-only")
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("kind", HIDDEN)
async def test_a_private_page_cannot_be_told_from_a_missing_one(
    bench: Bench, recorded: Recorded, github: GithubApi, path: str, kind: str
) -> None:
    # The control: the token shows the page, and only the word of the API about the repository is changed below.
    assert (await page(flow_of(bench), REPOSITORY + path)).status is Status.OK
    hide(bench, recorded, kind)
    github.requests.clear()
    private = await page(flow_of(bench), REPOSITORY + path)
    asked_for_private = len(github.requests)
    missing = await page(flow_of(bench), ABSENT + path)
    assert private.status is not Status.OK
    assert "brook" not in private.text + "".join(attempt.detail for attempt in private.attempts)
    assert seen_by_caller(private, REPOSITORY) == seen_by_caller(missing, ABSENT)
    assert asked_for_private == len(github.requests) - asked_for_private


@pytest.mark.promise("credential-github-public-only")
@pytest.mark.parametrize("rest", [{"private": None}, {"private": "false"}, {"visibility": "secret"}, {"private": 0}])
async def test_a_repository_of_unknown_visibility_is_not_shown(
    bench: Bench, recorded: Recorded, rest: dict[str, Any]
) -> None:
    say(bench, recorded, rest, {"visibility": None})
    for path in PAGES:
        with pytest.raises(PageUnreadable):
            await read(bench, path, token=TOKEN)


@pytest.mark.promise("credential-github-public-only")
async def test_graphql_that_fails_opens_no_way_around_the_check(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    github.has("/graphql", json.dumps({"errors": [{"message": "Something went wrong."}]}))
    assert "leaks a file handle" in (await read(bench, "/issues/12", token=TOKEN)).markdown
    answer(bench, "repository", {**json.loads(recorded("github/repository.json")), **HIDDEN["private"]})
    with pytest.raises(PageUnreadable, match="does not have the page"):
        await read(bench, "/issues/12", token=TOKEN)


@pytest.mark.promise("credential-github-public-only")
@pytest.mark.parametrize("kind", ["FORBIDDEN", "INSUFFICIENT_SCOPES"])
async def test_a_discussion_behind_single_sign_on_is_as_missing_as_an_absent_one(
    bench: Bench, github: GithubApi, kind: str
) -> None:
    missing = await page(flow_of(bench), f"{ABSENT}/discussions/20")
    refused = {"data": {"repository": None}, "errors": [{"type": kind, "message": "Resource protected by SAML."}]}
    github.has("/graphql", json.dumps(refused))
    private = await page(flow_of(bench), f"{REPOSITORY}/discussions/20")
    assert seen_by_caller(private, REPOSITORY) == seen_by_caller(missing, ABSENT)


@pytest.mark.promise("credential-github-public-only")
async def test_a_renamed_private_repository_is_as_missing_as_an_absent_one(bench: Bench, github: GithubApi) -> None:
    moved = json.dumps({"message": "Moved Permanently", "url": "https://api.github.com/repositories/5"})
    github.has(API, moved, status=301, headers={"Location": "https://api.github.com/repositories/5"})
    private = await page(flow_of(bench), f"{REPOSITORY}/releases")
    missing = await page(flow_of(bench), f"{ABSENT}/releases")
    assert seen_by_caller(private, REPOSITORY) == seen_by_caller(missing, ABSENT)


@pytest.mark.promise("credential-github-public-only")
async def test_the_visibility_of_the_renamed_repository_counts(bench: Bench, recorded: Recorded) -> None:
    """GraphQL follows a rename: the present name decides, also about permissions."""
    renamed = {"nameWithOwner": "otterworks/secret", "isPrivate": True, "visibility": "PRIVATE"}
    say(bench, recorded, {}, renamed)
    for entry in ("otterworks/brook", "otterworks/other"):
        assert (await page(flow_of(bench, GITHUB_PRIVATE=entry), f"{REPOSITORY}/issues/12")).status is Status.NOT_FOUND
    opened = flow_of(bench, GITHUB_PRIVATE="otterworks/brook,otterworks/secret")
    assert (await page(opened, f"{REPOSITORY}/issues/12")).status is Status.OK


class RefusedReadme(ConfiguredClient):
    """The API for a token that may see a private repository but not its contents; the refusal comes first."""

    def __init__(self, repository: bytes) -> None:
        super().__init__("dowse/test")
        self._repository = repository
        self._refused = asyncio.Event()

    async def send(self, _method: str, url: str, **_: Any) -> Reply:
        if url.endswith("/readme"):
            self._refused.set()
            return Reply(403, {}, b'{"message": "Resource not accessible by personal access token"}')
        await self._refused.wait()
        # The refusal is dealt with before this answer is.
        for _turn in range(10):
            await asyncio.sleep(0)
        return Reply(200, {"content-type": "application/json"}, self._repository)


@pytest.mark.promise("credential-github-public-only")
@pytest.mark.parametrize("is_private", [True, False])
async def test_a_token_that_is_dropped_on_the_way_opens_nothing(
    bench: Bench, recorded: Recorded, is_private: bool
) -> None:
    found = {**json.loads(recorded("github/repository.json")), "private": is_private}
    kit = replace(bench.kit(GITHUB_TOKEN=TOKEN), client=RefusedReadme(json.dumps(found).encode()))
    reading = GithubLoader(kit).read(REPOSITORY, Deadline.after(FakeClock(), 30))
    if not is_private:
        assert "it was not used" in (await reading).warnings[0]
        return
    with pytest.raises(PageUnreadable, match="does not have the page"):
        await reading


@pytest.mark.promise("credential-github-public-only")
async def test_the_visibility_is_asked_once_for_many_pages_and_again_after_a_while(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    loader, clock = bench.loader("github", GITHUB_TOKEN=TOKEN), FakeClock()
    url = f"{REPOSITORY}/releases"

    def checks() -> int:
        return [seen.path for seen in github.requests].count(f"/github{API}")

    for _ in range(3):
        await loader.read(url, Deadline.after(clock, 30))
    assert checks() == 1
    hide(bench, recorded)
    clock.advance(299)
    await loader.read(url, Deadline.after(clock, 30))
    clock.advance(1)
    for _ in range(3):
        with pytest.raises(PageUnreadable):
            await loader.read(url, Deadline.after(clock, 30))
    assert checks() == 2


@pytest.mark.promise("credential-github-drafts")
@pytest.mark.parametrize("token", ["", TOKEN])
async def test_drafts_and_pending_reviews_of_public_repositories_stay_with_their_author(
    bench: Bench, recorded: Recorded, token: str
) -> None:
    secret = "unreleased canary"
    draft = {"tag_name": "v9", "name": secret, "body": secret, "draft": True}
    answer(bench, "releases", [draft, *json.loads(recorded("github/releases.json"))])
    pending = {"state": "PENDING", "body": secret, "user": {"login": "ana"}}
    answer(bench, "pull_reviews", [pending, *json.loads(recorded("github/pull_reviews.json"))])
    body = json.loads(recorded("github/pull_graphql.json"))
    pull = body["data"]["repository"]["issueOrPullRequest"]
    pull["reviews"]["nodes"].append(pending)
    pull["reviewThreads"]["nodes"].append({"path": "a.py", "comments": {"totalCount": 1, "nodes": [pending]}})
    answer(bench, "pull_graphql", body)
    for path in ("/releases", "/pull/15"):
        assert secret not in (await read(bench, path, token=token)).markdown
    # The control: the same entries, once they are published.
    answer(bench, "releases", [{**draft, "draft": False}])
    assert secret in (await read(bench, "/releases", token=token)).markdown
    pending["state"] = "APPROVED"
    answer(bench, "pull_reviews", [pending])
    answer(bench, "pull_graphql", body)
    assert secret in (await read(bench, "/pull/15", token=token)).markdown


@pytest.mark.promise("credential-github-public-only")
async def test_a_private_parent_of_a_fork_is_not_named(bench: Bench, recorded: Recorded) -> None:
    for is_private in (True, False):
        parent = {"full_name": "ana/hidden", "private": is_private}
        answer(bench, "repository", {**json.loads(recorded("github/repository.json")), "parent": parent})
        assert ("ana/hidden" in (await read(bench, "", token=TOKEN)).markdown) is not is_private


@pytest.mark.promise("credential-github-private-list")
@pytest.mark.parametrize(
    ("entries", "readers"),
    [
        ("otterworks/brook", {"local"}),
        ("otterworks/*", {"local"}),
        ("OtterWorks/Brook", {"local"}),
        ("otterworks/brook@alice", {"alice"}),
        ("otterworks/*@alice,otterworks/brook@bob", {"alice", "bob"}),
        ("otterworks/brook@local", {"anonymous"}),
        ("otterworks/bro,otterworks/brook2,otter/*,otterworks/brook@ALICE", set()),
    ],
)
async def test_a_private_repository_is_read_by_the_callers_that_its_entry_names(
    bench: Bench, recorded: Recorded, entries: str, readers: set[str]
) -> None:
    """`@local` names what a server without tokens calls its callers; nobody gets there by accident."""
    hide(bench, recorded)
    flow = flow_of(bench, GITHUB_PRIVATE=entries)
    callers = {"local": LOCAL, "anonymous": ANONYMOUS, "alice": ALICE, "bob": BOB}
    for path in PAGES:
        read_by = {
            name for name, who in callers.items() if (await page(flow, REPOSITORY + path, who)).status is Status.OK
        }
        assert read_by == readers, path


@pytest.mark.promise("credential-github-private-list")
async def test_a_private_page_is_neither_cached_nor_shared_in_flight(
    bench: Bench, recorded: Recorded, github: GithubApi
) -> None:
    hide(bench, recorded)
    flow = flow_of(bench, GITHUB_PRIVATE="otterworks/brook@alice")
    url = f"{REPOSITORY}/blob/main/src/brook/reader.py"
    shown = await page(flow, url, ALICE)
    assert (shown.status, shown.may_be_kept) == (Status.OK, False)
    digest = await flow.keep(shown)
    assert await flow.recall(url, digest) is None
    assert (await page(flow, url, BOB)).status is Status.NOT_FOUND
    # A failure of another caller is no failure for this one either.
    assert (await page(flow, url, ALICE)).status is Status.OK
    # The control: a public page is kept for all.
    publish(bench, recorded)
    public = flow_of(bench)
    digest = await public.keep(await page(public, url, ALICE))
    assert await public.recall(url, digest) is not None


@pytest.mark.promise("credential-github-private-list")
async def test_a_search_reads_no_private_page_even_for_its_reader(bench: Bench, recorded: Recorded) -> None:
    """Digests and answers of a search are cached for all callers."""
    hide(bench, recorded)
    flow = flow_of(bench, GITHUB_PRIVATE="otterworks/brook")
    assert (await page(flow, REPOSITORY)).status is Status.OK
    assert (await page(flow, REPOSITORY, for_search=True)).status is Status.NOT_FOUND


@pytest.mark.promise("credential-github-private-list")
@pytest.mark.parametrize("apis_first", [False, True])
async def test_no_other_reader_learns_of_a_private_page(
    bench: Bench, recorded: Recorded, github: GithubApi, apis_first: bool
) -> None:
    hide(bench, recorded)
    api = ScriptedReader("# What the scrape API read\n\nA page.")
    flow = flow_of(bench, api, apis_first=apis_first, GITHUB_PRIVATE="otterworks/brook")
    for path in (*PAGES, "/wiki", "/actions", "/issues/99", "/blob/main/absent.py"):
        await page(flow, REPOSITORY + path)
    github.fails("500")
    await page(flow, REPOSITORY)
    assert api.asked == []
    # The control: an ordinary page that fails is handed to it.
    other = "https://github.com/otterworks/river"
    await page(flow_of(bench, api, apis_first=True), other)
    assert api.asked == [other]


@pytest.mark.promise("credential-github-search")
@pytest.mark.parametrize("text", ["otter library", "TypeError: otter is None"])
async def test_a_search_with_the_token_asks_for_public_repositories_only(
    bench: Bench, github: GithubApi, text: str
) -> None:
    hit = {"html_url": REPOSITORY, "full_name": "otterworks/brook", "title": "otter", "description": "otter"}
    items = [{**hit, "private": True}, {**hit, "private": False, "html_url": f"{REPOSITORY}2"}]
    for path in ("/search/issues", "/search/repositories"):
        github.has(path, json.dumps({"items": items}))
    kit = bench.kit(GITHUB_TOKEN=TOKEN)
    search = GithubSearch(kit.settings, Api("github", kit.client, 10.0, "", kit.redactor))
    found = await search.search(Query(text), Deadline.after(FakeClock(), 30))
    asked = github.requests[-1]
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert "is:public" in asked.params["q"].split()
    if asked.path.endswith("/repositories"):
        assert [hit.url for hit in found.hits] == [f"{REPOSITORY}2"]


async def test_qualifiers_of_the_caller_do_not_reach_the_search(bench: Bench, github: GithubApi) -> None:
    kit = bench.kit(GITHUB_TOKEN=TOKEN)
    search = GithubSearch(kit.settings, Api("github", kit.client, 10.0, "", kit.redactor))
    await search.search(Query("otter is:private repo:otterworks/brook NOT is:public"), Deadline.after(FakeClock(), 30))
    qualifiers = [word for word in github.requests[-1].params["q"].split() if ":" in word]
    assert qualifiers == ["is:public"]
