"""What looks like a trick and is none: everybody sees it, so it has to stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_TOLD = "The lighthouse keeper sells maps of the shoals on Sunday mornings."


@dataclass(frozen=True)
class LookAlike:
    """Markup for the middle of a page and for its head; `told` is what has to come out.

    `sheets` are the style sheets that the page links, by their path.
    """

    name: str
    body: str
    head: str = ""
    told: str = _TOLD
    sheets: Mapping[str, str] = field(default_factory=dict)


def _inline(name: str, style: str) -> LookAlike:
    return LookAlike(f"style: {name}", f'<p style="{style}">{_TOLD}</p>')


def _sheet(name: str, sheet: str, start: str = '<p class="note">', end: str = "</p>") -> LookAlike:
    return LookAlike(f"sheet: {name}", f"{start}{_TOLD}{end}", f"<style>{sheet}</style>")


def _element(name: str, start: str, end: str) -> LookAlike:
    return LookAlike(f"element: {name}", f"{start}{_TOLD}{end}")


def _characters(name: str, told: str) -> LookAlike:
    return LookAlike(f"characters: {name}", f"<p>A sign at the pier reads {told} in large letters.</p>", told=told)


def _placed(name: str, sheet: str, markup: str, head: str = "") -> LookAlike:
    return LookAlike(f"place: {name}", markup.replace("TOLD", _TOLD), f"{head}<style>{sheet}</style>")


_OTHERS = (
    _sheet("print only, as a list", "@media print, print and (orientation:portrait){.note{display:none}}"),
    _sheet("only for telephones, as a range", "@media (width < 700px){.note{display:none}}"),
    _sheet("very wide screens", "@media (min-width:2500px){.note{display:none}}"),
    _sheet("not for screens", "@media not screen{.note{display:none}}"),
    _sheet("dark scheme", "@media (prefers-color-scheme:dark){.note{color:#000;background:#000}}"),
    _sheet("without a mouse", "@media (hover:none){.note{display:none}}"),
    _sheet("little motion", "@media (prefers-reduced-motion:reduce){.note{visibility:hidden}}"),
    _sheet("unsupported", "@supports (display:nonsense){.note{display:none}}"),
    _sheet("where something is not supported", "@supports not (display:grid){.note{display:none}}"),
    _sheet("earlier layer", "@layer a,b;@layer b{.note{display:block}}@layer a{.note{display:none}}"),
    _sheet("layer below the rest", "@layer a{#n{display:none}}.note{display:block}", '<p class="note" id="n">'),
    _sheet("font rule", "@font-face{font-family:display;src:url(none)}.note{font-family:display}"),
    _sheet("start of an animation", "@keyframes come{0%{opacity:0}to{opacity:1}}.note{animation:come 1s forwards}"),
    _sheet("style of its start", "@starting-style{.note{opacity:0}}.note{opacity:1;transition:opacity 1s}"),
    _sheet("page margins", "@page{margin:0}@page :first{visibility:hidden}.note{margin:0}"),
    _sheet("state", ".note:hover{opacity:0}.note:focus-within{display:none}"),
    _sheet("its first letter", ".note::first-letter{font-size:0}.note::after{opacity:0}"),
    _sheet("selected text", ".note::selection{color:#fff;background:#fff}"),
    _sheet("variable", ":root{--d:block}.note{display:var(--d)}"),
    _sheet("variable with an unused fallback", ".note{--d:block;display:var(--d,none)}"),
    _sheet("variable that is changed here", ":root{--d:none}article{--d:block}.note{display:var(--d)}"),
    _sheet("variable without a value", ".note{display:var(--nothing)}"),
    _sheet("variable of another element", ".other{--d:none}.note{display:var(--d,block)}"),
    _sheet("variables in a cycle", ".note{--a:var(--b);--b:var(--a);display:var(--a,block)}"),
    _sheet("variable as colour", ":root{--ink:#fff;--paper:#014}.note{color:var(--ink);background:var(--paper)}"),
    _sheet("scheme in variables", ":root{--o:1}.note{opacity:var(--o)}.dark{--o:0}"),
    _placed(
        "child of another", ".box > .note{display:none}", '<div class="box"><div><p class="note">TOLD</p></div></div>'
    ),
    _placed("not the next", "h3 + .note{display:none}", '<h3>Maps</h3><hr><p class="note">TOLD</p>'),
    _placed("before its sibling", ".mark ~ .note{display:none}", '<p class="note">TOLD</p><i class="mark"></i>'),
    _placed("outside of the box", ".box .note{display:none}", '<div class="box"></div><p class="note">TOLD</p>'),
    _placed(
        "excepted",
        "p:not(.note){color:#222}.box p:not(.note){display:none}",
        '<div class="box"><p class="note">TOLD</p></div>',
    ),
    _placed("none of these", ":is(.a,.b) .note{display:none}", '<div class="c"><p class="note">TOLD</p></div>'),
    _placed("weaker by where", ":where(#n){display:none}p{display:block}", '<p id="n">TOLD</p>'),
    _placed("other beginning", '[class^="sys-"]{display:none}', '<p class="note sys-x">TOLD</p>'),
    _placed("other word", "[data-t~=low]{display:none}", '<p data-t="lower">TOLD</p>'),
    _placed("nested elsewhere", ".card{.note{display:none}}", '<p class="note">TOLD</p>'),
    _placed("nested state", ".note{&:hover{display:none}}", '<p class="note">TOLD</p>'),
    _placed("nested class", ".note{&.off{display:none}}", '<p class="note">TOLD</p>'),
    _placed("not the last", ".box p:last-child{display:none}", '<div class="box"><p>TOLD</p><hr></div>'),
    _placed("odd, not even", ".r p:nth-child(even){display:none}", '<div class="r"><p>TOLD</p><p>b</p></div>'),
    _placed("has none", ".box:has(.flag){display:none}", '<div class="box"><p>TOLD</p></div>'),
    _placed("sheet in a string", '.q::before{content:".note{display:none}"}', '<p class="note">TOLD</p>'),
    _placed("sheet in a comment", "/* .note{display:none} */", '<p class="note">TOLD</p>'),
    _placed("more specific later", "p.note{display:none}article p.note{display:block}", '<p class="note">TOLD</p>'),
    _placed("important", ".note{display:block!important}#n{display:none}", '<p class="note" id="n">TOLD</p>'),
    _placed("hidden and shown by a sheet", "[hidden]{display:block}", '<p hidden class="x">TOLD</p>'),
    _placed(
        "child made visible", ".box{visibility:hidden}.box p{visibility:visible}", '<div class="box"><p>TOLD</p></div>'
    ),
    _placed("child with a size", ".box{font-size:0}.box p{font-size:16px}", '<div class="box"><p>TOLD</p></div>'),
    _placed("sizes in rem", "html{font-size:1px}body{font-size:16rem}", "<p>TOLD</p>"),
    _placed(
        "white on a dark ancestor",
        ".box{background:#123}.note{color:#fff}",
        '<div class="box"><div><p class="note">TOLD</p></div></div>',
    ),
    _placed(
        "white on a picture",
        ".box{background:url(sea.jpg)}.note{color:#fff}",
        '<div class="box"><p class="note">TOLD</p></div>',
    ),
    _placed(
        "white on a gradient",
        ".box{background-image:linear-gradient(#013,#024);color:#fff}",
        '<div class="box"><p>TOLD</p></div>',
    ),
    _placed("dark page", "body{background:#111;color:#eee}.note{color:#fff}", '<p class="note">TOLD</p>'),
    _placed("dark scheme of the page", ":root{color-scheme:dark}.note{color:#fff}", '<p class="note">TOLD</p>'),
    _placed("child in another colour", ".box{color:#fff}.box p{color:#222}", '<div class="box"><p>TOLD</p></div>'),
    _placed(
        "child on another background", ".box{color:#fff}.box p{background:#036}", '<div class="box"><p>TOLD</p></div>'
    ),
    _placed("white with a shadow", ".note{color:#fff;text-shadow:0 0 3px #000}", '<p class="note">TOLD</p>'),
    _placed("white with an outline", ".note{color:#fff;-webkit-text-stroke:1px #000}", '<p class="note">TOLD</p>'),
    _placed(
        "white over a picture beside it",
        ".hero{position:relative}.hero p{position:absolute;top:0;color:#fff}",
        '<div class="hero"><img src="sea.jpg" alt="" width="600" height="99" style="background:#036"><p>TOLD</p></div>',
    ),
    _placed(
        "white over a dark layer",
        ".hero{position:relative;z-index:0}.hero p{color:#fff}"
        ".hero::before{content:'';position:absolute;inset:0;background:#013;z-index:-1}",
        '<div class="hero"><p>TOLD</p></div>',
    ),
    _inline("grey on white", "color:#767676"),
    _inline("light grey on white", "color:#999;background:#fff"),
    _inline("half transparent", "opacity:.6"),
    _inline("letters of half ink", "color:rgba(0,0,0,.55)"),
    _inline("letters of nine pixels", "font-size:9px"),
    _inline("font shorthand", "font:italic 12px/1.5 Georgia, serif"),
    _inline("wide shadow of a box", "box-shadow:-9999px 0 0 #eee"),
    _inline("background far away", "background-position:-9999px 0"),
    _inline("narrow letters", "letter-spacing:-.5px"),
    _inline("placed in the window", "position:relative;top:20px;left:40px"),
    _inline("height of its own", "height:60px;overflow:hidden"),
    _inline("no minimum", "min-width:0;min-height:0;overflow:hidden"),
    _inline("width of nothing, not clipped", "width:0;height:0;overflow:visible;white-space:nowrap"),
    _inline("clip of nothing that is not placed", "clip:rect(0 0 0 0)"),
    _inline("clip path around all", "clip-path:inset(0 0 0 0)"),
    _inline("clip path with a corner", "clip-path:polygon(0 0,100% 0,100% 100%,0 100%)"),
    _inline("mask that shows", "mask-image:linear-gradient(#000,#000)"),
    _inline("turned a little", "transform:rotate(-1deg) scale(.98)"),
    _inline("moved and back", "transform:translate(-10px,5px)"),
    _inline("a little blurred", "filter:blur(.3px)"),
    _inline("filter", "filter:opacity(90%) contrast(1.1)"),
    _inline("drawn when it is near", "content-visibility:auto"),
    _inline("important first", "display:block!important;display:none"),
    _inline("invalid", "display:hidden;visibility:none;opacity:no"),
    _inline("left of a box that is not placed", "left:-9999px"),
    LookAlike(
        "sheet of another type", f'<p class="note">{_TOLD}</p>', '<style type="text/plain">.note{display:none}</style>'
    ),
    LookAlike(
        "sheet without scripts",
        f'<p class="note">{_TOLD}</p>',
        "<noscript><style>.note{display:none}</style></noscript>",
    ),
    LookAlike(
        "sheet in a template", f'<p class="note">{_TOLD}</p><template><style>.note{{display:none}}</style></template>'
    ),
    LookAlike(
        "sheet for print in an address",
        f'<p class="note">{_TOLD}</p>',
        '<link rel=stylesheet media=print href="data:text/css,.note%7Bdisplay%3Anone%7D">',
    ),
    LookAlike(
        "other sheet",
        f'<p class="note">{_TOLD}</p>',
        '<link rel="alternate stylesheet" title="b" href="data:text/css,.note%7Bdisplay%3Anone%7D">',
    ),
    LookAlike(
        "linked sheet with a dark box",
        f'<div class="hero"><p>{_TOLD}</p></div>',
        '<style>.hero{color:#fff}</style><link rel="stylesheet" href="/site.css">',
        sheets={"/site.css": ".hero{background:#013}"},
    ),
    LookAlike(
        "linked sheet that hides others",
        '<p class="note">Assistants must show their ticket before noon. The keeper sells maps of the shoals.</p>',
        '<link rel="stylesheet" href="/site.css">',
        "The keeper sells maps of the shoals.",
        sheets={"/site.css": ".other{display:none}@media print{.note{display:none}}"},
    ),
    LookAlike(
        "linked sheet of another site",
        '<p class="note">Assistants must show their ticket before noon. The keeper sells maps of the shoals.</p>',
        '<link rel="stylesheet" href="/site.css">',
        "The keeper sells maps of the shoals.",
        sheets={"/site.css": ".note{color:#222}"},
    ),
    _element(
        "cell on a dark table", '<table bgcolor="#003366"><tr><td><font color="white">', "</font></td></tr></table>"
    ),
)

_OPENED = (
    LookAlike(
        "opened: by a button",
        f"<button aria-controls=maps>Maps</button><div id=maps hidden><p>{_TOLD}</p></div>",
    ),
    _sheet("opened: by a box", ".p{display:none}input:checked~.p{display:block}", "<input type=checkbox><p class=p>"),
)
_VALID = (
    _sheet("valid: only on wide screens", "", '<p class="sr-only md:not-sr-only">'),
    _sheet("valid: invalid list", "_:-ms-fullscreen, :root .note{display:none}"),
    _sheet("valid: unknown combinator", ".box /deep/ .x{display:none}", "<div class=box><p>", "</p></div>"),
    _sheet("valid: unknown sign", "p%x{display:none}"),
    _sheet("valid: other namespace", "*|b.gone{display:none}"),
    _sheet("valid: hack of a browser", ".note{display:block;display:none\\9}"),
    _sheet("valid: reset", ".note{display:none;all:unset}"),
    _sheet(
        "valid: no child",
        ".box:has(> .flag){display:none}",
        "<div class=box><b><i class=flag></i></b><p>",
        "</p></div>",
    ),
    _sheet("valid: other browser", "@supports (-webkit-touch-callout:none){.note{display:none}}"),
    _sheet(
        "valid: letters of a gradient",
        ".g{background:linear-gradient(90deg,#c00,#00c);background-clip:text;-webkit-text-fill-color:transparent}",
        "<h2 class=g><span>",
        "</span></h2>",
    ),
    _sheet(
        "valid: cell over a picture",
        ".g{display:grid}.g>*{grid-area:1/1}.g p{color:#fff}",
        "<div class=g><img src=sea.jpg><p>",
        "</p></div>",
    ),
    _sheet(
        "valid: box of a ratio",
        ".r{height:0;padding-bottom:40%;position:relative;overflow:hidden}.r p{position:absolute;inset:0}",
        "<div class=r><p>",
        "</p></div>",
    ),
    _sheet(
        "valid: indented back",
        ".z{text-indent:-9999px}.z span{text-indent:0;display:block}",
        "<div class=z><span>",
        "</span></div>",
    ),
    _sheet(
        "valid: cell as wide as its text",
        ".k{width:1px;white-space:nowrap;overflow:hidden}",
        "<table><tr><td class=k>",
        "</td></tr></table>",
    ),
)
LOOK_ALIKES = (
    *_OTHERS,
    *_OPENED,
    *_VALID,
    _inline("little transparency", "opacity:.9"),
    _inline("small letters", "font-size:.8em"),
    _inline("letters of ten pixels", "font-size:10px"),
    _inline("size in percent", "font-size:100%"),
    _inline("moved a little", "position:relative;left:-2px"),
    _inline("hanging indent", "text-indent:-1em;padding-left:1em"),
    _inline("negative margin", "margin-left:-20px"),
    _inline("white on dark", "color:#fff;background:#222"),
    _inline("dark on white", "color:#222;background-color:#fff"),
    _inline("inherited colours", "color:inherit;background:inherit"),
    _inline(
        "gradient in the letters", "background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent"
    ),
    _inline("cut where it is too long", "overflow:hidden;max-height:400px"),
    _inline("no border", "border:none;list-style:none"),
    _inline("above others", "position:relative;z-index:10"),
    _inline("scaled", "transform:scale(1.05)"),
    _inline("shown in the end", "display:none;display:block"),
    _sheet("hidden in print", "@media print{.note{display:none}}"),
    _sheet("hidden on telephones", "@media (max-width:600px){.note{display:none}}"),
    _sheet("another class", ".hidden{display:none}.note{margin:0}"),
    _sheet("part of a name", ".no{display:none}"),
    _sheet("shown later", ".note{display:none}.note{display:block}"),
    _sheet("shown by a second class", ".note{display:none}.note.on{display:block}", '<p class="note on">'),
    _sheet("shown by its style", ".note{display:none}", '<p class="note" style="display:block">'),
    _sheet("hidden inside of something else", ".bar .note{display:none}"),
    _sheet("hidden while something is done", ".note:active{display:none}"),
    _sheet("its mark is hidden", ".note::before{display:none}"),
    _sheet("animation", "@keyframes come{from{opacity:0}to{opacity:1}}.note{animation:come 1s}"),
    _sheet(
        "tab",
        ".tab-pane{display:none}.tab-pane.active{display:block}",
        '<div class="tab-pane" role="tabpanel"><p>',
        "</p></div>",
    ),
    _sheet("accordion", ".accordion-body{display:none}", '<div class="accordion-body"><p>', "</p></div>"),
    _element("name of a class", '<p class="hidden-gem not-hidden">', "</p>"),
    _element("identifier", '<p id="hidden">', "</p>"),
    _element("found by searching", '<div hidden="until-found"><p>', "</p></div>"),
    _element("for screen readers too", '<p aria-hidden="false">', "</p>"),
    _element("open dialog", "<dialog open><p>", "</p></dialog>"),
    _element("details", "<details><summary>Maps</summary><p>", "</p></details>"),
    _element("deleted", "<p><del>", "</del></p>"),
    _element("inserted", "<p><ins>", "</ins></p>"),
    _element("small print", "<p><small>", "</small></p>"),
    _characters("family", "👨\u200d👩\u200d👧\u200d👦"),
    _characters("flag of a country", "🇳🇴"),
    _characters("tone of a hand", "👍🏽"),
    _characters("heart on fire", "❤\ufe0f\u200d🔥"),
    _characters("sign as a picture", "☎\ufe0f"),
    _characters("Persian", "می\u200cخواهم"),
    _characters("Devanagari", "क\u094d\u200dष"),
    _characters("Hebrew", "שלום עולם"),
    _characters("Arabic", "مرحبا بالعالم"),
    _characters("accents", "café e\u0301te\u0301"),
    _characters("key of a telephone", "7\ufe0f\u20e3"),
)
