"""`dowse read URL --explain`: which parts of a page were taken for its content, and why."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.contracts.render import note
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Deadline, Page
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.surfaces.cli.session import DONE, FAILED, USAGE, ProgressLine, style

if TYPE_CHECKING:
    from dowse.extract.explanation import ExplainedBlock, Explanation
    from dowse.flows.explain import Explained

_OTHERS = ("question", "max_tokens", "cursor", "raw")
# What stands before the words of a block: its mark and its score.
_INDENT = 8
_NARROWEST = 40


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--explain", action="store_true", help="show which parts of the page were kept, and why")
    parser.add_argument("--explain-html", metavar="FILE", help="write that to a page for your browser")


def is_wanted(arguments: argparse.Namespace) -> bool:
    return bool(arguments.explain or arguments.explain_html)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    line, redactor = ProgressLine(), Redactor(settings.secrets())
    try:
        _check(arguments)
        explained = asyncio.run(_explained(arguments, settings, line))
    except DowseError as error:
        line.clear()
        print(f"dowse: {redactor.message(str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, InvalidRequest) else FAILED
    line.clear()
    page, explanation = explained.page, explained.explanation
    if explanation is None:
        # Whoever wants JSON does not want this sentence in its place.
        print(redactor.text(_why_not(explained)), file=sys.stderr if arguments.json else None)
        return FAILED
    if arguments.json:
        print(redactor.text(json.dumps({"url": page.final_url} | asdict(explanation), indent=2, ensure_ascii=False)))
    elif arguments.explain:
        print(redactor.text(_shown(page, explanation)))
    return _written(arguments.explain_html, page, explanation, redactor) if arguments.explain_html else DONE


def summary(explanation: Explanation) -> list[str]:
    """What there is to say about all blocks together, a sentence each."""
    kept = [block for block in explanation.blocks if block.is_kept]
    words, all_words = sum(block.words for block in kept), sum(block.words for block in explanation.blocks)
    kind = f"{explanation.kind} ({explanation.kind_confidence:.0%} sure)" if explanation.kind else "unknown"
    told = [
        f"Kind of page: {kind}.",
        f"Kept {words:,} of {all_words:,} words, {len(kept):,} of {len(explanation.blocks):,} blocks.",
        f"Blocks that score {explanation.cut:.2f} or more are content, with what belongs to them.",
    ]
    if explanation.is_whole:
        told[-1] = f"Too little scored {explanation.cut:.2f} or more, so the whole page was kept."
    if explanation.hidden_words:
        told.append(f"{explanation.hidden_words:,} hidden words were left out before that.")
    if explanation.further_blocks:
        told.append(f"{explanation.further_blocks:,} further blocks are not listed.")
    return told


def _check(arguments: argparse.Namespace) -> None:
    given = next((name for name in _OTHERS if getattr(arguments, name)), "")
    if given:
        raise InvalidRequest(f"--explain shows all of a page: leave out --{given.replace('_', '-')}.")


async def _explained(arguments: argparse.Namespace, settings: Settings, line: ProgressLine) -> Explained:
    from dowse.app import App  # Everything heavy hangs on this import; `--help` does without.
    from dowse.contracts.get_content import check_address

    url = check_address(arguments.url)
    async with App(settings.model_copy(update={"contract": "dowse"}), is_brief=True) as app:
        await line.show(f"reading {url}")
        deadline = Deadline.after(app.clock, settings.deadline_s)
        return await app.explaining().explain(url, deadline, offline=arguments.offline)


def _why_not(explained: Explained) -> str:
    if not explained.page.status.readable:
        return note(explained.page)
    return f"There is nothing to explain about {explained.page.final_url}: {explained.reason}."


def _shown(page: Page, explanation: Explanation) -> str:
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    head = [style(page.title, "bold"), style(page.final_url, "cyan"), *summary(explanation)]
    return "\n".join([*filter(None, head), "", *(_block(block, width) for block in explanation.blocks)])


def _block(block: ExplainedBlock, width: int) -> str:
    """What it says, and below where it stands and what spoke for it or against it."""
    mark, colour = ("+", "green") if block.is_kept else ("-", "dim")
    words = one_line(block.text, width - _INDENT)
    why = " · ".join([block.path, *block.reasons])
    below = textwrap.fill(why, width, initial_indent=" " * _INDENT, subsequent_indent=" " * _INDENT)
    return f"{style(f'{mark} {block.score:.2f}', colour)}  {words}\n{style(below, 'dim')}"


def _written(file: str, page: Page, explanation: Explanation, redactor: Redactor) -> int:
    from dowse.surfaces.cli.explain_page import render

    path = Path(file)
    try:
        path.write_text(redactor.text(render(page, explanation, summary(explanation))), encoding="utf-8")
    except OSError as error:
        print(f"dowse: {file} could not be written: {error.strerror}", file=sys.stderr)
        return FAILED
    print(f"written to {path.resolve()}", file=sys.stderr)
    return DONE
