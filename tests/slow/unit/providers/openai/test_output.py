"""How long reading a response with very many parts takes."""

import contextlib
import time

import pytest

from dowse.core.answers import Question
from dowse.core.errors import ProviderError
from dowse.providers.openai.output import read_answer
from tests.unit.providers.openai.test_output import long_bodies

BODIES = long_bodies(20_000)


@pytest.mark.parametrize("wants_summary", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_many_parts_take_no_time(name: str, wants_summary: bool) -> None:
    question = Question("x y z", wants_summary=wants_summary)
    started = time.process_time()
    with contextlib.suppress(ProviderError):
        read_answer(BODIES[name], question, "gpt-5-nano", lambda words: words)
    assert time.process_time() - started < 5
