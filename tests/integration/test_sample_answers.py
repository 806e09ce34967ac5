"""docs/answers.md shows the answers of today."""

from __future__ import annotations

import random
import socket

from tools import sample_answers


async def test_the_page_of_sample_answers_is_up_to_date() -> None:
    """After a change on purpose: `python -m tools.sample_answers`."""
    shown = sample_answers.TARGET.read_text(encoding="utf-8")
    assert await sample_answers.render_page(_free_port()) == shown


def _free_port() -> int:
    """One of as many digits as that of the page: the length of an address counts in the token budget."""
    while True:
        port = random.randrange(2000, 10_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
