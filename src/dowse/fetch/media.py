"""Media type of a response, by its header, its bytes (MIME sniffing) and the ending of its URL."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from dowse.core.media_types import DOCUMENTS, HTML, PDF, PLAIN, SHEETS, SLIDES, WORD, type_of_url

OCTETS = "application/octet-stream"

_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE | re.ASCII)
# Names below `application/`, with and without the `x-` of the time before they were registered.
_TEXTUAL = (
    "csv ecmascript graphql httpd-php java javascript json json-seq jsonl jsonlines latex ndjson perl php python ruby"
    " sh shellscript sql tex toml typescript xhtml+xml xml yaml"
)
_TEXT = frozenset(f"application/{prefix}{name}" for name in _TEXTUAL.split() for prefix in ("", "x-"))
_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")
# Their text, if any, is not their content.
_MEDIA = ("image/", "audio/", "video/", "font/", "model/")
# Values of servers that do not know the type; browsers sniff the bytes then, and so does this module.
_UNKNOWN = ("unknown/unknown", "application/unknown", "*/*")
# Values for a download; its name may reveal the type.
_DOWNLOADS = (
    OCTETS,
    "binary/octet-stream",
    "application/x-download",
    "application/download",
    "application/force-download",
)
# Tables and text under the media type of the program that opens them.
_MISNAMED_TEXT = {"application/vnd.ms-excel": "text/csv", "application/x-csv": "text/csv", "text/x-csv": "text/csv"}
_SNIFFED_BYTES = 1024
# UTF-16 text is full of NULs; the relevant UTF-32 marks begin with these or with NULs.
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# Bytes that never occur in text, by the WHATWG MIME sniffing rules; NUL is one of them.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_MARKUP = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<[!a-zA-Z?]")


@dataclass(frozen=True, slots=True)
class MediaType:
    """A parsed `Content-Type` header; the name is empty when the server did not know."""

    name: str
    charset: str

    @property
    def is_readable(self) -> bool:
        return self.is_text or self.name in DOCUMENTS

    @property
    def is_text(self) -> bool:
        if self.name.startswith(_MEDIA):
            return False
        return self.name.startswith("text/") or self.name in _TEXT or self.name.endswith(_TEXT_SUFFIXES)

    @property
    def is_utf16(self) -> bool:
        return self.charset.startswith("utf-16")


def parse_media_type(header: str) -> MediaType:
    """Parse a header leniently; the charset is only a label to try."""
    name, _, parameters = header.partition(";")
    name = name.strip().lower()
    charset = _CHARSET.search(parameters)
    return MediaType(
        name if "/" in name and name not in _UNKNOWN else "",
        charset[1].lower() if charset else "",
    )


def identify(header: str, data: bytes, url: str) -> MediaType:
    """The media type of a response. A signature of its bytes overrides the header."""
    declared = parse_media_type(header)
    return MediaType(_sniff(declared, data, url), declared.charset)


def _sniff(declared: MediaType, data: bytes, url: str) -> str:
    head, name = data[:_SNIFFED_BYTES], declared.name
    if signed := signed_type(data, name, url):
        return name if signed in CONTAINERS and _is_telling(declared) else signed
    if _is_binary(head) and not (declared.is_text and declared.is_utf16):
        return name if name and not declared.is_text else OCTETS
    return _sniff_text(declared, head, url)


def _sniff_text(declared: MediaType, head: bytes, url: str) -> str:
    """The type of bytes without a signature, of which most are text."""
    name = declared.name
    if name in _DOWNLOADS:
        return _sniff_download(head, type_of_url(url))
    if name in _MISNAMED_TEXT:
        return _MISNAMED_TEXT[name] if _looks_like_text(head) else name
    if name in DOCUMENTS:
        # A login page in place of the document.
        return HTML if _MARKUP.match(head) else name
    if name == PLAIN and not declared.is_utf16 and not _looks_like_text(head):
        return OCTETS
    return name or _guess(head)


def _is_telling(declared: MediaType) -> bool:
    """Whether a header names a specific format that dowse does not read."""
    return bool(declared.name) and not declared.is_readable and declared.name not in _DOWNLOADS


def _is_binary(head: bytes) -> bool:
    """Whether a twentieth of the bytes is NUL; a stray one is a fault of the page."""
    return head.count(b"\x00") * 20 > len(head) and not _is_wide(head)


def _looks_like_text(head: bytes) -> bool:
    return _is_wide(head) or not _BINARY.search(head)


def _is_wide(head: bytes) -> bool:
    """Whether the bytes have a UTF-16 or UTF-32 mark, or look like UTF-16: a NUL beside nearly each letter."""
    if head.startswith(_WIDE_MARKS):
        return True
    halves = head[::2], head[1::2]
    return any(
        len(nuls) > 1 and nuls.count(0) * 10 >= len(nuls) * 9 and not _BINARY.search(letters)
        for nuls, letters in (halves, halves[::-1])
    )


def _sniff_download(head: bytes, by_name: str) -> str:
    """The type of a download, if its name promises text and its bytes are text."""
    return by_name if MediaType(by_name, "").is_text and _looks_like_text(head) else OCTETS


def _guess(head: bytes) -> str:
    """The type of a response without one."""
    if not _looks_like_text(head):
        return OCTETS
    return HTML if head.startswith(_WIDE_MARKS) or _MARKUP.match(head.replace(b"\x00", b"")) else PLAIN


_ZIP = "application/zip"
# Browsers require it at the very beginning; PDF readers accept it in the first kilobyte.
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
"""Types of containers, which say nothing about their content."""
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
# Office files are archives, recognised by their main part.
_IN_ZIP = (
    (b"word/document.xml", WORD),
    (b"xl/workbook.xml", SHEETS),
    (b"ppt/presentation.xml", SLIDES),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
)


def signed_type(data: bytes, declared: str = "", url: str = "") -> str:
    """The media type by the signature of the bytes; empty without one.

    Where the header, or else the name in the URL, says PDF, its signature may come a little later.
    """
    head = data[:_LEADING_BYTES]
    if _PDF_MARK in head and (head.lstrip().startswith(_PDF_MARK) or _promises_pdf(declared, url)):
        return PDF
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(b"PK\x03\x04"):
        return _in_zip(data)
    if head.startswith(b"RIFF"):
        return _IN_RIFF.get(head[8:12], "")
    return "video/mp4" if head[4:8] == b"ftyp" and head.startswith(b"\x00") else ""


def _promises_pdf(declared: str, url: str) -> bool:
    return (declared if declared in DOCUMENTS else type_of_url(url)) == PDF


def _in_zip(data: bytes) -> str:
    """The type of an archive. Its directory is at its end, after those of archives inside: the last name counts."""
    place, name = max((data.rfind(part), name) for part, name in _IN_ZIP)
    return name if place >= 0 else _ZIP
