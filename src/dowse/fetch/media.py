"""What kind of bytes came: the header's word, and what the bytes themselves say."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE | re.ASCII)
_READABLE = ("application/xhtml+xml", "application/json", "application/xml")
_READABLE_SUFFIXES = ("+json", "+xml")
# What servers write when they do not know; browsers look at the bytes then, and so do we.
_UNKNOWN = ("unknown/unknown", "application/unknown", "*/*")
_SNIFFED_BYTES = 1024
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
# UTF-16 text is full of NULs; the UTF-32 marks that matter begin with these or with NULs of their own.
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# Bytes that text never holds, by the WHATWG MIME sniffing rules; NUL is one of them.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_MARKUP = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<[!a-zA-Z?]")


@dataclass(frozen=True, slots=True)
class MediaType:
    """A `Content-Type` header, taken apart; the name is empty when the server did not know."""

    name: str
    charset: str

    @property
    def is_readable(self) -> bool:
        return self.name.startswith("text/") or self.name in _READABLE or self.name.endswith(_READABLE_SUFFIXES)


def parse_media_type(header: str) -> MediaType:
    """Lenient, since servers write anything; a charset is a label to try, not a promise."""
    name, _, parameters = header.partition(";")
    name = name.strip().lower()
    charset = _CHARSET.search(parameters)
    return MediaType(
        name if "/" in name and name not in _UNKNOWN else "",
        charset[1].lower() if charset else "",
    )


def sniff_unreadable(data: bytes) -> str:
    """The media type of bytes that are no text, whatever their header says; empty if they may be text."""
    head = data[:_SNIFFED_BYTES]
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    # A stray NUL is a fault of the page; a twentieth of them is no text.
    if head.count(b"\x00") * 20 > len(head) and not head.startswith(_WIDE_MARKS):
        return "application/octet-stream"
    return ""


def guess_text_type(data: bytes) -> str:
    """The media type of text that came without one; empty if it does not look like text."""
    head = data[:_SNIFFED_BYTES]
    if head.startswith(_WIDE_MARKS):
        return "text/html"
    if _BINARY.search(head):
        return ""
    return "text/html" if _MARKUP.match(head) else "text/plain"
