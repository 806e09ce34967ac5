"""The part of a text that an annotation means, however its author counts and whatever it says."""

import pytest

from dowse.net.json_fields import Json
from dowse.providers.openai.output import Places
from tests.support.tables import each_row

LINK = "([weather.example](https://weather.example/oslo?utm_source=openai))"
TEXTS = {
    "emoji": "😀😀 It is wet 🌧️ in Oslo today",
    "family": "👩‍👩‍👧‍👦 went out; it is wet in Oslo",
    "Chinese": "今天奥斯陆下雨。𠮷野家也关门了。",
    "combining marks": "Cafe\u0301 Zoe\u0308 is in 𝕆slo",
    "ASCII": "It is wet in Oslo",
}


def _annotation(start: object, end: object, **fields: object) -> Json:
    return {"type": "url_citation", "start_index": start, "end_index": end} | fields


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _link_in(text: str, count: object) -> Json:
    assert callable(count)
    start, end = count(text[: text.index(LINK)]), count(text[: text.index(LINK) + len(LINK)])
    return _annotation(start, end, url="https://weather.example/oslo?utm_source=openai", title="Oslo")


@each_row("count", [len, _units])
@each_row("words", TEXTS.values())
def test_links_are_found_whether_an_emoji_counts_once_or_twice(words: str, count: object) -> None:
    text = f"{words} {LINK} and more, and more, and more."
    annotation = _link_in(text, count)
    start, end = Places(text, [annotation]).of(annotation)
    assert text[start:end] == LINK


@pytest.mark.parametrize("count", [len, _units])
def test_one_link_tells_how_the_others_are_counted(count: object) -> None:
    assert callable(count)
    text = f"🌧️🌧️🌧️ It rains. {LINK} The harbour is closed 🚢."
    part = "harbour is"
    start = text.index(part)
    plain = _annotation(count(text[:start]), count(text[: start + len(part)]))
    places = Places(text, [_link_in(text, count), plain])
    assert text[slice(*places.of(plain))] == part


def test_whole_words_tell_how_to_count_where_nothing_is_linked() -> None:
    text = "🌧️🌧️🌧️ It rains, and the harbour is closed."
    start = text.index("harbour")
    for count in (len, _units):
        annotation = _annotation(count(text[:start]), count(text[: start + 7]))
        assert text[slice(*Places(text, [annotation]).of(annotation))] == "harbour"


def test_a_code_point_is_one_character_where_nothing_tells() -> None:
    text = "𠮷野家は𠮷野家です。"
    annotation = _annotation(0, 3)
    assert text[slice(*Places(text, [annotation]).of(annotation))] == "𠮷野家"


@each_row(
    ("indices", "expected"),
    [
        ((0, 5), "It is"),
        ((5, 0), "It is"),
        ((-7, 5), "It is"),
        ((13, 999), "Oslo"),
        ((13.0, 17.0), "Oslo"),
        ((10**30, 10**31), "It is wet in Oslo"),
        ((-9, -3), "It is wet in Oslo"),
        ((None, 5), "It is wet in Oslo"),
        (("0", 5), "It is wet in Oslo"),
        ((True, 5), "It is wet in Oslo"),
        ((1.5, 5), "It is wet in Oslo"),
        ((float("nan"), float("inf")), "It is wet in Oslo"),
        (([], {}), "It is wet in Oslo"),
    ],
)
def test_odd_indices_are_mended_or_mean_the_whole_text(indices: tuple[object, object], expected: str) -> None:
    text = TEXTS["ASCII"]
    annotation = _annotation(*indices)
    assert text[slice(*Places(text, [annotation]).of(annotation))] == expected


def test_a_place_inside_a_character_is_its_beginning() -> None:
    text = f"😀 {LINK}"
    link = _link_in(text, _units)
    inside = _annotation(1, 2)
    assert Places(text, [link, inside]).of(inside) == (0, 1)
