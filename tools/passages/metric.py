"""Whether an answer is in what was shown, and how many tokens that is for a real tokenizer."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_openai import Encoding

_WORD = re.compile(r"\w{1,40}")
# Shorter words are in every sentence.
_TELLING_CHARS = 4
# The tokenizer refuses texts that are very long.
_PART_CHARS = 100_000


def is_shown(answer: Sequence[str], shown: str) -> bool:
    """Whether every sentence of the answer is whole in the text that is shown; blanks do not count."""
    words = _one_line(shown)
    return all(_one_line(sentence) in words for sentence in answer)


def tokens(text: str) -> int:
    """How many tokens a model of today makes of it (o200k)."""
    return sum(
        len(_tokenizer().encode_ordinary(text[at : at + _PART_CHARS])) for at in range(0, len(text), _PART_CHARS)
    )


def beginning(text: str, max_tokens: int) -> str:
    """As much of a text as that many tokens are."""
    # Tokens of prose are shorter than this on average.
    parts = _tokenizer().encode_ordinary(text[: 12 * max_tokens])
    # A character may be several tokens, and the last one be cut.
    decoded: str = _tokenizer().decode(parts[:max_tokens])
    return decoded.rstrip("\ufffd")


def overlap(question: str, answer: Sequence[str]) -> float:
    """The share of the telling words of the question that the answer's sentences have."""
    asked = {word for word in _WORD.findall(question.lower()) if len(word) >= _TELLING_CHARS}
    said = set(_WORD.findall(" ".join(answer).lower()))
    return len(asked & said) / len(asked) if asked else 0.0


def _one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def _tokenizer() -> Encoding:
    # It opens its data in a way that Python gives up.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        from bpe_openai import get_encoding
    return get_encoding("o200k_base")
