"""Bodies that are better made than stored: a PNG, and a page long enough to need cutting."""

from __future__ import annotations

import functools
import struct
import zlib

LONG_PAGE_BYTES = 200_000
NEEDLE = "The oldest lantern of the valley line was lit at Station 97 in the winter of 1874."

_WEATHER = ("drizzle", "hoar frost", "a dry wind", "sleet", "thin cloud", "thunder", "still air")
_CARGO = ("slate", "milk churns", "letters", "timber", "apples", "coal", "wool", "clay pipes", "bees")
_DEEDS = (
    "painted the waiting room green",
    "mended the signal wire",
    "counted the swallows under the roof",
    "wrote to the company about the pump",
    "lent the ladder to the chapel",
)


@functools.cache
def long_page() -> bytes:
    """About 200 kB of HTML in which no two sentences are the same; one of them is `NEEDLE`."""
    parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Annals of the valley line</title><main><article>"]
    parts.append("<h1>Annals of the valley line</h1>")
    size, station = 0, 0
    while size < LONG_PAGE_BYTES:
        station += 1
        section = _station(station)
        size += len(section)
        parts.append(section)
    return "\n".join([*parts, "</article></main></html>"]).encode()


def _station(number: int) -> str:
    sentences = [_sentence(number, year) for year in range(1830 + number % 9, 1990, 23)]
    if number == 97:
        sentences.insert(3, NEEDLE)
    half = len(sentences) // 2
    paragraphs = (" ".join(sentences[:half]), " ".join(sentences[half:]))
    return f"<h2>Station {number}</h2>" + "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


def _sentence(station: int, year: int) -> str:
    pick = station * 31 + year
    return (
        f"In {year} the keeper of Station {station} noted {_WEATHER[pick % 7]} on {pick % 90 + 10} days, "
        f"sent off {pick % 47 + 3} loads of {_CARGO[pick % 9]} and {_DEEDS[pick % 5]}."
    )


@functools.cache
def png() -> bytes:
    """A valid PNG of one red pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
