"""Office files are zip archives full of XML: what must be true of one before a library may open it."""

from __future__ import annotations

import io
import zipfile
import zlib

from dowse.errors import PageUnreadable
from dowse.models import Status

_MOST_ENTRIES = 5000
_LARGEST_TOTAL = 100 * 1024 * 1024
# Parsed as a tree, XML takes ten times its size and more.
_LARGEST_PART = 30 * 1024 * 1024
_HIGHEST_RATIO = 100
_SMALL = 5 * 1024 * 1024
_LOOKED_AT = 4096
# What `zipfile` raises for archives that are none; a RuntimeError stands for a password.
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def checked(data: bytes, media_type: str) -> io.BytesIO:
    """The archive as a file, if it is sound, small enough, and free of DTDs, which no office file has."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(archive.infolist(), media_type)
            for entry in archive.infolist():
                if entry.filename.lower().endswith((".xml", ".rels")):
                    _check_part(archive, entry, media_type)
    except BROKEN:
        raise PageUnreadable(Status.ERROR, f"{media_type}, broken") from None
    return io.BytesIO(data)


def _check_sizes(entries: list[zipfile.ZipInfo], media_type: str) -> None:
    # An archive never gives more than its directory declares.
    total, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    largest = max((entry.file_size for entry in entries if entry.filename.lower().endswith(".xml")), default=0)
    is_bomb = total > _SMALL and total > _HIGHEST_RATIO * packed
    if len(entries) > _MOST_ENTRIES or total > _LARGEST_TOTAL or largest > _LARGEST_PART or is_bomb:
        raise PageUnreadable(Status.TOO_LARGE, f"{media_type}, too large once unpacked")


def _check_part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, media_type: str) -> None:
    """A DTD stands at the beginning; it could name files to read and entities that multiply."""
    with archive.open(entry) as part:
        head = part.read(_LOOKED_AT).replace(b"\0", b"")
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise PageUnreadable(Status.UNSUPPORTED, f"{media_type}, with a DTD")
