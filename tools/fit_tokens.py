"""`python -m tools.fit_tokens`: makes the filter of `dowse.core.tokens` from the public vocabulary.

It is an xor filter (Graf and Lemire, 2020): each token has three places in a table of bytes, and these three together
are a byte of its check sum. Then the counts are compared with the tokenizer's on the pages of WCXB, in texts of three
sizes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from dowse.core.errors import PageUnreadable
from dowse.core.tokens import token_cost
from dowse.extract import html
from dowse.extract.decode import decode
from tools.extractor.data import folder, samples
from tools.passages.metric import tokens

FILTER = Path(__file__).resolve().parents[1] / "src" / "dowse" / "core" / "tokens.bin"
# Below 1.23 places for each token hardly any order can be found in which they fit.
_PLACES_EACH = 1.23
_TABLES = 3
_CHARS = (1_000, 4_000, 24_000)
_SHARES = {"least": 0.0, "1 %": 0.01, "half": 0.5, "99 %": 0.99, "most": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="the folder that holds wcxb-dev")
    parser.add_argument("--every", type=int, default=3, help="every how many pages one is counted")
    asked = parser.parse_args()
    FILTER.write_bytes(made_of(vocabulary()))
    print(f"{FILTER.stat().st_size:,} bytes  {FILTER}")
    pages = list(_texts(folder(asked.data), asked.every))
    for chars in _CHARS:
        ratios = sorted(token_cost(text) / tokens(text) for page in pages for text in _windows(page, chars))
        shown = (f"{name} {ratios[int(share * (len(ratios) - 1))]:.3f}" for name, share in _SHARES.items())
        print(f"{len(ratios):>6} texts of {chars:>6,} characters, counted to true: {', '.join(shown)}")


def vocabulary() -> list[bytes]:
    """All tokens of o200k."""
    # It opens its data in a way that Python gives up.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        from bpe_openai import get_encoding
    found: list[bytes] = get_encoding("o200k_base").token_byte_values()
    return found


def made_of(tokens: Iterable[bytes]) -> bytes:
    """A filter that knows the tokens; those that are parts of a character are left out."""
    keys = {crc32(token) for token in tokens if len(token) > 1 and _is_text(token)}
    sizes = _primes(int(len(keys) * _PLACES_EACH) // _TABLES)
    table = bytearray(sum(sizes))
    # Backwards: the place that a token was the last to have is free when its turn comes.
    for key, place in reversed(_order(keys, sizes)):
        table[place] = 0
        first, second, third = _places(key, sizes)
        table[place] = table[first] ^ table[second] ^ table[third] ^ key >> 24
    return b"".join(size.to_bytes(4, "big") for size in sizes) + bytes(table)


def _order(keys: Iterable[int], sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """The tokens, each with a place that none behind it needs."""
    users = [0] * sum(sizes)
    mixed = [0] * sum(sizes)
    for key in keys:
        for place in _places(key, sizes):
            users[place] += 1
            mixed[place] ^= key
    order: list[tuple[int, int]] = []
    alone = [place for place, count in enumerate(users) if count == 1]
    while alone:
        place = alone.pop()
        if users[place] != 1:
            continue
        key = mixed[place]
        order.append((key, place))
        for other in _places(key, sizes):
            users[other] -= 1
            mixed[other] ^= key
            if users[other] == 1:
                alone.append(other)
    if any(users):
        raise SystemExit("The tokens do not fit; give them more places.")
    return order


def _places(key: int, sizes: tuple[int, ...]) -> tuple[int, int, int]:
    first, second, third = sizes
    return key % first, first + key % second, first + second + key % third


def _primes(least: int) -> tuple[int, ...]:
    """The next primes: places that have nothing to do with each other."""
    found: list[int] = []
    while len(found) < _TABLES:
        least += 1
        if all(least % divisor for divisor in range(2, int(least**0.5) + 1)):
            found.append(least)
    return tuple(found)


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True


def _texts(data: Path, every: int) -> Iterator[str]:
    for sample in samples(data, every):
        try:
            yield html.to_text(decode(sample.html, ""), sample.url).markdown
        except PageUnreadable:
            continue


def _windows(text: str, chars: int) -> Iterator[str]:
    return (text[at : at + chars] for at in range(0, len(text) - chars + 1, chars))


if __name__ == "__main__":
    main()
