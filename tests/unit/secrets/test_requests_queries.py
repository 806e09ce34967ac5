"""Secrets in queries are found in whatever shape they come; what resembles one, and talk about them, is not touched."""

from __future__ import annotations

import base64
import contextlib
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.errors import InvalidRequest
from dowse.secrets.redact import Redactor
from dowse.secrets.requests import MASK, QueryScrubber
from tests.planted import AMAZON, BASE64, HEX40, INNOCENT, JWT, MIXED, PLANTED, planted
from tests.support.tables import each_row

Mode = Literal["mask", "refuse", "off"]
OWN = "plain-words-as-a-key"


def scrubber(mode: Mode = "mask", *own: str) -> QueryScrubber:
    return QueryScrubber(Redactor(own), mode)


@each_row("name", PLANTED)
def test_a_secret_is_masked_and_the_rest_of_the_query_stays(name: str) -> None:
    secret, query = planted(name)

    masked, warnings = scrubber().scrub(query)

    assert secret not in masked
    assert MASK in masked
    assert masked.split()[-1] == query.split()[-1]
    assert len(warnings) == 1
    assert "DOWSE_SCRUB" in warnings[0]
    assert secret not in warnings[0]


@each_row("query", INNOCENT)
def test_what_resembles_a_secret_and_talk_about_them_is_not_touched(query: str) -> None:
    assert scrubber().scrub(query) == (query, ())


@each_row(
    ("query", "masked", "kind"),
    [
        ("why sk-proj-a1B2c3D4a1B2c3D4a1B2   fails", "why … fails", "an API key"),
        (f"why {JWT} fails", "why … fails", "a token"),
        (f"why {JWT}+/== fails", "why … fails", "a token"),
        ("see https://ana:hunter2@host/a", "see https://…@host/a", "the password of an address"),
        ("see password='hunter2' there", "see password='…' there", "a password or key"),
        ("see Authorization: Bearer a1b2c3 there", "see Authorization: Bearer … there", "the credentials of a request"),
        (
            f"see\n-----BEGIN PRIVATE KEY-----\n{BASE64}\n-----END PRIVATE KEY-----\nthere",
            "see … there",
            "a private key",
        ),
        (f"aws_secret_access_key={AMAZON} ignored", "aws_secret_access_key=… ignored", "a password or key"),
        (f"see https://discord.com/api/webhooks/1234567890123/{MIXED}{MIXED}", "see https://…", "a webhook"),
    ],
)
def test_exactly_the_secret_is_masked_and_its_kind_is_told(query: str, masked: str, kind: str) -> None:
    text, (warning,) = scrubber().scrub(query)

    assert text == masked
    assert kind in warning


def test_all_kinds_are_told_once() -> None:
    query = f"compare password=hunter2 with password=hunter3 and {JWT}"

    text, warnings = scrubber().scrub(query)

    assert text == "compare password=… with password=… and …"
    assert warnings == (
        "the query seemed to contain a password or key and a token, which was masked before it was sent; "
        "DOWSE_SCRUB controls the handling of secrets in queries",
    )


def test_what_is_a_secret_in_two_ways_is_masked_once() -> None:
    block = f"-----BEGIN PRIVATE KEY----- {BASE64} -----END PRIVATE KEY-----"

    masked, _ = scrubber().scrub(f"compare password=hunter2 with secret={block} please")

    assert masked == "compare password=… with secret=… please"


def test_a_secret_within_a_secret_neither_shortens_it_nor_hides_its_kind() -> None:
    block = f"-----BEGIN RSA PRIVATE KEY----- {BASE64} password=hunter2 {BASE64} -----END RSA PRIVATE KEY-----"

    masked, (warning,) = scrubber().scrub(f"compare {JWT} with {block} please")

    assert masked == "compare … with … please"
    assert "a token and a private key" in warning


@each_row(
    "name",
    [
        *(
            "password",
            "dbPassword",
            "MYSQL_ROOT_PASSWORD",
            "spring.datasource.password",
            "api key",
            "x-api-key",
            "apiKey",
        ),
        *("client_secret", "clientSecret", "secretkey", "access_key", "AccountKey", "encryption-key", "signing_key"),
        *("auth token", "refresh_token", "passphrase", "pwd", "session id"),
    ],
)
@each_row("sign", ["=", ": ", " = ", '": "', "=>"])
def test_a_value_is_recognised_by_its_name(name: str, sign: str) -> None:
    assert scrubber().scrub(f"why is {name}{sign}hunter2 rejected")[0] == f"why is {name}{sign}… rejected"


