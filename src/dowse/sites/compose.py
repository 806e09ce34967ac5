"""Pages of loaders in Markdown: title, facts, parts under headings, and a note on everything cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dowse.core.models import Text
from dowse.core.text import cut_at_word, enclose, one_line, visible, without_images
from dowse.document.clean import clean, close_code, to_code_block
from dowse.document.markdown import scan_lines

_TITLE_CHARS = 300
_LABEL_CHARS = 80
_SYNTAX = re.compile(r"[\\`*\[\]<>]|&(?=#?\w{1,32};)")
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)")
# Underline of a heading, unless the line above starts a list, a quotation or a table.
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_NO_TEXT = re.compile(r"\s*$| {4}|\t|\s*(?:[-*+>|#]|\d{1,9}[.)])")
_CODE_INDENT = re.compile(r"^(?: {0,3}\t| {4})")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# A part is left out rather than cut to less than this.
_LEAST_CHARS = 200
# Cleaning shortens a text by hardly more than this factor; the rest could not be shown, and is not cleaned.
_CLEANED_SHARE = 4
_SHORTENED = "characters of this text are shown)"
_DESCRIPTION_CHARS = 600
_MOST_BULLETS = 60
# Starts of a line that would make a sentence a heading, a list item and the like.
_LINE_MARK = re.compile(r"[#>|+=~-]|\d{1,9}[.)]")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page, shown whole or cut; `heading` has its `#` marks, `facts` become one line."""

    heading: str
    facts: Sequence[str] = ()
    body: str = ""

    def __str__(self) -> str:
        facts = " | ".join(one_line(fact).replace("|", r"\|") for fact in self.facts if fact)
        return "\n\n".join(filter(None, [one_line(self.heading), facts, self.body.strip("\n")]))


@dataclass(frozen=True, slots=True)
class PartList:
    """The repeated parts of a page, such as answers; a note gives their `total` where some are missing.

    `why` is the reason for missing ones other than the length of the page.
    """

    noun: str
    parts: Sequence[Part | str]
    total: int
    why: str = ""


def fact(name: str, value: object) -> str:
    """A named fact about a page; empty without a value."""
    return enclose(f"{name}: ", value)


