"""Tells an instance that answers everything alike, without keeping what was asked."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

# New in each process and nowhere written down: nobody can try words until one fits.
_SALT = secrets.token_bytes(32)
_WORD = re.compile(r"\w+")
# From here on scripts are written without blanks, so that two characters say as much as three letters.
_DENSE = "\u2e80"
_FEWEST_RESULTS = 3
_REMEMBERED = 5
_REMEMBERED_URLS = 500
_RELATED_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A query and its results as hashes; of the query, pieces of its words."""

    pieces: frozenset[bytes]
    results: bytes

    @classmethod
    def of(cls, query: str, urls: Iterable[str]) -> Fingerprint:
        """The results count as a set, in whatever order they came."""
        distinct = sorted(set(urls))
        results = _hash("\n".join(distinct)) if len(distinct) >= _FEWEST_RESULTS else b""
        return cls(frozenset(map(_hash, _pieces(query))), results)

    def contradicts(self, other: Fingerprint) -> bool:
        """Whether the same pages are given for queries that have next to nothing in common."""
        if not self.results or self.results != other.results:
            return False
        fewer = min(len(self.pieces), len(other.pieces))
        return len(self.pieces & other.pieces) < _RELATED_SHARE * fewer


class Fingerprints:
    """The last few of each instance, in memory only: they are no history of searches, and go with the process."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, deque[Fingerprint]] = OrderedDict()

    def contradicts_itself(self, url: str, fingerprint: Fingerprint) -> bool:
        """Whether an instance gave the same results before, for something else."""
        seen = self._seen.setdefault(url, deque(maxlen=_REMEMBERED))
        found = any(fingerprint.contradicts(other) for other in seen)
        seen.append(fingerprint)
        self._seen.move_to_end(url)
        while len(self._seen) > _REMEMBERED_URLS:
            self._seen.popitem(last=False)
        return found


def _pieces(query: str) -> Iterable[str]:
    """Three letters each, so that `otter` and `otters` have something in common."""
    for word in _WORD.findall(query.casefold()):
        size = 2 if word[0] >= _DENSE else 3
        yield from (word[start : start + size] for start in range(max(1, len(word) - size + 1)))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8, key=_SALT).digest()
