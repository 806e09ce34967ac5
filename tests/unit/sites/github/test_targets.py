"""Which addresses of GitHub are read through its API: exact hosts, exact shapes, and nothing that looks like them."""

from __future__ import annotations

from dowse.core import urls
from dowse.sites.github.targets import Contents, ConversationTarget, Releases, Repository, Target, find_target
from tests.support.tables import each_row

BROOK = Repository("otterworks", "brook")


def meant(address: str) -> Target | None:
    parsed = urls.parse(address)
    assert parsed is not None
    return find_target(parsed)


@each_row(
    ("address", "expected"),
    [
        ("https://github.com/otterworks/brook", BROOK),
        ("http://www.github.com/otterworks/brook/", BROOK),
        ("https://GitHub.com./otterworks/brook.git?tab=readme-ov-file#install", BROOK),
        ("https://github.com/o_corp/.github", Repository("o_corp", ".github")),
        ("https://github.com/otterworks/brook/issues/12", ConversationTarget(BROOK, "issues", 12)),
        ("https://github.com/otterworks/brook/issues/12/?x=1#top", ConversationTarget(BROOK, "issues", 12, "top")),
        (
            "https://github.com/otterworks/brook/issues/12#issuecomment-5001",
            ConversationTarget(BROOK, "issues", 12, "issuecomment-5001"),
        ),
        ("https://github.com/otterworks/brook/issues/12#a%22b", ConversationTarget(BROOK, "issues", 12)),
        ("https://github.com/otterworks/brook/pull/15", ConversationTarget(BROOK, "pull", 15)),
        ("https://github.com/otterworks/brook/pull/15/files", ConversationTarget(BROOK, "pull", 15)),
        ("https://github.com/otterworks/brook/pull/15/changes", ConversationTarget(BROOK, "pull", 15)),
        ("https://github.com/otterworks/brook/pull/15/commits", ConversationTarget(BROOK, "pull", 15)),
        ("https://github.com/otterworks/brook/discussions/20", ConversationTarget(BROOK, "discussions", 20)),
        ("https://github.com/otterworks/brook/tree/v1.4", Contents(BROOK, "tree", "v1.4", "")),
        ("https://github.com/otterworks/brook/tree/main/a/b", Contents(BROOK, "tree", "main", "a/b")),
        ("https://github.com/otterworks/brook/blob/HEAD/a%20b.md", Contents(BROOK, "blob", "HEAD", "a b.md")),
        ("https://github.com/otterworks/brook/blob/main/x.py#L7", Contents(BROOK, "blob", "main", "x.py", (7, 0))),
        ("https://github.com/otterworks/brook/blob/main/x.py#L7-L9", Contents(BROOK, "blob", "main", "x.py", (7, 9))),
        ("https://github.com/otterworks/brook/releases", Releases(BROOK)),
        ("https://github.com/otterworks/brook/releases/latest", Releases(BROOK, is_latest=True)),
        ("https://github.com/otterworks/brook/releases/tag/v1.4.0", Releases(BROOK, "v1.4.0")),
        ("https://github.com/otterworks/brook/releases/tag/%40a/b%401", Releases(BROOK, "@a/b@1")),
    ],
)
def test_an_address_means_one_thing(address: str, expected: Target) -> None:
    assert meant(address) == expected


@each_row(
    "address",
    [
        "https://evil-github.com/otterworks/brook",
        "https://github.com.evil.org/otterworks/brook",
        "https://notgithub.com/otterworks/brook",
        "https://api.github.com/repos/otterworks/brook",
        "https://gist.github.com/otterworks/0123456789abcdef",
        "https://raw.githubusercontent.com/otterworks/brook/main/README.md",
        "https://docs.github.com/en/rest",
        "https://github.com:8443/otterworks/brook",
        "http://github.com:443/otterworks/brook",
        "https://ana:secret@github.com/otterworks/brook",
        "ftp://github.com/otterworks/brook",
        "https://github.com/",
        "https://github.com/otterworks",
        "https://github.com/orgs/community/discussions/1",
        "https://github.com/topics/python",
        "https://github.com/settings/tokens",
        "https://github.com/Marketplace/actions",
        "https://github.com/sponsors/ana",
        "https://github.com/advisories/GHSA-0000-0000-0000",
        "https://github.com/resources/articles",
        "https://github.com/git-guides/git-pull",
        "https://github.com/newsroom/press-releases",
        "https://github.com/customer-stories/otterworks",
        "https://github.com/apps/coverage-robot",
        "https://github.com/models/otterworks",
        "https://github.com/mcp/otterworks",
        "https://github.com/-ana/brook",
        f"https://github.com/{'a' * 40}/brook",
        f"https://github.com/otterworks/{'b' * 101}",
        "https://github.com/otterworks/.git",
        "https://github.com/otterworks/..git",
        "https://github.com/otterworks/...git",
        "https://github.com/otterworks/%2e%2e%2egit",
        "https://github.com/otterworks/brook.git.git",
        "https://github.com/otterworks/brook%3Fa",
        "https://github.com/otterworks/brook%23a",
        "https://github.com/otterworks/..git/issues/12",
        "https://github.com/.git/brook",
        "https://github.com/otterworks/br%20ook",
        "https://github.com/otterworks/brook%2f..%2f..%2fuser",
        "https://github.com/otterworks/%2e%2e",
        "https://github.com/otterworks/brook/blob/main/a%2f..%2fb",
        "https://github.com/otterworks/brook/blob/main/a%5cb",
        "https://github.com/otterworks/brook/blob/main/a%00b",
        "https://github.com/otterworks/brook/blob/main/a%0ab",
        "https://github.com/otterworks/brook/blob/main",
        "https://github.com/otterworks/brook/tree",
        "https://github.com/otterworks/brook/issues",
        "https://github.com/otterworks/brook/issues/new",
        "https://github.com/otterworks/brook/issues/0",
        "https://github.com/otterworks/brook/issues/012",
        "https://github.com/otterworks/brook/issues/12345678901",
        "https://github.com/otterworks/brook/issues/12/edit",
        "https://github.com/otterworks/brook/issues/%D9%A1%D9%A2",
        "https://github.com/otterworks/brook/pull/15.diff",
        "https://github.com/otterworks/brook/pull/15/commits/0a1b2c",
        "https://github.com/otterworks/brook/pulls",
        "https://github.com/otterworks/brook/releases?page=2",
        "https://github.com/otterworks/brook/releases/tag",
        "https://github.com/otterworks/brook/releases/download/v1/brook.zip",
        "https://github.com/otterworks/brook/wiki",
        "https://github.com/otterworks/brook/actions/runs/1",
        "https://github.com/otterworks/brook/commit/0a1b2c",
        "https://github.com/otterworks/brook/compare/main...next",
    ],
)
def test_what_only_looks_like_one_of_them_is_left_to_the_general_reader(address: str) -> None:
    assert meant(address) is None


def test_an_address_is_written_as_the_page_and_as_the_api_have_it() -> None:
    found = Contents(BROOK, "blob", "main", "docs/a b?#.md")
    assert found.link == "https://github.com/otterworks/brook/blob/main/docs/a%20b%3F%23.md"
    assert found.api_path == "/repos/otterworks/brook/contents/docs/a%20b%3F%23.md"
    assert Contents(BROOK, "tree", "main", "").api_path == "/repos/otterworks/brook/contents"
    assert Contents(BROOK, "tree", "main", "").link == "https://github.com/otterworks/brook/tree/main"
