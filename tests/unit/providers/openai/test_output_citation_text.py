"""Cleaned text, and where its parts have gone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.document.clean import clean
from dowse.providers.openai.output import Wording
from tests.support.tables import each_row


def _moved(original: str, part: str) -> str:
    wording = Wording(original)
    start = original.index(part)
    place = wording.place(start, start + len(part))
    return wording.text[slice(*place)]


@each_row(
    ("original", "cleaned"),
    [
        ("plain", "plain"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\u200bb\u202e c\x1b[2J", "ab c[2J"),
        ("end  \n\n\n\nof it", "end\n\nof it"),
        ("shown <!-- not shown --> shown", "shown  shown"),
        ("see ![x](https://a.example/x.png) it", "see x it"),
        ("It rains \ue200cite\ue202turn0search0\ue202turn1view2\ue201.", "It rains."),
        ("torn \ue200cite\ue202turn0", "torn citeturn0"),
        ("([a.example](https://a.example/x?utm_source=openai))", "([a.example](https://a.example/x))"),
        ("https://a.example/x?id=7&utm_source=openai.", "https://a.example/x?id=7."),
        ("(https://a.example/X_(y)?utm_source=openai)", "(https://a.example/X_(y))"),
        ("https://A.example?q=%41 stays", "https://A.example?q=%41 stays"),
        ("https://[bad?utm_source=openai", "https://[bad?utm_source=openai"),
        ("see https://bank.example@evil.example/in.", "see https://evil.example/in."),
        ("[a](https://ana:pw@a.example/x?utm_source=openai)", "[a](https://a.example/x)"),
        ("https://A.example/@ana stays, ana@a.example too", "https://A.example/@ana stays, ana@a.example too"),
    ],
)
def test_what_is_hidden_loads_or_tracks_is_taken_out(original: str, cleaned: str) -> None:
    assert Wording(original).text == cleaned


@each_row(
    "before",
    [
        "",
        "e\u0301\r\n\r\n\r\n\r\n",
        "👩‍👩‍👧 zero\u200bwidth \u202e",
        "trailing  \n\n\n\n",
        "said \ue200cite\ue202turn0search0\ue201 so. ",
        "([a.example](https://a.example/x?utm_source=openai)) ",
        "![picture](https://a.example/x.png) ",
        "<!-- hidden --> ",
    ],
)
@each_row("part", ["東京は雨。", "wet 🌧️ day", "cafe\u0301", "plain"])
def test_a_part_is_found_behind_whatever_was_changed(before: str, part: str) -> None:
    assert _moved(f"{before}{part} and more", part) == part


def test_a_link_is_still_the_link_without_its_tracking() -> None:
    original = "Rain. ([a.example](https://a.example/x?utm_source=openai)) Sun."
    assert _moved(original, "([a.example](https://a.example/x?utm_source=openai))") == (
        "([a.example](https://a.example/x))"
    )


def test_the_line_stands_for_a_part_of_which_nothing_is_left() -> None:
    reference = "\ue200cite\ue202turn0search0\ue201"
    assert _moved(f"First.\nIt rains. {reference}\nLast.", reference) == "It rains."


@pytest.mark.parametrize("original", ["[x](javascript:alert(1)) then rain", "<img src=x onerror=alert(1)> then rain"])
def test_the_whole_text_stands_for_a_part_behind_something_that_was_disarmed(original: str) -> None:
    wording = Wording(original)
    assert wording.place(len(original) - 4, len(original)) == (0, len(wording.text))
    assert "](javascript:" not in wording.text


SYNTAX = ["\n", "\r\n", "!", "[", "]", "(", ")", "<", "<!--", "-->", "`", "```", "> ", "- ", "](", "<img src=x"]
HIDDEN = ["\u200b", "\u200d", "\u2028", "\ud800", "\ue200", "\ue201"]
WORDS = ["rain", " ", "😀", "e\u0301", "東", "javascript:", "https://a.example/?utm_source=openai&b=1"]
ORIGINALS = st.lists(st.sampled_from(SYNTAX + HIDDEN + WORDS), max_size=40).map("".join)


@given(ORIGINALS, st.data())
def test_every_place_leads_into_the_cleaned_text(original: str, data: st.DataObject) -> None:
    wording = Wording(original)
    start = data.draw(st.integers(0, len(original)))
    end = data.draw(st.integers(start, len(original)))
    first, last = wording.place(start, end)
    assert wording.text == clean(wording.text)
    assert 0 <= first <= last <= len(wording.text)
    assert first < last or not wording.text


HOSTILE = ("https://", "https://a.example/?utm_a=1 ", "\ue200", "(", "https://a.example/(", "😀", "[x](y ")


@each_row("piece", HOSTILE)
def test_all_of_a_hostile_text_is_all_of_its_wording(piece: str) -> None:
    original = (piece * 500)[:500]
    wording = Wording(original)
    assert wording.text == clean(wording.text)
    assert wording.place(0, len(original)) == (0, len(wording.text))
