"""What the model is asked: a pure function of the question, so that the same question is the same request."""

from __future__ import annotations

from dowse.core.answers import Question
from dowse.core.text import one_line

SUMMARY_CHARS = 800
_DAY_HOURS = 24

_TASK = "Search the web, and answer the question at the end from what you find there, not from memory."
_SUMMARY = (
    f"Write plain text, no headings, lists, tables or JSON: a summary of at most {SUMMARY_CHARS} characters.",
    "Say when a source was published wherever that is known.",
)
_LIST = (
    "Write no summary: only a numbered list of the sources that answer it, the best one first.",
    "Each line is one source: its title, and when it was published if that is known.",
)


def prompt(question: Question) -> str:
    """The question, with how to answer it in front."""
    lines = (
        _TASK,
        *(_SUMMARY if question.wants_summary else _LIST),
        f"Use at most {question.max_results} distinct sources, and cite each of them where you use it.",
        _freshness(question.freshness_hours),
        f"Question: {one_line(question.text)}",
    )
    return "\n".join(filter(None, lines))


def _freshness(hours: int) -> str:
    return f"Use only sources that were published within the last {_period(hours)}." if hours else ""


def _period(hours: int) -> str:
    days, rest = divmod(hours, _DAY_HOURS)
    count, unit = (hours, "hour") if rest or days == 1 else (days, "day")
    return unit if count == 1 else f"{count} {unit}s"
