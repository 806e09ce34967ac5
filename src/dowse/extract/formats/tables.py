"""Rows of cells as a Markdown table of bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dowse.core.text import one_line

MOST_ROWS = 1000
MOST_COLUMNS = 50
_LONGEST_CELL = 1000


@dataclass(frozen=True, slots=True)
class LimitedTable:
    """Markdown, with a last line that says how much is missing where it is cut."""

    markdown: str
    is_cut: bool


def limit_table(rows: Sequence[Sequence[str]], *, declared_rows: int = 0, declared_columns: int = 0) -> LimitedTable:
    """Render a table of bounded size; the declared size of a file counts where not all of it was read."""
    row_count = max(len(rows), declared_rows)
    column_count = max(max(map(len, rows), default=0), declared_columns)
    shown = [row[:MOST_COLUMNS] for row in rows[: MOST_ROWS + 1]]
    missing: list[str] = []
    if len(shown) < len(rows):
        # The head is none of the rows that are counted.
        missing.append(f"{MOST_ROWS} of {row_count - 1} rows")
    if any(any(row[MOST_COLUMNS:]) for row in rows):
        missing.append(f"{MOST_COLUMNS} of {column_count} columns")
    note = f"\n\n_{' and '.join(missing)} are shown._" if missing else ""
    is_cut = bool(missing) or any(len(cell) > _LONGEST_CELL for row in shown for cell in row)
    return LimitedTable(render_table(shown) + note, is_cut)


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """Render rows, the first being the head; short rows are filled up, and empty columns dropped."""
    width = max(map(len, rows), default=0)
    cells = [[_cell(text) for text in row] + [""] * (width - len(row)) for row in rows]
    used = [column for column in range(width) if any(row[column] for row in cells)]
    if not used:
        return ""
    head, *rest = [_line([row[column] for column in used]) for row in cells]
    return "\n".join([head, _line(["---"] * len(used)), *rest])


def _cell(text: str) -> str:
    return one_line(text, _LONGEST_CELL).replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
