"""Whose turn it is among instances that are well: the best grade first, and inside a grade everybody alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, groupby
from random import Random
from typing import Protocol

from dowse.providers.instances.instance import Instance


class Turns(Protocol):
    """An order in which equals are asked."""

    def ordered(self, urls: Sequence[str]) -> list[str]:
        """These addresses, the one whose turn it is first."""
        ...

    def took(self, url: str) -> None:
        """It had its turn."""
        ...


class RoundRobin:
    """Who has waited longest comes first; those that never had a turn in an order that is shuffled once.

    An order of waiting, and not a place in a list: the neighbour of one that rests would get its share as well.
    """

    def __init__(self, rng: Random | None = None) -> None:
        """Without `rng` nothing is shuffled: the first turns go in the order of the addresses."""
        self._rng = rng
        self._places: dict[str, float] = {}
        self._turns: dict[str, int] = {}
        self._number = count(1)

    def ordered(self, urls: Sequence[str]) -> list[str]:
        return sorted(urls, key=lambda url: (self._turns.get(url, 0), self._place(url)))

    def took(self, url: str) -> None:
        self._turns[url] = next(self._number)

    def _place(self, url: str) -> float:
        if self._rng is None:
            return 0.0
        return self._places.setdefault(url, self._rng.random())


class Deck:
    """At random without repeats: nobody is drawn again before all the others were."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._drawn: set[str] = set()
        self._last = ""

    def ordered(self, urls: Sequence[str]) -> list[str]:
        if self._drawn.issuperset(urls):
            self._drawn.difference_update(urls)
        shuffled = self._rng.sample(urls, len(urls))
        # The last of one round is not the first of the next.
        return sorted(shuffled, key=lambda url: (url in self._drawn, url == self._last))

    def took(self, url: str) -> None:
        self._drawn.add(url)
        self._last = url


def choose(ready: Sequence[Instance], turns: Turns, most: int) -> list[Instance]:
    """The first is asked and has had its turn with that; the others are there in case it fails."""
    by_url = {instance.url: instance for instance in ready}
    tiers = groupby(sorted(ready, key=lambda instance: instance.tier), key=lambda instance: instance.tier)
    ordered = [url for _, tier in tiers for url in turns.ordered([instance.url for instance in tier])]
    if ordered:
        turns.took(ordered[0])
    return [by_url[url] for url in ordered[:most]]
