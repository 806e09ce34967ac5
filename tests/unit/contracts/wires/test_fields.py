"""Fields of a wire's request: read in any spelling, refused in one sentence, reported where nothing has read them."""

import pytest

from dowse.contracts.wires.fields import Fields, describe_ignored, types_of
from dowse.core.errors import InvalidRequest


def test_texts_numbers_and_flags_are_read_in_any_spelling() -> None:
    fields = Fields(
        {"q": "  two\nwords ", "n": "7", "big": 900, "on": "true", "level": "advanced", "off": "0", "list": "a"}
    )
    assert fields.text("q") == "two words"
    assert fields.text("missing", "q") == "two words"
    assert (fields.whole("n", 1, most=10), fields.whole("big", 1, most=10), fields.whole("none", 3, most=10)) == (
        7,
        10,
        3,
    )
    assert (fields.flag("on"), fields.flag("level"), fields.flag("off"), fields.flag("none")) == (
        True,
        True,
        False,
        False,
    )
    assert fields.flag("none", default=True)
    assert fields.names("list") == ("a",)
    assert fields.seconds("n", unit_s=0.001) == 0.007


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ({}, lambda fields: fields.required("a")),
        ({"a": ["x"]}, lambda fields: fields.text("a")),
        ({"a": "x" * 3000}, lambda fields: fields.text("a")),
        ({"a": "many"}, lambda fields: fields.number("a")),
        ({"a": 0}, lambda fields: fields.whole("a", 1, most=5)),
        ({"a": 1.5}, lambda fields: fields.whole("a", 1, most=5)),
        ({"a": -1}, lambda fields: fields.seconds("a")),
        ({"a": "blue"}, lambda fields: fields.choice("a", ("", "red"))),
        ({"a": [1]}, lambda fields: fields.names("a")),
        ({"a": list(map(str, range(101)))}, lambda fields: fields.names("a")),
        ({"a": "text"}, lambda fields: fields.within("a")),
        ({"a": 10**400}, lambda fields: fields.number("a")),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_by_its_name(values: dict[str, object], read: object) -> None:
    assert callable(read)
    with pytest.raises(InvalidRequest, match="a "):
        read(Fields(values))


def test_only_fields_that_ask_for_something_and_that_nothing_has_read_are_reported() -> None:
    inner = {"text": True, "html": True, "none": False}
    sent = {"q": "x", "colour": "red", "empty": "", "null": None, "off": False, "quiet": 1, "contents": inner}
    fields = Fields(sent, ("quiet",))
    fields.text("q")
    fields.within("contents").flag("text")
    assert fields.ignored() == ("colour", "contents.html")
    fields.ignore("colour")
    fields.forget("q")
    assert fields.ignored() == ("q", "contents.html")


def test_names_in_the_report_are_short_and_few() -> None:
    assert describe_ignored(()) == ()
    (said,) = describe_ignored([f"name{number}" for number in range(15)])
    assert said.endswith("name11 and 3 more")
    (said,) = describe_ignored(["x" * 500 + "\nX-Evil: 1"])
    assert len(said) < 80
    assert "\n" not in said


def test_formats_and_sources_are_texts_or_objects_with_a_type() -> None:
    assert types_of("formats", ["markdown", {"type": "json", "prompt": "x"}, "markdown"]) == ("markdown", "json")
    assert types_of("formats", "markdown") == ("markdown",)
    assert types_of("formats", None) == ()
    for wrong in ([1], [{"kind": "x"}], 5):
        with pytest.raises(InvalidRequest, match="formats"):
            types_of("formats", wrong)
