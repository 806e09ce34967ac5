"""Office files are zip archives full of XML: what must be true of one before a library may open it."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Container
from xml.parsers import expat

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status

_MOST_ENTRIES = 5000
_LARGEST_TOTAL = 100 * 1024 * 1024
# Parsed as a tree, XML takes ten times its size and more.
_LARGEST_PART = 30 * 1024 * 1024
_HIGHEST_RATIO = 100
_SMALL = 5 * 1024 * 1024
_FIRST_STEP = 4096
# What `zipfile` raises for archives that are none; a RuntimeError stands for a password.
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def checked(data: bytes, media_type: str) -> io.BytesIO:
    """The archive as a file, if it is sound, small enough, and free of DTDs, which no document of an office has.

    A DTD could name files to read and entities that multiply. Pictures may have one: those are left out.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(archive.infolist(), media_type)
            with_dtd = [entry.filename for entry in archive.infolist() if _has_dtd(archive, entry)]
            if any(name.lower().endswith((".xml", ".rels")) for name in with_dtd):
                raise PageUnreadable(Status.UNSUPPORTED, f"{media_type}, with a DTD")
            return _copied(archive, with_dtd) if with_dtd else io.BytesIO(data)
    except BROKEN:
        raise PageUnreadable(Status.ERROR, f"{media_type}, broken") from None


def _check_sizes(entries: list[zipfile.ZipInfo], media_type: str) -> None:
    # An archive never gives more than its directory declares.
    total, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    largest = max((entry.file_size for entry in entries if entry.filename.lower().endswith(".xml")), default=0)
    is_bomb = total > _SMALL and total > _HIGHEST_RATIO * packed
    if len(entries) > _MOST_ENTRIES or total > _LARGEST_TOTAL or largest > _LARGEST_PART or is_bomb:
        raise PageUnreadable(Status.TOO_LARGE, f"{media_type}, too large once unpacked")


class _Dtd(Exception):
    """A DTD begins."""


class _Root(Exception):
    """The first element begins: no DTD can come any more."""


def _has_dtd(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Whether a part has one. The parser is the libraries' own: what it does not take for XML they cannot read."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = _raising(_Dtd), _raising(_Root)
    size = _FIRST_STEP
    try:
        with archive.open(entry) as part:
            while step := part.read(size):
                parser.Parse(step)
                # Older versions look at an endless comment again with each step.
                size *= 2
    except _Dtd:
        return True
    except (_Root, expat.ExpatError, LookupError):  # a LookupError for an encoding that nobody knows
        return False
    return False


def _raising(signal: type[Exception]) -> Callable[..., None]:
    def handle(*_: object) -> None:
        raise signal

    return handle


def _copied(archive: zipfile.ZipFile, left_out: Container[str]) -> io.BytesIO:
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w") as packed:
        for entry in archive.infolist():
            if entry.filename not in left_out:
                packed.writestr(entry, archive.read(entry))
    return copy
