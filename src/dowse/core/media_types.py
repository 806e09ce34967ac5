"""Media types and programming languages by media type and file name, for fetching and for conversion."""

from __future__ import annotations

from urllib.parse import unquote

from dowse.core import urls

_OFFICE = "application/vnd.openxmlformats-officedocument."
PDF = "application/pdf"
WORD = f"{_OFFICE}wordprocessingml.document"
SHEETS = f"{_OFFICE}spreadsheetml.sheet"
SLIDES = f"{_OFFICE}presentationml.presentation"
DOCUMENTS = (PDF, WORD, SHEETS, SLIDES)
"""Binary documents that dowse reads."""

HTML = "text/html"
PLAIN = "text/plain"
TABBED = "text/tab-separated-values"

# By the name of the language in Markdown: its media types, without `x-`, and its file name extensions.
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
_LANGUAGES_OF_EXTENSIONS = {name: language for language, (_, endings) in _LANGUAGES.items() for name in endings.split()}
_LANGUAGES_OF_NAMES = {"dockerfile": "dockerfile", "makefile": "makefile", "cmakelists.txt": "cmake"}
_TYPES_OF_EXTENSIONS = {
    **dict.fromkeys([*_LANGUAGES_OF_EXTENSIONS, "txt", "text", "log", "rst", "adoc", "org", "bib"], PLAIN),
    "pdf": PDF,
    "docx": WORD,
    "xlsx": SHEETS,
    "pptx": SLIDES,
    "csv": "text/csv",
    "tsv": TABBED,
    "json": "application/json",
    "geojson": "application/json",
    "ipynb": "application/json",
    "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson",
    "xml": "application/xml",
    "rss": "application/xml",
    "atom": "application/xml",
    "html": HTML,
    "htm": HTML,
    "md": "text/markdown",
    "markdown": "text/markdown",
}


def type_of_url(url: str) -> str:
    """The media type by the file name extension of a URL; empty if unknown."""
    return _TYPES_OF_EXTENSIONS.get(_extension(_file(url)), "")


def language_of_type(name: str) -> str:
    """The programming language of a media type, by its name in Markdown; empty for others."""
    return _LANGUAGES_OF_TYPES.get(name.partition("/")[2].removeprefix("x-"), "")


def language_of_file(url: str) -> str:
    """The programming language of a file, by the name in its URL."""
    file = _file(url)
    return _LANGUAGES_OF_NAMES.get(file) or _LANGUAGES_OF_EXTENSIONS.get(_extension(file), "")


def _file(url: str) -> str:
    parsed = urls.parse(url)
    return unquote(parsed.path).rpartition("/")[2].lower() if parsed else ""


def _extension(file: str) -> str:
    _, dot, ending = file.rpartition(".")
    return ending if dot else ""
