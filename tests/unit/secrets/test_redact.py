"""No configured secret leaves, in whatever spelling it comes back."""

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dowse.secrets.redact import MASK, Redactor
from tests.support.tables import each_row

SECRETS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40)
KEY = "tvly-dev-Q7mZ4xTn2LkV9sRb/W1c+Yh6"


def spellings(secret: str) -> list[str]:
    raw = secret.encode()
    return [
        secret,
        secret[::-1],
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        base64.b64encode(raw).decode(),
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode(),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
        raw.hex(),
        raw.hex().upper(),
        html.escape(secret),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), quote(secret, safe="")),
    ]


@given(SECRETS, st.text(max_size=20), st.text(max_size=20))
def test_no_spelling_of_a_secret_survives(secret: str, before: str, after: str) -> None:
    assume(not any(form in MASK for form in spellings(secret)))
    redactor = Redactor([secret])
    for form in spellings(secret):
        assert form not in redactor.text(before + form + after)
        assert form not in redactor.message(before + form + after)


@given(SECRETS, st.text(st.characters(), max_size=20), st.text(st.characters(), max_size=20))
def test_one_look_at_the_whole_finds_what_a_look_at_each_string_finds(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    for form in ["", *spellings(secret)]:
        said = before + form + after
        assert redactor.data({"a": [{"b": said}]}) == {"a": [{"b": redactor.text(said)}]}
        told = json.loads(redactor.line({"a": said, "n": 5}))
        assert redactor.message(told["a"]) == told["a"] == redactor.message(said)


@given(st.lists(SECRETS, min_size=1, max_size=4))
def test_of_several_secrets_none_survives_in_nested_data(secrets: list[str]) -> None:
    assume(not any(secret in MASK for secret in secrets))
    masked = Redactor(secrets).data({"a": [{"b": secret} for secret in secrets], "c": tuple(secrets), "n": 1})
    assert masked == {"a": [{"b": MASK} for _ in secrets], "c": [MASK for _ in secrets], "n": 1}


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    assert Redactor(["canary-key", "canary-key-and-more"]).text("canary-key-and-more, canary-key") == f"{MASK}, {MASK}"


@pytest.mark.parametrize("secret", ["abc", "hunter2"])
def test_a_short_secret_is_masked_in_messages_as_a_word_only(secret: str) -> None:
    said = f"{secret}, {secret}def and x={secret}"
    masked = f"{MASK}, {secret}def and x={MASK}"
    assert Redactor([secret]).message(said) == masked
    assert Redactor([secret]).fields({"said": [said]}) == {"said": [masked]}


@each_row("secret", ["test", "a", "hunter2"])
def test_a_short_secret_leaves_answers_alone(secret: str) -> None:
    """It is a placeholder such as "test": masking it would eat words of every page."""
    page = f"A {secret} of the {secret}."
    assert Redactor([secret]).text(page) == page
    assert Redactor([secret]).data({"page": page}) == {"page": page}


def test_a_secret_without_letters_and_digits_is_masked_everywhere() -> None:
    redactor = Redactor(["!?%&/()="])
    assert redactor.text("it is !?%&/()= here") == f"it is {MASK} here"
    assert redactor.data({"a": "!?%&/()="}) == {"a": MASK}
    assert redactor.places("it is !?%&/()=") == [(6, 14)]


def test_a_secret_of_eight_characters_is_masked_everywhere() -> None:
    redactor = Redactor(["hunter22"])
    assert redactor.text("xhunter22x") == redactor.message("xhunter22x") == f"x{MASK}x"


@given(st.text(st.characters()), st.sampled_from([[], ["short"], [KEY]]))
def test_what_is_answered_or_logged_can_always_be_written(text: str, secrets: list[str]) -> None:
    """A lone surrogate, out of a header or an API's JSON, would end the connection when it is written."""
    redactor = Redactor(secrets)
    for value in (redactor.text(text), redactor.message(text), redactor.data([text]), redactor.fields([text])):
        json.dumps(value, ensure_ascii=False).encode()


@each_row("secrets", [[], [""], ["", ""]])
def test_without_secrets_data_stays_what_it_was(secrets: list[str]) -> None:
    value = {"a": ["b", 1, None, True]}
    assert Redactor(secrets).data(value) == value
    assert Redactor(secrets).text("as it was") == "as it was"


@each_row("value", [1, 2.5, None, True])
def test_what_is_no_text_passes(value: object) -> None:
    assert Redactor([KEY]).data(value) is value


@each_row(
    ("said", "shown"),
    [
        (f"Authorization: Bearer {KEY}", f"Authorization: Bearer {MASK}"),
        ("x-api-key: 0123456789abcdef", f"x-api-key: {MASK}"),
        ('{"api_key": "0123456789abcdef"}', f'{{"api_key": "{MASK}"}}'),
        ("apikey=0123456789abcdef==&q=1", f"apikey={MASK}&q=1"),
        ("a bearer of news", "a bearer of news"),
    ],
)
def test_in_messages_whatever_looks_like_a_credential_is_masked(said: str, shown: str) -> None:
    assert Redactor().message(said) == shown


def test_page_text_may_speak_of_keys() -> None:
    text = "Send your key as `Authorization: Bearer 0123456789abcdef`."
    assert Redactor([KEY]).text(text) == text


def test_a_key_with_special_characters_is_masked_as_a_url_would_spell_it() -> None:
    key = 'ab+/=&"cdefgh%41'
    echoed = f"bad {quote(key)} or {quote(key, safe='')} or {key}"
    assert Redactor([key]).text(echoed) == "bad [redacted] or [redacted] or [redacted]"


@each_row(
    ("said", "shown"),
    [
        (f"invalid key {KEY[:8]}", f"invalid key {MASK}"),
        (f"invalid key {KEY[:20]}****", f"invalid key {MASK}"),
        (f"key ends with {KEY[-8:]}.", f"key ends with {MASK}."),
        (f"key '****{KEY[-12:]}'", f"key '{MASK}'"),
        (f"key {KEY[:10]}...{KEY[-8:]} is not known", f"key {MASK} is not known"),
    ],
)
def test_in_messages_the_ends_of_a_key_are_masked_too(said: str, shown: str) -> None:
    """Upstreams like to name a key by its beginning and its end."""
    assert Redactor([KEY]).message(said) == shown


def test_of_a_long_word_that_ends_as_a_key_does_the_last_part_is_masked() -> None:
    """Bounded, so that a hostile word of any length costs no more than its length."""
    assert Redactor([KEY]).message("x" * 100_000 + KEY[-8:]) == "x" * 99_920 + MASK


@each_row(
    "said",
    [
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "dowse_" + "a1B2-" * 9,
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
    ],
)
def test_in_messages_credentials_of_callers_are_masked(said: str) -> None:
    masked = Redactor().message(said)
    assert masked.endswith(MASK)
    assert not set(said.split()[-1].split(".")) & set(masked.split())


def test_ordinary_words_about_credentials_stay() -> None:
    said = "SearXNG asks for basic authentication; dowse_tokens_file is a setting"
    assert Redactor().message(said) == said


def test_a_secret_as_the_name_of_a_field_is_masked() -> None:
    assert Redactor([KEY]).data({KEY: 1}) == {MASK: 1}


def test_what_is_no_secret_in_a_value_is_not_masked_as_its_end() -> None:
    keys = [
        "searxng:hunter2hunter2",
        "hunter2hunter2",
        "Bearer sk-live-abcdef0123456789",
        "dowse_br4kZw-Qx91aPq77LmN0s",
    ]
    said = "image searxng:latest, Bearer of news, dowse_breaker_open"
    assert Redactor(keys).message(said) == said
    assert Redactor(keys).message("invalid key sk-live-abcd****") == f"invalid key {MASK}"


@each_row(
    "said",
    [
        "Bearer abcdefgh12345",
        "AUTHORIZATION: Basic abcdefgh12345",
        "X-Api-Key=abcdefgh12345",
        "apikey: abcdefgh12345",
        "API_KEY='abcdefgh12345",
        "bearer\tabcdefgh12345",
        "dowse_" + "a" * 43,
        "eyJabcdefgh1.abcdefgh2.abcdefgh3",
    ],
)
def test_every_shape_of_a_credential_has_a_mark_that_is_looked_for_first(said: str) -> None:
    told = Redactor().message(f"upstream says: {said}")
    assert said not in told
    assert MASK in told


@each_row("echo", ["tv-dev_J4m*4xTn2Lk", r"tv-dev\_J4m\*4xTn2Lk", r"tv\-dev_J4m\*4xTn2Lk"])
def test_a_secret_is_masked_where_a_page_repeats_it_and_markdown_escapes_it(echo: str) -> None:
    redactor = Redactor(["tv-dev_J4m*4xTn2Lk"])
    assert redactor.text(f"your key {echo} is wrong") == f"your key {MASK} is wrong"
    assert redactor.data({"page": echo}) == {"page": MASK}


def test_a_secret_within_json_is_masked_before_it_is_encoded() -> None:
    assert json.loads(Redactor([KEY]).json({"said": [f"key {KEY}", 1]})) == {"said": [f"key {MASK}", 1]}


def test_json_of_any_language_is_encoded_in_utf_8() -> None:
    assert Redactor([KEY]).json({"title": "橋"}) == '{"title":"橋"}'.encode()
