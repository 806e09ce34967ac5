from __future__ import annotations

import pytest

from dowse.fetch.media import MediaType, guess_text_type, parse_media_type, sniff_unreadable


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    ],
)
def test_text_of_any_kind_is_readable(name: str) -> None:
    assert MediaType(name, "").is_readable


@pytest.mark.parametrize(
    "name", ["application/pdf", "image/png", "video/mp4", "application/octet-stream", "application/zip", "font/woff2"]
)
def test_what_is_no_text_is_not_readable(name: str) -> None:
    assert not MediaType(name, "").is_readable


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"text then \x00", "application/octet-stream"),
        (b"x" * 900 + b"\x00" * 100, "application/octet-stream"),
        (b"<p>a stray \x00 in an otherwise ordinary page</p>", ""),
        (b"x" * 1024 + b"\x00" * 100, ""),
        (b"<html>", ""),
        (b"about %PDF-1.7", ""),
        (b"", ""),
        ("text".encode("utf-16"), ""),
        (b"\xfe\xff" + "text".encode("utf-16-be"), ""),
        ("text".encode("utf-32"), ""),
        (b"\x00\x00\xfe\xff" + "text".encode("utf-32-be"), ""),
    ],
)
def test_bytes_say_what_they_are_whatever_the_header_says(data: bytes, expected: str) -> None:
    assert sniff_unreadable(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<!doctype html><p>hi", "text/html"),
        (b"\xef\xbb\xbf \n<?xml version='1.0'?>", "text/html"),
        ("<p>".encode("utf-16"), "text/html"),
        (b"just words", "text/plain"),
        ("größer als <".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"\x01\x02binary", ""),
    ],
)
def test_untyped_bytes_are_taken_for_text_only_if_they_look_like_it(data: bytes, expected: str) -> None:
    assert guess_text_type(data) == expected
