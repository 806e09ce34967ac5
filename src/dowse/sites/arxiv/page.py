"""A paper of arXiv as an address names it, and as it is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.core.models import Text
from dowse.core.text import one_line
from dowse.core.urls import Url
from dowse.sites import compose
from dowse.sites.arxiv.feed import Paper

CHARS_VARIABLE = "ARXIV_MAX_CHARS"
HOSTS = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})
# arXiv makes HTML out of what is handed in since then; few older papers have it.
_FIRST_HTML = "2023-12-01"
# 2101.00001v2 since 2007, hep-th/9901001 and math.GT/0309136v1 before.
_PATH = re.compile(
    r"/(?P<form>abs|pdf|html)/(?:(?P<archive>[a-z]{1,8}(?:-[a-z]{2,4})?)(?:\.[A-Za-z-]{2,8})?/(?P<old>\d{7})"
    r"|(?P<new>\d{4}\.\d{4,5}))(?P<version>v[1-9]\d{0,2})?(?:\.pdf)?/?"
)
_MOST_AUTHORS, _MOST_CATEGORIES = 30, 20
_DETAIL_CHARS = 500
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n|[ \t]{2,})")


@dataclass(frozen=True, slots=True)
class Number:
    """The number of a paper, its version if the address names one, and the form that was asked for."""

    paper: str
    version: str
    form: str

    def __str__(self) -> str:
        return self.paper + self.version


@dataclass(frozen=True, slots=True)
class FullText:
    """The text of the paper, or why there is none; `left_out` says how much of it was not read."""

    markdown: str = ""
    left_out: str = ""
    failure: str = ""
    is_html: bool = False


def number_in(url: Url) -> Number | None:
    """The paper that an address names; `None` for any other address."""
    found = _PATH.fullmatch(url.path) if url.is_page_of(*HOSTS) else None
    if found is None:
        return None
    # Papers of one archive are numbered together: the class behind its name (`math.GT`) may be left out.
    paper = found["new"] or f"{found['archive']}/{found['old']}"
    return Number(paper, found["version"] or "", found["form"])


def link(number: Number, form: str) -> str:
    return f"https://arxiv.org/{form}/{number}"


def has_html(paper: Paper) -> bool:
    """Whether there is likely to be one; the version that is shown decides."""
    return paper.updated >= _FIRST_HTML


def composed(number: Number, paper: Paper, full_text: FullText, *, max_chars: int) -> Text:
    """What is known, the abstract, then the full text or why it is missing."""
    where = link(number, "pdf")
    rest = f"{full_text.left_out}; the whole is at {where}" if full_text.left_out else ""
    if full_text.failure:
        rest = f"…(the full text could not be read: {full_text.failure}; it is at {where})"
    return compose.page(
        link(number, "abs"),
        paper.title,
        [
            compose.Part(f"# {compose.title(paper.title)}", _facts(number, paper, full_text), _details(paper)),
            compose.Part("## Abstract", body=_paragraphs(paper.abstract)),
            compose.Part("## Full text", body=full_text.markdown) if full_text.markdown else "",
        ],
        max_chars=max_chars,
        variable=CHARS_VARIABLE,
        rest=rest,
        warnings=[f"arxiv: the full text could not be read: {full_text.failure}"] if full_text.failure else (),
    )


def _facts(number: Number, paper: Paper, full_text: FullText) -> list[str]:
    return [
        f"Link: {link(number, 'abs')}",
        f"PDF: {link(number, 'pdf')}",
        f"HTML: {link(number, 'html')}" if full_text.is_html else "",
        f"Submitted: {paper.submitted}" if paper.submitted else "",
        f"Updated: {paper.updated}" if paper.updated not in ("", paper.submitted) else "",
    ]


def _details(paper: Paper) -> str:
    authors = ", ".join(compose.label(name) for name in paper.authors[:_MOST_AUTHORS])
    if len(paper.authors) > _MOST_AUTHORS:
        authors += f" … ({_MOST_AUTHORS} of {len(paper.authors)} authors)"
    details = {
        "Authors": authors,
        "Categories": compose.labels(paper.categories, _MOST_CATEGORIES),
        "Comments": compose.label(paper.comment, _DETAIL_CHARS),
        "Journal reference": compose.label(paper.journal, _DETAIL_CHARS),
        "DOI": compose.label(paper.doi, _DETAIL_CHARS),
    }
    return "\n".join(f"- {name}: {value}" for name, value in details.items() if value)


def _paragraphs(abstract: str) -> str:
    """The feed breaks lines where it likes; paragraphs begin after an empty line or with an indent."""
    paragraphs = [one_line(paragraph) for paragraph in _PARAGRAPH.split(abstract)]
    return compose.shifted("\n\n".join(filter(None, paragraphs)), 2)
