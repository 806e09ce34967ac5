"""Who may read which private repository, and how long the visibility of a repository is remembered."""

from __future__ import annotations

import pytest

from dowse.core.models import LOCAL, Principal
from dowse.core.runtime import ANONYMOUS
from dowse.sites.github.api import PrivateAccess, Visibilities
from dowse.sites.github.targets import Repository
from tests.fakes import FakeClock
from tests.support.tables import each_row

BROOK = Repository("Otter", "Brook")


@pytest.mark.promise("credential-github-private-list")
@each_row(
    ("entry", "caller", "name", "is_covered"),
    [
        ("otter/brook", LOCAL, "Otter/Brook", True),
        ("otter/*", LOCAL, "otter/river", True),
        ("otter/*", LOCAL, "otters/river", False),
        ("otter/brook", LOCAL, "otter/brook2", False),
        ("otter/brook", LOCAL, "", False),
        ("otter/brook", ANONYMOUS, "otter/brook", False),
        ("otter/brook", Principal("local"), "otter/brook", False),
        ("otter/brook@alice", Principal("alice"), "otter/brook", True),
        ("otter/brook@alice", Principal("Alice"), "otter/brook", False),
        ("otter/brook@alice", LOCAL, "otter/brook", False),
        ("otter/*@jwt:ana@example.org", Principal("jwt:ana@example.org"), "otter/brook", True),
        ("otter/*@jwt:ana@example.org", Principal("jwt:ana"), "otter/brook", False),
    ],
)
def test_an_entry_opens_its_repositories_to_its_caller(
    entry: str, caller: Principal, name: str, is_covered: bool
) -> None:
    assert PrivateAccess.of(caller, [entry]).covers(name) is is_covered


@pytest.mark.promise("credential-github-public-only")
def test_a_visibility_is_remembered_for_five_minutes_in_any_spelling(clock: FakeClock) -> None:
    seen = Visibilities()
    assert seen.recall(BROOK, clock) is None
    for is_public in (True, False):
        seen.remember(BROOK, clock, is_public=is_public)
        clock.advance(299)
        assert seen.recall(Repository("otter", "brook"), clock) is is_public
        clock.advance(1)
        assert seen.recall(BROOK, clock) is None


@pytest.mark.promise("credential-github-public-only")
def test_a_thousand_repositories_are_remembered_and_the_oldest_goes_first(clock: FakeClock) -> None:
    seen = Visibilities()
    repositories = [Repository("otter", f"r{number}") for number in range(1001)]
    for repository in repositories:
        seen.remember(repository, clock, is_public=True)
    first, second, *_, last = [seen.recall(each, clock) for each in repositories]
    assert (first, second, last) == (None, True, True)