def day(moment: object) -> str:
    """The date of an ISO timestamp or of Unix seconds; empty for anything else."""
    if isinstance(moment, str):
        return moment[:10] if _ISO_DAY.match(moment) else ""
    if not isinstance(moment, int | float):
        return ""
    try:
        return datetime.fromtimestamp(moment, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def title(text: str) -> str:
    """A foreign title for a heading."""
    return label(text, _TITLE_CHARS)


def label(text: str, limit: int = _LABEL_CHARS) -> str:
    """A foreign name, tag or title on one line with its Markdown syntax escaped.

    Tags are escaped too and not stripped: these APIs send text, not markup.
    """
    return _SYNTAX.sub(r"\\\g<0>", _strip_images(text, limit))


def labels(names: Sequence[str], most: int) -> str:
    """The first names in a line, and the number of the others."""
    return ", ".join(filter(None, map(label, names[:most]))) + _count_others(names, most)


def link(text: str, url: str) -> str:
    """A link; neither its text nor its target can end it early."""
    target = re.sub(r"[()<>\\\s]", lambda found: f"%{ord(found[0]):02X}", url)
    return f"[{label(text)}]({target})"


def shift_headings(markdown: str, by: int) -> str:
    """A quoted text with its headings moved down by some levels, code excepted."""
    lines: list[str] = []
    is_prose_above = False
    for line in scan_lines(visible(markdown)):
        is_prose, text = line.fence is None, line.text
        if is_prose and is_prose_above and _UNDERLINE.fullmatch(text) and not _NO_TEXT.match(lines[-1]):
            depth = 1 if "=" in text else 2
            lines[-1] = f"{'#' * min(6, depth + by)} {lines[-1].strip()}"
            continue
        if is_prose:
            text = _HEADING.sub(lambda mark: "#" * min(6, len(mark[2]) + by), text, count=1)
        lines.append(text)
        is_prose_above = is_prose
    return "\n".join(lines)


def fence_indented_code(markdown: str) -> str:
    """A text with its indented code between fences, by which `clean` recognises it."""
    lines: list[str] = []
    code: list[str] = []
    for line in scan_lines(visible(markdown)):
        if line.is_indented_code or (code and not line.text.strip()):
            code.append(_CODE_INDENT.sub("", line.text, count=1))
            continue
        lines += _to_block(code)
        code.clear()
        lines.append(line.text)
    return "\n".join([*lines, *_to_block(code)])


def _to_block(code: Sequence[str]) -> list[str]:
    return [to_code_block("\n".join(code).rstrip()), ""] if code else []


def code(text: str) -> str:
    """A foreign name or version as inline code."""
    return enclose("`", one_line(text, 120).replace("`", ""), "`")


def join_first(texts: Sequence[str], most: int) -> str:
    """The first texts in a line, and the number of the others."""
    return ", ".join(texts[:most]) + _count_others(texts, most)


def _count_others(texts: Sequence[str], shown: int) -> str:
    return enclose(" and ", max(0, len(texts) - shown), " more")


def sentence(text: str) -> str:
    """A foreign description as one paragraph."""
    line = label(text, _DESCRIPTION_CHARS)
    return f"\\{line}" if _LINE_MARK.match(line) else line


def bullets(heading: str, lines: Sequence[str], most: int = _MOST_BULLETS) -> Part | str:
    """The first lines as a list under a heading; empty without lines."""
    if not lines:
        return ""
    shown = [f"- {one_line(line)}" for line in lines[:most]]
    return Part(heading, body="\n".join(shown) + enclose("\n- …", _count_others(lines, most)))


def compose_page(
    url: str,
    title: str,
    parts: Iterable[Part | str],
    *,
    max_chars: int,
    variable: str = "",
    listed: PartList | None = None,
    rest: str = "",
    warnings: Sequence[str] = (),
) -> Text:
    """The page: `parts`, then the `listed` ones, as far as they fit, and a note on the missing ones.

    The note names the `variable` that raises the limit; `rest` follows it.
    """
    head = [part for part in parts if part]
    texts, is_last_cut, is_whole = _fit([*head, *(listed.parts if listed else ())], max_chars)
    notes = _count(listed, max(0, len(texts) - len(head)), in_part=is_last_cut) if listed else []
    if limited := _describe_limit(texts, max_chars, is_whole=is_whole):
        notes.append(f"{limited} by {variable}" if variable else limited)
    missing = enclose("…(truncated: ", "; ".join(notes), f"; the whole is at {url})")
    markdown = "\n\n".join(filter(None, [*texts, missing, clean(rest)]))
    return Text(
        markdown,
        _strip_images(title, _TITLE_CHARS),
        len(markdown.split()),
        is_cut=bool(notes or rest),
        url=url,
        warnings=tuple(warnings),
    )


def shorten(markdown: str, limit: int, whole: int = 0) -> str:
    """A long text cut to leave room for others, with a note of its length.

    `whole` is the length of the text where only its beginning is given.
    """
    text = clean(markdown)
    if len(text) <= limit and not whole:
        return text
    shown = _cut_text(text, limit)
    return f"{shown}\n\n…({len(shown)} of {max(whole, len(text))} {_SHORTENED}"


def _strip_images(text: str, limit: int) -> str:
    """One line without images, which a client that repeats it would load."""
    return without_images(one_line(text, limit))


def _count(listed: PartList, shown: int, *, in_part: bool) -> list[str]:
    """The number of listed parts on the page where some are missing, and the reason."""
    loaded = len(listed.parts)
    total = max(listed.total, loaded)
    if not total or (shown >= total and not in_part):
        return []
    partly = ", the last of them only in part" if in_part and shown else ""
    count = f"{shown} of {total} {listed.noun} are shown{partly}"
    return [count, *([listed.why] if listed.why and loaded < total else [])]


def _describe_limit(texts: Sequence[str], max_chars: int, *, is_whole: bool) -> str:
    """The limit that cut the page, or one of its texts; a foreign text may contain the words of `shorten`, too."""
    if not is_whole:
        return f"the text is limited to {max_chars} characters"
    return "the length of single texts is limited" if any(_SHORTENED in text for text in texts) else ""


def _fit(parts: Sequence[Part | str], max_chars: int) -> tuple[list[str], bool, bool]:
    """The parts that fit; whether the last of them is cut, and whether all are there."""
    texts: list[str] = []
    left = max_chars
    for part in parts:
        written = str(part).strip("\n")
        head = written[: _CLEANED_SHARE * max_chars]
        # One by one, so that an open code block ends with its part.
        text = close_code(clean(head))
        if len(text) > left or len(head) < len(written):
            if left < _LEAST_CHARS and texts:
                return texts, False, False
            return [*texts, _cut_text(text, left)], True, False
        texts.append(text)
        left -= len(text) + len("\n\n") if text else 0
    return texts, False, True


def _cut_text(markdown: str, limit: int) -> str:
    """The text up to the end of a line, or of a word where the last line is long; code blocks are closed."""
    head = markdown[:limit]
    places = (head.rpartition("\n")[0].rstrip(), cut_at_word(markdown, limit), head)
    return close_code(next(place for place in places if len(place) > limit / 2 or place is head))
