from __future__ import annotations

import io
import zipfile

import pytest

from dowse.core.media_types import PDF, SHEETS, SLIDES, WORD
from dowse.fetch.media import MediaType, identify, parse_media_type
from tests.fakes.office import docx, paragraph, pptx, slide, zipped
from tests.support.tables import each_row


@each_row(
    ("header", "expected"),
    [
        ("text/html", MediaType("text/html", "")),
        ("Text/HTML; Charset=UTF-8", MediaType("text/html", "utf-8")),
        ('text/html; charset="windows-1252"', MediaType("text/html", "windows-1252")),
        ("text/html; boundary=x; charset = 'gbk'", MediaType("text/html", "gbk")),
        ("text/html; charset=", MediaType("text/html", "")),
        ("text/html;charset=\x00evil", MediaType("text/html", "")),
        ("", MediaType("", "")),
        ("html", MediaType("", "")),
        ("*/*; charset=utf-8", MediaType("", "utf-8")),
        ("unknown/unknown", MediaType("", "")),
    ],
)
def test_content_type_is_read_leniently(header: str, expected: MediaType) -> None:
    assert parse_media_type(header) == expected


@each_row(
    "name",
    [
        "text/html",
        "application/xhtml+xml",
        "text/plain",
        "text/markdown",
        "text/csv",
        "application/json",
        "application/ld+json",
        "application/xml",
        "application/rss+xml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/javascript",
        "application/pdf",
        WORD,
        SHEETS,
        SLIDES,
    ],
)
def test_text_and_documents_are_readable(name: str) -> None:
    assert MediaType(name, "").is_readable


@each_row(
    "name",
    [
        "image/png",
        "image/svg+xml",
        "video/mp4",
        "application/octet-stream",
        "application/zip",
        "application/msword",
        "font/woff2",
    ],
)
def test_what_is_neither_is_not_readable(name: str) -> None:
    assert not MediaType(name, "").is_readable


def named(data: bytes, header: str = "text/html", url: str = "https://site.example/page") -> str:
    return identify(header, data, url).name


@each_row("header", ["text/html; charset=utf-8", "text/plain", "application/octet-stream", "*/*", ""])
@each_row(
    ("data", "expected"),
    [
        (b"%PDF-1.7\n", PDF),
        (b"\r\n%PDF-1.7\n", PDF),
        (b"%PDF-1.4<html><script>polyglot</script>", PDF),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"{\\rtf1 text}", "application/rtf"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
        (b"text then \x00", "application/octet-stream"),
        (b"x" * 900 + b"\x00" * 100, "application/octet-stream"),
        (docx(paragraph("x")), WORD),
        (pptx(slide("x")), SLIDES),
        (zipped({"xl/workbook.xml": "<x/>"}), SHEETS),
        (zipped({"notes.txt": "x"}), "application/zip"),
    ],
)
def test_bytes_say_what_they_are_whatever_the_header_says(header: str, data: bytes, expected: str) -> None:
    assert named(data, header) == expected


@each_row(
    "data",
    [
        b"<p>a stray \x00 in an otherwise ordinary page</p>",
        b"x" * 1024 + b"\x00" * 100,
        b"<html>",
        b"about %PDF-1.7",
        b"",
        "text".encode("utf-16"),
        b"\xfe\xff" + "text".encode("utf-16-be"),
        "text".encode("utf-32"),
        b"\x00\x00\xfe\xff" + "text".encode("utf-32-be"),
        b"ID3 tags, RIFF files and 7z archives",
    ],
)
def test_text_is_what_its_header_says(data: bytes) -> None:
    assert named(data, "text/html") == "text/html"
    assert named(data, "text/markdown") == "text/markdown"


@each_row(
    ("data", "expected"),
    [
        (b"<!doctype html><p>hi", "text/html"),
        (b"\xef\xbb\xbf \n<?xml version='1.0'?>", "text/html"),
        ("<p>".encode("utf-16"), "text/html"),
        (b"just words", "text/plain"),
        ("größer als <".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"\x01\x02binary", "application/octet-stream"),
    ],
)
def test_untyped_bytes_are_taken_for_text_only_if_they_look_like_it(data: bytes, expected: str) -> None:
    assert named(data, "") == expected


@each_row(
    ("header", "data", "url", "expected"),
    [
        ("application/pdf", b"<!DOCTYPE html><p>Please log in", "/paper.pdf", "text/html"),
        ("application/pdf", b"junk before %PDF-1.4", "/paper", PDF),
        ("application/octet-stream", b"junk before %PDF-1.4", "/paper.pdf", PDF),
        ("application/pdf", b"no such thing", "/paper.pdf", PDF),
        ("application/octet-stream", b"no such thing", "/paper.pdf", "application/octet-stream"),
        ("application/octet-stream", b"a,b", "/table.CSV?x=1", "text/csv"),
        ("binary/octet-stream", b"import os", "/src/a.py", "text/plain"),
        ("application/octet-stream", b"a { color: red }", "/style/a.css", "text/plain"),
        ("application/octet-stream", b"query { me }", "/api/a%2Egraphql", "text/plain"),
        ("application/octet-stream", b"\x01\x02", "/src/a.py", "application/octet-stream"),
        ("application/octet-stream", b"text", "/page", "application/octet-stream"),
        ("application/octet-stream", b"text", "/setup.exe", "application/octet-stream"),
        ("application/vnd.ms-excel", b"a;b", "/export", "text/csv"),
        ("application/vnd.ms-excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "/x.xls", "application/vnd.ms-excel"),
        ("application/epub+zip", b"PK\x03\x04", "/book.epub", "application/epub+zip"),
        ("text/plain", b"\x01\x02\x03", "/page", "application/octet-stream"),
        ("image/png", b"<html>", "/x.png", "image/png"),
    ],
)
def test_header_bytes_and_name_decide_together(header: str, data: bytes, url: str, expected: str) -> None:
    assert named(data, header, f"https://site.example{url}") == expected


def test_an_office_file_inside_of_another_one_does_not_name_it() -> None:
    inner = zipped({"xl/workbook.xml": "<x/>"})

    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("word/document.xml", "<w/>")
            archive.writestr("word/embeddings/table.xlsx", inner)
        assert named(file.getvalue()) == WORD


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_text(codec: str) -> None:
    page = "<p>日本語 and some words".encode(codec)

    assert named(page, f"text/html; charset={codec.replace('16-', '16')}") == "text/html"
    assert named("<p>some words".encode(codec), "text/html") == "text/html"
    assert named("<p>some words".encode(codec), "") == "text/html"
    assert named("some words".encode(codec), "text/plain") == "text/plain"
    assert named("日本語だけのテキスト".encode(codec), f"text/plain; charset={codec}") == "text/plain"


@each_row("data", [b"\x00" * 200, b"\x01\x00\x02\x00" * 50, b"\x00\x10\x00\x20" * 50])
def test_bytes_with_zeros_that_are_no_utf16_are_not_text(data: bytes) -> None:
    assert named(data, "text/html") == "application/octet-stream"
