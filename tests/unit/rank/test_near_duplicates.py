"""Near-duplicates: mirrors are found whatever is around them; pages that only share something are not."""

import random
import string

import pytest

from dowse.rank.near_duplicates import find_near_duplicates

HAN = [chr(code) for code in range(0x4E00, 0x4F00)]
THAI = [chr(code) for code in range(0x0E01, 0x0E2F)]
FRAME = (
    "Sign in to follow this topic and get a letter every Friday with the best of the week. "
    "This site uses cookies to count visitors; see the privacy policy for what is kept and for how long. "
)


def sentences(seed: int, count: int = 40) -> list[str]:
    """Sentences of one article, which no other seed has."""
    source = random.Random(seed)
    words = ["".join(source.choices(string.ascii_lowercase, k=source.randint(2, 9))) for _ in range(300)]
    return [" ".join(source.choices(words, k=source.randint(8, 20))).capitalize() + "." for _ in range(count)]


def article(seed: int, count: int = 40) -> str:
    return " ".join(sentences(seed, count))


def unspaced(seed: int, characters: list[str], count: int = 400) -> str:
    return "".join(random.Random(seed).choices(characters, k=count))


def test_pages_that_say_the_same_all_have_the_first_of_them() -> None:
    one, other = article(1), article(2)
    assert find_near_duplicates([one, other, one, f"# Title\n\n{other}", one]) == [None, None, 0, 1, 0]


def test_a_mirror_that_lost_sentences_and_has_a_frame_of_its_own_is_found() -> None:
    kept = [sentence for number, sentence in enumerate(sentences(1)) if number % 6]
    assert find_near_duplicates([article(1), " ".join([FRAME, *kept, FRAME, article(9, 3)])]) == [None, 0]


def test_a_mirror_with_other_links_and_emphasis_is_found() -> None:
    plain = article(1)
    words = plain.split(" ")
    linked = " ".join(
        f"[{word}](https://mirror.example/{number})" if number % 3 else f"**{word.upper()}**"
        for number, word in enumerate(words)
    )
    assert find_near_duplicates([plain, linked]) == [None, 0]


@pytest.mark.parametrize("characters", [HAN, THAI], ids=["chinese", "thai"])
def test_mirrors_are_found_in_scripts_without_blanks(characters: list[str]) -> None:
    text = unspaced(1, characters)
    copy = text[:150] + "。" + text[180:] + unspaced(9, characters, 40)
    assert find_near_duplicates([text, unspaced(2, characters), copy]) == [None, None, 0]


def test_different_pages_under_one_title_in_one_frame_are_different() -> None:
    pages = [f"# Release notes\n\n{FRAME}\n\n{article(seed, 4)}\n\n{FRAME}" for seed in range(4)]
    assert find_near_duplicates(pages) == [None] * 4


@pytest.mark.parametrize("own", [8, 20])
def test_pages_with_the_same_licence_are_different(own: int) -> None:
    licence = article(5, 20)
    assert find_near_duplicates([f"{article(seed, own)}\n\n{licence}" for seed in range(3)]) == [None] * 3


def kettle(name: str, price: int, watts: int, litres: float, colour: str, boilerplate: int = 8) -> str:
    """The page of a shop that says the same about everything it sells."""
    return (
        f"# {name} kettle\n\nThe {name} kettle is our best seller, and it comes with a warranty of two years.\n\n"
        "## Specification\n\n| Property | Value |\n| --- | --- |\n"
        f"| Price | {price} crowns |\n| Power | {watts} W |\n| Volume | {litres} l |\n| Colour | {colour} |\n\n"
        f"## Delivery\n\n{article(7, boilerplate)}"
    )


@pytest.mark.parametrize("boilerplate", [8, 80], ids=["short", "long"])
def test_two_things_of_one_shop_are_different(boilerplate: int) -> None:
    fjell = kettle("Fjell", 39, 1200, 1.2, "blue", boilerplate)
    assert find_near_duplicates([fjell, kettle("Strand", 89, 2400, 1.7, "red", boilerplate)]) == [None, None]
    assert find_near_duplicates([fjell, fjell.replace("\n\n##", f"\n\n{FRAME}\n\n##", 1)]) == [None, 0]


def test_pages_with_other_names_and_no_numbers_are_different() -> None:
    pages = [f"# {name} team\n\nThe {name} team meets in {name}.\n\n{article(7, 6)}" for name in ("Aldon", "Brack")]
    assert find_near_duplicates(pages) == [None, None]


def test_one_form_with_other_numbers_is_different() -> None:
    assert find_near_duplicates([kettle("Fjell", 39, 1200, 1.2, "blue"), kettle("Fjell", 89, 2400, 1.7, "blue")]) == [
        None,
        None,
    ]


def test_a_copy_with_another_date_and_the_name_of_its_site_is_found() -> None:
    page = f"# Beans\n\nWritten on 3 May 2024, read 17 times.\n\n{article(1)}\n\n## Sowing in 2024\n\n{article(2)}"
    copy = page.replace("# Beans", "# Garden news\n\n# Beans | Garden news", 1).replace("17 times", "950 times")
    assert find_near_duplicates([page, f"{copy}\n\n{FRAME}"]) == [None, 0]
    assert find_near_duplicates([page, page.partition("\n\n")[2]]) == [None, 0]


def test_a_reprint_under_another_headline_is_found_if_all_else_is_the_same() -> None:
    assert find_near_duplicates([f"# Beans grow\n\n{article(1)}", f"# The garden in May\n\n{article(1)}"]) == [None, 0]


def test_an_excerpt_is_no_mirror_and_neither_is_a_page_with_much_of_its_own() -> None:
    assert find_near_duplicates([article(1), " ".join(sentences(1)[:18])]) == [None, None]
    assert find_near_duplicates([" ".join(sentences(1)[:18]), article(1)]) == [None, None]


def test_short_texts_are_the_same_only_if_all_words_are() -> None:
    short = "The page you asked for has moved. Please look for it on our new site."
    assert find_near_duplicates([short, short.upper(), f"{short} Thank you."]) == [None, 0, None]
    assert find_near_duplicates(["", "", "---"]) == [None, None, None]


def test_long_pages_are_compared_by_a_sample_with_the_same_result() -> None:
    long = article(1, 1200)
    halves = " ".join(sentences(1, 1200)[:600]), article(3, 600)
    assert find_near_duplicates([long, article(2, 1200), f"{FRAME} {long[:-900]}", " ".join(halves)]) == [
        None,
        None,
        0,
        None,
    ]


def test_the_same_word_again_and_again_is_compared_like_anything_else() -> None:
    assert find_near_duplicates(["beans " * 20_000, article(1, 1500), "beans " * 15_000]) == [None, None, 0]


def test_a_page_alone_has_no_twin() -> None:
    assert find_near_duplicates([]) == []
    assert find_near_duplicates([article(1)]) == [None]
