"""Words in any language, and the language by its words."""

from dowse.language.detection import detect_language
from dowse.language.scripts import strip_accents
from dowse.language.words import choose_splitter, load_stemmer, split_question
from tests.support.tables import each_row


def words(text: str) -> list[str]:
    return choose_splitter(text)(text)


@each_row(
    ("text", "expected"),
    [
        ("MAX_TOKENS isn't 5", ["max", "tokens", "isn", "t", "5"]),
        ("Über Ёлка", ["über", "ёлка"]),
        ("[an otter](https://otter.example/page)", ["an", "otter"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مُحَمَّد هنا", ["مُحَمَّد", "هنا"]),
    ],
)
def test_a_word_is_what_stands_between_blanks_and_marks(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@each_row(
    ("text", "expected"),
    [
        ("东京塔", ["东京", "京塔", "东", "京", "塔"]),
        ("カメラ", ["カメ", "メラ"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("ภาษา", ["ภาษ", "าษา"]),
        ("E2と出た", ["e2", "と出", "出た", "出"]),
    ],
)
def test_without_blanks_groups_of_characters_are_the_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_question_words_are_left_out_where_words_are_not_told_apart() -> None:
    split = choose_splitter("東京")
    assert split_question("E2と出たらどうすればいいですか", split) == ["e2", "と出", "出"]
    assert split_question("サイズは什么", split) == split("サイズは")
    assert split_question("どうですか", split) == split("どうですか")


@each_row(
    ("text", "language"),
    [
        ("the otter is in the river and it eats a fish", "english"),
        ("der Otter ist im Fluss und er frisst einen Fisch", "german"),
        ("la loutre est dans la rivière et elle mange un poisson", "french"),
        ("la nutria está en el río y se come un pez", "spanish"),
        ("saukko on joessa ja se syö kalaa kun on nälkä", "finnish"),
        ("выдра живёт в реке и ест рыбу", "russian"),
        ("القضاعة تعيش في النهر و تأكل من السمك", "arabic"),
        ("سمور در رودخانه است و از ماهی می خورد", "persian"),
        ("ऊदबिलाव नदी में है", "hindi"),
        ("η βίδρα είναι στο ποτάμι", "greek"),
        ("lorem ipsum dolor", ""),
        ("", ""),
    ],
)
def test_a_language_is_told_by_its_script_and_its_small_words(text: str, language: str) -> None:
    assert detect_language(words(text)) == language


def test_endings_are_cut_off_in_the_manner_of_the_language() -> None:
    assert len(set(load_stemmer("english")(["install", "installed", "installing"]))) == 1
    assert len(set(load_stemmer("russian")(["выдра", "выдры", "выдрой"]))) == 1
    assert len(set(load_stemmer("")(["otter", "otters"]))) == 1


def test_accents_can_be_left_out() -> None:
    assert strip_accents("céloron") == "celoron"
