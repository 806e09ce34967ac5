"""Repositories of GitHub: README, files, folders and releases."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Status, Text
from dowse.document.clean import to_code_block
from dowse.net.json_fields import Json, mapping, objects, string, strings
from dowse.sites.compose import Part, PartList, compose_page, day, label, link, sentence, title
from dowse.sites.github.api import OBJECT, GithubSession
from dowse.sites.github.targets import NAME, Contents, Releases, Repository, escape
from dowse.sites.github.thread import ThreadLimits, count, login_of, person, reactions_of, require
from dowse.sites.markup import LinkBase, quote_markdown
from dowse.sites.site import gather_both

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_README = re.compile(r"readme(?:\.[a-z]{1,10})?", re.I)
_LFS = b"version https://git-lfs.github.com/spec/"
# Lines shown around a single linked one.
_LINES_BEFORE, _LINES_AFTER = 10, 40
_MOST_ENTRIES = 300
# Names of languages that differ from the extension of their files.
_LANGUAGES = {
    "bash": "bash", "cc": "cpp", "cs": "csharp", "cxx": "cpp", "erl": "erlang", "ex": "elixir", "exs": "elixir",
    "h": "c", "hpp": "cpp", "hs": "haskell", "jl": "julia", "js": "javascript", "kt": "kotlin", "mjs": "javascript",
    "ml": "ocaml", "pl": "perl", "ps1": "powershell", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust",
    "tf": "hcl", "ts": "typescript", "yml": "yaml",
}  # fmt: skip
_FENCE_NAME = re.compile(r"[a-z0-9+#-]{1,15}")
_RELEASES = 10
_MOST_ASSETS = 50
# Share of the page for one release, which leaves room for the others.
_RELEASE_SHARE = 0.4


async def read_repository(session: GithubSession, target: Repository, limits: ThreadLimits) -> Text:
    found, readme = await gather_both(
        session.get_repository(target), session.try_get(f"{target.api_path}/readme", "the README")
    )
    branch = require(found, "default_branch")
    description = string(found, "description")
    return compose_page(
        target.link,
        f"{target}: {description}" if description else str(target),
        [
            Part(f"# {target}", _facts(found, target), sentence(description)),
            *(_quote_readme(readme, target, branch, string(readme, "path"), limits) if readme else ()),
        ],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def _facts(found: Json, target: Repository) -> list[str]:
    homepage = urls.parse(string(found, "homepage"))
    facts = {
        "Archived": "yes" if found.get("archived") is True else "",
        "Fork of": label(_public_name(mapping(found, "parent"))),
        "Stars": f"{count(found, 'stargazers_count'):,}",
        "Forks": f"{count(found, 'forks_count'):,}",
        "Open issues and pull requests": f"{count(found, 'open_issues_count'):,}",
        "Language": label(string(found, "language")),
        "Licence": label(string(mapping(found, "license"), "spdx_id").replace("NOASSERTION", "")),
        "Default branch": label(string(found, "default_branch")),
        "Created": day(found.get("created_at")),
        "Last push": day(found.get("pushed_at")),
        "Homepage": homepage.href if homepage and homepage.scheme in ("http", "https") else "",
        "Topics": ", ".join(label(topic) for topic in strings(found.get("topics"))[:20]),
    }
    return ["Repository", f"Link: {target.link}", *(f"{name}: {fact}" for name, fact in facts.items() if fact)]


def _public_name(repository: Json) -> str:
    return string(repository, "full_name") if repository.get("private") is False else ""


async def read_contents(session: GithubSession, target: Contents, limits: ThreadLimits) -> Text:
    """A file or a folder, as the API says: the URL of a submodule looks like that of a folder."""
    await session.require_readable(target.repository)
    found = await session.get(target.api_path, accept=OBJECT, ref=target.ref)
    if string(found, "type") == "dir":
        return await _compose_folder(session, replace(target, kind="tree"), found, limits)
    return _compose_file(session, replace(target, kind="blob"), found, limits)


def _compose_file(session: GithubSession, target: Contents, found: Json, limits: ThreadLimits) -> Text:
    text = _decode_file(found)
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
        body = quote_markdown(text, 2, limits.chars, _link_base(target.repository, target.ref, target.path))
    return compose_page(
        target.link,
        f"{target.path} · {target.repository}",
        [Part(f"# {title(target.path)}", facts), body],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


async def _compose_folder(session: GithubSession, target: Contents, found: Json, limits: ThreadLimits) -> Text:
    entries = objects(found.get("entries"))
    shown = sorted(entries, key=lambda entry: (string(entry, "type") != "dir", string(entry, "name").lower()))
    readme = next((string(entry, "name") for entry in shown if _README.fullmatch(string(entry, "name"))), "")
    where = f"{target.repository}/{target.path}".rstrip("/")
    return compose_page(
        target.link,
        f"{where} at {target.ref}",
        [
            Part(
                f"# {title(where)}",
                [f"Folder in {target.repository}", f"Link: {target.link}", f"Ref: {label(target.ref)}"],
                "\n".join(_list_entry(entry, target) for entry in shown[:_MOST_ENTRIES]),
            ),
            f"…({_MOST_ENTRIES} of {len(shown)} entries are shown)" if len(shown) > _MOST_ENTRIES else "",
            *(await _load_readme(session, target, readme, limits) if readme else ()),
        ],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def _decode_file(item: Json) -> str:
    """The text of a file. Raises `PageUnreadable` for binary files and files too large for the API."""
    if item.get("type") != "file" or item.get("encoding") != "base64":
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the API does not give this file's text")
    try:
        data = b64decode("".join(string(item, "content").split()), validate=True)
        if b"\0" in data or data.startswith(_LFS):
            raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the file is not text")
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
    except (binascii.Error, ValueError) as error:
        raise PageUnreadable(Status.UNSUPPORTED, f"{NAME}: the file is not text") from error


def _quote_readme(found: Json, repository: Repository, ref: str, path: str, limits: ThreadLimits) -> Sequence[str]:
    """The README below a heading; as a code block where it is not Markdown."""
    try:
        text = _decode_file(found)
    except PageUnreadable:
        return ()
    if path.lower().endswith(_MARKDOWN):
        shown = quote_markdown(text, 3, limits.chars, _link_base(repository, ref, path))
    else:
        shown = to_code_block(text, _language(path))
    return f"## {label(path.rpartition('/')[2])}", shown


def _language(path: str) -> str:
    """The language of a file for its code block; empty for an unknown extension."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower() if "." in path else ""
    language = _LANGUAGES.get(ending, ending)
    return language if _FENCE_NAME.fullmatch(language) else ""


