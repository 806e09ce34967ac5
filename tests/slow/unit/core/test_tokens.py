"""How long counting the tokens of a very long text takes."""

from __future__ import annotations

import time

import pytest

from dowse.core.tokens import estimate_tokens
from tests.eval.budgets.pages import LANGUAGES, page
from tools.passages.metric import tokens


def test_of_a_long_text_a_sample_is_counted() -> None:
    text = "".join(page(language, 1) for language in LANGUAGES) * 14
    started = time.process_time()
    counted = estimate_tokens(text)
    assert time.process_time() - started < 2.0
    assert len(text) > 5_000_000
    assert counted == pytest.approx(1.07 * 14 * tokens(text[: len(text) // 14]), rel=0.05)
