"""Sentences, items, rows and lines: where one ends and the next begins."""

from dowse.document.markdown import Document
from dowse.rank.sentences import split_block
from tests.support.tables import each_row


def shown(page: str) -> list[str]:
    return [page[start:end] for block in Document(page).blocks for start, end in split_block(page, block)]


@each_row(
    "page",
    [
        "Dr. Otter met Mrs. Vole.|Then he left.",
        "It weighs 3.5 kg.|That is much.",
        "J. R. Otter wrote it.|We read it.",
        "The U.S. Congress met.|It voted.",
        "See Fig. 2 for e.g. trout.|It is blue.",
        'He asked "why?" and left.|Nobody knew.',
        "Am 3. Oktober fiel bzw. Schnee.|Es war kalt.",
        "They swim.[1][23]|They dive.[a]",
        "Really?!|Yes…|Good.",
        'She said "stop."|He did.',
        "1. First of all.|It works.",
    ],
)
def test_a_sentence_ends_where_a_reader_would_say_so(page: str) -> None:
    assert shown(page.replace("|", " ")) == page.split("|")


@each_row(
    "page",
    [
        "水獭吃鱼。|它们住在河里！|为什么？",
        "「魚を食べる。」|川に住む。",
        "ऊदबिलाव मछली खाता है।| वह नदी में रहता है।",
        "أين يعيش؟| في النهر.",
        "ဖျံသည် ငါးစားသည်။|မြစ်တွင် နေသည်။",
    ],
)
def test_other_scripts_have_other_ends(page: str) -> None:
    assert shown(page.replace("|", "")) == [part.strip() for part in page.split("|")]


@each_row(
    "page",
    [
        "the otter dived.|then it came up with a fish!|nobody saw it",
        "ok so it costs approx. ten crowns, e.g. by card.|want to come?|sure.",
        "and then... well.|we went home.",
    ],
)
def test_text_without_capitals_is_divided_as_well(page: str) -> None:
    assert shown(page.replace("|", " ")) == page.split("|")


def test_a_small_letter_goes_on_with_a_sentence_that_begins_with_a_capital() -> None:
    assert shown("Yahoo! is a company. It is old.") == ["Yahoo! is a company.", "It is old."]


def test_thai_is_divided_at_blanks_but_not_into_single_words() -> None:
    phrases = ["นากเป็นสัตว์เลี้ยงลูกด้วยนมที่อาศัยอยู่ใกล้แหล่งน้ำ", "พวกมันกินปลาและกุ้งเป็นอาหารหลักในเวลากลางคืน"]
    sentences = [" ".join([*phrases, "ทุกวันในแม่น้ำ"]), " ".join([*phrases[::-1], "และนอนบนฝั่ง"])]
    assert shown(" ".join(sentences)) == sentences
    assert shown(sentences[0]) == sentences[:1]
    assert shown("นาก กิน ปลา") == ["นาก กิน ปลา"]


def test_a_sentence_goes_on_over_wrapped_lines_but_not_into_the_next_item() -> None:
    wrapped = "A sentence that is wrapped because the line would be too long\nends here. Next one."
    assert shown(wrapped) == [wrapped.removesuffix(" Next one."), "Next one."]
    assert shown("- one item\n- another item that is long enough to be a wrapped line\n- third") == [
        "- one item",
        "- another item that is long enough to be a wrapped line",
        "- third",
    ]
    assert shown("Otter Lane 3\nRiverton") == ["Otter Lane 3", "Riverton"]


def test_rows_of_a_large_table_are_pieces_and_a_small_one_is_one() -> None:
    header = "| a | b |\n|---|---|\n"
    rows = [f"| row {number} | {'x' * 20} |" for number in range(9)]
    assert shown(header + "\n".join(rows)) == rows
    assert shown(header + "\n".join(rows[:2])) == ["\n".join(rows[:2])]


def test_code_is_divided_between_lines_only() -> None:
    lines = [f"value_{number} = compute({number}, of=something, that=matters)" for number in range(20)]
    code = "\n".join(lines)
    found = shown(f"```py\n{code}\n```")
    assert len(found) > 2
    assert "\n".join(found) == code
    assert shown("```\none\n\ntwo\n```") == ["one\n\ntwo"]


def test_a_function_stays_whole_where_an_empty_line_is_near() -> None:
    function = "\n".join(["def f():", *(f"    step({number})  # one of many" for number in range(5))])
    assert shown(f"```\n{function}\n\n{function}\n\n{function}\n```") == [function, f"\n{function}", f"\n{function}"]


def test_a_line_of_code_is_never_cut_but_endless_prose_is() -> None:
    assert shown(f"```\n{'x' * 5000}\n```") == ["x" * 5000]
    assert max(map(len, shown("word " * 2000))) <= 1200
    assert "".join(shown("a" * 5000)) == "a" * 5000


def test_empty_code_has_no_pieces() -> None:
    assert not shown("```\n```")
    assert not shown("```")
