"""What is left of a query that goes to an API, of markup that comes from one, and of a package's name in a text."""

from datetime import UTC, date, datetime

from dowse.core.models import Query, TimeRange
from dowse.sites.pypi import guess_names
from dowse.sites.query import Period, keywords, period_of, without_tags
from tests.support.tables import each_row

TODAY = date(2026, 11, 15)


@each_row(
    ("text", "expected"),
    [
        ("how do I cancel an asyncio task?", "cancel asyncio task"),
        ("who is the president of France", "president France"),
        ("The Who", "The Who"),
        ("to be", "to be"),
        ("C++ and C# vs node.js", "C++ C# vs node.js"),
        ('-excluded +wanted (grouped) "quoted" ~ ^', "excluded wanted grouped quoted"),
        ("user:admin repo:a/b", "user admin repo a/b"),
        ("httpx.ReadTimeout: timed out", "httpx.ReadTimeout timed out"),
        ("otters AND beavers NOT found", "otters beavers not found"),
        ("梅雨の歩き方", "梅雨の歩き方"),
        ("???", ""),
    ],
)
def test_the_words_that_matter_are_kept_and_no_operator_is(text: str, expected: str) -> None:
    assert keywords(text, max_chars=200) == expected


def test_a_long_query_is_cut_at_a_word() -> None:
    assert keywords("otters " * 50, max_chars=19, most=50) == "otters otters"
    assert keywords("one two three four", max_chars=100, most=2) == "one two"


@each_row(
    ("markup", "expected"),
    [
        ('An <span class="searchmatch">otter</span> &amp; a pup', "An otter & a pup"),
        ("One<p>Two</p><p>Three<br>Four", "One Two Three Four"),
        ("<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O</jats:p>", "Abstract H 2 O"),
        ("if a &lt; b &amp;&amp; c", "if a < b && c"),
        ("<pre><code>x = 1\n</code></pre>", "x = 1"),
        ("", ""),
    ],
)
def test_markup_becomes_the_words_in_it(markup: str, expected: str) -> None:
    assert without_tags(markup) == expected


@each_row(
    ("text", "names"),
    [
        ("pip install httpx", ["httpx"]),
        ("pip install --upgrade Otter_Tools==2.0 beaver.pond", ["otter-tools", "beaver-pond"]),
        ("uv pip install fjord fails", ["fjord", "fails"]),
        ("is there a pypi package for otters", ["otters"]),
        ("python library to read rock pool tables quickly", ["read", "rock", "pool"]),
        ("pypi ../../etc/passwd ?x=1", []),
        ("pypi", []),
        ("pypi 梅雨", []),
    ],
)
def test_a_few_names_of_packages_are_guessed_and_nothing_else_gets_into_the_address(
    text: str, names: list[str]
) -> None:
    assert guess_names(text) == names


@each_row(
    ("query", "period"),
    [
        (Query("x"), Period()),
        (Query("x", time_range=TimeRange.DAY), Period(date(2026, 11, 14))),
        (Query("x", time_range=TimeRange.YEAR), Period(date(2025, 11, 15))),
        (Query("x", start_date="2026-01-02", end_date="2026-03-04"), Period(date(2026, 1, 2), date(2026, 3, 4))),
        (Query("x", start_date="2026-01-02", time_range=TimeRange.DAY), Period(date(2026, 1, 2))),
        (Query("x", end_date="2026-03-04", time_range=TimeRange.ANY), Period(None, date(2026, 3, 4))),
    ],
)
def test_a_range_ends_today_and_dates_beat_it(query: Query, period: Period) -> None:
    assert period_of(query, TODAY) == period
    assert bool(period) is (period != Period())


def test_seconds_reach_from_the_first_of_the_first_day_to_the_end_of_the_last() -> None:
    period = Period(date(2026, 1, 2), date(2026, 1, 2))
    assert period.starts_at == datetime(2026, 1, 2, tzinfo=UTC).timestamp()
    assert period.ends_at == datetime(2026, 1, 3, tzinfo=UTC).timestamp()
    assert (Period().starts_at, Period().ends_at) == (None, None)
