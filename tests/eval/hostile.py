"""Pages made to keep a reader busy, of any size."""

from __future__ import annotations

from collections.abc import Callable

from dowse.core.models import Body

TOLD = "The ferry crosses the bay four times a day, and tickets are sold on the pier."

Page = Callable[[int], str]

# What is deep inside of a page, and what comes after its first sentence, each with the largest number of its pieces.
DEEP: dict[str, tuple[Page, int]] = {
    "nested div": (lambda n: "<div>" * n + f"<p>{TOLD}</p>" + "</div>" * n, 100_000),
    "nested div, never closed": (lambda n: "<div>" * n + f"<p>{TOLD}", 40_000),
    "nested div with end tags of others": (lambda n: "<div></span>" * n + f"<p>{TOLD}", 20_000),
    "nested span": (lambda n: "<span>" * n + TOLD, 20_000),
    "nested lists": (lambda n: "<ul><li>item " * n + TOLD, 3_000),
    "nested tables": (lambda n: "<table><tr><td>cell " * n + TOLD, 3_000),
    "nested quotations": (lambda n: "<blockquote>said " * n + TOLD, 5_000),
    "attributes of one tag": (lambda n: f"<p {' '.join(f'a{i}=1' for i in range(n))}>{TOLD}", 100_000),
    "attributes of many bodies": (lambda n: "".join(f"<body a{i}=1>" for i in range(n)) + f"<p>{TOLD}", 20_000),
    "style sheet": (lambda n: f"<style>{'.a,.b .c{display:none}' * n}</style><p>{TOLD}", 20_000),
    "JSON-LD": (lambda n: f"<script type=application/ld+json>{'[' * n}</script><p>{TOLD}", 100_000),
}
LONG: dict[str, tuple[Page, int]] = {
    "one text": (lambda n: "word " * n, 2_000_000),
    "one word": (lambda n: "x" * n, 2_000_000),
    "cells": (lambda n: f"<table>{'<tr><td>1</td><td>2</td></tr>' * (n // 2)}</table>", 200_000),
    "cells of one row": (lambda n: f"<table><tr>{'<td>1</td>' * n}</tr></table>", 20_000),
    "wide cells": (lambda n: f"<table>{'<tr><td colspan=1000>1<td>2' * n}</table>", 6_000),
    "text beside rows": (lambda n: "<table>" + "x<tr>" * n, 20_000),
    "links": (lambda n: "".join(f"<a href=/{i}>link {i}</a> " for i in range(n)), 100_000),
    "links around blocks": (lambda n: "<a href=/x><div>x" * n, 8_000),
    "paragraphs": (lambda n: f"<p>{TOLD}</p>" * n, 10_000),
    "headings": (lambda n: "<h2>Ferry</h2>" * n, 8_000),
    "items": (lambda n: "<ul>" + "<li>item" * n, 20_000),
    "definitions": (lambda n: "<dl>" + "<dt>a<dd>b" * n, 10_000),
    "line breaks": (lambda n: "<br>" * n, 24_000),
    "images": (lambda n: "<img src=/a.png alt='a pier'>" * n, 20_000),
    "dates": (lambda n: "<time datetime=2024-01-02>2 January 2024</time>" * n, 12_000),
    "lines of code": (lambda n: "<pre>" + "x = [1] * `y` # *z*\n" * n + "</pre>", 60_000),
    "misnested": (lambda n: "<b><p>x</b>y" * n, 80_000),
    "misnested, each different": (lambda n: "".join(f"<p><font color=c{i}>x</p>" for i in range(n)), 6_000),
    "names of attributes": (lambda n: "".join(f"<p a{i}=1>x" for i in range(n)), 8_000),
    "names of elements": (lambda n: "".join(f"<x{i}>x" for i in range(n)), 40_000),
    "names of classes": (lambda n: "".join(f"<p class='a{i} b{i}'>x" for i in range(n)), 12_000),
    "styles": (lambda n: "".join(f"<p style='left:{i}px;color:#fff'>x" for i in range(n)), 10_000),
    "choices": (lambda n: "<select>" + "<option>x" * n, 60_000),
    "blanks": (lambda n: f"{' ' * n}<pre>{' ' * n}</pre>", 2_000_000),
    "broken bytes": (lambda n: "\0\x01\x80\ud800" * n, 100_000),
    "entities": (lambda n: "&amp;&#0;&#xD800;&x" * n, 100_000),
    "angle brackets": (lambda n: "< " * n, 200_000),
    "tags that never end": (lambda n: "<a href='x" * n, 40_000),
    "comments that never end": (lambda n: "<!-- " * n, 100_000),
    "scripts in scripts": (lambda n: "<script>" + "<!--<script>" * n, 100_000),
    "drawings": (lambda n: "<svg>" + "<g><title>x" * n, 40_000),
    "formulas": (lambda n: "<math><msup><mi>x</mi><mn>2</mn></msup></math>" * n, 5_000),
    "nested formula": (lambda n: "<math>" + "<msqrt>" * n + "<mi>x", 10_000),
    "asterisks": (lambda n: "<p>" + "*_`[" * n, 80_000),
    "brackets": (lambda n: "<p>" + "![[" * n, 200_000),
    "invisible characters": (lambda n: "\u200d\ufe0f\U000e0041" * n, 60_000),
}


def page(name: str, size: int) -> str:
    return DEEP[name][0](size) if name in DEEP else f"<h1>The ferry</h1><p>{TOLD}</p>" + LONG[name][0](size)


def body(name: str, size: int) -> Body:
    """The page of this name with so many pieces, as it comes from the web."""
    return Body("https://bay.example/ferry", page(name, size).encode("utf-8", "surrogatepass"), "text/html", "utf-8")


def is_told(markdown: str) -> bool:
    """Whether the sentence that every page has is in what was read of it."""
    return "tickets are sold on the pier" in " ".join(markdown.split())
