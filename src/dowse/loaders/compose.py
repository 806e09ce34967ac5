"""Markdown as loaders write it: a title, lines of facts, parts under headings, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dowse.markdown import Fence, clean, opened_fence, word_count
from dowse.models import Text
from dowse.text import cut_at_word, one_line, visible, without_markup

_TITLE_CHARS = 300
_LABEL_CHARS = 80
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)")
# A line of text above one of these is a heading too; what starts a list, a quotation or a table is none.
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_NO_TEXT = re.compile(r"\s*$| {4}|\t|\s*(?:[-*+>|#]|\d{1,9}[.)])")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_NO_INDENT = re.compile(r"[^\s>]")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Less than this of a part says so little that its heading would only mislead.
_LEAST_CHARS = 200


@dataclass(frozen=True, slots=True)
class Part:
    """A piece that is shown whole or cut; `heading` has its `#` marks. Facts are one line, whatever is in them."""

    heading: str
    facts: Sequence[str] = ()
    body: str = ""

    def __str__(self) -> str:
        facts = " | ".join(one_line(fact).replace("|", r"\|") for fact in self.facts if fact)
        return "\n\n".join(filter(None, [one_line(self.heading), facts, self.body.strip("\n")]))


@dataclass(frozen=True, slots=True)
class Listed:
    """The parts of which a page has many, such as answers: how many there are in all is said where some are missing.

    `why` says what kept the missing ones away, where it was not the length of the page.
    """

    noun: str
    parts: Sequence[Part | str]
    total: int
    why: str = ""


def day(moment: object) -> str:
    """The date of an ISO timestamp or of Unix seconds; empty for anything else an API may send."""
    if isinstance(moment, str):
        return moment[:10] if _ISO_DAY.match(moment) else ""
    if not isinstance(moment, int | float):
        return ""
    try:
        return datetime.fromtimestamp(moment, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def label(text: str, limit: int = _LABEL_CHARS) -> str:
    """A name, a tag or a title of theirs inside a line of ours: plain, on one line, no link and no emphasis."""
    return re.sub(r"([\\`*\[\]<>])", r"\\\1", without_markup(text, limit))


def link(text: str, url: str) -> str:
    """A link whose text and address cannot end it early."""
    target = re.sub(r"[()<>\\\s]", lambda found: f"%{ord(found[0]):02X}", url)
    return f"[{label(text)}]({target})"


def shifted(markdown: str, by: int) -> str:
    """Headings inside a quoted text, deeper by so much, so that they do not look like ours; code stays code."""
    lines: list[str] = []
    fence: Fence | None = None
    for line in visible(markdown).split("\n"):
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
        elif (fence := opened_fence(line)) is None:
            if lines and _UNDERLINE.fullmatch(line) and not _NO_TEXT.match(lines[-1]):
                depth = 1 if "=" in line else 2
                lines[-1] = f"{'#' * min(6, depth + by)} {lines[-1].strip()}"
                continue
            line = _HEADING.sub(lambda mark: "#" * min(6, len(mark[2]) + by), line, count=1)
        lines.append(line)
    return "\n".join(lines)


def fenced(markdown: str) -> str:
    """Code that is only indented, between fences: whoever cleans text takes it for code then too."""
    lines: list[str] = []
    fence: Fence | None = None
    code: list[str] | None = None
    in_list = False
    for line in [*visible(markdown).split("\n"), "end"]:
        is_indented, is_blank = line.startswith(("    ", "\t")), not line.strip()
        if code is not None and not is_indented and not is_blank:
            lines += _as_block(code)
            code = None
        if code is not None:
            code.append(line)
        elif fence is not None:
            lines.append(line)
            fence = None if fence.is_closed_by(line) else fence
        elif is_indented and not is_blank and not in_list and (not lines or not lines[-1].strip()):
            code = [line]
        else:
            in_list = bool(_LIST_ITEM.match(line)) or (in_list and (is_blank or line.startswith((" ", "\t"))))
            lines.append(line)
            fence = opened_fence(line)
    return "\n".join(lines[:-1])


def _as_block(code: Sequence[str]) -> list[str]:
    """Lines of code without their indent, as a block that none of them can end; empty lines behind them stay there."""
    text = "\n".join(line.removeprefix("\t") if line.startswith("\t") else line[4:] for line in code)
    mark = "````" if "```" in text else "```"
    return [mark, *text.rstrip().split("\n"), mark, ""]


def page(
    url: str,
    title: str,
    parts: Iterable[Part | str],
    *,
    max_chars: int,
    variable: str = "",
    listed: Listed | None = None,
    rest: str = "",
    warnings: Sequence[str] = (),
) -> Text:
    """The finished page: `parts`, then the `listed` ones, as far as they fit.

    What is missing is said by itself, with the `variable` that lets more through; `rest` is what else there is to say.
    """
    head = [text for part in parts if (text := _cleaned(part))]
    many = [text for part in (listed.parts if listed else ()) if (text := _cleaned(part))]
    texts, is_last_cut, is_whole = _fitting([*head, *many], max_chars)
    notes = [] if listed is None else _counted(listed, len(many), max(0, len(texts) - len(head)), in_part=is_last_cut)
    if not is_whole:
        notes.append(f"the text is limited to {max_chars} characters" + (f" by {variable}" if variable else ""))
    missing = f"…(truncated: {'; '.join(notes)}; the whole is at {url})" if notes else ""
    markdown = "\n\n".join(filter(None, [*texts, missing, clean(rest)]))
    return Text(
        markdown,
        without_markup(title, _TITLE_CHARS),
        word_count(markdown),
        is_cut=bool(notes or rest),
        url=url,
        warnings=tuple(warnings),
    )


def _counted(listed: Listed, loaded: int, shown: int, *, in_part: bool) -> list[str]:
    """How many of the listed parts are shown, where it is not all of them, and why no more were there to show."""
    if shown >= listed.total and not in_part:
        return []
    partly = ", the last of them only in part" if in_part and shown else ""
    count = f"{shown} of {max(listed.total, loaded)} {listed.noun} are shown{partly}"
    return [count, *([listed.why] if listed.why and loaded < listed.total else [])]


def _cleaned(part: Part | str) -> str:
    """Each part by itself: a code block that one of them leaves open ends with it."""
    return _closed(clean(str(part).strip("\n")))


def _fitting(texts: Sequence[str], max_chars: int) -> tuple[list[str], bool, bool]:
    """The texts as far as they fit; whether the last of them is cut, and whether they are all there is."""
    left = max_chars
    for count, text in enumerate(texts):
        if len(text) > left:
            if left < _LEAST_CHARS and count:
                return list(texts[:count]), False, False
            return [*texts[:count], _cut(text, left)], True, False
        left -= len(text) + len("\n\n")
    return list(texts), False, True


def _cut(markdown: str, limit: int) -> str:
    """At the end of a line, or of a word where the last line is long; no code block is left open."""
    head = markdown[:limit]
    whole_lines = head.rpartition("\n")[0]
    return _closed(whole_lines.rstrip() if len(whole_lines) > limit / 2 else cut_at_word(markdown, limit))


def _closed(markdown: str) -> str:
    """With an end for the code block that is still open, as far indented as its beginning."""
    fence: Fence | None = None
    end = ""
    for line in markdown.split("\n"):
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
        elif fence := opened_fence(line):
            end = _NO_INDENT.sub(" ", line.partition(fence.marker)[0]) + fence.marker
    return f"{markdown}\n{end}" if fence else markdown


def shortened(markdown: str, limit: int, whole: int = 0) -> str:
    """A long text that leaves room for others on its page, with a note of how much of it is shown.

    `whole` is the length of the text where only its beginning is given.
    """
    text = clean(markdown)
    if len(text) <= limit and not whole:
        return text
    shown = _cut(text, limit)
    return f"{shown}\n\n…({len(shown)} of {max(whole, len(text))} characters of this text are shown)"
