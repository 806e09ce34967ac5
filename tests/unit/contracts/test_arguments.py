"""Arguments as models send them: understood where they can be meant, refused in one sentence where not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dowse.contracts.arguments import Arguments, Param, Value, input_schema, read
from dowse.errors import InvalidRequest

PARAMS = (
    Param("query", "string", "What to search for.", required=True, minimum=1, maximum=20),
    Param("num", "integer", "How many.", 3, minimum=1, maximum=50, aliases=("count", "limit")),
    Param("level", "integer", "Which level.", choices=(0, 1, 2)),
    Param("kind", "string", "Which kind.", "general", choices=("general", "news")),
    Param("period", "string", "Which period.", "", choices=("", "day")),
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
    assert read(PARAMS, {"query": "x"}) == Arguments(DEFAULTS, ())
    assert read(PARAMS, {name: None for name in DEFAULTS} | {"query": "x"}) == Arguments(DEFAULTS, ())


@pytest.mark.parametrize(
    ("name", "sent", "understood"),
    [
        ("query", "  a \n\u200b b\ud800 ", "a b"),
        ("query", 42, "42"),
        ("num", "5", 5),
        ("num", 5.0, 5),
        ("num", " 7 ", 7),
        ("level", "0", 0),
        ("kind", " news ", "news"),
        ("period", "", ""),
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


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "query is required."),
        ({"query": None}, "query is required."),
        ({"query": " \u200b\n"}, "query must not be empty."),
        ({"query": "x" * 21}, "query must have at most 20 characters; it has 21."),
        ({"query": ["x"]}, 'query must be text, not ["x"].'),
        ({"query": True}, "query must be text, not true."),
        ({"num": 0}, "num must be a whole number from 1 to 50, not 0."),
        ({"num": 51}, "num must be a whole number from 1 to 50, not 51."),
        ({"num": 2.5}, "num must be a whole number from 1 to 50, not 2.5."),
        ({"num": "many"}, 'num must be a whole number from 1 to 50, not "many".'),
        ({"num": True}, "num must be a whole number from 1 to 50, not true."),
        ({"num": float("inf")}, "num must be a whole number from 1 to 50, not Infinity."),
        ({"count": 0}, "count must be a whole number from 1 to 50, not 0."),
        ({"level": 3}, "level must be one of 0, 1, 2, not 3."),
        ({"kind": "cats"}, 'kind must be one of general, news, not "cats".'),
        ({"period": "era"}, "period must be one of '', day, not \"era\"."),
        ({"language": "english"}, 'language must be like en or pt-BR, not "english".'),
        ({"code": "abc"}, 'code must be well-formed, not "abc".'),
        ({"wait": 0.5}, "wait must be a number from 1 to 300, not 0.5."),
        ({"wait": [1]}, "wait must be a number from 1 to 300, not [1]."),
        ({"fetch": "perhaps"}, 'fetch must be true or false, not "perhaps".'),
        ({"domains": [1]}, "domains must be a list of texts, not [1]."),
        ({"domains": "[broken"}, 'domains must be a list of texts, not "[broken".'),
        ({"domains": {"a": 1}}, 'domains must be a list of texts, not {"a": 1}.'),
        ({"kind": "y" * 200}, 'kind must be one of general, news, not "' + "y" * 58 + "…."),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(sent: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(PARAMS, sent if "query" in sent or not sent else {"query": "x", **sent})
    assert str(caught.value) == sentence


def test_other_names_of_an_argument_are_understood() -> None:
    assert read(PARAMS, {"query": "x", "limit": "9"}) == Arguments({**DEFAULTS, "num": 9}, ())


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
    assert properties["level"] == {"type": "integer", "description": "Which level.", "enum": [0, 1, 2]}
    assert properties["domains"] == {"type": "array", "description": "Where.", "items": {"type": "string"}}


def test_a_list_as_default_is_a_list_in_the_schema() -> None:
    assert Param("domains", "array", "Where.", ("a.org",)).schema()["default"] == ["a.org"]
