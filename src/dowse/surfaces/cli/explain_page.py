"""The explanation of a page as a page of its own: it loads nothing, runs nothing, and needs no server."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from dowse.core.models import Page

if TYPE_CHECKING:
    from dowse.extract.explanation import ExplainedBlock, Explanation

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


def render(page: Page, explanation: Explanation, summary: Sequence[str]) -> str:
    """The whole page; everything that comes from the web is text in it."""
    style = (resources.files("dowse.surfaces.cli") / "explain.css").read_text(encoding="utf-8")
    kept = sum(block.is_kept for block in explanation.blocks)
    return _PAGE.format(
        # Only this very style sheet is used, whatever a page might smuggle in.
        digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        style=style,
        title=escape(page.title or page.final_url),
        address=escape(page.final_url),
        summary="\n".join(f"<li>{escape(sentence)}</li>" for sentence in summary),
        kept=kept,
        dropped=len(explanation.blocks) - kept,
        blocks="\n".join(map(_block, explanation.blocks)),
    )


def _block(block: ExplainedBlock) -> str:
    return _BLOCK.format(
        state="kept" if block.is_kept else "dropped",
        mark="+" if block.is_kept else "\N{MINUS SIGN}",
        score=block.score,
        text=escape(block.text),
        path=escape(block.path),
        reasons="".join(f"<span>{escape(reason)}</span>" for reason in block.reasons),
    )
