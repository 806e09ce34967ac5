"""Cursors: what was given out is understood again, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.errors import InvalidRequest
from dowse.document.cut import Position
from dowse.flows.page_view import Cursor
from dowse.flows.read import content_hash
from tests.support.tables import each_row

DIGEST = content_hash("a text")


PLACES = st.integers(1, 10**9 - 1)


@given(st.text(), PLACES, st.integers(0, 10**9 - 1) | st.none(), PLACES | st.none())
def test_a_cursor_survives_the_way_to_the_caller_and_back(
    text: str, at: int, code_at: int | None, end: int | None
) -> None:
    place = Position(at, code_at if code_at is not None and code_at < at else None)
    cursor = Cursor(place, content_hash(text), end if end is not None and end > at else None)
    assert Cursor.parse(str(cursor)) == cursor


def test_a_cursor_is_one_short_word_that_no_command_takes_for_an_option() -> None:
    assert str(Cursor(Position(31_000), "-" + DIGEST[1:])) == f"31000.-{DIGEST[1:]}"
    assert str(Cursor(Position(31_000, 0), DIGEST)) == f"31000.0.{DIGEST}"
    assert str(Cursor(Position(31_000), DIGEST, 40_000)) == f"31000-40000.{DIGEST}"


@each_row(
    "text",
    [
        "next",
        DIGEST,
        f"0.{DIGEST}",
        f"-1.{DIGEST}",
        f"+5.{DIGEST}",
        f"05.{DIGEST}",
        f"5.{DIGEST[1:]}",
        f"5.{DIGEST}A",
        f"5.{DIGEST}\n",
        f"1234567890.{DIGEST}",
        f"٣.{DIGEST}",
        f"5.{'é' * 22}",
        f"5.5.{DIGEST}",
        f"5.6.{DIGEST}",
        f"5.4.3.{DIGEST}",
        f"5-5.{DIGEST}",
        f"5-4.{DIGEST}",
        f"5-06.{DIGEST}",
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        Cursor.parse(text)
    assert str(caught.value) == (
        "cursor must be the next_cursor of an earlier answer, exactly as it stands there; "
        "leave it out to read the page from its beginning."
    )
