"""Selected HTML to Markdown."""

from __future__ import annotations

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

from dowse.markdown import clean

_OPTIONS = ConversionOptions(
    bullets="-",
    autolinks=False,
    extract_metadata=False,
    expand_abbreviations=False,
    highlight_style="none",
    compact_tables=True,
    # Selection is done: what is still marked hidden is shown by a script, and the converter's
    # own ideas of what is navigation would cut into the content.
    hidden_content="all",
    preprocessing=PreprocessingOptions(enabled=False),
)


def render(html: str) -> str:
    """The Markdown of selected HTML; empty where the converter gives up."""
    return clean(convert(html, _OPTIONS).content or "")
