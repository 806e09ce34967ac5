"""Hidden text in Word documents: nobody sees it on the page, so nobody else reads it either."""

from __future__ import annotations

import io
import re
from collections.abc import Container
from typing import BinaryIO
from xml.etree import ElementTree
from zipfile import ZipFile

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARTS = re.compile(r"word/[^/]{1,100}\.xml")
_STYLES = "word/styles.xml"
_OFF = frozenset({"0", "false", "off"})


def without_hidden_text(file: BinaryIO) -> BinaryIO:
    """The document without runs that are formatted as hidden; the file itself where nothing is."""
    with ZipFile(file) as packed:
        parts = {name: packed.read(name) for name in packed.namelist() if _PARTS.fullmatch(name)}
        # The zeros are those of UTF-16.
        if not any(b"vanish" in data.replace(b"\0", b"") for data in parts.values()):
            file.seek(0)
            return file
        styles = _hiding_styles(parts.pop(_STYLES)) if _STYLES in parts else frozenset()
        shown = io.BytesIO()
        with ZipFile(shown, "w") as copy:
            for name in packed.namelist():
                copy.writestr(name, _without_runs(parts[name], styles) if name in parts else packed.read(name))
    shown.seek(0)
    return shown


def _hiding_styles(data: bytes) -> frozenset[str]:
    styles = ElementTree.fromstring(data).iter(f"{_WORD}style")
    return frozenset(style.get(f"{_WORD}styleId", "") for style in styles if _vanishes(style, ()))


def _without_runs(data: bytes, styles: Container[str]) -> bytes:
    root = ElementTree.fromstring(data)
    for parent in root.iter():
        properties = parent.find(f"{_WORD}pPr/{_WORD}pStyle") if parent.tag == f"{_WORD}p" else None
        is_hidden = properties is not None and properties.get(f"{_WORD}val") in styles
        for run in [child for child in parent if child.tag == f"{_WORD}r" and (is_hidden or _vanishes(child, styles))]:
            parent.remove(run)
    shown: bytes = ElementTree.tostring(root, encoding="utf-8")
    return shown


def _vanishes(element: ElementTree.Element, styles: Container[str]) -> bool:
    """Whether the properties of a run or a style hide it."""
    mark = element.find(f"{_WORD}rPr/{_WORD}vanish")
    if mark is not None:
        return mark.get(f"{_WORD}val", "1") not in _OFF
    style = element.find(f"{_WORD}rPr/{_WORD}rStyle")
    return style is not None and style.get(f"{_WORD}val") in styles
