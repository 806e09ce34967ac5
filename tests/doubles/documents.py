"""Documents that are better made than stored: PDF and office files, each as small as the format allows."""

from __future__ import annotations

import functools
import io
import zipfile
from collections.abc import Mapping, Sequence

_OFFICE = "http://schemas.openxmlformats.org"
_HANDBOOK = (
    ("Handbook of the valley line", ("Everything a keeper of a station has to know, on three", "pages.")),
    ("1 Lamps", ("Lamps are lit an hour before sun-", "set and put out when the last train has passed.")),
    ("2 Bells", ("One stroke announces a train from the sea, two strokes", "one from the hills.")),
)
_RATES = (("goods", "pence per mile"), ("slate", "3"), ("milk churns", "1.5"), ("bees", "12"))


@functools.cache
def leaflet() -> bytes:
    """A valid one-page PDF with one line of text."""
    return _pdf([b"BT /F1 18 Tf 40 100 Td (Leaflet of the pocket web) Tj ET"], (300, 200))


@functools.cache
def handbook() -> bytes:
    """Three pages with a heading and a paragraph each, a running head and page numbers."""
    pages = []
    for number, (heading, lines) in enumerate(_HANDBOOK, 1):
        size = 20 if number == 1 else 14
        drawn = [(72, 800, 8, "The valley line, 1874"), (290, 30, 8, str(number)), (72, 720, size, heading)]
        drawn += [(72, 690 - 14 * row, 11, line) for row, line in enumerate(lines)]
        pages.append("\n".join(f"BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET" for x, y, size, words in drawn).encode())
    return _pdf(pages, (595, 842))


@functools.cache
def report() -> bytes:
    """A Word document: a heading, a paragraph and a list of what was lost."""
    words = f"{_OFFICE}/wordprocessingml/2006/main"
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Lost property</w:t></w:r></w:p>'
    body = "<w:p><w:r><w:t>Of the forty umbrellas found in 1874, three were claimed.</w:t></w:r></w:p>"
    style = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    return _zipped(
        {
            "[Content_Types].xml": _types({"/word/document.xml": "wordprocessingml.document.main"}),
            "_rels/.rels": _relations({"officeDocument": "word/document.xml"}),
            "word/document.xml": f'<w:document xmlns:w="{words}"><w:body>{heading}{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": _relations({"styles": "styles.xml"}),
            "word/styles.xml": f'<w:styles xmlns:w="{words}">{style}</w:styles>',
        }
    )


@functools.cache
def rates() -> bytes:
    """A spreadsheet of one sheet."""
    cells = f"{_OFFICE}/spreadsheetml/2006/main"
    rows = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in _RATES)
    types = {"/xl/workbook.xml": "spreadsheetml.sheet.main", "/xl/worksheets/sheet1.xml": "spreadsheetml.worksheet"}
    links = f"{_OFFICE}/officeDocument/2006/relationships"
    sheets = f'<sheets><sheet xmlns:r="{links}" name="Rates" sheetId="1" r:id="worksheet"/></sheets>'
    return _zipped(
        {
            "[Content_Types].xml": _types(types),
            "_rels/.rels": _relations({"officeDocument": "xl/workbook.xml"}),
            "xl/workbook.xml": f'<workbook xmlns="{cells}">{sheets}</workbook>',
            "xl/_rels/workbook.xml.rels": _relations({"worksheet": "worksheets/sheet1.xml"}),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{cells}"><sheetData>{rows}</sheetData></worksheet>',
        }
    )


def _cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def _pdf(contents: Sequence[bytes], size: tuple[int, int]) -> bytes:
    kids = [4 + 2 * number for number in range(len(contents))]
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for kid, content in zip(kids, contents, strict=True):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (*size, kid + 1)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _assembled(objects)


def _assembled(objects: Sequence[bytes]) -> bytes:
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        len(out),
    )


def _zipped(parts: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return file.getvalue()


def _types(parts: Mapping[str, str]) -> str:
    overrides = "".join(
        f'<Override PartName="{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for name, kind in parts.items()
    )
    return f'<Types xmlns="{_OFFICE}/package/2006/content-types">{overrides}</Types>'


def _relations(targets: Mapping[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="{kind}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{entries}</Relationships>'
