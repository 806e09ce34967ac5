"""Which kind of document some bytes are: by their media type, by the ending of their address, by how they begin."""

from __future__ import annotations

import re
from enum import Enum
from urllib.parse import unquote, urlsplit

_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)[\s>]")
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<body[\s>]", re.I)
_LOOKED_AT = 2048
_OFFICE = "application/vnd.openxmlformats-officedocument."


class Kind(Enum):
    HTML = "html"
    PDF = "pdf"
    WORD = "word"
    SHEETS = "sheets"
    SLIDES = "slides"
    FEED = "feed"
    XML = "xml"
    JSON = "json"
    JSON_LINES = "json lines"
    CSV = "csv"
    CODE = "code"
    TEXT = "text"


_BINARY = {
    "application/pdf": Kind.PDF,
    f"{_OFFICE}wordprocessingml.document": Kind.WORD,
    f"{_OFFICE}spreadsheetml.sheet": Kind.SHEETS,
    f"{_OFFICE}presentationml.presentation": Kind.SLIDES,
}
_TEXTUAL = {
    "text/csv": Kind.CSV,
    "application/csv": Kind.CSV,
    "text/tab-separated-values": Kind.CSV,
    "application/x-ndjson": Kind.JSON_LINES,
    "application/ndjson": Kind.JSON_LINES,
    "application/jsonl": Kind.JSON_LINES,
    "application/x-jsonlines": Kind.JSON_LINES,
    "application/x-json": Kind.JSON,
    "application/json-seq": Kind.JSON_LINES,
    "text/markdown": Kind.TEXT,
}
_BY_ENDING = {
    "csv": Kind.CSV,
    "tsv": Kind.CSV,
    "ndjson": Kind.JSON_LINES,
    "jsonl": Kind.JSON_LINES,
    "json": Kind.JSON,
    "xml": Kind.XML,
    "rss": Kind.XML,
    "atom": Kind.XML,
}
# Languages as Markdown names them: the media types that mean them, without `x-`, and the endings.
_LANGUAGES = {
    "c": ("c csrc", "c"),
    "clojure": ("", "clj cljs"),
    "cmake": ("", "cmake"),
    "cpp": ("c++ c++src", "cpp cc cxx h hh hpp"),
    "csharp": ("csharp", "cs"),
    "css": ("css", "css"),
    "dart": ("dart", "dart"),
    "diff": ("diff patch", "diff patch"),
    "elixir": ("elixir", "ex exs"),
    "erlang": ("erlang", "erl"),
    "go": ("go", "go"),
    "graphql": ("graphql", "graphql gql"),
    "groovy": ("groovy", "groovy gradle"),
    "haskell": ("haskell", "hs"),
    "hcl": ("", "hcl tf"),
    "html": ("", "html htm"),
    "ini": ("", "ini cfg conf"),
    "java": ("java java-source", "java"),
    "javascript": ("javascript ecmascript", "js mjs cjs jsx"),
    "julia": ("julia", "jl"),
    "kotlin": ("kotlin", "kt kts"),
    "latex": ("tex latex", "tex"),
    "lua": ("lua", "lua"),
    "nix": ("", "nix"),
    "ocaml": ("ocaml", "ml mli"),
    "perl": ("perl", "pl pm"),
    "php": ("php httpd-php", "php"),
    "powershell": ("", "ps1"),
    "protobuf": ("", "proto"),
    "python": ("python script.python", "py pyi"),
    "r": ("r", "r"),
    "ruby": ("ruby", "rb"),
    "rust": ("rust rustsrc", "rs"),
    "scala": ("scala", "scala"),
    "scss": ("scss", "scss"),
    "sh": ("sh shellscript", "sh bash zsh"),
    "sql": ("sql", "sql"),
    "svelte": ("", "svelte"),
    "swift": ("swift", "swift"),
    "toml": ("toml", "toml"),
    "typescript": ("typescript", "ts tsx"),
    "vue": ("", "vue"),
    "yaml": ("yaml", "yaml yml"),
    "zig": ("", "zig"),
}
_LANGUAGES_OF_TYPES = {name: language for language, (types, _) in _LANGUAGES.items() for name in types.split()}
_LANGUAGES_OF_ENDINGS = {name: language for language, (_, endings) in _LANGUAGES.items() for name in endings.split()}
_LANGUAGES_OF_NAMES = {"dockerfile": "dockerfile", "makefile": "makefile", "cmakelists.txt": "cmake"}


def binary_kind(media_type: str) -> Kind | None:
    """The kind of a document that is not made of text."""
    return _BINARY.get(_name(media_type))


def text_kind(media_type: str, url: str, markup: str) -> Kind:
    """The kind of a document that is; `markup` is asked where a type says only half of it."""
    name = _name(media_type)
    if name in ("text/html", "application/xhtml+xml"):
        return Kind.FEED if _is_feed(markup) else Kind.HTML
    if name in _TEXTUAL:
        return _TEXTUAL[name]
    if name.endswith(("+json", "/json")):
        return Kind.JSON
    if name.endswith(("/xml", "+xml")):
        return _markup_kind(markup)
    if not name or name == "application/octet-stream":
        return Kind.HTML if _HTML.search(markup[:_LOOKED_AT]) else Kind.TEXT
    if name == "text/plain" and (kind := _BY_ENDING.get(_ending(url))):
        return _markup_kind(markup) if kind is Kind.XML else kind
    return Kind.CODE if language_of(media_type, url) else Kind.TEXT


def language_of(media_type: str, url: str) -> str:
    """The programming language of a text, as Markdown names it; empty for prose."""
    name = _name(media_type)
    subtype = name.partition("/")[2].removeprefix("x-")
    if name == "text/plain":
        file = _file(url)
        return _LANGUAGES_OF_NAMES.get(file) or _LANGUAGES_OF_ENDINGS.get(_ending(url), "")
    return _LANGUAGES_OF_TYPES.get(subtype, "")


def is_tabbed(media_type: str, url: str) -> bool:
    """Whether a table says that tabs separate its cells; otherwise it has to be found out."""
    return _name(media_type) == "text/tab-separated-values" or _ending(url) == "tsv"


def _markup_kind(markup: str) -> Kind:
    if _is_feed(markup):
        return Kind.FEED
    return Kind.HTML if _HTML.search(markup[:_LOOKED_AT]) else Kind.XML


def _is_feed(markup: str) -> bool:
    head = markup[:_LOOKED_AT].lstrip("\ufeff \t\r\n")
    return head.startswith(("<?xml", "<rss", "<feed", "<rdf:RDF")) and _FEED.search(head) is not None


def _name(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _file(url: str) -> str:
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(path).rpartition("/")[2].lower()


def _ending(url: str) -> str:
    _, dot, ending = _file(url).rpartition(".")
    return ending if dot else ""
