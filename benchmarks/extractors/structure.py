"""How much structure an extractor keeps of the pages of `tests/eval/fidelity`."""

from __future__ import annotations

from benchmarks.extractors.extractor import Extractor, Page
from tests.eval.fidelity.collection import pages
from tests.eval.fidelity.measure import JUDGED, scores_of, total


def shares_kept(extractor: Extractor) -> dict[str, float]:
    """The share of each kind of structure that is still there."""
    scores = scores_of(pages(), lambda page: extractor.markdown(Page(page.html, page.url)))
    kept = total(scores.values())
    return {kind: kept[kind].share for kind in JUDGED}
