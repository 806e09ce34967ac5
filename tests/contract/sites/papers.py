"""PDFs for tests, written by hand: pages of lines, one font."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(*pages: Sequence[str]) -> bytes:
    """A document with these lines on its pages; a line that begins with `#` is set larger."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        stream = "\n".join(_shown(line, 760 - 30 * row) for row, line in enumerate(lines))
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    return _file(objects)


def _shown(line: str, height: int) -> str:
    size = 18 if line.startswith("#") else 10
    return f"BT /F1 {size} Tf 40 {height} Td ({line.lstrip('# ')}) Tj ET"


def _file(objects: Sequence[str]) -> bytes:
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("ascii")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode("ascii")
