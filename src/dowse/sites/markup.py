"""Foreign Markdown for a page: without HTML layout and comments, with absolute links and nested headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from dowse.core import urls
from dowse.core.text import visible
from dowse.document.clean import close_code
from dowse.document.markdown import LineScanner, scan_lines
from dowse.sites.compose import shift_headings, shorten

# Every pattern is bounded or stops at its first character, so that hostile lines take linear time.
_BACKTICKS = re.compile(r"`+")
_CODE_OR_COMMENT = re.compile(r"`+|<!--")
_COMMENT, _COMMENT_END = "<!--", "-->"
_IMAGE = re.compile(r"<img\s[^<>]{0,1500}>", re.I)
_ALT = re.compile(r"\balt\s{0,3}=\s{0,3}(?:\"([^\"<>]{0,300})\"|'([^'<>]{0,300})')", re.I)
_LINK = re.compile(r"<a\s([^<>]{0,1600})>([^<>]{0,500})</a\s?>", re.I)
_HREF = re.compile(r"(?<![\w-])href\s{0,3}=\s{0,3}[\"']?([^\"'\s]{1,1000})", re.I)
_HTML_HEADING = re.compile(r"^\s{0,8}<h([1-6])(?:\s[^<>]{0,300})?>(?=\s{0,8}\S)", re.I)
_BREAK = re.compile(r"<br\s?/?>", re.I)
# A blank requires an attribute after it: `a<b and c>d` is no tag.
_ATTRIBUTES = r"(?:\s[^<>=]{0,300}=[^<>]{0,1500}|\s{1,9}open)?\s{0,9}/?"
_MARKS = (
    (re.compile(rf"</?(?:b|strong|summary){_ATTRIBUTES}>", re.I), "**"),
    (re.compile(rf"</?(?:i|em){_ATTRIBUTES}>", re.I), "*"),
    (re.compile(rf"</?(?:code|tt|samp){_ATTRIBUTES}>", re.I), "`"),
    (re.compile(rf"<li{_ATTRIBUTES}>", re.I), "- "),
)
_LAYOUT = re.compile(
    r"</?(?:a|abbr|blockquote|center|details|div|dl|dd|dt|figure|figcaption|font|h[1-6]|hr|img|ins|kbd|li|ol|p|picture|"
    rf"samp|section|small|source|span|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|video){_ATTRIBUTES}>",
    re.I,
)
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_TARGET = re.compile(r"(?<=\]\()(<?)([^()<>\s]{1,1000})")
_DEFINITION = re.compile(r"(^\s{0,3}\[[^\[\]]{1,300}\]:\s{1,9})(<?)([^<>\s]{1,1000})")


@dataclass(frozen=True, slots=True)
class LinkBase:
    """The base of relative links in a document: the root of its repository, and a folder."""

    root: str
    folder: str = ""

    def resolve(self, target: str) -> str:
        """The absolute target of a link; a leading slash means the root of the repository."""
        if target.startswith(("#", "//")) or urls.parse(target) is not None or ":" in target.partition("/")[0]:
            return target
        folder = (
            f"{self.root}/"
            if target.startswith("/")
            else f"{self.root}/{quote(self.folder, errors='replace')}".rstrip("/") + "/"
        )
        found = urls.parse(target.lstrip("/"), folder)
        return found.href if found else target


def quote_markdown(markdown: str, level: int, limit: int, base: LinkBase | None = None) -> str:
    """A foreign text as a part of a page: its headings start at a level, and its length is bounded."""
    # The rest of a very long text could not be shown, and would block the event loop.
    whole = len(markdown) if len(markdown) > 2 * limit else 0
    return shorten(nest_headings(strip_html(markdown[: 2 * limit], base), level), limit, whole)


def strip_html(markdown: str, base: LinkBase | None = None) -> str:
    """The text without HTML comments and layout; code blocks are kept and closed."""
    lines = (
        line if is_code else _strip_line(line, base) for line, is_code in _scan_visible(visible(markdown).split("\n"))
    )
    return close_code("\n".join(lines))


def nest_headings(markdown: str, level: int) -> str:
    """The text with its highest headings at this level and the others below them."""
    # Also turns underlined headings into ordinary ones.
    text = shift_headings(markdown, 0)
    marks = [_HEADING.match(line.text) for line in scan_lines(text) if line.fence is None]
    levels = [len(mark[0]) for mark in marks if mark]
    return shift_headings(text, max(0, level - min(levels))) if levels else text


def _scan_visible(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each visible line, and whether it is code.

    A comment at the start of a line may span lines; one within a line must end there.
    """
    blocks, is_hidden = LineScanner(), False
    for line in lines:
        if is_hidden:
            _, end, line = line.partition(_COMMENT_END)
            is_hidden = not end
            if not line.strip():
                continue
        taken = blocks.scan(line)
        is_code = taken.fence is not None or taken.is_indented_code
        if not is_code and _COMMENT in line:
            line, is_hidden = _strip_comments(line)
        yield line, is_code


def _strip_comments(line: str) -> tuple[str, bool]:
    """The line without its comments, and whether one continues on the next line."""
    if line.lstrip().startswith(_COMMENT) and _COMMENT_END not in line:
        return "", True
    return "".join(
        text for text in _split_line(line) if not text.startswith(_COMMENT) or _COMMENT_END not in text
    ), False


def _split_line(line: str) -> Iterator[str]:
    """The line in pieces: inline code, comments, and the text between them."""
    endings: defaultdict[str, list[int]] = defaultdict(list)
    for run in _BACKTICKS.finditer(line):
        endings[run[0]].append(run.end())
    last_comment_end = line.rfind(_COMMENT_END)
    at = look_at = 0
    while mark := _CODE_OR_COMMENT.search(line, look_at):
        look_at = mark.end()
        if mark[0] == _COMMENT:
            end = line.find(_COMMENT_END, look_at) + len(_COMMENT_END) if look_at <= last_comment_end else 0
        else:
            ends = endings[mark[0]]
            later = bisect_right(ends, look_at)
            end = ends[later] if later < len(ends) else 0
        if end:
            yield line[at : mark.start()]
            yield line[mark.start() : end]
            at = look_at = end
    yield line[at:]


def _strip_line(line: str, base: LinkBase | None) -> str:
    """A line of prose; inline code is kept."""
    if base is not None:
        line = _DEFINITION.sub(lambda found: found[1] + found[2] + base.resolve(found[3]), line)
    if "<" not in line and "](" not in line:
        return line
    line = _HTML_HEADING.sub(lambda found: "#" * int(found[1]) + " ", line)
    text = "".join(piece if piece.startswith("`") else _strip_tags(piece, base) for piece in _split_line(line))
    if line.lstrip().startswith("<"):
        # Indented HTML is no code.
        text = text.lstrip()
    return text.replace("\n", " ") if line.lstrip().startswith("|") else text


def _strip_tags(text: str, base: LinkBase | None) -> str:
    if "<" in text:
        text = _LINK.sub(_markdown_link, _IMAGE.sub(_alternative, text))
        for tag, mark in _MARKS:
            text = tag.sub(mark, text)
        text = _LAYOUT.sub("", _BREAK.sub("\n", text))
    if base is not None and "](" in text:
        text = _TARGET.sub(lambda found: found[1] + base.resolve(found[2]), text)
    return text


def _alternative(image: re.Match[str]) -> str:
    found = _ALT.search(image[0])
    return (found[1] or found[2] or "") if found else ""


def _markdown_link(link: re.Match[str]) -> str:
    text, target = link[2].strip(), _HREF.search(link[1])
    return f"[{text}]({target[1]})" if text and target else text
