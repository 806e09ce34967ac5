"""The style of an element after the cascade, with its variables and inherited colours."""

from __future__ import annotations

import pytest

from dowse.extract.html.tree.cascade import Cascade, Computed
from dowse.extract.html.tree.css import StyleSheets
from dowse.extract.html.tree.node import Element, Work
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("hidden-styles")


def computed(sheet: str, *, is_complete: bool = True, style: str = "") -> Computed:
    """The style of `<p class="note" id="n">` in `<div class="box">`."""
    sheets, work = StyleSheets(), Work(10_000)
    sheets.read(sheet)
    parent = None
    for tag, attributes in (("html", {}), ("body", {}), ("div", {"class": "box"})):
        parent = Element(tag, dict(attributes), parent, work)
    element = Element("p", {"class": "note", "id": "n", "style": style}, parent, work)
    return Cascade(sheets, work, is_complete=is_complete).computed(element)


@each_row(
    ("sheet", "display"),
    [
        (".note{display:none}p{display:block}", "none"),
        (".note{display:none}.box .note{display:block}", "block"),
        ("@layer a,b;@layer b{p{display:none}}@layer a{#n{display:block}}", "none"),
        ("@layer a{#n{display:none}}p{display:block}", "block"),
        ("@layer a{p{display:none!important}}#n{display:block!important}", "none"),
        (":root{--d:none}.box{--d:block}p{display:var(--d)}", "block"),
        (".box{--a:var(--b)}:root{--b:none}p{display:var(--a)}", "none"),
        ("p{--a:var(--b);--b:var(--a);display:var(--a,none)}", "none"),
        ("p{display:var(--x,var(--y,none))}", "none"),
        ("p{display:block}p{display:var(--x)}", None),
    ],
)
def test_the_strongest_declaration_counts(sheet: str, display: str | None) -> None:
    assert computed(sheet).style.get("display") == display


def test_variables_that_double_without_end_have_no_value() -> None:
    doubling = ";".join(f"--v{i}:var(--v{i + 1})var(--v{i + 1})" for i in range(40))
    assert "left" not in computed(f":root{{{doubling};--v40:x}}p{{left:var(--v0)}}").style


@each_row(
    ("sheet", "is_camouflaged"),
    [
        ("p{color:#fff}", True),
        (".box{background:#fff8}p{color:#fefefe}", True),
        (".box{background:#123;color:#fff}", False),
        (".box{background:#123}p{color:#132436}", True),
        (".box{background:url(x.png)}p{color:#fff}", False),
        (".box::before{background:#000}.box{color:#fff}p{background:#fff}", True),
        (":root{color-scheme:dark}p{color:#fff}", False),
        ("p{background:#000}", True),
        ("p{background:currentcolor}", True),
        ("p{color:#fff;text-shadow:0 0 2px #000}", False),
        ("p{color:hwb(0 100% 0%)}", True),
        ("p{color:color-mix(in srgb, white 99%, black)}", True),
        ("p{color:light-dark(white, black)}", True),
        ("p{color:rgb(0 0 0 / 2%)}", True),
        ("p{color:transparent;background-clip:text}", False),
    ],
)
def test_text_is_compared_with_the_background_behind_it(sheet: str, is_camouflaged: bool) -> None:
    assert computed(sheet).is_camouflaged is is_camouflaged


def test_colours_that_another_sheet_may_set_are_unknown() -> None:
    assert not computed("p{color:#fff}", is_complete=False).is_camouflaged
    assert computed("p{color:#fff;background:#fff}", is_complete=False).is_camouflaged


def test_relative_sizes_of_letters_multiply() -> None:
    assert computed("html{font-size:10px}.box{font-size:.1em}p{font-size:50%}").font_px == pytest.approx(0.5)
    assert computed("html{font-size:1px}body{font-size:16rem}").font_px == 16
