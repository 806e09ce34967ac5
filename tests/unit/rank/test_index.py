"""Which words of a page stand for the words of a question."""

from dowse.rank.index import Terms
from tests.support.tables import each_row


def strength(asked: str, written: str, language: str = "english") -> float:
    matches = Terms([asked], language).matches({written, "something", "else"})
    return matches[written].strength if written in matches else 0.0


@each_row(
    ("asked", "written", "language"),
    [
        ("installing", "installed", "english"),
        ("queries", "query", "english"),
        ("running", "runs", "english"),
        ("otter", "otter", ""),
        ("celeron", "céleron", "french"),
        ("häuser", "haus", "german"),
        ("выдрой", "выдра", "russian"),
        ("东京", "东京", ""),
    ],
)
def test_another_form_of_a_word_is_the_word(asked: str, written: str, language: str) -> None:
    assert strength(asked, written, language) == 1.0


@each_row(
    ("asked", "written"),
    [
        ("cost", "price"),
        ("began", "starts"),
        ("invasion", "invaded"),
        ("fiber", "fibre"),
        ("colour", "color"),
        ("ebooks", "books"),
        ("celeron", "celoron"),
        ("pumpe", "wasserpumpe"),
        ("salzgewinnung", "salz"),
    ],
)
def test_a_related_word_counts_less(asked: str, written: str) -> None:
    assert 0 < strength(asked, written) < 1


@each_row(("asked", "written"), [("otter", "other"), ("cat", "dog"), ("form", "from"), ("c", "cc")])
def test_other_words_do_not_count(asked: str, written: str) -> None:
    assert strength(asked, written) == 0.0


def test_a_word_that_is_on_the_page_is_not_looked_for_in_other_spellings() -> None:
    matches = Terms(["fibre"], "english").matches({"fibre", "fiber"})
    assert set(matches) == {"fibre"}


def test_small_words_are_left_out_unless_there_are_no_others() -> None:
    assert Terms(["what", "is", "an", "otter"], "english").words == ("otter",)
    assert Terms(["was", "ist", "ein", "otter"], "german").words == ("otter",)
    assert Terms(["who", "is", "who"], "english").words == ("who", "is")


def test_codes_tell_more_than_words_and_common_words_less() -> None:
    code, word, common = Terms(["e2", "kettle", "people"], "english").weights
    assert code > word > common


def test_a_question_has_at_most_a_hundred_words() -> None:
    assert len(Terms([f"word{number}" for number in range(100)], "").words) == 64
