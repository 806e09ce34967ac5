"""The pages of one search: who gets how much of the budget, and what becomes of those that get nothing."""

from dowse.core.digests import Source
from dowse.core.tokens import estimate_tokens
from dowse.rank.digest import digest
from tests.support.tables import each_row

QUESTION = "How much does the otter weigh?"


def page(name: str, words: str, count: int = 60) -> Source:
    lines = (f"{name} number {number} {words}, as page {name} of the book of {name} says." for number in range(count))
    return Source(f"# {name}\n\n" + "\n\n".join(lines), name)


OTTERS = [page(name, "tells that an otter weighs nine kilograms") for name in ("Ash", "Birch", "Cedar", "Elm")]
OTHERS = [
    page(name, "is about something else altogether") for name in ("Fir", "Hazel", "Larch", "Maple", "Oak", "Pine")
]


@each_row(("count", "lines"), [(1, 60), (10, 30), (50, 10)])
@each_row("max_tokens", [100, 250, 1000])
def test_all_pages_together_stay_within_the_budget_and_use_most_of_it(max_tokens: int, count: int, lines: int) -> None:
    sources = [
        page(f"Tree{number}", f"tells that otter {number} weighs nine kilograms", lines) for number in range(count)
    ]
    used = sum(estimate_tokens(each.text) for each in digest(QUESTION, sources, max_tokens))
    # Whole sentences only: twenty tokens for each of fifty pages are a sentence or none.
    assert 0.6 * max_tokens < used <= max_tokens


def test_a_page_that_answers_gets_more_than_one_that_does_not_and_that_gets_some() -> None:
    good, poor = digest(QUESTION, [OTTERS[0], OTHERS[0]], 1000)
    assert good.relevance > poor.relevance
    assert len(good.text) > 2 * len(poor.text) > 200


def test_a_budget_too_small_for_all_goes_to_the_pages_that_fit_best() -> None:
    digests = digest(QUESTION, [*OTHERS, *OTTERS[:2]], 100)
    assert [bool(each.text) for each in digests] == [False] * 6 + [True] * 2
    assert all("otter" in each.text for each in digests[6:])
    assert all(not each.anchors and each.blocks == 60 and each.summary for each in digests[:6])


def test_what_a_short_page_does_not_need_the_others_get() -> None:
    short = Source("# Otters\n\nAn otter weighs nine kilograms.")
    brief, long = digest(QUESTION, [short, OTTERS[0]], 600)
    assert (brief.text, brief.anchors) == (short.text, ())
    assert estimate_tokens(long.text) > 480


def test_of_an_off_topic_page_that_would_fit_only_the_best_lines_are_shown() -> None:
    """Also if it is short, but then half of it is enough."""
    right, long, short = digest(QUESTION, [OTTERS[0], OTHERS[0], page("Yew", "is about other things", 4)], 20_000)
    assert not right.is_off_topic and right.text == OTTERS[0].text
    assert long.is_off_topic and estimate_tokens(long.text) <= 120
    assert short.is_off_topic and 10 < estimate_tokens(short.text) <= short.tokens / 2


def test_the_best_lines_of_an_off_topic_page_are_three_sentences_without_headings_and_code() -> None:
    text = "# Kettles\n\n## Use\n\nWarning\n\n```sh\nboil --now\n```\n\n" + "\n\n".join(
        f"Kettle {name} of this shop boils water for {name}."
        for name in ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz")
    )
    (found,) = digest(QUESTION, [Source(text * 3, "Kettles")], 20_000)
    lines = found.text.split(" […] ")
    assert 1 <= len(lines) <= 3
    assert all(line.startswith("Kettle ") and line.endswith(".") for line in lines)


@each_row(
    ("question", "text"),
    [
        ("How much does the otter weigh?", "Der Fischotter wiegt neun Kilo, und er schwimmt mit den Ohren zu."),
        ("How much does the otter weigh?", "カワウソの体重は九キロで、耳を閉じて泳ぎます。"),
        ("カワウソの体重", "The otter weighs nine kilograms and swims with its ears shut."),
        ("", "The kettle boils water in the kitchen, and the cat is under the table."),
    ],
)
def test_a_page_in_another_language_than_the_question_is_never_off_topic(question: str, text: str) -> None:
    (found,) = digest(question, [Source(text * 20)], 20_000)
    assert (found.is_off_topic, found.text) == (False, text * 20)


def test_a_page_with_the_question_in_its_title_is_not_off_topic() -> None:
    (found,) = digest(QUESTION, [Source(OTHERS[0].text, "How much an otter weighs")], 20_000)
    assert not found.is_off_topic


@each_row("max_tokens", [300, 20_000])
def test_a_share_of_each_page_is_shown_where_only_that_is_wanted(max_tokens: int) -> None:
    whole, some = (digest(QUESTION, [OTTERS[0], OTTERS[1]], max_tokens, share=share) for share in (1.0, 0.4))
    for one, other in zip(whole, some, strict=True):
        assert estimate_tokens(other.text) <= 0.4 * min(max_tokens / 2, one.tokens) + 1
        assert (one.tokens, one.relevance) == (other.tokens, other.relevance)


def test_without_a_budget_nothing_is_cut() -> None:
    assert [each.text for each in digest(QUESTION, OTTERS, 0)] == [source.text for source in OTTERS]


def test_of_pages_that_say_the_same_the_first_is_shown_and_the_others_cost_nothing() -> None:
    digests = digest(QUESTION, [OTTERS[0], OTHERS[0], OTTERS[0], OTHERS[0]], 1000)
    assert [each.duplicate_of for each in digests] == [None, None, 0, 1]
    assert [bool(each.text) for each in digests] == [True, True, False, False]
    assert sum(estimate_tokens(each.text) for each in digests) > 800
