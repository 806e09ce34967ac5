"""Office archives before any library opens them: sizes, decompression bombs, and DTDs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status
from dowse.extract.formats import office
from tests.fakes.office import WORD, zipped
from tests.support.tables import each_row

DTD = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
XML = b"<x>words</x>"


def refusal(data: bytes) -> tuple[Status, str]:
    with pytest.raises(PageUnreadable) as caught:
        office.check_archive(data, WORD)
    return caught.value.status, caught.value.detail


def parts(file: io.BytesIO) -> Mapping[str, bytes]:
    with zipfile.ZipFile(file) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_a_sound_archive_is_handed_on_as_it_came() -> None:
    data = zipped({"word/document.xml": XML})
    assert office.check_archive(data, WORD).getvalue() == data


@each_row("name", ["word/document.xml", "WORD/DOCUMENT.XML", "_rels/.rels"])
def test_a_part_with_a_dtd_makes_the_document_unsupported(name: str) -> None:
    """A DTD can name files to read, and entities that multiply."""
    assert refusal(zipped({name: DTD})) == (Status.UNSUPPORTED, f"{WORD}, with a DTD")


def test_a_picture_with_a_dtd_is_left_out_and_the_rest_is_kept() -> None:
    """Drawing programs write one into each SVG."""
    data = zipped({"word/document.xml": XML, "word/media/image1.svg": DTD, "word/media/image2.svg": XML})
    assert parts(office.check_archive(data, WORD)) == {"word/document.xml": XML, "word/media/image2.svg": XML}


def test_a_dtd_behind_a_long_comment_is_found_all_the_same() -> None:
    comment = b"<!--" + b"x" * 100_000 + b"-->"
    assert refusal(zipped({"word/document.xml": comment + DTD}))[0] is Status.UNSUPPORTED


@each_row(
    ("limit", "value"),
    [("_MOST_ENTRIES", 1), ("_LARGEST_TOTAL", 150), ("_LARGEST_PART", 90)],
)
def test_more_entries_or_bytes_than_a_limit_are_too_large(limit: str, value: int) -> None:
    """The limits are lowered: archives of their size take seconds to make."""
    data = zipped({"a.xml": b"<x>" + b"a" * 100, "b.bin": bytes(range(100))})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(office, limit, value)
        assert refusal(data) == (Status.TOO_LARGE, f"{WORD}, too large once unpacked")


def test_a_decompression_bomb_is_too_large() -> None:
    bomb = zipped({"a.bin": bytes(6_000_000)})
    assert len(bomb) < 60_000
    assert refusal(bomb)[0] is Status.TOO_LARGE


@each_row("data", [b"", b"no archive", zipped({"a.xml": XML})[:-10]])
def test_what_is_no_archive_is_broken(data: bytes) -> None:
    assert refusal(data) == (Status.ERROR, f"{WORD}, broken")
