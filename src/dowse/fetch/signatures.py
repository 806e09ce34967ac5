"""The first bytes of files that are no text, and what they say."""

from __future__ import annotations

from dowse.core.media_types import PDF, SHEETS, SLIDES, WORD

_ZIP = "application/zip"
# Browsers want it at the very beginning; readers of PDF look for it in the first kilobyte.
_PDF_MARK = b"%PDF-"
_LEADING_BYTES = 1024
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop"),
    (b"PK\x05\x06", _ZIP),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh91AY&SY", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "application/x-elf"),
    (b"\x00asm", "application/wasm"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS", "application/postscript"),
    *((b"ID3" + version, "audio/mpeg") for version in (b"\x02", b"\x03", b"\x04")),
    (b"OggS\x00", "application/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
)
CONTAINERS = (_ZIP, "application/x-ole-storage", "application/gzip")
"""Types that say how something is packed, not what it is."""
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
# Office files are archives; their main part tells them apart.
_IN_ZIP = (
    (b"word/document.xml", WORD),
    (b"xl/workbook.xml", SHEETS),
    (b"ppt/presentation.xml", SLIDES),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
)


def signed_type(data: bytes, promised: str = "") -> str:
    """The media type that the bytes claim to be; empty if they claim nothing.

    `promised` is the document that a header or a name speaks of: then its signature may come a little later.
    """
    head = data[:_LEADING_BYTES]
    if head.lstrip().startswith(_PDF_MARK) or (promised == PDF and _PDF_MARK in head):
        return PDF
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(b"PK\x03\x04"):
        return _in_zip(data)
    if head.startswith(b"RIFF"):
        return _IN_RIFF.get(head[8:12], "")
    return "video/mp4" if head[4:8] == b"ftyp" and head.startswith(b"\x00") else ""


def _in_zip(data: bytes) -> str:
    """The directory of an archive is at its end, behind those of the archives inside: the last name counts."""
    place, name = max((data.rfind(part), name) for part, name in _IN_ZIP)
    return name if place >= 0 else _ZIP
