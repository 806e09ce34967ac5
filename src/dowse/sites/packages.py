"""Pages of package registries: the layout that PyPI, npm and crates.io share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dowse.core import urls
from dowse.core.models import Text
from dowse.core.text import enclose
from dowse.document.clean import to_code_block
from dowse.sites.compose import Part, bullets, code, compose_page, label, sentence, shorten
from dowse.sites.markup import LinkBase, quote_markdown

_MAX_CHARS = 50_000
_MOST_VERSIONS = 10
_MOST_LINKS = 20
_DETAIL_CHARS = 300


@dataclass(frozen=True, slots=True)
class Release:
    """A version in the list of a package; `remark` is a warning."""

    version: str
    date: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class PackagePage:
    """One version of a package; `latest` is empty where it is unknown, `rest` names missing parts."""

    kind: str
    name: str
    version: str
    link: str
    latest: str
    facts: Sequence[str]
    warnings: Sequence[str]
    description: str
    sections: Sequence[Part | str]
    links: Mapping[str, str]
    releases: Sequence[Release]
    releases_link: str
    readme: Part | str
    rest: str = ""

    def compose(self) -> Text:
        title = f"{label(self.name)} {label(self.version)}"
        is_latest = self.latest in ("", self.version)
        warnings = [*self.warnings, "" if is_latest else warn("Not the latest version", f"that is {self.latest}")]
        return compose_page(
            self.link,
            title,
            [
                Part(
                    f"# {title}",
                    [self.kind, f"Link: {self.link}", *self.facts],
                    "\n>\n".join(filter(None, warnings)),
                ),
                sentence(self.description),
                *self.sections,
                _list_links(self.links),
                _list_releases(self.releases, self.releases_link),
                self.readme,
            ],
            max_chars=_MAX_CHARS,
            rest=self.rest,
        )


def list_facts(facts: Mapping[str, str]) -> list[str]:
    """Facts by name, the empty ones left out."""
    return [f"{name}: {label(text, 120)}" for name, text in facts.items() if text]


def list_dependencies(lines: Sequence[str]) -> Part | str:
    return bullets("## Dependencies", lines) or Part("## Dependencies", body="None are declared.")


def warn(what: str, reason: str = "") -> str:
    """A warning as a quotation above everything else."""
    return f"> **{what}**" + enclose(": ", label(reason, _DETAIL_CHARS))


def explain_yank(reason: str) -> str:
    return "yanked" + enclose(": ", label(reason, 120))


def quote_readme(text: str, heading: str, *, is_markdown: bool, base: LinkBase | None = None) -> Part | str:
    """The README below a heading; as a code block where it is not Markdown."""
    if not text.strip():
        return ""
    if is_markdown:
        return Part(heading, body=quote_markdown(text, 3, _MAX_CHARS, base))
    return Part(heading, body=shorten(to_code_block(text[: 2 * _MAX_CHARS].strip()), _MAX_CHARS))


def _list_releases(found: Sequence[Release], link: str) -> Part | str:
    lines = [
        " ".join(filter(None, [code(release.version), enclose("(", release.date, ")"), release.remark]))
        for release in found[:_MOST_VERSIONS]
    ]
    if len(found) > _MOST_VERSIONS:
        lines.append(f"… {_MOST_VERSIONS} of {len(found)} versions are shown; all are at {link}")
    return bullets("## Versions, newest first", lines, _MOST_VERSIONS + 1)


def _list_links(found: Mapping[str, str]) -> Part | str:
    """Web addresses with their names, each address once."""
    names: dict[str, str] = {}
    for name, address in found.items():
        parsed = urls.parse_web(address.strip())
        if parsed and not parsed.has_userinfo:
            names.setdefault(parsed.href, name)
    return bullets("## Links", [f"{label(name)}: {href}" for href, name in names.items()], _MOST_LINKS)
