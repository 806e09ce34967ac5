"""Markdown as loaders write it: a title, lines of facts, parts under headings, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dowse.core.models import Text
from dowse.core.text import cut_at_word, one_line, visible, without_images
from dowse.document.clean import clean, close_code, to_code_block
from dowse.document.markdown import scan_lines

_TITLE_CHARS = 300
_LABEL_CHARS = 80
_SYNTAX = re.compile(r"[\\`*\[\]<>]|&(?=#?\w{1,32};)")
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=[ \t]|$)")
# A line of text above one of these is a heading too; what starts a list, a quotation or a table is none.
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_NO_TEXT = re.compile(r"\s*$| {4}|\t|\s*(?:[-*+>|#]|\d{1,9}[.)])")
_CODE_INDENT = re.compile(r"^(?: {0,3}\t| {4})")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Less than this of a part says so little that its heading would only mislead.
_LEAST_CHARS = 200
# Cleaning makes a text shorter, but hardly by more than this. The rest could not be shown, and would only take time.
_CLEANED_SHARE = 4
_SHORTENED = "characters of this text are shown)"


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


def title(text: str) -> str:
    """A title of theirs in a heading of ours."""
    return label(text, _TITLE_CHARS)


def label(text: str, limit: int = _LABEL_CHARS) -> str:
    """A name, a tag or a title of theirs inside a line of ours: its own characters on one line, none of them syntax.

    What looks like a tag is what they write about: these APIs send text, not markup.
    """
    return _SYNTAX.sub(r"\\\g<0>", _spoken(text, limit))


def _spoken(text: str, limit: int) -> str:
    """Who repeats a name or a title must not have a picture loaded by it."""
    return without_images(one_line(text, limit))


def labels(names: Sequence[str], most: int) -> str:
    """The first of their names in a line, and how many more there are."""
    shown = ", ".join(filter(None, map(label, names[:most])))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def link(text: str, url: str) -> str:
    """A link whose text and address cannot end it early."""
    target = re.sub(r"[()<>\\\s]", lambda found: f"%{ord(found[0]):02X}", url)
    return f"[{label(text)}]({target})"


def shift_headings(markdown: str, by: int) -> str:
    """Headings inside a quoted text, deeper by so much, so that they do not look like ours; code stays code."""
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
    """Code that is only indented, between fences: whoever cleans text takes it for code then too."""
    lines: list[str] = []
    code: list[str] = []
    for line in scan_lines(visible(markdown)):
        if line.is_indented_code or (code and not line.text.strip()):
            code.append(_CODE_INDENT.sub("", line.text, count=1))
            continue
        lines += _as_block(code)
        code.clear()
        lines.append(line.text)
    return "\n".join([*lines, *_as_block(code)])


def _as_block(code: Sequence[str]) -> list[str]:
    """Empty lines behind the code do not belong to it."""
    return [to_code_block("\n".join(code).rstrip()), ""] if code else []


def compose_page(
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
    head = [part for part in parts if part]
    many = listed.parts if listed else ()
    texts, is_last_cut, is_whole = _fitting([*head, *many], max_chars)
    notes = [] if listed is None else _counted(listed, max(0, len(texts) - len(head)), in_part=is_last_cut)
    limit = f" by {variable}" if variable else ""
    if not is_whole:
        notes.append(f"the text is limited to {max_chars} characters{limit}")
    # Whoever writes the same into a text of theirs only has the page say that it is not whole.
    elif any(_SHORTENED in text for text in texts):
        notes.append(f"the length of single texts is limited{limit}")
    missing = f"…(truncated: {'; '.join(notes)}; the whole is at {url})" if notes else ""
    markdown = "\n\n".join(filter(None, [*texts, missing, clean(rest)]))
    return Text(
        markdown,
        _spoken(title, _TITLE_CHARS),
        len(markdown.split()),
        is_cut=bool(notes or rest),
        url=url,
        warnings=tuple(warnings),
    )


def _counted(listed: Listed, shown: int, *, in_part: bool) -> list[str]:
    """How many of the listed parts are shown, where it is not all of them, and why no more were there to show."""
    loaded = len(listed.parts)
    total = max(listed.total, loaded)
    if not total or (shown >= total and not in_part):
        return []
    partly = ", the last of them only in part" if in_part and shown else ""
    count = f"{shown} of {total} {listed.noun} are shown{partly}"
    return [count, *([listed.why] if listed.why and loaded < total else [])]


def _fitting(parts: Sequence[Part | str], max_chars: int) -> tuple[list[str], bool, bool]:
    """The parts as far as they fit; whether the last of them is cut, and whether they are all there is."""
    texts: list[str] = []
    left = max_chars
    for part in parts:
        written = str(part).strip("\n")
        looked_at = written[: _CLEANED_SHARE * max_chars]
        # Each by itself: a code block that one of them leaves open ends with it.
        text = close_code(clean(looked_at))
        if len(text) > left or len(looked_at) < len(written):
            if left < _LEAST_CHARS and texts:
                return texts, False, False
            return [*texts, _cut(text, left)], True, False
        texts.append(text)
        left -= len(text) + len("\n\n") if text else 0
    return texts, False, True


def _cut(markdown: str, limit: int) -> str:
    """At the end of a line, or of a word where the last line is long; no code block is left open."""
    head = markdown[:limit]
    places = (head.rpartition("\n")[0].rstrip(), cut_at_word(markdown, limit), head)
    return close_code(next(place for place in places if len(place) > limit / 2 or place is head))


def shorten(markdown: str, limit: int, whole: int = 0) -> str:
    """A long text that leaves room for others on its page, with a note of how much of it is shown.

    `whole` is the length of the text where only its beginning is given.
    """
    text = clean(markdown)
    if len(text) <= limit and not whole:
        return text
    shown = _cut(text, limit)
    return f"{shown}\n\n…({len(shown)} of {max(whole, len(text))} {_SHORTENED}"
