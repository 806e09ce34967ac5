"""How much of a question a piece covers, and whether a text tells the kind of thing that is asked for."""

from dowse.document.markdown import Document
from dowse.rank.index import Index
from dowse.rank.scoring import Coverage, asks_number, asks_person, lacks_name, lacks_number, matches_near
from tests.support.tables import each_row


def covered(question: str, *texts: str) -> float:
    """The coverage of a question by the first piece of the first text."""
    indexes = [Index(Document(text), question) for text in texts]
    near = matches_near(indexes[0], [0], {})
    return Coverage(indexes, question).measure(indexes[0], near, {})


def test_all_terms_are_covered_by_a_sentence_its_neighbours_and_its_headings() -> None:
    assert covered("cost of the bridge repair", "## Bridge\n\nThe repair was long. It cost 5 crowns.") == 1.0


def test_other_blocks_cover_nothing() -> None:
    assert covered("cost of the repair", "The repair was long.\n\nThe cost was high.") < 1.0


def test_a_word_of_every_page_covers_less_than_one_that_no_other_has() -> None:
    others = ["The bridge is old.\n\nA bridge is new.\n\nThe bridge is red."]
    assert covered("bridge bolts", "It is a bridge.", *others) < covered("bridge bolts", "It has bolts.", *others)


def test_several_weak_matches_are_no_stronger_than_one() -> None:
    assert covered("price", "It cost and cost and cost.") < 1.0


def test_a_name_covers_more_than_another_word() -> None:
    assert covered("the river Aare", "It is a river.") < covered("the river Aare", "It is the Aare.")


def test_words_of_the_title_weigh_less() -> None:
    index = Index(Document("It has bolts."), "bridge bolts")
    title = {"bridge": 1.0}
    coverage = Coverage([index], "bridge bolts")
    assert coverage.measure(index, title, title) < coverage.measure(index, title, {})


def test_an_index_without_title_has_the_same_pieces_below_the_other_headings() -> None:
    index = Index(Document("# Bridge\n\nOne.\n\n## Repair\n\nTwo."), "bridge repair")
    other = index.without_title()
    assert index.title() == {0: 1.0}
    assert (other.pieces, other.found) == (index.pieces, index.found)
    assert [other.above(block) for block in other.blocks] == [{}, {1: 1.0}]
    assert [dict(index.above(block)) for block in index.blocks] == [{0: 1.0}, {0: 1.0, 1: 1.0}]


def test_an_empty_page_has_no_title() -> None:
    index = Index(Document(""), "bridge")
    assert (index.title(), index.without_title().blocks) == ({}, ())


@each_row(
    ("text", "question", "language", "lacks"),
    [
        ("It is long.", "how long is it", "english", True),
        ("It is forty metres long.", "how long is it", "english", False),
        ("Version 3.15 is out.", "when was 3.15 released", "english", True),
        ("Version 3.15 is out since 2026.", "when was 3.15 released", "english", False),
        ("Er kommt am Montag.", "wann kommt er", "german", False),
        ("Se on pitkä.", "kuinka pitkä se on", "finnish", False),
    ],
)
def test_numbers_of_the_question_are_no_answer(text: str, question: str, language: str, lacks: bool) -> None:
    assert lacks_number(text, question, language) is lacks


@each_row(
    ("text", "lacks"),
    [
        ("Trams cross the Nordhaven bridge.", True),
        ("The mayor opened it.", True),
        ("It was opened by Ada Brunel.", False),
        ("Im Jahr darauf kam Özlem.", False),
    ],
)
def test_a_name_is_a_new_word_with_a_capital_letter_inside_a_sentence(text: str, lacks: bool) -> None:
    assert lacks_name(text, "Who opened the Nordhaven bridge?") is lacks


@each_row(
    ("question", "number", "person"),
    [
        ("how many bolts", True, False),
        ("Wann fährt er?", True, False),
        ("いつですか", True, False),
        ("who wrote it", False, True),
        ("Wer war das?", False, True),
        ("what is it", False, False),
    ],
)
def test_questions_ask_for_numbers_and_persons(question: str, number: bool, person: bool) -> None:
    assert (asks_number(question), asks_person(question)) == (number, person)
