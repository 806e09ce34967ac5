"""Which elements nobody sees, by their attributes and by the sheets of their page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.css import read_style
from dowse.extract.html.tree.hiding import Certainty, Hiding
from dowse.extract.html.tree.node import Node
from tests.support.tables import each_row

NONE, DOUBTFUL, HIDDEN = Certainty


def judge(tag: str = "p", sheet: str = "", **attributes: str | None) -> Certainty:
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    return judge_in(Hiding([sheet], {}), tag, named)


def judge_in(hiding: Hiding, tag: str, attributes: dict[str, str | None]) -> Certainty:
    """The verdict on an element in the body, or on its own text."""
    new = Node(1, tag, Node(0, "body", None, {}), attributes)
    return max(hiding.judge(new)) if hiding.is_suspect(new) else NONE


@each_row(
    ("style", "certainty"),
    [
        ("display:none", HIDDEN),
        ("display:none!important;display:block", HIDDEN),
        ("display:none;display:block", NONE),
        ("visibility:hidden", DOUBTFUL),
        ("opacity:0", DOUBTFUL),
        ("opacity:0%", DOUBTFUL),
        ("opacity:0;transform:translateY(20px)", NONE),
        ("opacity:0.5", NONE),
        ("max-height:0;overflow:hidden", DOUBTFUL),
        ("max-height:0", NONE),
        ("width:0;height:0;overflow:hidden", HIDDEN),
        ("font-size:0", HIDDEN),
        ("font-size:0.9rem", NONE),
        ("left:-9999px", HIDDEN),
        ("left:-100%", NONE),
        ("right:calc(-9999px)", HIDDEN),
        ("transform:translate3d(-1200px,0,0)", HIDDEN),
        ("transform:translate3d(-200px,0,0)", NONE),
        ("clip-path:polygon(0 0, 0 0, 0 0)", HIDDEN),
        ("clip-path:polygon(0 0, 100% 0, 50% 50%)", NONE),
        ("position:absolute;z-index:-1", DOUBTFUL),
        ("color:#ffff;background-color:#fff", HIDDEN),
        ("color:snow;background-color:#fffafa", HIDDEN),
        ("color:tomato;background-color:tomato", HIDDEN),
        ("color:white;background:url(dark.png)", NONE),
        ("color:#zzz;background:#zzz", NONE),
        ("color:rgb(1,2);background:rgb(1,2)", NONE),
        ("", NONE),
        (";;:;a:b:c;}{", NONE),
    ],
)
def test_a_style_tells_whether_text_is_seen(style: str, certainty: Certainty) -> None:
    assert judge(style=style) is certainty


def test_a_container_without_a_font_size_may_hold_text_with_one() -> None:
    assert judge("ul", style="font-size:0") is DOUBTFUL
    assert judge("span", style="font-size:0") is HIDDEN


@each_row(
    ("tag", "attributes", "certainty"),
    [
        ("p", {}, NONE),
        ("p", {"hidden": None}, HIDDEN),
        ("p", {"hidden": "until-found"}, NONE),
        ("div", {"hidden": None, "id": "S:1"}, NONE),
        ("div", {"hidden": None, "role": "tabpanel"}, NONE),
        ("div", {"hidden": None, "class": "menu-collapse"}, HIDDEN),
        ("div", {"style": "display:none", "role": "region", "aria-labelledby": "q1"}, NONE),
        ("div", {"style": "display:none", "class": "faq__answer"}, NONE),
        ("div", {"style": "position:absolute;left:-9999px", "class": "faq__answer"}, HIDDEN),
        ("div", {"popover": ""}, HIDDEN),
        ("div", {"aria-hidden": "true"}, DOUBTFUL),
        ("div", {"aria-hidden": "false"}, NONE),
        ("img", {"aria-hidden": "true"}, NONE),
        ("a", {"aria-hidden": "true", "href": "/page"}, NONE),
        ("a", {"aria-hidden": "true", "href": "#part"}, DOUBTFUL),
        ("span", {"class": "icon SR-only"}, HIDDEN),
        ("dialog", {}, HIDDEN),
        ("dialog", {"open": None}, NONE),
        ("annotation", {"encoding": "application/x-tex"}, NONE),
        ("annotation", {"encoding": "text/plain"}, HIDDEN),
        ("mphantom", {}, HIDDEN),
    ],
)
def test_attributes_tell_whether_an_element_is_seen(
    tag: str, attributes: dict[str, str | None], certainty: Certainty
) -> None:
    assert judge_in(Hiding(), tag, attributes) is certainty


def test_an_apostrophe_in_a_selector_is_part_of_the_value() -> None:
    assert judge("p", '[data-x="it\'s"]{display:none}', data_x="it's") is HIDDEN


def test_without_doubts_only_what_is_certain_is_hidden() -> None:
    hiding = Hiding([".a{visibility:hidden}.b{display:none}"]).without_doubts()

    assert judge_in(hiding, "p", {"class": "a"}) is NONE
    assert judge_in(hiding, "p", {"class": "b"}) is HIDDEN
    assert judge_in(hiding, "p", {"aria-hidden": "true"}) is NONE


@each_row(
    ("sheet", "certainty"),
    [
        (".note{display:none}", HIDDEN),
        (".NOTE{DISPLAY:NONE}", HIDDEN),
        ("#n{display:none}", HIDDEN),
        ("p{display:none}", HIDDEN),
        ("p.note#n[data-x]{display:none}", HIDDEN),
        ('[data-x="1"]{display:none}', HIDDEN),
        ('[data-x="2"]{display:none}', NONE),
        ('[data-x="don\'t"]{display:none}', NONE),
        ('p[data-x="don\'t"]{display:none}', NONE),
        ("[data-y='a]b']{display:none}", NONE),
        (".note.other{display:none}", NONE),
        ("div.note{display:none}", NONE),
        ("html>body   p.note{display:none}", HIDDEN),
        ("nav .note{display:none}", NONE),
        (".note .note{display:none}", NONE),
        (".note::after{display:none}", NONE),
        (".note:hover{display:none}", NONE),
        (".note{display:none}.note:hover{display:block}", NONE),
        (".note{display:none}.open .note{display:block}", NONE),
        (".note{display:none}.open .note{color:red}", HIDDEN),
        (".note{display:none}p{display:block}", HIDDEN),
        (".note{display:none}#n{display:block}", NONE),
        (".note{display:none!important}#n{display:block}", HIDDEN),
        (".note{display:block}.note{display:none}", HIDDEN),
        (".note{opacity:0}", DOUBTFUL),
        (".note{opacity:0;transition:opacity 1s}", NONE),
        ("@media print{.note{display:none}}", NONE),
        ("@media not print{.note{display:none}}", HIDDEN),
        ("@media screen and (min-width:40em){.note{display:none}}", HIDDEN),
        ("@media (min-width:100rem){.note{display:none}}", NONE),
        ("@media (max-width:767px){.note{display:none}}", NONE),
        ("@media (prefers-reduced-motion){.note{display:none}}", NONE),
        ("@supports (display:grid){@media screen{.note{display:none}}}", HIDDEN),
        ("@media print{@media screen{.note{display:none}}}", NONE),
        ("@font-face{src:url(data:font/woff;base64,AAAA)}.note{display:none}", HIDDEN),
        ('@import "a.css";.note{display:none}', HIDDEN),
        ("@keyframes x{from{opacity:0}}", NONE),
        (".card{.note{display:none}}", NONE),
        ("}}.note{display:none", HIDDEN),
        (".note{", NONE),
        ("<!-- .note{display:none} -->", HIDDEN),
    ],
)
def test_sheets_tell_whether_an_element_is_seen(sheet: str, certainty: Certainty) -> None:
    assert judge("p", sheet, class_="first note", id="n", data_x="1") is certainty


@each_row(
    ("media", "is_seen"),
    [
        ("", False),
        ("all", False),
        ("screen", False),
        ("print, screen", False),
        ("all and (min-width: 728px)", False),
        ("print", True),
        ("PRINT", True),
        ("all and (max-width: 551.98px)", True),
        ("(orientation: landscape) and (max-width: 903.98px)", True),
    ],
)
def test_a_sheet_for_another_screen_hides_nothing(media: str, is_seen: bool) -> None:
    tree = build(f'<style media="{media}">.a{{display:none}}</style><p>b<p class=a>c')

    assert ("c" in [node.text for node in tree.nodes]) is is_seen


def test_the_source_of_a_formula_is_kept_for_what_is_drawn_of_it() -> None:
    sheet = ".katex .katex-mathml,.katex-mathml,mjx-assistive-mml{position:absolute;clip:rect(1px,1px,1px,1px)}"

    assert judge("span", sheet, class_="katex-mathml") is NONE
    assert judge("mjx-assistive-mml", sheet) is NONE
    assert judge("span", sheet, class_="katex-html", aria_hidden="true") is DOUBTFUL


def test_what_a_style_says_is_stronger_than_a_sheet() -> None:
    sheet = ".note{display:none}"

    assert judge("p", sheet, class_="note", style="display:block") is NONE
    assert judge("p", sheet + "p{display:none!important}", class_="note", style="display:block") is HIDDEN


def test_comments_and_escapes_of_styles_are_resolved() -> None:
    assert read_style(r"dis\70lay:no\6e e;/* color:red */ \63olor : blue").normal == {
        "display": "none",
        "color": "blue",
    }


@given(st.text(alphabet="{}@.#:;,[]()'\"\\/*!-> abdisplaynoe0\n", max_size=300))
def test_no_sheet_breaks_it(sheet: str) -> None:
    judge_in(Hiding([sheet]), "p", {"class": "a", "id": "b", "style": sheet})


HOSTILE = (
    "a",
    "{",
    "}",
    " ",
    ".a{",
    ".a{display:none}",
    ".a .b,",
    "@media x{",
    "/*",
    "*",
    "\\",
    ":",
    ";",
    ":hover",
    "[a=",
    ".a{color:",
    "display:none;",
)


def hostile(piece: str, chars: int) -> str:
    """A sheet that hides one class and goes on with what is made to be slow to read."""
    return ".x{display:none}" + piece * (chars // len(piece))


@each_row("piece", HOSTILE)
def test_a_rule_holds_whatever_comes_behind_it(piece: str) -> None:
    hiding = Hiding([hostile(piece, 1_000)])

    assert [judge_in(hiding, "p", {"class": name}) for name in "xb"] == [HIDDEN, NONE]


@each_row(
    ("sheet", "around", "is_suspect"),
    [
        ("[data-off] *{display:none}", {}, False),
        ("[data-off] *{display:none}", {"data-off": ""}, True),
        (".box p{display:none}", {"class": "bag"}, False),
        (".box p{display:none}", {"class": "big Box"}, True),
        ("#box p{display:none}", {"id": "box"}, True),
        (".note.small{display:none}", {}, False),
        ("div.note{display:none}", {}, False),
        (".note{display:none}", {}, True),
        ("p.note.note:first-child{display:none}", {}, True),
    ],
)
def test_only_elements_that_a_rule_is_about_are_looked_at_closely(
    sheet: str, around: dict[str, str | None], is_suspect: bool
) -> None:
    """The others, which are most of a page, cost next to nothing."""
    box = Node(1, "div", Node(0, "body", None, {}), around)
    assert Hiding([sheet], {}).is_suspect(Node(2, "p", box, {"class": "note"})) is is_suspect


@pytest.mark.promise("hidden-languages")
@each_row(
    ("rule", "root", "is_hidden"),
    [
        (".fr:lang(en)", {"lang": "en-GB"}, True),
        (".fr:lang(en)", {"lang": "fr"}, False),
        (".fr:lang(en)", {}, False),
        (":root:lang(en) .fr", {"lang": "en"}, True),
        (":root:lang(de, 'fr') .fr", {"lang": "fr-CH"}, True),
        (":root:lang(de, 'fr') .fr", {"lang": "en"}, False),
        (".fr:dir(ltr)", {}, True),
        (".fr:dir(ltr)", {"dir": "rtl"}, False),
        (".fr:dir(rtl)", {"dir": "rtl"}, True),
    ],
)
def test_a_rule_for_another_language_or_direction_hides_nothing(
    rule: str, root: dict[str, str | None], is_hidden: bool
) -> None:
    hiding = Hiding([f"{rule}{{display:none}}"], root)
    assert (judge_in(hiding, "p", {"class": "fr"}) is HIDDEN) is is_hidden
