"""What is left of a page that says the same twice."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.rules import drop_repeats
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

POST = "One post of five words"


def left(markup: str, *, but: int = -1) -> list[int]:
    """The numbers of the blocks that are kept, of all `but` one."""
    blocks = cut_blocks(build(markup))
    words = np.array([len(block.text.split()) for block in blocks], np.float32)
    kept = np.arange(len(blocks)) != but
    return [int(number) for number in np.flatnonzero(drop_repeats(blocks, words, kept))]


def test_a_text_is_kept_where_it_is_said_first() -> None:
    assert left(f"<div><p>{POST}</p></div><p>Other</p><blockquote><p>{POST}</p></blockquote>") == [0, 1]


def test_a_text_that_is_not_kept_has_not_been_said() -> None:
    assert left(f"<div><p>{POST}</p></div><div><p>{POST}</p></div>", but=0) == [1]


@each_row(
    "markup",
    [
        pytest.param("<div><p>{0}</p></div><div><p>{0}, too</p></div>", id="another text"),
        pytest.param("<div><p>Yes</p></div><div><p>Yes</p></div>", id="a few words"),
        pytest.param("<div><p>{0}</p><p>{0}</p></div>", id="a refrain"),
        pytest.param("<div><p>{0}</p></div><div><pre>{0}</pre></div>", id="code"),
        pytest.param("<div><p>{0}</p></div><table><tr><td><p>{0}</p></td></tr></table>", id="a cell"),
        pytest.param("<div><p>{0}</p></div><dl><dd>{0}</dd></dl>", id="a description"),
    ],
)
def test_what_is_meant_to_be_there_again_is_kept(markup: str) -> None:
    assert left(markup.format(POST)) == [0, 1]
