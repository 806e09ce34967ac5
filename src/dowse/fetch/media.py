"""What kind of bytes came: the header's word, what the bytes themselves say, and the ending of their address."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from dowse.core.media_types import DOCUMENTS, HTML, PLAIN, promised
from dowse.fetch.signatures import CONTAINERS, signed_type

OCTETS = "application/octet-stream"

_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]{1,40})""", re.IGNORECASE | re.ASCII)
# Names below `application/`, with and without the `x-` of the time before they were registered.
_TEXTUAL = (
    "csv ecmascript graphql httpd-php java javascript json json-seq jsonl jsonlines latex ndjson perl php python ruby"
    " sh shellscript sql tex toml typescript xhtml+xml xml yaml"
)
_TEXT = frozenset(f"application/{prefix}{name}" for name in _TEXTUAL.split() for prefix in ("", "x-"))
_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")
# Their text, if they have any, is not what anybody looks at.
_MEDIA = ("image/", "audio/", "video/", "font/", "model/")
# What servers write when they do not know; browsers look at the bytes then, and so do we.
_UNKNOWN = ("unknown/unknown", "application/unknown", "*/*")
# What they write for a file that is to be saved; its name may tell what it is.
_DOWNLOADS = (
    OCTETS,
    "binary/octet-stream",
    "application/x-download",
    "application/download",
    "application/force-download",
)
# A table or a text under the name of the program that would open it.
_MISNAMED_TEXT = {"application/vnd.ms-excel": "text/csv", "application/x-csv": "text/csv", "text/x-csv": "text/csv"}
_SNIFFED_BYTES = 1024
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
    """Lenient, since servers write anything; a charset is a label to try, not a promise."""
    name, _, parameters = header.partition(";")
    name = name.strip().lower()
    charset = _CHARSET.search(parameters)
    return MediaType(
        name if "/" in name and name not in _UNKNOWN else "",
        charset[1].lower() if charset else "",
    )


def identify(header: str, data: bytes, url: str) -> MediaType:
    """The type of what came. Bytes that have a signature are what it says, whatever the header says."""
    declared = parse_media_type(header)
    return MediaType(_sniff(declared, data, promised(url)), declared.charset)


def _sniff(declared: MediaType, data: bytes, by_name: str) -> str:
    head, name = data[:_SNIFFED_BYTES], declared.name
    if signed := signed_type(data, promised=name if name in DOCUMENTS else by_name):
        return name if signed in CONTAINERS and _is_telling(declared) else signed
    if _is_binary(head) and not (declared.is_text and declared.is_utf16):
        return name if name and not declared.is_text else OCTETS
    return _sniff_text(declared, head, by_name)


def _sniff_text(declared: MediaType, head: bytes, by_name: str) -> str:
    """The type of bytes without a signature, of which most are text."""
    name = declared.name
    if name in _DOWNLOADS:
        return _saved_text(head, by_name)
    if name in _MISNAMED_TEXT:
        return _MISNAMED_TEXT[name] if _looks_like_text(head) else name
    if name in DOCUMENTS:
        # A page that asks for a login, in the place of the document.
        return HTML if _MARKUP.match(head) else name
    if name == PLAIN and not declared.is_utf16 and not _looks_like_text(head):
        return OCTETS
    return name or _guess(head)


def _is_telling(declared: MediaType) -> bool:
    """Whether a header names a format of its own that dowse does not read."""
    return bool(declared.name) and not declared.is_readable and declared.name not in _DOWNLOADS


def _is_binary(head: bytes) -> bool:
    """A stray NUL is a fault of the page; a twentieth of them is no text."""
    return head.count(b"\x00") * 20 > len(head) and not _is_wide(head)


def _looks_like_text(head: bytes) -> bool:
    return _is_wide(head) or not _BINARY.search(head)


def _is_wide(head: bytes) -> bool:
    """Whether it says that it is UTF-16, or looks like it: letters, and a NUL beside nearly each of them."""
    if head.startswith(_WIDE_MARKS):
        return True
    halves = head[::2], head[1::2]
    return any(
        len(nuls) > 1 and nuls.count(0) * 10 >= len(nuls) * 9 and not _BINARY.search(letters)
        for nuls, letters in (halves, halves[::-1])
    )


def _saved_text(head: bytes, by_name: str) -> str:
    """The type of a file that is to be saved, if its name promises text and its bytes keep the promise."""
    return by_name if MediaType(by_name, "").is_text and _looks_like_text(head) else OCTETS


def _guess(head: bytes) -> str:
    """The type of text that came without one."""
    if not _looks_like_text(head):
        return OCTETS
    return HTML if head.startswith(_WIDE_MARKS) or _MARKUP.match(head.replace(b"\x00", b"")) else PLAIN
