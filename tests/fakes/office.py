"""Office files made by hand: archives with the parts that a reader looks for, and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
    for name in ("Title", "heading 1", "heading 2")
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def relations(**targets: str) -> str:
    """Relations by their type; a target with a scheme is outside of the file."""
    entries = "".join(
        f'<Relationship Id="{kind}" Type="{_R}/{kind}" Target="{target}" TargetMode="{_mode(target)}"/>'
        for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _mode(target: str) -> str:
    return "External" if "://" in target else "Internal"


def paragraph(words: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{words}</w:t></w:r></w:p>"


def linked_picture() -> str:
    """A picture that is not in the file; its relation is called `image`."""
    return (
        '<w:p><w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        f'<wp:inline><a:graphic xmlns:a="{_A}"><a:graphicData><pic:pic'
        ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
        f'<a:blip xmlns:r="{_R}" r:link="image"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )


def docx(body: str, *, prolog: str = "", extra: Mapping[str, str | bytes] | None = None, **links: str) -> bytes:
    types = "".join(
        f'<Override PartName="/word/{part}.xml" ContentType="application/vnd.openxmlformats-officedocument'
        f'.wordprocessingml.{kind}+xml"/>'
        for part, kind in (("document", "document.main"), ("styles", "styles"))
    )
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">{types}</Types>',
            "_rels/.rels": relations(officeDocument="word/document.xml"),
            "word/document.xml": f'{prolog}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": relations(styles="styles.xml", **links),
            "word/styles.xml": f'<w:styles xmlns:w="{_W}">{_STYLES}</w:styles>',
            **(extra or {}),
        }
    )


def slide(title: str, *lines: str, is_hidden: bool = False) -> str:
    def shape(kind: str, words: tuple[str, ...]) -> str:
        runs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in words)
        place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        return f"<p:sp>{place}<p:txBody>{runs}</p:txBody></p:sp>"

    shapes = shape("title", (title,)) + shape("body", lines)
    tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
    return f'<p:sld xmlns:p="{_P}" xmlns:a="{_A}" show="{int(not is_hidden)}">{tree}</p:sld>'


def pptx(*slides: str) -> bytes:
    parts = {f"ppt/slides/slide{number}.xml": content for number, content in enumerate(slides, 1)}
    return zipped({"ppt/presentation.xml": "<p/>", **parts})
