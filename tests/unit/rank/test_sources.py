"""SiteRules about sites: the user's lists move, bury and block results, and override ours."""

import pytest

from dowse.core.models import Hit
from dowse.rank.fuse import Fused, fuse
from dowse.rank.sources import Placed, SiteRules, Standing, order
from tests.support.tables import each_row


def found(*urls: str) -> tuple[Fused, ...]:
    return fuse([("exa", [Hit("Title", url) for url in urls])])


def placed(*urls: str, **lists: tuple[str, ...]) -> list[str]:
    return [each.hit.url for each in order(found(*urls), SiteRules(**lists))]


PLAIN = [f"https://site{number}.example/page" for number in range(8)]


@each_row(
    ("pattern", "url", "matches"),
    [
        ("python.org", "https://python.org/about", True),
        ("python.org", "https://docs.python.org/3/", True),
        ("www.Python.org", "https://WWW.python.org./3/", True),
        ("python.org", "https://notpython.org/", False),
        ("python.org", "https://python.org.evil.example/", False),
        ("*.gov", "https://www.nasa.gov/news", True),
        ("*.gov", "https://gov.example/", False),
        ("*.example.org", "https://a.example.org/", True),
        ("*.example.org", "https://example.org/", False),
        ("docs.*", "https://docs.example.org/", True),
        ("docs.*", "https://my.docs.example.org/", False),
        ("docs.*", "https://docs/", False),
        ("*.blogs.*", "https://ana.blogs.example/", True),
        ("github.com/spam", "https://github.com/Spam/repo", True),
        ("github.com/spam/", "https://github.com/spam", True),
        ("github.com/spam", "https://github.com/spammer", False),
        ("github.com/spam", "https://github.com/", False),
        ("example.org", "no address", False),
    ],
)
def test_a_pattern_matches_a_site_with_all_below_it(pattern: str, url: str, matches: bool) -> None:
    assert SiteRules(block=(pattern,)).is_blocked(url) is matches


@each_row("text", ["", "com", "*", "*.*", "https://example.org", "exa mple.org", "a.*.org", "a..b", "/x"])
def test_what_names_no_site_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a site: write python\.org"):
        SiteRules(bury=(text,))


def test_a_boosted_result_passes_three_others_at_most() -> None:
    assert placed(*PLAIN, boost=("site6.example",)) == [*PLAIN[:3], PLAIN[6], *PLAIN[3:6], PLAIN[7]]
    assert placed(*PLAIN, boost=("site1.example",)) == [PLAIN[1], PLAIN[0], *PLAIN[2:]]


def test_a_buried_result_comes_last_and_says_why() -> None:
    ordered = order(found(*PLAIN), SiteRules(bury=("site0.example",)))
    assert ordered[-1] == Placed(found(*PLAIN)[0], "sorted down: a rule of yours buries site0.example")
    assert [each.hit.url for each in ordered[:-1]] == PLAIN[1:]
    assert not any(each.remark for each in ordered[:-1])


def test_a_blocked_result_is_left_out_even_if_it_is_boosted() -> None:
    assert placed(*PLAIN[:2], block=("*.example",), boost=("site0.example/page",)) == []
    assert placed(*PLAIN[:2], block=("site0.example",)) == [PLAIN[1]]


@each_row(
    ("boost", "bury"),
    [
        ("example.org", "*.org"),
        ("example.org/docs", "example.org"),
        ("docs.example.org", "example.org"),
        ("docs.example.org", "docs.*"),
        ("example.org/docs/api", "docs.example.org/docs"),
    ],
)
def test_the_most_precise_rule_wins(boost: str, bury: str) -> None:
    url = "https://docs.example.org/docs/api/1"
    assert SiteRules(boost=(boost,), bury=(bury,)).standing(url).weight > 0
    assert SiteRules(boost=(bury,), bury=(boost,)).standing(url).weight < 0


def test_of_equally_precise_rules_the_one_that_buries_wins() -> None:
    assert SiteRules(boost=("example.org",), bury=("example.org",)).standing("https://example.org/").weight < 0


def test_documentation_from_its_makers_passes_one_other() -> None:
    docs = "https://docs.python.org/3/library/asyncio.html"
    assert placed(*PLAIN[:3], docs) == [*PLAIN[:2], docs, PLAIN[2]]


def test_a_site_that_copies_others_is_sorted_down_with_the_reason() -> None:
    copy = order(found("https://qastack.cn/programming/1", *PLAIN), SiteRules())[-1]
    assert (copy.hit.url, copy.remark) == (
        "https://qastack.cn/programming/1",
        "sorted down: copies questions and answers of other sites",
    )


@each_row("pattern", ["docs.python.org", "python.org", "*.org", "docs.*"])
def test_any_rule_of_the_user_overrides_ours(pattern: str) -> None:
    assert SiteRules(bury=(pattern,)).standing("https://docs.python.org/3/").weight < 0
    assert SiteRules(boost=("qastack.cn",)).standing("https://qastack.cn/1").weight > 0


def test_most_sites_have_no_standing() -> None:
    assert {SiteRules().standing(url) for url in PLAIN} == {Standing()}
    assert SiteRules().standing("no address") == Standing()
    assert placed(*PLAIN) == PLAIN


def test_a_placed_result_tells_who_found_it() -> None:
    fused = fuse([("serper", [Hit("Title", PLAIN[0])]), ("exa", [Hit("Title", PLAIN[0])])])
    (only,) = order(fused, SiteRules())
    assert (only.found_by, only.indexes) == (("serper", "exa"), ("google", "exa"))
