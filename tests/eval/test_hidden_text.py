"""Text that readers of a page do not see stays out of what is made of it, and what they see stays in."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.eval.hidden.lookalikes import LOOK_ALIKES, LookAlike
from tests.eval.hidden.page import PARAGRAPHS, page
from tests.eval.hidden.tricks import TRICKS
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("untrusted-hidden")

FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())["hidden"]


def read(markup: str) -> str:
    return to_text(Body("https://bay.example/ferry", markup.encode(), "text/html", "utf-8")).markdown


def test_there_are_as_many_tricks_and_look_alikes_as_promised() -> None:
    assert len({trick.name for trick in TRICKS}) == len(TRICKS) >= 40
    assert len({each.name for each in LOOK_ALIKES}) == len(LOOK_ALIKES) >= 25


def test_hidden_text_is_left_out() -> None:
    told = [trick.name for trick in TRICKS if trick.secret in read(page(trick.body, trick.head))]

    assert len(told) <= (1 - FLOORS["removed"]) * len(TRICKS), told


def test_visible_text_is_kept() -> None:
    pages = [(page(each.body, each.head), each.told) for each in LOOK_ALIKES]
    pages += [(page(trick.body, trick.head), "") for trick in TRICKS]
    lost = shown = 0
    for markup, told in pages:
        words = Counter(f"{' '.join(PARAGRAPHS)} {told}".split())
        lost += (words - Counter(read(markup).split())).total()
        shown += words.total()

    assert lost <= FLOORS["lost"] * shown


@each_row("look_alike", LOOK_ALIKES)
def test_what_only_looks_like_a_trick_is_kept(look_alike: LookAlike) -> None:
    assert look_alike.told in read(page(look_alike.body, look_alike.head))
