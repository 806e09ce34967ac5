"""What the pages of package registries share: exact addresses, lists in a few lines, and the README at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from dowse.core import urls
from dowse.core.errors import BadRequest, PageUnreadable, ProviderError, Redirected
from dowse.core.models import Status
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.document.clean import to_code_block
from dowse.net.json_api import Json
from dowse.sites.compose import Part, label, shorten
from dowse.sites.markup import LinkBase, quote_markdown

MAX_CHARS = 50_000
_MOST_DEPENDENCIES = 60
_MOST_VERSIONS = 10
_MOST_LINKS = 20
_NOT_FOUND = 404
_DETAIL_CHARS = 300
_DESCRIPTION_CHARS = 600
# What makes a line something else than a sentence.
_LINE_MARK = re.compile(r"[#>|+=~-]|\d{1,9}[.)]")


@dataclass(frozen=True, slots=True)
class Release:
    """One version in a list of them; `remark` warns of it."""

    version: str
    date: str = ""
    remark: str = ""


def segments(url: Url, *hosts: str) -> list[str]:
    """The parts of the path of a page on one of these hosts; none for a page that is elsewhere."""
    if not url.is_page_of(*hosts):
        return []
    return [unquote(part) for part in url.path.strip("/").split("/")]


def explain_missing(error: ProviderError, what: str) -> Exception:
    """A thing that a registry does not have, or has elsewhere, is no failure of the registry."""
    if isinstance(error, BadRequest) and error.http_status == _NOT_FOUND:
        return PageUnreadable(Status.NOT_FOUND, f"no such {what}")
    if isinstance(error, Redirected):
        # Who follows the address of the page itself finds the new one.
        return PageUnreadable(Status.NOT_FOUND, f"the {what} has moved")
    return error


def mapping(item: Json, name: str) -> Json:
    """A field that holds an object; an empty one for anything else."""
    value = item.get(name)
    return value if isinstance(value, dict) else {}


def code(text: str) -> str:
    """A name or a version of theirs as code that it cannot end."""
    line = one_line(text, 120).replace("`", "")
    return f"`{line}`" if line else ""


def some(texts: Sequence[str], most: int) -> str:
    """A list within a line, as far as it is worth reading."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def head(name: str, facts: Sequence[str], warnings: Sequence[str], description: str) -> list[Part | str]:
    """What every package's page starts with: its name, what is known and wrong about it, and what it says itself."""
    return [Part(f"# {name}", facts, "\n>\n".join(filter(None, warnings))), sentence(description)]


def bullets(heading: str, lines: Sequence[str], most: int = _MOST_DEPENDENCIES) -> Part | str:
    """A list under a heading, as far as it is worth reading; nothing at all for an empty one."""
    if not lines:
        return ""
    shown = [f"- {one_line(line)}" for line in lines[:most]]
    more = [f"- … and {len(lines) - most} more"] if len(lines) > most else []
    return Part(heading, body="\n".join([*shown, *more]))


def releases(found: Sequence[Release], link: str) -> Part | str:
    """The newest versions, with what is wrong with them."""
    lines = [
        " ".join(filter(None, [code(release.version), f"({release.date})" if release.date else "", release.remark]))
        for release in found[:_MOST_VERSIONS]
    ]
    if len(found) > _MOST_VERSIONS:
        lines.append(f"… {_MOST_VERSIONS} of {len(found)} versions are shown; all are at {link}")
    return bullets("## Versions, newest first", lines, _MOST_VERSIONS + 1)


def links(found: Mapping[str, str]) -> Part | str:
    """Addresses with what they are; the same address is told once, and only the web's."""
    names: dict[str, str] = {}
    for name, address in found.items():
        parsed = urls.parse(address.strip())
        if parsed and parsed.scheme in ("http", "https") and not parsed.has_userinfo:
            names.setdefault(parsed.href, name)
    return bullets("## Links", [f"{label(name)}: {href}" for href, name in names.items()], _MOST_LINKS)


def warning(what: str, said: str = "") -> str:
    """What nobody should overlook, as a quotation before everything else."""
    detail = label(said, _DETAIL_CHARS)
    return f"> **{what}**" + (f": {detail}" if detail else "")


def sentence(text: str) -> str:
    """What they say in a line or two, as a paragraph of its own."""
    line = label(text, _DESCRIPTION_CHARS)
    return f"\\{line}" if _LINE_MARK.match(line) else line


def readme(text: str, *, is_markdown: bool, heading: str = "## README", place: LinkBase | None = None) -> Part | str:
    """What the authors say, below a heading of ours; what is no Markdown stays the text that it is."""
    if not text.strip():
        return ""
    if is_markdown:
        return Part(heading, body=quote_markdown(text, 3, MAX_CHARS, place))
    return Part(heading, body=shorten(to_code_block(text[: 2 * MAX_CHARS].strip()), MAX_CHARS))
