"""PDF files written by hand: pages of text at given places, and the ways in which a file can be broken."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

A4 = (595, 842)
REGULAR, BOLD, MONO, SERIF = "F1", "F2", "F3", "F4"
_FONTS = {REGULAR: "Helvetica", BOLD: "Helvetica-Bold", MONO: "Courier", SERIF: "Times-Roman"}
# Two objects come first: the catalogue and the page tree.
_FIRST_FONT = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page: its content stream, and how it lies."""

    content: bytes
    size: tuple[int, int] = A4
    rotate: int = 0
    extra: str = ""
    """More of the page's resources."""


def text(x: float, y: float, words: str, size: float = 10, font: str = REGULAR, *, state: str = "") -> bytes:
    """One line at a place of the page; `state` is set for it alone, such as `3 Tr` for invisible text."""
    escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q BT {state} /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET Q\n".encode("cp1252")


def column(
    x: float, y: float, lines: Sequence[str], size: float = 10, font: str = REGULAR, leading: float = 12
) -> list[bytes]:
    """Lines below each other, the first one at `y`."""
    return [text(x, y - leading * number, line, size, font) for number, line in enumerate(lines)]


def sheet(*drawn: bytes, size: tuple[int, int] = A4, rotate: int = 0, extra: str = "") -> Sheet:
    return Sheet(b"".join(drawn), size, rotate, extra)


def pdf(*sheets: Sheet, info: str = "", catalog: str = "", trailer: str = "", objects: Sequence[bytes] = ()) -> bytes:
    """The file. `objects` are added after the pages'; the other arguments are entries of the dictionaries they name."""
    made = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(), b""]
    made += [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in _FONTS.values()
    ]
    fonts = " ".join(f"/{key} {_FIRST_FONT + index} 0 R" for index, key in enumerate(_FONTS))
    kids: list[int] = []
    for page in sheets:
        made.append(stream(page.content))
        width, height = page.size
        made.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Rotate {page.rotate}"
            f" /Contents {len(made)} 0 R /Resources << /Font << {fonts} >> {page.extra} >> >>".encode()
        )
        kids.append(len(made))
    made[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode()
    made += objects
    if info:
        made.append(f"<< {info} >>".encode())
        trailer += f" /Info {len(made)} 0 R"
    return assembled(made, trailer)


def stream(content: bytes, entries: str = "") -> bytes:
    packed = zlib.compress(content)
    head = f"<< /Length {len(packed)} /Filter /FlateDecode {entries} >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def assembled(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Objects numbered from 1, with the table that says where each one is."""
    out = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    tail = f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + head + tail.encode()


def encrypted() -> bytes:
    """A file that no empty password opens: the checks of its key are made up."""
    made_up = "<" + "5a" * 32 + ">"
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O {made_up} /U {made_up} /P -44 >> /ID [<00> <00>]"
    return pdf(sheet(text(72, 700, "nobody reads this")), trailer=lock)


def scanned(*drawn: bytes) -> bytes:
    """A page that is one picture, and what is drawn over it."""
    picture = (
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
    )
    page = sheet(b"q 595 0 0 842 0 0 cm /Im0 Do Q\n", *drawn, extra="/XObject << /Im0 9 0 R >>")
    return pdf(page, objects=[picture + b"\nstream\n\x80\nendstream"])


def many_pages(count: int, lines: int = 40) -> bytes:
    """A report of so many pages, no two lines of which are the same."""
    return pdf(
        *(
            sheet(
                text(72, 800, "Annual report of the valley line", 8),
                text(290, 30, str(number), 8),
                *column(72, 740, [f"Line {line} of page {number} tells what happened there." for line in range(lines)]),
            )
            for number in range(1, count + 1)
        )
    )
