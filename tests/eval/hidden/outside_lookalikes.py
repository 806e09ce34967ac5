"""Visible text beside the tricks of `outside`: each looks like one of them to a careless rule."""

from __future__ import annotations

from tests.eval.hidden.lookalikes import LookAlike

_SHOWN = (
    (
        "margin below that is pulled back",
        ("<div style='overflow:hidden'><p style='padding-bottom:9999px;margin-bottom:-9999px'>T</p></div>"),
        "",
    ),
    ("margins on the right", "<p style='margin:0 -9999px 0 0;width:400px'>T</p>", ""),
    ("fixed in the middle", "<p style='position:fixed;top:50%;left:10px;width:300px'>T</p>", ""),
    (
        "absolute beside its box",
        (
            "<div style='position:relative;width:100px;height:60px'><p style='position:ab"
            "solute;left:100%;margin:0;width:400px'>T</p></div>"
        ),
        "",
    ),
    ("moved by a matrix", "<p style='transform:matrix(1,0,0,1,20,5)'>T</p>", ""),
    ("turned flat", "<p style='transform:rotate3d(0,0,1,90deg);width:200px;margin:90px'>T</p>", ""),
    ("skewed a little", "<p style='transform:skewX(20deg)'>T</p>", ""),
    ("scale of three", "<p style='scale:1 1 0.5'>T</p>", ""),
    ("half size twice", ("<div style='transform:scale(.7)'><div style='transform:scale(.8)'><p>T</p></div></div>"), ""),
    ("clip of a circle that is in it", "<p style='clip-path:circle(900px at 100px 10px)'>T</p>", ""),
    ("clip of a path", "<p style=\"clip-path:path('M0 0 H900 V90 H0 Z')\">T</p>", ""),
    (
        "clip with auto",
        ("<p style='position:absolute;clip:rect(auto,auto,auto,auto);position:absolute'>T</p><br><br>"),
        "",
    ),
    ("mask of a solid gradient", "<p style='mask-image:linear-gradient(#000,#000)'>T</p>", ""),
    ("bright filter on dark text", "<p style='filter:brightness(1.2);color:#333'>T</p>", ""),
    ("inverted box", "<div style='filter:brightness(.9) invert(1);background:#fff'><p>T</p></div>", ""),
    ("white on a dark gradient", "<p style='color:#fff;background:linear-gradient(#000,#111)'>T</p>", ""),
    (
        "dark letters of a gradient",
        (
            "<p style='color:transparent;background:linear-gradient(#000,#111);-webkit-ba"
            "ckground-clip:text;background-clip:text'>T</p>"
        ),
        "",
    ),
    ("marked", "<p><mark>T</mark></p>", ""),
    ("yellow mark on black", "<p><mark style='color:#ff0;background:#000'>T</mark></p>", ""),
    ("thin stroke of white", "<p style='-webkit-text-stroke:.3px #fff'>T</p>", ""),
    ("stroke of black", "<p style='-webkit-text-stroke:1px #000'>T</p>", ""),
    ("font in millimetres", "<p style='font-size:5mm'>T</p>", ""),
    ("fluid size", "<p style='font-size:clamp(1rem,.5rem + 1vw,2rem)'>T</p>", ""),
    ("calculated size", "<p style='font-size:calc(1rem * 1.1)'>T</p>", ""),
    ("indent of a quarter", "<p style='text-indent:25%;white-space:nowrap;overflow:hidden'>T</p>", ""),
    (
        "flexible without a basis",
        ("<div style='display:flex'><p style='flex:1 1 0;width:0;overflow:hidden;white-space:nowrap'>T</p></div>"),
        "",
    ),
    ("other language", "<p class=n>T</p>", "<style>.n:lang(fr){display:none}</style>"),
    ("language of its own", "<p class=n lang=de>T</p>", "<style>.n:lang(en){display:none}</style>"),
    ("other direction", "<p class=n dir=rtl>T</p>", "<style>.n:dir(ltr){display:none}</style>"),
    ("wide media", "<p class=n>T</p>", "<style>@media (min-width:9000px){.n{display:none}}</style>"),
    ("imported for print", "<p class=n>T</p>", "<style>@import 'data:text/css,.n{display:none}' print;</style>"),
    ("variable that is empty", "<p class=n>T</p>", "<style>:root{--a: ;}.n{display:var(--a)block}</style>"),
    (
        "content of what is in front",
        "<p class=n>T</p>",
        (
            "<style>.n::before{content:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP//"
            "/yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)}</style>"
        ),
    ),
    ("attribute of another element", "<p class=n>T</p><hr data-off>", "<style>[data-off] *{display:none}</style>"),
    ("inset on the right", '<p style="position:absolute;inset:auto -500px auto 0;width:400px">T</p><br><br>', ""),
)
_TOLD = "The lighthouse keeper sells maps of the shoals on Sunday mornings."
OUTSIDE_LOOK_ALIKES = tuple(
    LookAlike(f"outside: {name}", body.replace(">T<", f">{_TOLD}<"), head, told=_TOLD) for name, body, head in _SHOWN
)
