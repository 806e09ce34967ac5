"""`python -m tools.fit_scoring`: finds the weights by which `dowse.rank.scoring` chooses between sentences.

A softmax over the pieces of a page has to make those likely that have the answer to a question. It is fitted to the
articles of SQuAD, the pages of `tests/eval/passages` and some questions of `passages/multilingual`, first without each
quarter of the pages, to see on these that it holds for others, then to all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.document.markdown import Document
from dowse.rank.index import Index
from dowse.rank.scoring import WEIGHTS, Scorer
from tools.passages.data import Page, Question, language_pages, squad_file, squad_pages, thinned, web_pages
from tools.passages.multilingual import multilingual_pages

Array = NDArray[np.float64]

_STEPS, _RATE, _DECAY = 400, 0.08, 1e-3
_PARTS = 4
# Of the questions in many languages each so-many-th, so that they weigh no more than the others.
_EVERY = 5
# About as many pieces as 250 tokens are.
_SHOWN = 7


class Case(NamedTuple):
    """The signals of the pieces that may be shown for a question, and which of them have the answer."""

    page: str
    signals: Array
    answer: Array


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="the folder that holds passages/squad-subset.json")
    asked = parser.parse_args()
    # The pages of many languages say the same: they are one page here.
    pages = [(page.name, page) for page in (*squad_pages(squad_file(asked.data)), *web_pages())]
    pages += [("languages", page) for page in language_pages()]
    others = multilingual_pages(squad_file(asked.data).parent / "multilingual")
    pages += [(f"{page.name} {number}", page) for number, page in enumerate(thinned(others, _EVERY))]
    cases = [found for name, page in pages for question in page.questions if (found := _case(name, page, question))]
    names = sorted({case.page for case in cases})
    for part in range(_PARTS):
        held_out = set(names[part::_PARTS])
        weights = fitted([case for case in cases if case.page not in held_out])
        unseen = [case for case in cases if case.page in held_out]
        print(f"held out {part + 1}: {found_by(weights, unseen):.1%} among the best {_SHOWN}, {_shown(weights)}")
    weights = fitted(cases)
    print(f"all pages:  {found_by(weights, cases):.1%}, {_shown(weights)}")
    print(f"as it is:   {found_by(np.array(WEIGHTS), cases):.1%}, {_shown(WEIGHTS)}")


def fitted(cases: Sequence[Case]) -> Array:
    """The weights that make the answers likeliest, by gradient descent with momentum (Adam)."""
    scale = np.mean([case.signals.std(0) for case in cases], 0) + 1e-6
    signals = np.concatenate([case.signals for case in cases]) / scale
    answers = np.concatenate([case.answer / case.answer.sum() for case in cases])
    sizes = [len(case.answer) for case in cases]
    starts, owner = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(cases)), sizes)
    weights, mean, spread = (np.zeros(signals.shape[1]) for _ in range(3))
    for step in range(1, _STEPS + 1):
        scores = signals @ weights
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        likely /= np.add.reduceat(likely, starts)[owner]
        slope = signals.T @ (likely - answers) / len(cases) + _DECAY * weights
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.999 * spread + 0.001 * slope**2
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
    found: Array = weights / scale
    return found


def found_by(weights: Array, cases: Sequence[Case]) -> float:
    """How often the whole answer is among the best pieces."""
    hits = 0
    for case in cases:
        best = np.argsort(-(case.signals @ weights), kind="stable")[:_SHOWN]
        hits += case.answer[best].sum() == case.answer.sum()
    return hits / len(cases)


def _case(name: str, page: Page, question: Question) -> Case | None:
    """Nothing if no word leads to the answer: there is nothing to learn from it."""
    index = Index(Document(page.text), question.text)
    places = [(page.text.find(sentence), len(sentence)) for sentence in page.answer(question)]
    spans = [(start, start + size) for start, size in places]
    rows = [
        (signals, any(start < piece.end and piece.start < end for start, end in spans))
        for piece, signals in zip(index.pieces, Scorer(index, question.text).signals(), strict=True)
        if signals is not None
    ]
    if not any(has_answer for _, has_answer in rows):
        return None
    return Case(name, np.array([signals for signals, _ in rows]), np.array([float(hit) for _, hit in rows]))


def _shown(weights: Sequence[float] | Array) -> str:
    return ", ".join(f"{weight:.2f}" for weight in weights)


if __name__ == "__main__":
    main()
