"""Fusion: one entry for each document, by rank and by the number of independent indexes that have it."""

from dowse.core.models import Hit
from dowse.rank.fuse import Fused, fuse
from tests.support.tables import each_row


def hits(*urls: str, engine: str = "") -> list[Hit]:
    return [Hit(f"Title of {url}", url, engine=engine) for url in urls]


def order_of(fused: tuple[Fused, ...]) -> list[str]:
    return [each.hit.url for each in fused]


A, B, C, D = (f"https://{name}.example/page" for name in "abcd")


def test_one_provider_keeps_its_order_and_loses_its_duplicates() -> None:
    again = ["http://www.a.example/page/", "https://m.b.example/page?utm_source=mail", "https://a.example/page/amp"]
    fused = fuse([("exa", hits(A, again[0], B, *again[1:], C))])
    assert order_of(fused) == [A, B, C]
    assert [each.found_by for each in fused] == [("exa",)] * 3
    scores = [each.score for each in fused]
    assert scores == sorted(scores, reverse=True)


@each_row(
    "duplicate",
    [
        "http://www.example.org/guide?b=2&a=1",
        "https://example.org/guide?a=1&b=2&utm_campaign=spring&fbclid=x",
        "https://m.example.org/guide/?a=1&b=2",
        "https://example.org/guide/amp?a=1&b=2",
        "https://example-org.cdn.ampproject.org/c/s/example.org/guide?a=1&b=2",
    ],
)
def test_a_duplicate_under_another_address_is_merged_and_the_better_address_stays(duplicate: str) -> None:
    url = "https://example.org/guide?a=1&b=2"
    for first, second in ((url, duplicate), (duplicate, url)):
        fused = fuse([("tavily", hits(first)), ("exa", hits(second))])
        assert [each.found_by for each in fused] == [("tavily", "exa")]
        assert order_of(fused) in ([url], ["https://example.org/guide?a=1&b=2&utm_campaign=spring&fbclid=x"])


def test_different_pages_with_equal_titles_all_stay() -> None:
    found = [Hit("Release notes", f"https://example.org/releases?page={number}", "What is new.") for number in range(5)]
    assert {each.hit for each in fuse([("exa", found), ("tavily", found[::-1])])} == set(found)


def test_what_two_indexes_found_comes_before_what_one_has_first() -> None:
    fused = fuse([("exa", hits(A, B, C)), ("tavily", hits(D, C, B))])
    assert order_of(fused) == [B, C, A, D]
    assert [each.indexes for each in fused] == [("exa", "tavily"), ("exa", "tavily"), ("exa",), ("tavily",)]


def test_two_messengers_of_one_index_do_not_agree() -> None:
    fused = fuse([("serper", hits(A, B)), ("searxng", hits(C, B, engine="google")), ("exa", hits(D))])
    by_url = {each.hit.url: each for each in fused}
    assert by_url[B].found_by == ("serper", "searxng")
    assert by_url[B].indexes == ("google",)
    assert order_of(fused)[-1] == B


@each_row(
    ("engine", "index"),
    [
        ("google", "google"),
        ("google news", "google"),
        ("startpage", "google"),
        ("duckduckgo", "bing"),
        ("brave.news", "brave"),
        ("Mojeek", "mojeek"),
        ("", "searxng"),
    ],
)
def test_a_metasearch_engine_stands_for_the_index_it_asked(engine: str, index: str) -> None:
    assert fuse([("searxng", hits(A, engine=engine))])[0].indexes == (index,)


def test_a_provider_that_lists_a_document_twice_counts_once() -> None:
    found = [*hits(A, engine="google"), *hits(B, engine="bing"), *hits("http://b.example/page", engine="mojeek")]
    fused = fuse([("searxng", found)])
    assert order_of(fused) == [A, B]
    assert fused[1].indexes == ("bing", "mojeek")


def test_the_best_ranked_hit_takes_what_others_know_better() -> None:
    best = Hit("A guide", A, "A guide …", engine="bing")
    other = Hit("A Guide | Example", A, "How to plant beans, and when.", published="2026-01-02")
    third = Hit("Guide", A, "A short text.", published="2025-05-05")
    fused = fuse([("tavily", [*hits(B), other]), ("searxng", [best]), ("exa", [*hits(C, D), third])])
    merged = next(each.hit for each in fused if each.hit.url == A)
    assert merged == Hit("A guide", A, "How to plant beans, and when.", engine="bing", published="2026-01-02")


def test_of_nothing_nothing_comes() -> None:
    assert fuse([]) == fuse([("exa", [])]) == ()
