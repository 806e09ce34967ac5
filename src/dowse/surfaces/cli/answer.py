"""Answer a question from the web, with citations (the `answer_question` tool)."""

from __future__ import annotations

import argparse
from functools import partial

from dowse.contracts.output import AnswerQuestionOutput
from dowse.contracts.render import describe_copy
from dowse.surfaces.cli import session
from dowse.surfaces.cli.session import describe_attempts, name_flags, show_notes
from dowse.surfaces.cli.terminal import can_draw, fit, lay_out, style

_FLAGS = {
    "question": "the question",
    "max_results": "--max-results",
    "freshness_hours": "--freshness-hours",
    "include_answers": "--no-summary",
    "region": "--region",
    "timeout_s": "--timeout",
    "offline_mode": "--offline",
}


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("answer", help="answer a question from the web, with sources", description=__doc__)
    parser.add_argument("question", nargs="+", help="the question, 3 to 400 characters")
    parser.add_argument("-n", "--max-results", metavar="N", help="maximum number of sources, 1 to 8")
    parser.add_argument("--freshness-hours", metavar="N", help="maximum age of the sources in hours")
    parser.add_argument("--region", metavar="CC", help="country code of the search, such as US")
    parser.add_argument("--no-summary", action="store_true", help="list the sources without an answer")
    parser.add_argument("--timeout", dest="timeout_s", metavar="S", help="deadline for the whole answer, in seconds")
    parser.add_argument("--offline", action="store_true", help="fail instead of using the network")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    session.common_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    settings = session.load(arguments, {}, quiet=True)
    given: dict[str, object] = {
        "question": " ".join(arguments.question),
        "max_results": arguments.max_results,
        "freshness_hours": arguments.freshness_hours,
        "region": arguments.region,
        "include_answers": False if arguments.no_summary else None,
        "timeout_s": arguments.timeout_s,
        "offline_mode": arguments.offline,
    }

    show = partial(_show, is_list=arguments.no_summary)
    return session.call_and_print(
        settings, "answer_question", given, AnswerQuestionOutput, flags=_FLAGS, as_json=arguments.json, show=show
    )


def _show(answer: AnswerQuestionOutput, *, is_list: bool) -> str:
    """The answer, then its sources by number unless it ends with them."""
    from dowse.contracts.answers import lists_sources  # Loaded by the call; `--help` does without.

    copy = describe_copy(answer.cache, answer.cache_age_s)
    # Quotations and sources stand on lines of their own.
    named = name_flags(answer.text, _FLAGS)
    text = lay_out(named, keeps_lines=True) if can_draw() else named
    blocks = [text, "" if is_list or lists_sources(answer) else _list_sources(answer)]
    blocks += show_notes(answer.warnings, copy, _FLAGS)
    end = f"answered by {answer.provider}; {describe_attempts(answer.attempts)}"
    return "\n\n".join([*filter(None, blocks), style("\n".join(fit(end)), "dim")])


def _list_sources(answer: AnswerQuestionOutput) -> str:
    from dowse.contracts.answers import first_citations

    lines = [
        f"{citation.rank}. {style(citation.title or url, 'bold')}\n   {style(url, 'cyan')}"
        for url, citation in first_citations(answer).items()
    ]
    return "\n".join(lines)