@each_row(
    ("secret", "harmless"),
    [
        ("password=ab1c", "password=ab1"),
        ("password: 123456", "password: 12345"),
        (f"token {MIXED[:16]}-abcd", f"token {MIXED[:15]}-abcde"),
        (f"token {'x' * 33} {MIXED}", f"token {'x' * 34} {MIXED}"),
        (f"{MIXED} {'x' * 18} token", f"{MIXED} {'x' * 19} token"),
        (f"api key is the {HEX40}", f"api key of somebody {HEX40}"),
        (f"api key {HEX40}", f"api key {HEX40.upper()}"),
        (f"token or api key {HEX40}", f"token or api {HEX40}"),
        (f"token {MIXED}", f"token {'abcdef1' * 3}"),
        (f"token {'a1b2c3d4e5f6' * 2}", f"token {'a1b2c3d4' * 3}"),
        ("token abc123def456ghi789jkl01mn2", "token abc123def456ghi789jkl01mn26"),
    ],
)
def test_how_long_and_how_near_a_secret_is(secret: str, harmless: str) -> None:
    assert MASK in scrubber().scrub(f"why is {secret} bad")[0]
    assert scrubber().scrub(f"why is {harmless} bad") == (f"why is {harmless} bad", ())


def test_a_label_is_recognised_at_the_beginning_of_a_query() -> None:
    assert scrubber().scrub(f"token {MIXED} rejected")[0] == "token … rejected"


@each_row("name", PLANTED)
def test_a_query_with_a_secret_can_be_refused(name: str) -> None:
    secret, query = planted(name)

    with pytest.raises(InvalidRequest, match="DOWSE_SCRUB=mask") as refused:
        scrubber("refuse").scrub(query)

    assert secret not in str(refused.value)


def test_a_query_without_a_secret_is_not_refused() -> None:
    assert scrubber("refuse").scrub("what is a password") == ("what is a password", ())


@each_row(
    "query", ["sk-proj-a1B2c3D4a1B2c3D4a1B2c3D4", f"my token is {MIXED}", "password=hunter2", f"API key: {HEX40} x"]
)
def test_a_query_of_nothing_but_a_secret_is_refused(query: str) -> None:
    with pytest.raises(InvalidRequest, match="only a secret") as refused:
        scrubber().scrub(query)

    assert query not in str(refused.value)


@pytest.mark.parametrize("query", ["password=hunter2 鍵", "password=hunter2 vi"])
def test_the_shortest_question_is_a_question(query: str) -> None:
    assert scrubber().scrub(query)[0] == query.replace("hunter2", MASK)


def test_switched_off_everything_passes_but_the_servers_own_secrets() -> None:
    off = scrubber("off", "tvly-own-1234567890")

    assert off.scrub("mysql password=hunter2 denied") == ("mysql password=hunter2 denied", ())
    assert off.scrub("what is tvly-own-1234567890 and password=hunter2") == (
        "what is … and password=hunter2",
        ("the query seemed to contain one of this server's own secrets, which was masked before it was sent",),
    )
    with pytest.raises(InvalidRequest):
        off.scrub("tvly-own-1234567890")


@each_row("written", [OWN, OWN[::-1], base64.b64encode(OWN.encode()).decode()])
@each_row("mode", ["mask", "off"])
def test_the_servers_own_secrets_are_masked_in_every_spelling(written: str, mode: Mode) -> None:
    masked, (warning,) = scrubber(mode, OWN).scrub(f"what is {written} here")

    assert masked == "what is … here"
    assert "own secrets" in warning


def test_the_servers_own_secrets_are_refused_where_secrets_are() -> None:
    with pytest.raises(InvalidRequest, match="own secrets"):
        scrubber("refuse", OWN).scrub(f"what is {OWN} here")


def test_what_was_masked_is_not_masked_again() -> None:
    for name in PLANTED:
        masked, _ = scrubber().scrub(planted(name)[1])
        assert scrubber().scrub(masked) == (masked, ())


WORDS = st.text(st.characters(categories=["L", "N", "M", "S"]), min_size=1, max_size=15)
HARMLESS = WORDS.filter(lambda word: "=" not in word)


@given(st.lists(HARMLESS | st.sampled_from(["password", "token,", "key?", "(secret)", "bearer", "…"])).map(" ".join))
def test_text_without_a_secret_is_not_changed(text: str) -> None:
    assert scrubber().scrub(text) == (text, ())


@given(WORDS.map(str.strip), st.sampled_from([*PLANTED]), WORDS.map(str.strip))
def test_a_secret_is_found_between_any_words(before: str, name: str, behind: str) -> None:
    secret, query = planted(name)

    masked, _ = scrubber().scrub(f"what of {before} {query} {behind}")

    assert secret not in masked


HOSTILE = (
    *(
        "eyJ",
        "sk-",
        "xox",
        "aA1",
        "a://",
        "a://b:",
        "--a-",
        "-u a:",
        "bearer ",
        "key=a1B2",
        "password=",
        "secret: ",
    ),
    *("authorization: bearer ", "-----BEGIN PRIVATE KEY----- ", "-----BEGIN PRIVATE KEY-----" + "a" * 23 + " "),
    f"token {HEX40} ",
)
"""Beginnings of every pattern, of which very many are made to be slow to look through."""


@each_row("beginning", HOSTILE)
def test_a_query_of_beginnings_is_masked_or_refused(beginning: str) -> None:
    query = (beginning * 5000)[:5000]
    with contextlib.suppress(InvalidRequest):
        masked, warnings = scrubber().scrub(query)
        assert (masked == query) == (warnings == ())