def _link_base(repository: Repository, ref: str, path: str) -> LinkBase:
    return LinkBase(f"{repository.link}/blob/{ref}", path.rpartition("/")[0])


async def _load_readme(session: GithubSession, target: Contents, name: str, limits: ThreadLimits) -> Sequence[str]:
    path = f"{target.path}/{name}".lstrip("/")
    file = Contents(target.repository, "blob", target.ref, path)
    found = await session.try_get(file.api_path, "the README", ref=target.ref)
    return _quote_readme(found, target.repository, target.ref, path, limits) if found else ()


def _list_entry(entry: Json, target: Contents) -> str:
    name, is_folder = string(entry, "name"), string(entry, "type") == "dir"
    path = f"{target.path}/{name}".lstrip("/")
    there = Contents(target.repository, "tree" if is_folder else "blob", target.ref, path)
    size = f" ({count(entry, 'size'):,} bytes)" if string(entry, "type") == "file" else ""
    return f"- {link(name + ('/' if is_folder else ''), there.link)}{size}"


def _shown_lines(wanted: tuple[int, int] | None, total: int) -> tuple[int, int]:
    """The first and the last line to show: the linked ones, some around a single one, or all."""
    if wanted is None or wanted[0] > total:
        return 1, total
    first, last = wanted
    if not last:
        return max(1, first - _LINES_BEFORE), min(total, first + _LINES_AFTER)
    return min(first, last), min(total, max(first, last))


async def read_releases(session: GithubSession, target: Releases, limits: ThreadLimits) -> Text:
    await session.require_readable(target.repository)
    base = f"{target.repository.api_path}/releases"
    if target.tag or target.is_latest:
        where = f"/tags/{escape(target.tag, safe='')}" if target.tag else "/latest"
        return _compose_release_page(await session.get(base + where), target, limits, session)
    listed = await session.get_list(base, per_page=str(_RELEASES))
    # Drafts are shown to publishers only.
    found = [item for item in listed if item.get("draft") is not True]
    if not found:
        raise PageUnreadable(Status.NOT_FOUND, "GitHub's API has no releases; the page may show tags instead")
    return compose_page(
        f"{target.repository.link}/releases",
        f"Releases of {target.repository}",
        [Part(f"# Releases of {target.repository}", [f"Link: {target.repository.link}/releases"])],
        listed=PartList(
            "releases", [_compose_release(item, target.repository, 2, limits) for item in found], len(found)
        ),
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        rest=f"…(older releases are at {target.repository.link}/releases?page=2)" if len(found) >= _RELEASES else "",
        warnings=session.warnings,
    )


def _compose_release_page(found: Json, target: Releases, limits: ThreadLimits, session: GithubSession) -> Text:
    return compose_page(
        _release_link(found, target.repository),
        f"{_release_title(found)} · {target.repository}",
        [_compose_release(found, target.repository, 1, limits), _list_assets(found, target.repository)],
        max_chars=limits.chars,
        variable="GITHUB_MAX_CHARS",
        warnings=session.warnings,
    )


def _compose_release(release: Json, repository: Repository, level: int, limits: ThreadLimits) -> Part:
    counts, assets = mapping(release, "reactions"), objects(release.get("assets"))
    shown = reactions_of({name: count(counts, name) for name in counts})
    facts = [
        f"Release of {repository}" if level == 1 else "",
        f"Link: {_release_link(release, repository)}",
        f"Tag: {label(string(release, 'tag_name'))}",
        f"Date: {day(string(release, 'published_at', 'created_at'))}",
        f"Author: {person(login_of(release, 'author'))}",
        "Pre-release" if release.get("prerelease") is True else "",
        f"Reactions: {shown}" if shown else "",
        f"Files: {len(assets)}" if assets else "",
    ]
    limit = limits.chars if level == 1 else int(limits.chars * _RELEASE_SHARE)
    notes = quote_markdown(string(release, "body"), 3, limit)
    return Part(f"{'#' * level} {title(_release_title(release))}", facts, notes)


def _release_title(release: Json) -> str:
    return string(release, "name", "tag_name")


def _release_link(release: Json, repository: Repository) -> str:
    return f"{repository.link}/releases/tag/{escape(require(release, 'tag_name'), safe='')}"


def _list_assets(release: Json, repository: Repository) -> Part | str:
    files = objects(release.get("assets"))
    if not files:
        return ""
    base = f"{repository.link}/releases/download/{escape(string(release, 'tag_name'), safe='')}"
    lines = [
        f"- {link(name := string(asset, 'name'), f'{base}/{escape(name)}')} "
        f"({count(asset, 'size'):,} bytes, {count(asset, 'download_count'):,} downloads)"
        for asset in files[:_MOST_ASSETS]
    ]
    more = len(files) - _MOST_ASSETS
    return Part("## Files", (), "\n".join([*lines, *([f"- …and {more} more"] if more > 0 else [])]))
