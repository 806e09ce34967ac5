"""How much of a question a piece covers."""

from dowse.document.markdown import Document
from dowse.rank.index import Index
from dowse.rank.scoring import Coverage, matches_inside, matches_near


def covered(question: str, *texts: str) -> float:
    """The coverage of a question by the first piece of the first text."""
    indexes = [Index(Document(text), question) for text in texts]
    near = matches_near(indexes[0], [0], {})
    return Coverage(indexes, question).measure(indexes[0], near, {})


def test_all_terms_are_covered_by_a_sentence_its_neighbours_and_its_headings() -> None:
    assert covered("cost of the bridge repair", "## Bridge\n\nThe repair was long. It cost 5 crowns.") == 1.0


def test_other_blocks_cover_nothing() -> None:
    assert covered("noise of the repair", "The repair was long.\n\nThe noise was high.") < 1.0


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


def test_words_that_say_what_kind_of_answer_is_asked_for_need_not_be_covered() -> None:
    assert covered("how tall is the tower", "The tower has 41 metres.") == 1.0


def test_the_words_inside_a_piece_are_those_of_no_other() -> None:
    index = Index(Document("It has bolts. The bridge is old."), "bridge bolts")
    assert (matches_inside(index, [0]), matches_inside(index, [1])) == ({"bolts": 1.0}, {"bridge": 1.0})
    assert matches_near(index, [0], {}) == {"bolts": 1.0, "bridge": 1.0}
