"""Arguments as models send them: understood where they can be meant, refused in one sentence where not."""

import functools
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dowse.contracts.arguments import OFFLINE_MODE, Arguments, Param, Value, as_text, input_schema, read
from dowse.core.errors import InvalidRequest
from tests.support.tables import each_row

PARAMS = (
    Param("query", "string", "What to search for.", required=True, minimum=1, maximum=20),
    Param("num", "integer", "How many.", 3, minimum=1, maximum=50, aliases=("count", "limit")),
    Param("level", "integer", "Which level.", minimum=0, maximum=2),
    Param("kind", "string", "Which kind.", "general", choices=("general", "news")),
    Param("period", "string", "Which period.", "", choices=("", "day")),
    Param("grade", "integer", "Which grade.", choices=(0, 1, 2)),
    Param("language", "string", "Its language, such as en or pt-BR.", pattern="^[a-z]{2}(-[A-Z]{2})?$"),
    Param("code", "string", "A code.", pattern="[0-9]+"),
    Param("wait", "number", "How long.", minimum=1, maximum=300),
    Param("fetch", "boolean", "Whether.", True),
    Param("domains", "array", "Where."),
)
DEFAULTS: dict[str, Value] = {
    "query": "x",
    "num": 3,
    "level": None,
    "kind": "general",
    "period": "",
    "grade": None,
    "language": None,
    "code": None,
    "wait": None,
    "fetch": True,
    "domains": None,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*DEFAULTS, "count", "limit", "nonsense", "\ud800"]), JSON))
@example({"query": 10**400})
@example({"query": "x", "num": 10**400})
@example({"query": "x", "wait": float("nan")})
@example({"query": "x", "domains": "[" * 200_000})
def test_whatever_is_sent_is_read_or_refused_in_one_sentence(given_arguments: dict[str, object]) -> None:
    try:
        arguments = read(PARAMS, given_arguments)
    except InvalidRequest as error:
        assert "\n" not in str(error)
        assert str(error).endswith(".")
        assert len(str(error)) < 250
    else:
        assert 1 <= len(arguments.text("query")) <= 20
        assert 1 <= arguments.integer("num") <= 50
        assert all(isinstance(name, str) for name in arguments.names("domains"))


def test_what_is_left_out_or_null_gets_its_default() -> None:
    assert read(PARAMS, {"query": "x"}) == Arguments(DEFAULTS, (), frozenset({"query"}))
    assert read(PARAMS, {name: None for name in DEFAULTS} | {"query": "x"}) == read(PARAMS, {"query": "x"})


@each_row(
    ("name", "sent", "understood"),
    [
        ("query", "  a \n\u200b b\ud800 ", "a b"),
        ("query", 42, "42"),
        ("num", "5", 5),
        ("num", 5.0, 5),
        ("num", " 7 ", 7),
        ("level", "0", 0),
        ("kind", " news ", "news"),
        ("kind", "News", "news"),
        ("period", "DAY", "day"),
        ("period", "", ""),
        ("grade", 0, 0),
        ("grade", "2", 2),
        ("grade", 1.0, 1),
        ("language", "", ""),
        ("wait", "2.5", 2.5),
        ("fetch", "false", False),
        ("fetch", 0, False),
        ("fetch", "YES", True),
        ("domains", "a.org", ("a.org",)),
        ("domains", "a.org, b.org,", ("a.org", "b.org")),
        ("domains", '["a.org", "b.org"]', ("a.org", "b.org")),
        ("domains", ["a.org", " a.org", ""], ("a.org",)),
        ("domains", [], ()),
    ],
)
def test_sloppy_values_are_understood(name: str, sent: object, understood: Value) -> None:
    assert read(PARAMS, {"query": "x", name: sent}).values == {**DEFAULTS, name: understood}


