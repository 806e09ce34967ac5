"""How often quotes hold the answer, with every question, against the figures themselves."""

from __future__ import annotations

from tests.eval import test_quotes


class TestEveryQuestion(test_quotes.TestEverySixthQuestion):
    every = 1
    margin = 0.0
