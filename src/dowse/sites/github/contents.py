"""Files and folders of a repository, decoded from the contents API."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status, Text
from dowse.document.clean import to_code_block
from dowse.net.json_api import Json, objects, string
from dowse.sites.compose import Part, label, link, page, title
from dowse.sites.github.facts import count
from dowse.sites.github.remarks import Limits
from dowse.sites.github.session import OBJECT, Session
from dowse.sites.github.urls import NAME, Contents, Repository
from dowse.sites.markup import Place, quoted

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_README = re.compile(r"readme(?:\.[a-z]{1,10})?", re.I)
_LFS = b"version https://git-lfs.github.com/spec/"
# What is shown around a line that an address points to.
_LINES_BEFORE, _LINES_AFTER = 10, 40
_MOST_ENTRIES = 300
# Where the name of a language is not the end of its files' names.
_LANGUAGES = {
    "bash": "bash", "cc": "cpp", "cs": "csharp", "cxx": "cpp", "erl": "erlang", "ex": "elixir", "exs": "elixir",
    "h": "c", "hpp": "cpp", "hs": "haskell", "jl": "julia", "js": "javascript", "kt": "kotlin", "mjs": "javascript",
    "ml": "ocaml", "pl": "perl", "ps1": "powershell", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust",
    "tf": "hcl", "ts": "typescript", "yml": "yaml",
}  # fmt: skip
_FENCE_NAME = re.compile(r"[a-z0-9+#-]{1,15}")


async def read(session: Session, target: Contents, limits: Limits) -> Text:
    """What the path leads to, whatever its address takes it for; links to submodules look like those to folders."""
    found = await session.get(target.api_path, accept=OBJECT, ref=target.ref)
    if string(found, "type") == "dir":
        return await _folder(session, replace(target, kind="tree"), found, limits)
    return _file(session, replace(target, kind="blob"), found, limits)


def _file(session: Session, target: Contents, found: Json, limits: Limits) -> Text:
    text = decoded(found)
    lines = text.split("\n")
    start, end = _shown_lines(target.lines, len(lines))
    facts = [
        f"File in {target.repository}",
        f"Link: {target.link}",
        f"Ref: {label(target.ref)}",
        f"Size: {count(found, 'size'):,} bytes",
        f"Lines: {start}-{end} of {len(lines)}" if target.lines else f"Lines: {len(lines)}",
    ]
    if target.lines or not target.path.lower().endswith(_MARKDOWN):
        body = to_code_block("\n".join(lines[start - 1 : end]), _language(target.path))
    else:
        body = quoted(text, 2, limits.chars, place_of(target.repository, target.ref, target.path))
    return page(
        target.link,
        f"{target.path} · {target.repository}",
        [Part(f"# {title(target.path)}", facts), body],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


async def _folder(session: Session, target: Contents, found: Json, limits: Limits) -> Text:
    entries = objects(found.get("entries"))
    shown = sorted(entries, key=lambda entry: (string(entry, "type") != "dir", string(entry, "name").lower()))
    readme = next((string(entry, "name") for entry in shown if _README.fullmatch(string(entry, "name"))), "")
    where = f"{target.repository}/{target.path}".rstrip("/")
    return page(
        target.link,
        f"{where} at {target.ref}",
        [
            Part(
                f"# {title(where)}",
                [f"Folder in {target.repository}", f"Link: {target.link}", f"Ref: {label(target.ref)}"],
                "\n".join(_entry(entry, target) for entry in shown[:_MOST_ENTRIES]),
            ),
            f"…({_MOST_ENTRIES} of {len(shown)} entries are shown)" if len(shown) > _MOST_ENTRIES else "",
            *(await _readme(session, target, readme, limits) if readme else ()),
        ],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def decoded(item: Json) -> str:
    """The text of a file in an answer. What is no text, or too large for the API, is for the general reader."""
    if item.get("type") != "file" or item.get("encoding") != "base64":
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the API does not give this file's text")
    try:
        data = b64decode("".join(string(item, "content").split()), validate=True)
        if b"\0" in data or data.startswith(_LFS):
            raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the file is no text")
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
    except (binascii.Error, ValueError) as error:
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the file is no text") from error


def readme_section(found: Json, repository: Repository, ref: str, path: str, limits: Limits) -> Sequence[str]:
    """A README below a heading of ours: Markdown as it is, anything else as the text that it is."""
    try:
        text = decoded(found)
    except PageUnreadable:
        return ()
    if path.lower().endswith(_MARKDOWN):
        shown = quoted(text, 3, limits.chars, place_of(repository, ref, path))
    else:
        shown = to_code_block(text, _language(path))
    return f"## {label(path.rpartition('/')[2])}", shown


def _language(path: str) -> str:
    """What the block of code with a file is called; nothing for a name that says nothing."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower() if "." in path else ""
    language = _LANGUAGES.get(ending, ending)
    return language if _FENCE_NAME.fullmatch(language) else ""


def place_of(repository: Repository, ref: str, path: str) -> Place:
    return Place(f"{repository.link}/blob/{ref}", path.rpartition("/")[0])


async def _readme(session: Session, target: Contents, name: str, limits: Limits) -> Sequence[str]:
    path = f"{target.path}/{name}".lstrip("/")
    file = Contents(target.repository, "blob", target.ref, path)
    found = await session.try_get(file.api_path, "the README", ref=target.ref)
    return readme_section(found, target.repository, target.ref, path, limits) if found else ()


def _entry(entry: Json, target: Contents) -> str:
    name, is_folder = string(entry, "name"), string(entry, "type") == "dir"
    path = f"{target.path}/{name}".lstrip("/")
    there = Contents(target.repository, "tree" if is_folder else "blob", target.ref, path)
    size = f" ({count(entry, 'size'):,} bytes)" if string(entry, "type") == "file" else ""
    return f"- {link(name + ('/' if is_folder else ''), there.link)}{size}"


def _shown_lines(wanted: tuple[int, int] | None, total: int) -> tuple[int, int]:
    """First and last line to show: those asked for, some around a single one, or all."""
    if wanted is None or wanted[0] > total:
        return 1, total
    first, last = wanted
    if not last:
        return max(1, first - _LINES_BEFORE), min(total, first + _LINES_AFTER)
    return min(first, last), min(total, max(first, last))