@each_row(
    ("sent", "sentence"),
    [
        ({}, "query is required."),
        ({"query": None}, "query is required."),
        ({"query": " \u200b\n"}, "query must not be empty."),
        ({"query": "x" * 21}, "query must have at most 20 characters; it has 21."),
        ({"query": ["x"]}, "query must be text, not a list."),
        ({"query": {"q": "x"}}, "query must be text, not an object."),
        ({"query": 10**5000}, "query must be text, not a number beyond all bounds."),
        ({"query": True}, "query must be text, not true."),
        ({"num": 0}, "num must be a whole number from 1 to 50, not 0."),
        ({"num": 51}, "num must be a whole number from 1 to 50, not 51."),
        ({"num": 2.5}, "num must be a whole number from 1 to 50, not 2.5."),
        ({"num": "many"}, 'num must be a whole number from 1 to 50, not "many".'),
        ({"num": True}, "num must be a whole number from 1 to 50, not true."),
        ({"num": float("inf")}, "num must be a whole number from 1 to 50, not Infinity."),
        ({"count": 0}, "count must be a whole number from 1 to 50, not 0."),
        ({"num": 10**5000}, "num must be a whole number from 1 to 50, not a number beyond all bounds."),
        ({"level": 3}, "level must be a whole number from 0 to 2, not 3."),
        ({"kind": "cats"}, 'kind must be one of general, news, not "cats".'),
        ({"period": "era"}, 'period must be one of day, not "era".'),
        ({"grade": 3}, "grade must be one of 0, 1, 2, not 3."),
        ({"grade": "high"}, 'grade must be one of 0, 1, 2, not "high".'),
        ({"grade": 0.5}, "grade must be one of 0, 1, 2, not 0.5."),
        ({"grade": False}, "grade must be one of 0, 1, 2, not false."),
        ({"language": "english"}, 'language must be like en or pt-BR, not "english".'),
        ({"code": "abc"}, 'code must be well-formed, not "abc".'),
        ({"wait": 0.5}, "wait must be a number from 1 to 300, not 0.5."),
        ({"wait": [1]}, "wait must be a number from 1 to 300, not a list."),
        ({"fetch": 2}, "fetch must be true or false, not 2."),
        ({"fetch": [1]}, "fetch must be true or false, not a list."),
        ({"fetch": "perhaps"}, 'fetch must be true or false, not "perhaps".'),
        ({"domains": [1]}, "domains must be a list of texts, not a list."),
        ({"domains": "[broken"}, 'domains must be a list of texts, not "[broken".'),
        ({"domains": {"a": 1}}, "domains must be a list of texts, not an object."),
        ({"kind": "y" * 200}, 'kind must be one of general, news, not "' + "y" * 58 + "…."),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(sent: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(PARAMS, sent if "query" in sent or not sent else {"query": "x", **sent})
    assert str(caught.value) == sentence


@each_row("name", ["query", "num", "kind", "wait", "fetch", "domains"])
def test_a_value_of_any_depth_is_refused_without_being_shown(name: str) -> None:
    """Showing it would take a stack as deep as the value."""
    deep: object = functools.reduce(lambda inner, _: [inner], range(5000), "x")
    with pytest.raises(InvalidRequest) as caught:
        read(PARAMS, {"query": "x", name: deep})
    assert str(caught.value).endswith(", not a list.")
    assert read(PARAMS, {"query": "x", "nonsense": deep}).warnings == ('unknown argument "nonsense" was ignored.',)


def test_other_names_of_an_argument_are_understood() -> None:
    given = frozenset({"query", "num"})
    assert read(PARAMS, {"query": "x", "limit": "9"}) == Arguments({**DEFAULTS, "num": 9}, (), given)


def test_two_names_for_one_argument_may_agree() -> None:
    assert read(PARAMS, {"query": "x", "num": 9, "count": "9"}).integer("num") == 9


def test_two_names_for_one_argument_must_not_differ() -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(PARAMS, {"query": "x", "count": 9, "num": 8})
    assert str(caught.value) == "num and count are two names for one argument, but their values differ."


def test_unknown_arguments_are_mentioned_with_the_nearest_name() -> None:
    assert read(PARAMS, {"query": "x", "langage": "en", "zzz": 1, "old": 2}, ignored=["old"]).warnings == (
        'unknown argument "langage" was ignored; did you mean language?',
        'unknown argument "zzz" was ignored.',
    )


def test_a_missing_argument_mentions_the_first_unknown_one_which_may_be_meant_for_it() -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(PARAMS, {"qury": "x", "zzz": 1})
    assert str(caught.value) == 'query is required. unknown argument "qury" was ignored; did you mean query?'


def test_of_many_unknown_arguments_a_few_are_mentioned() -> None:
    """Their names come back to the model: a thousand of them must not fill its context."""
    assert read(PARAMS, {"query": "x"} | {f"zzz{number}": 1 for number in range(1000)}).warnings == tuple(
        f'unknown argument "zzz{number}" was ignored.' for number in range(5)
    )


def test_a_long_unknown_name_is_shown_in_part() -> None:
    (warning,) = read(PARAMS, {"query": "x", "y" * 5000: 1}).warnings
    assert len(warning) < 120


def test_values_are_read_by_their_kind() -> None:
    arguments = read(PARAMS, {"query": "x", "wait": 2, "fetch": False, "domains": "a.org"})
    assert (arguments.text("query"), arguments.text("language")) == ("x", "")
    assert (arguments.number("wait"), arguments.flag("fetch"), arguments.names("domains")) == (2, False, ("a.org",))
    assert arguments.names("query") == ()


def test_the_schema_says_what_is_read_under_one_name_each() -> None:
    schema = input_schema(PARAMS)
    assert schema["required"] == ["query"]
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == list(DEFAULTS)
    assert properties["num"] == {
        "type": "integer",
        "description": "How many.",
        "minimum": 1,
        "maximum": 50,
        "default": 3,
    }
    assert properties["query"] == {
        "type": "string",
        "description": "What to search for.",
        "minLength": 1,
        "maxLength": 20,
    }
    assert properties["level"] == {"type": "integer", "description": "Which level.", "minimum": 0, "maximum": 2}
    assert properties["kind"] == {
        "type": "string",
        "description": "Which kind.",
        "enum": ["general", "news"],
        "default": "general",
    }
    assert properties["domains"] == {"type": "array", "description": "Where.", "items": {"type": "string"}}


def test_the_schema_does_not_list_the_choice_of_none() -> None:
    """Some clients refuse a schema with an empty string among its values."""
    assert Param("period", "string", "Which period.", "", choices=("", "day")).schema() == {
        "type": "string",
        "description": "Which period.",
        "enum": ["day"],
    }


def test_the_schema_lists_the_choice_of_none_where_the_contract_promises_it() -> None:
    assert Param("period", "string", "Which period.", "", choices=("", "day"), lists_empty=True).schema() == {
        "type": "string",
        "description": "Which period.",
        "enum": ["", "day"],
        "default": "",
    }


def test_the_choices_of_a_number_are_numbers_zero_among_them() -> None:
    assert Param("grade", "integer", "Which grade.", 0, choices=(0, 1, 2)).schema() == {
        "type": "integer",
        "description": "Which grade.",
        "enum": [0, 1, 2],
        "default": 0,
    }


@each_row(
    ("raw", "text"),
    [(" a\n\ud800b ", "a b"), (4, "4"), (2.5, "2.5"), (True, None), (None, None), ([], None), (10**400, None)],
)
def test_texts_and_numbers_are_text(raw: object, text: str | None) -> None:
    assert as_text(raw) == text


def test_a_list_as_default_is_a_list_in_the_schema() -> None:
    assert Param("domains", "array", "Where.", ("a.org",)).schema()["default"] == ["a.org"]


def test_no_nearest_name_is_looked_for_where_none_can_be() -> None:
    """Comparing takes the square of the length: a megabyte would hold everybody up."""
    (remark,) = read((Param("query", "string", "What."),), {"query" * 200_000: "x"}).warnings
    assert remark.endswith(" was ignored.")
    assert len(remark) < 200


def test_an_argument_that_is_not_listed_is_read_all_the_same() -> None:
    params = (Param("query", "string", "What."), replace(OFFLINE_MODE, is_listed=False))
    properties = input_schema(params)["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["query"]
    arguments = read(params, {"query": "x", "offline_mode": "true"})
    assert (arguments.flag("offline_mode"), arguments.warnings) == (True, ())
