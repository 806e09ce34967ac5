"""`dowse read URL --explain`: the blocks of a page that were kept as main content, and why, as text, JSON or HTML."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.contracts.render import failure
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Deadline, Page
from dowse.core.text import one_line
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.surfaces.cli import DONE, FAILED
from dowse.surfaces.cli.session import dump_json, report_failure
from dowse.surfaces.cli.terminal import ProgressLine, style

if TYPE_CHECKING:
    from dowse.extract.explain import ExplainedBlock, Explanation
    from dowse.flows.explain import Explained

_OTHERS = ("question", "max_tokens", "cursor", "raw")
# The mark and the score in front of the words of a block.
_INDENT = 8
_NARROWEST = 40
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{digest}'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Explained: {title}</title>
<style>{style}</style>
<header>
<h1>{title}</h1>
<p class="address">{address}</p>
<ul class="summary">
{summary}
</ul>
</header>
<div class="filters">
<label class="kept"><input type="checkbox" id="kept" checked> kept ({kept:,})</label>
<label class="dropped"><input type="checkbox" id="dropped" checked> left out ({dropped:,})</label>
<label><input type="checkbox" id="reasons" checked> reasons</label>
</div>
<ol>
{blocks}
</ol>
</html>
"""
_BLOCK = """\
<li class="{state}"><span class="score">{mark} {score:.2f}</span>
<p class="text" dir="auto">{text}</p>
<p class="why"><code>{path}</code>{reasons}</p></li>"""


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--explain", action="store_true", help="show which parts of the page were kept, and why")
    parser.add_argument("--explain-html", metavar="FILE", help="write that to a page for your browser")


def is_wanted(arguments: argparse.Namespace) -> bool:
    return bool(arguments.explain or arguments.explain_html)


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    redactor = Redactor(settings.secrets())
    try:
        _check(arguments)
        with ProgressLine() as line:
            explained = asyncio.run(_explain(arguments, settings, line))
    except DowseError as error:
        return report_failure(error, settings)
    page, explanation = explained.page, explained.explanation
    if explanation is None:
        print(redactor.text(_why_not(explained)), file=sys.stderr)
        return FAILED
    if arguments.json:
        print(redactor.text(dump_json({"url": page.final_url} | asdict(explanation))))
    elif arguments.explain:
        print(redactor.text(_render_text(page, explanation)))
    return _write_html(arguments.explain_html, page, explanation, redactor) if arguments.explain_html else DONE


def summarize(explanation: Explanation) -> list[str]:
    """Sentences about all blocks together."""
    kept = [block for block in explanation.blocks if block.is_kept]
    words, all_words = sum(block.words for block in kept), sum(block.words for block in explanation.blocks)
    kind = f"{explanation.kind} ({explanation.kind_confidence:.0%} sure)" if explanation.kind else "unknown"
    choice = (
        f"Too little scored {explanation.cut:.2f} or more, so the whole page was kept."
        if explanation.is_whole
        else f"Blocks that score {explanation.cut:.2f} or more are content, with the blocks that belong to them."
    )
    sentences = [
        f"Kind of page: {kind}.",
        f"Kept {words:,} of {all_words:,} words, {len(kept):,} of {len(explanation.blocks):,} blocks.",
        choice,
    ]
    if explanation.verdict:
        sentences.append(f"Verdict: {explanation.verdict}.")
    if explanation.hidden_words:
        sentences.append(f"{explanation.hidden_words:,} hidden words were left out before that.")
    if explanation.further_blocks:
        sentences.append(f"{explanation.further_blocks:,} further blocks are not listed.")
    return sentences


def render_html(page: Page, explanation: Explanation, summary: Sequence[str]) -> str:
    """A page that loads nothing, runs nothing and needs no server; everything from the web is text in it."""
    import base64
    import hashlib
    from html import escape
    from importlib import resources

    sheet = (resources.files("dowse.surfaces.cli") / "explain.css").read_text(encoding="utf-8")
    kept = sum(block.is_kept for block in explanation.blocks)
    return _PAGE.format(
        # Only this very style sheet is applied, even if a page smuggles in another.
        digest=base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode(),
        style=sheet,
        title=escape(page.title or page.final_url),
        address=escape(page.final_url),
        summary="\n".join(f"<li>{escape(sentence)}</li>" for sentence in summary),
        kept=kept,
        dropped=len(explanation.blocks) - kept,
        blocks="\n".join(map(_render_html_block, explanation.blocks)),
    )


def _render_html_block(block: ExplainedBlock) -> str:
    from html import escape

    state, mark = ("kept", "+") if block.is_kept else ("dropped", "\N{MINUS SIGN}")
    reasons = "".join(f"<span>{escape(reason)}</span>" for reason in block.reasons)
    return _BLOCK.format(
        state=state, mark=mark, score=block.score, text=escape(block.text), path=escape(block.path), reasons=reasons
    )


def _check(arguments: argparse.Namespace) -> None:
    given = next((name for name in _OTHERS if getattr(arguments, name)), "")
    if given:
        raise InvalidRequest(f"--explain shows all of a page: leave out --{given.replace('_', '-')}.")


async def _explain(arguments: argparse.Namespace, settings: Settings, line: ProgressLine) -> Explained:
    from dowse.app import App  # Heavy; `--help` does without.
    from dowse.contracts.get_content import check_address

    url = check_address(arguments.urls[0])
    async with App(settings.model_copy(update={"contract": "dowse"}), is_brief=True) as app:
        await line.show(f"reading {url}")
        deadline = Deadline.after(app.clock, settings.deadline_s)
        return await app.explain_flow().explain(url, deadline, offline=arguments.offline)


def _why_not(explained: Explained) -> str:
    if not explained.page.status.readable:
        # The detail of the last reader holds the signs of the verdict.
        details = (attempt.detail for attempt in reversed(explained.page.attempts) if "(" in attempt.detail)
        signs = next(details, "") if explained.page.reason else ""
        return f"dowse: {failure(explained.page)} ({explained.page.url})" + (f"\n{signs}" if signs else "")
    return f"dowse: there is nothing to explain about {explained.page.final_url}: {explained.reason}."


def _render_text(page: Page, explanation: Explanation) -> str:
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    head = [style(one_line(page.title), "bold"), style(one_line(page.final_url), "cyan"), *summarize(explanation)]
    return "\n".join([*filter(None, head), "", *(_render_block(block, width) for block in explanation.blocks)])


def _render_block(block: ExplainedBlock, width: int) -> str:
    """Its words, and below its path and the reasons for and against it."""
    mark, colour = ("+", "green") if block.is_kept else ("-", "dim")
    words = one_line(block.text, width - _INDENT)
    why = " · ".join([block.path, *block.reasons])
    below = textwrap.fill(why, width, initial_indent=" " * _INDENT, subsequent_indent=" " * _INDENT)
    return f"{style(f'{mark} {block.score:.2f}', colour)}  {words}\n{style(below, 'dim')}"


def _write_html(file: str, page: Page, explanation: Explanation, redactor: Redactor) -> int:
    path = Path(file)
    try:
        path.write_text(redactor.text(render_html(page, explanation, summarize(explanation))), encoding="utf-8")
    except OSError as error:
        print(f"dowse: {file} could not be written: {error.strerror}", file=sys.stderr)
        return FAILED
    print(f"written to {path.resolve()}", file=sys.stderr)
    return DONE
