"""A query is made to fit: what a provider cannot take is cut or left out, and said so."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dowse.core.models import Query
from dowse.providers.limits import QueryLimits, fit
from tests.support.tables import each_row

DOMAINS = st.lists(st.sampled_from([f"{'x' * length}.example" for length in (1, 5, 30)]), max_size=12).map(tuple)
WORDS = st.lists(st.sampled_from(["word", "longer-word", "ü"]), min_size=1, max_size=30).map(" ".join)


@each_row(
    ("include", "exclude", "text"),
    [
        ((), (), "words"),
        (("a.org",), (), "words (site:a.org)"),
        (("a.org", "b.org"), ("c.org",), "words (site:a.org OR site:b.org) -site:c.org"),
        ((), ("c.org", "d.org"), "words -site:c.org -site:d.org"),
    ],
)
def test_domains_are_emulated_with_operators(include: tuple[str, ...], exclude: tuple[str, ...], text: str) -> None:
    query = Query("words", include_domains=include, exclude_domains=exclude)
    fitted, warnings = fit("p", query, QueryLimits(max_results=10))
    assert (fitted.text, warnings) == (text, ())


def test_domains_that_a_provider_filters_itself_stay_out_of_the_text() -> None:
    native = QueryLimits(max_results=10, filters=frozenset({"include_domains", "exclude_domains"}))
    query = Query("words", include_domains=("a.org",), exclude_domains=("b.org",))
    assert fit("p", query, native) == (query, ())


def test_a_long_query_is_cut_first_and_filters_that_do_not_fit_are_counted() -> None:
    """Half an operator would search for something else."""
    query = Query("word " * 20, exclude_domains=("a.org", "b.org"))
    fitted, warnings = fit("p", query, QueryLimits(max_results=10, max_query_chars=30))
    assert fitted.text == "word word word word word word"
    assert warnings == (
        "p takes at most 30 characters; the query was cut.",
        "p takes no longer queries, so 2 domain filters were left out.",
    )


@given(WORDS, DOMAINS, DOMAINS, st.integers(5, 200))
def test_what_is_asked_fits_and_holds_whole_filters_only(
    words: str, include: tuple[str, ...], exclude: tuple[str, ...], most: int
) -> None:
    query = Query(words, include_domains=include, exclude_domains=exclude)
    fitted, warnings = fit("p", query, QueryLimits(max_results=10, max_query_chars=most))
    assert len(fitted.text) <= most
    assert fitted.text.count("(") == fitted.text.count(")")
    operators = [word.strip("()") for word in fitted.text.split() if "site:" in word]
    wanted = [f"site:{domain}" for domain in include] + [f"-site:{domain}" for domain in exclude]
    assert set(operators) <= set(wanted)
    left_out = len(wanted) - len(operators)
    told = f"p takes no longer queries, so {left_out} domain filters were left out."
    assert (told in warnings) is (left_out > 0)


def test_a_page_is_emulated_by_asking_for_all_up_to_it() -> None:
    fitted, warnings = fit("p", Query("words", num_results=5, page=3), QueryLimits(max_results=50))
    assert (fitted.num_results, fitted.page, warnings) == (15, 1, ())


def test_a_page_beyond_what_a_provider_gives_is_told() -> None:
    query = Query("words", num_results=10, page=3)
    fitted, warnings = fit("p", query, QueryLimits(max_results=20))
    assert (fitted.num_results, query.earlier) == (20, 20)
    assert warnings == ("p gives at most 20 results; 30 were requested.",)


def test_a_page_stays_a_page_where_the_provider_has_pages() -> None:
    query = Query("words", num_results=5, page=3)
    assert fit("p", query, QueryLimits(max_results=50, filters=frozenset({"page"}))) == (query, ())


@each_row(("name", "value"), [("country", "us"), ("location", "Oslo"), ("autocorrect", False)])
def test_where_and_how_to_search_is_left_out_aloud(name: str, value: object) -> None:
    query = replace(Query("words"), **{name: value})  # type: ignore[arg-type]
    assert fit("p", query, QueryLimits(max_results=10)) == (
        Query("words"),
        (f"p cannot filter by {name}, so it was left out.",),
    )
    assert fit("p", query, QueryLimits(max_results=10, filters=frozenset({name}))) == (query, ())
