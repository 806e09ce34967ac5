from __future__ import annotations

import pytest

from dowse.core.models import Validators
from dowse.net.clients import Earlier
from tests.support.tables import each_row

URL = "https://site.example/page"
DATE = "Wed, 02 Apr 2025 10:11:12 GMT"


@each_row("etag", ['"4f1c"', 'W/"4f1c"', '""', "unquoted", '"a b"', '"' + "x" * 900 + '"'])
def test_a_tag_is_sent_as_it_came(etag: str) -> None:
    assert Earlier(URL, Validators(etag)).conditions(URL) == {"If-None-Match": etag}


def test_both_validators_are_sent() -> None:
    conditions = Earlier(URL, Validators('"1"', DATE)).conditions(URL)

    assert conditions == {"If-None-Match": '"1"', "If-Modified-Since": DATE}


def test_a_date_alone_is_enough() -> None:
    assert Earlier(URL, Validators("", DATE)).conditions(URL) == {"If-Modified-Since": DATE}


@pytest.mark.parametrize("known", [Validators(), Validators("", "")])
def test_nothing_is_asked_without_validators(known: Validators) -> None:
    assert Earlier(URL, known).conditions(URL) == {}


@each_row(
    "url",
    [
        "https://site.example/other",
        "https://site.example/page?x=1",
        "http://site.example/page",
        "https://other.example/page",
        "https://site.example:8443/page",
        "",
    ],
)
def test_no_other_address_learns_what_this_one_gave(url: str) -> None:
    assert Earlier(URL, Validators('"1"', DATE)).conditions(url) == {}


def test_parts_of_a_page_are_one_document() -> None:
    assert Earlier(f"{URL}#top", Validators('"1"')).conditions(f"{URL}#end") == {"If-None-Match": '"1"'}


def test_an_unknown_address_is_no_address() -> None:
    assert Earlier("", Validators('"1"')).conditions(URL) == {}


@each_row(
    "value",
    [
        '"1"\r\nAuthorization: Basic eA==',
        '"1"\nX: y',
        '"\x00"',
        '"\x7f"',
        '"\t"',
        '"é"',
        '"\udce9"',
        "*",
        '"' + "x" * 1000 + '"',
    ],
)
def test_a_value_that_could_do_harm_asks_nothing(value: str) -> None:
    """Not even with the other validator: a server that sends such a value may lie with it too."""
    assert Earlier(URL, Validators(value, DATE)).conditions(URL) == {}
    assert Earlier(URL, Validators('"1"', value)).conditions(URL) == {}
