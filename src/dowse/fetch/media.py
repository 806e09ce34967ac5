"""What kind of bytes came: the header's word, what the bytes themselves say, and the ending of their address."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from dowse import urls
from dowse.fetch.signatures import CONTAINERS, signed_type

PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument."
WORD = f"{_OFFICE}wordprocessingml.document"
SHEETS = f"{_OFFICE}spreadsheetml.sheet"
SLIDES = f"{_OFFICE}presentationml.presentation"
_DOCUMENTS = (PDF, WORD, SHEETS, SLIDES)
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
_SOURCES = (
    "txt text log rst adoc org py pyi js mjs cjs ts tsx jsx rs go java kt swift c h cc cpp hpp cs rb php pl lua sh bash"
    " zsh sql yaml yml toml ini cfg conf r jl scala ex exs erl hs ml clj dart zig tex bib diff patch proto tf nix vue"
)
_BY_ENDING = {
    "pdf": PDF,
    "docx": WORD,
    "xlsx": SHEETS,
    "pptx": SLIDES,
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "geojson": "application/json",
    "ipynb": "application/json",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "xml": "application/xml",
    "rss": "application/xml",
    "atom": "application/xml",
    "html": "text/html",
    "htm": "text/html",
    "md": "text/markdown",
    "markdown": "text/markdown",
    # Which language it is, the extractor tells from the same ending.
    **dict.fromkeys(_SOURCES.split(), "text/plain"),
}
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
        return self.is_text or self.name in _DOCUMENTS

    @property
    def is_text(self) -> bool:
        if self.name.startswith(_MEDIA):
            return False
        return self.name.startswith("text/") or self.name in _TEXT or self.name.endswith(_TEXT_SUFFIXES)


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
    return MediaType(_identified(declared, data, _ending(url)), declared.charset)


def _identified(declared: MediaType, data: bytes, ending: str) -> str:
    head = data[:_SNIFFED_BYTES]
    name = declared.name
    if signed := signed_type(data, promised=name if name in _DOCUMENTS else _BY_ENDING.get(ending, "")):
        return name if signed in CONTAINERS and _is_telling(declared) else signed
    if _is_binary(head):
        return name if name and not declared.is_text else OCTETS
    if name in _DOWNLOADS:
        return _saved_text(head, ending)
    if name in _MISNAMED_TEXT:
        return _MISNAMED_TEXT[name] if _looks_like_text(head) else name
    if name in _DOCUMENTS:
        # A page that asks for a login, in the place of the document.
        return "text/html" if _MARKUP.match(head) else name
    if name == "text/plain" and not declared.charset.startswith("utf-16") and not _looks_like_text(head):
        return OCTETS
    return name or _guessed(head)


def _is_telling(declared: MediaType) -> bool:
    """Whether a header names a format of its own that dowse does not read."""
    return bool(declared.name) and not declared.is_readable and declared.name not in _DOWNLOADS


def _is_binary(head: bytes) -> bool:
    """A stray NUL is a fault of the page; a twentieth of them is no text."""
    return head.count(b"\x00") * 20 > len(head) and not head.startswith(_WIDE_MARKS)


def _looks_like_text(head: bytes) -> bool:
    return head.startswith(_WIDE_MARKS) or not _BINARY.search(head)


def _saved_text(head: bytes, ending: str) -> str:
    """The type of a file that is to be saved, if its name promises text and its bytes keep the promise."""
    promised = MediaType(_BY_ENDING.get(ending, ""), "")
    return promised.name if promised.is_text and _looks_like_text(head) else OCTETS


def _guessed(head: bytes) -> str:
    """The type of text that came without one."""
    if not _looks_like_text(head):
        return OCTETS
    return "text/html" if head.startswith(_WIDE_MARKS) or _MARKUP.match(head) else "text/plain"


def _ending(url: str) -> str:
    parsed = urls.parse(url)
    name = parsed.path.rpartition("/")[2] if parsed else ""
    return name.rpartition(".")[2].lower() if "." in name else ""
