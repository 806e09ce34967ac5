"""A double of a search API: finds what a test says, or what fits in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from tests.doubles import corpus
from tests.doubles.double import Double
from tests.doubles.listings import Listing, Wanted, choose


class SearchDouble(Double):
    """What every double of a search can be told to find."""

    def results_body(self, results: object) -> dict[str, object]:
        """An answer with these as its list of results, which may be malformed."""
        return {"results": results}

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._found: list[Listing] | None = None

    def finds(self, items: Sequence[Listing | Mapping[str, str] | str]) -> Self:
        """Find these instead of the corpus, in this order: listings, mappings with their fields, URLs or paths."""
        self._found = [corpus.listing(item, self._origin()) for item in items]
        return self

    def lists(self, results: object) -> Self:
        """Answer with these results as they are, malformed or not."""
        return self.replies(json=self.results_body(results))

    def finds_nothing(self) -> Self:
        return self.finds([])

    def works(self) -> Self:
        self._found = None
        return super().works()

    @property
    def scripted(self) -> bool:
        """Whether the results were set by a test: then nothing is added to them."""
        return self._found is not None

    def listings(self, wanted: Wanted) -> list[Listing]:
        if self._found is not None:
            return choose(self._found, wanted, ranked=False)
        return choose(corpus.listings(self._origin()), wanted)
