"""Selected HTML to Markdown."""

from __future__ import annotations

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

from dowse.extract.frames import MOST_CHARS
from dowse.extract.tidy import beginning
from dowse.markdown import clean
from dowse.models import Text

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


def render(html: str) -> Text:
    """The Markdown of selected HTML; empty where the converter gives up, and cut where nobody would read on.

    Nested lists can make fifty million characters of a small page: they are not even cleaned.
    """
    made = convert(html, _OPTIONS).content or ""
    is_cut = len(made) > MOST_CHARS
    return Text(clean(beginning(made, MOST_CHARS) if is_cut else made), is_cut=is_cut)
