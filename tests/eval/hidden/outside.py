"""Ways to hide text that somebody tried from outside, without a look at the rules; none opens on a click.

Some stay: text behind other elements, in boxes that only a layout knows, or by values that need a browser.
"""

from __future__ import annotations

from tests.eval.hidden.page import SECRET
from tests.eval.hidden.tricks import Trick

_STYLES = (
    ("inset-block-end", "position:absolute;inset-block-end:auto;inset-block-start:-9999px"),
    ("inset-inline shorthand", "position:absolute;inset-inline:-9999px auto"),
    ("inset-block shorthand", "position:absolute;inset-block:-9999px auto"),
    ("margin-inline shorthand", "margin-inline:-9999px 0"),
    ("margin 4 values", "margin:0 0 0 -9999px"),
    ("margin-block shorthand pulled", "margin-block:-9999px 0;position:absolute;top:0"),
    ("fixed bottom 100%", "position:fixed;bottom:100%"),
    ("fixed right 100%", "position:fixed;right:100%"),
    ("fixed left 100%", "position:fixed;left:100%"),
    ("fixed top 100vh", "position:fixed;top:100vh"),
    ("fixed top 101%", "position:fixed;top:101%"),
    ("absolute right 100vw", "position:absolute;right:100vw;left:auto;width:300px"),
    ("fixed calc", "position:fixed;top:calc(100% + 10px)"),
    ("translate3d", "transform:translate3d(-9999px,0,0)"),
    ("matrix translation", "transform:matrix(1,0,0,1,-9999,0)"),
    ("matrix3d translation", "transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,-9999,0,0,1)"),
    ("offset path", "offset-path:path('M-9999 -9999 L-9998 -9999')"),
    ("skewed", "transform:skewX(90deg)"),
    ("perspective far", "transform:perspective(10px) translateZ(-99999px)"),
    ("scaleX", "transform:scaleX(0)"),
    ("scale 3 values", "scale:1 0 1"),
    ("rotate3d", "transform:rotate3d(0,1,0,90deg)"),
    ("rotateX", "transform:rotateX(.25turn)"),
    ("rotate vector", "rotate:0 1 0 90deg"),
    ("backface", "transform:rotateY(180deg);backface-visibility:hidden"),
    ("clip ellipse", "clip-path:ellipse(0 0)"),
    ("clip circle elsewhere", "clip-path:circle(10px at -500px -500px)"),
    ("clip one point", "clip-path:polygon(0 0)"),
    ("clip path function", "clip-path:path('M0 0')"),
    ("clip rect function", "clip-path:rect(0 0 0 0)"),
    ("clip inset one side", "clip-path:inset(0 0 100% 0)"),
    ("clip inset with box", "clip-path:inset(100%) border-box"),
    ("clip auto", "position:absolute;clip:rect(auto,0,0,auto)"),
    ("clip far", "position:absolute;clip:rect(9999px,auto,auto,auto)"),
    ("clip zero height", "position:absolute;clip:rect(0,auto,0,auto)"),
    ("mask svg", ("mask-image:url(&quot;data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E&quot;)")),
    ("mask gradient spaces", "mask-image:linear-gradient(rgb(0 0 0 / 0) 0 0)"),
    ("mask hex alpha", "-webkit-mask:linear-gradient(#fff0,#fff0)"),
    ("mask gif", ("mask-image:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)")),
    ("brightness invert", "filter:brightness(0) invert(1)"),
    ("brightness", "filter:brightness(9999%) ;color:#222"),
    ("canvas colour", "color:Canvas"),
    ("mix in oklab", "color:color-mix(in oklab,white 99%,black)"),
    ("light-dark", "color:light-dark(white,black)"),
    ("lab", "color:lab(100% 0 0)"),
    ("oklch", "color:oklch(1 0 0)"),
    ("srgb function", "color:color(srgb 1 1 1)"),
    ("p3 function", "color:color(display-p3 1 1 1)"),
    ("alpha percent", "color:rgb(0 0 0 / 2%)"),
    ("hsl alpha", "color:hsl(0deg 0% 0% / .01)"),
    ("opacity exponent", "opacity:1e-3"),
    ("negative opacity", "opacity:-1"),
    ("opacity percent", "opacity:1%"),
    ("font exponent", "font-size:1e-2px"),
    ("font mm", "font-size:.1mm"),
    ("font Q", "font-size:.5Q"),
    ("font vmax", "font-size:.1vmax"),
    ("font calc product", "font-size:calc(1rem * 0)"),
    ("font max", "font-size:max(0px,1px)"),
    ("font percent zero", "font-size:0%"),
    ("font of shorthand with family", "font:1px/1 serif"),
    ("font italic shorthand", "font:italic bold .5px/2 Georgia,serif"),
    ("indent 120%", "text-indent:120%;white-space:nowrap;overflow:hidden"),
    ("indent 100vw", "text-indent:100vw;white-space:nowrap;overflow:hidden"),
    ("indent 9999px", "text-indent:9999px;white-space:nowrap;overflow:hidden"),
    ("padding pushes it out", "padding-left:100%;width:0;overflow:hidden;white-space:nowrap;box-sizing:border-box"),
    ("pushed down by padding", "height:20px;box-sizing:border-box;padding-top:200px;overflow:hidden;max-height:20px"),
    ("letter spacing", "letter-spacing:-2em;overflow:hidden;width:1px"),
    ("stroke", "-webkit-text-stroke:20px #fff"),
    ("multiply", "mix-blend-mode:multiply;color:#fff"),
    ("invalid after", "display:none;display:flexx"),
    ("important before", "display:none!important;display:block"),
    ("escape six digits", "display:\\00006eone"),
)
_SHEETS = (
    ("import data", "@import url('data:text/css,.n{display:none}');"),
    ("import data layer", "@import 'data:text/css,.n{display:none}' layer(a) screen;"),
    ("first line", ".n::first-line{color:#fff}.n{white-space:nowrap;overflow:hidden}"),
    ("first line size", ".n::first-line{font-size:0}.n{white-space:nowrap}"),
    (
        "content of an element",
        (".n{content:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)}"),
    ),
    ("slice", ".n{height:2px;overflow:hidden}"),
    ("style container", "html{--x:1}@container style(--x:1){.n{display:none}}"),
    ("named container", "main{container:m / inline-size}@container m (width>1px){.n{display:none}}"),
    ("scope to", "@scope (main) to (.x){.n{display:none}}"),
    ("nested media", ".n{@media (width>1px){display:none}}"),
    ("nested supports in parent", "main{article{@supports (display:grid){& > .n{display:none}}}}"),
    ("nested suffix parent", "p{.n&{display:none}}"),
    ("unclosed", ".n{display:none"),
    ("unclosed media", "@media screen{.n{display:none"),
    ("charset first", "@charset 'utf-8';.n{display:none}"),
    ("namespace", "@namespace svg url(http://www.w3.org/2000/svg);.n{display:none}"),
    ("bad rule before", "@foo{.x{}} .y{:;} ;.z{} .n{display:none}"),
    ("quote in a bad rule", ".z{content:'\\'}'}.n{display:none}"),
    ("semicolon in url", ".z{background:url(data:a;b{}c)}.n{display:none}"),
    ("attr of url with brace", ".z{background:url(a}b)}.n{display:none}"),
    ("revert", ".n{display:none!important;display:revert}"),
    ("all then none", ".n{all:unset;display:none}"),
    ("custom space", ":root{--a: ;--b:none}.n{display:var(--a) var(--b)}"),
    ("var case", ":root{--A:none;--a:block}.n{display:var(--A)}"),
    ("var of var name", ":root{--x:var(--y);--y:var(--z);--z:0}.n{opacity:var(--x)}"),
    ("if function", "html{--x:1}.n{display:if(style(--x:1): none; else: block)}"),
    ("calc opacity of vars", ":root{--k:.5}.n{opacity:calc(var(--k) - .5)}"),
    ("clamp font", ".n{font-size:clamp(0px,0px,1px)}"),
    ("trig", ".n{opacity:sin(0)}"),
    ("sqrt", ".n{font-size:calc(sqrt(0) * 1px)}"),
    ("padding box clip", ".n{overflow:clip;height:0;padding:0}"),
    ("max-block", ".n{max-block-size:0;overflow:hidden}"),
    ("white on a white gradient", ".n{color:#fff;background:linear-gradient(#fff,#fefefe)}"),
    (
        "text clip",
        (
            ".n{color:transparent;background:linear-gradient(#fff,#fefefe);-webkit-backgr"
            "ound-clip:text;background-clip:text}"
        ),
    ),
    ("paused animation", "@keyframes g{from{opacity:0}to{opacity:1}}.n{animation:g 9s paused}"),
    ("animation step", "@keyframes g{0%,100%{visibility:hidden}}.n{animation:g 1s infinite}"),
    ("both forwards", "@keyframes g{to{color:#fff}}.n{animation:g 1ms both}"),
    ("inline-block nothing", ".n{display:inline-block;width:0;height:0;overflow:hidden}"),
    ("off in relative", ".n{position:relative;left:-9999px}"),
    ("off in relative top", ".n{position:relative;top:-9999px}"),
    ("sticky? relative by percent", ".n{position:relative;left:-200%}"),
    ("absolute by percent", ".n{position:absolute;left:-200%}"),
)
_MEDIA = (
    "(width)",
    "(min-resolution:1dpi)",
    "(orientation:landscape)",
    "(hover)",
    "(400px<=width<=2000px)",
    "not (max-width:1px)",
    "(min-aspect-ratio:1/9)",
    "(scripting:enabled)",
    "(update:fast)",
    "(color)",
    "(prefers-reduced-motion:no-preference)",
    "(display-mode:browser)",
    "(any-pointer:fine)",
    "(forced-colors:none)",
    "(prefers-contrast:no-preference)",
    "(grid:0)",
    "(min-color:1)",
    "(monochrome:0)",
    "only screen and (min-device-width:1px)",
    "(width>0)or (hover)",
    "(not (width<1px)) and ((color) or (hover))",
    "(min-height:1px)",
    "(dynamic-range:standard)",
    "(overflow-block:scroll)",
    "(prefers-reduced-transparency:no-preference)",
    "(device-width)",
    "(min-width:1rem)",
)
_SUPPORTS = (
    "(--css:variables)",
    "not (foo:bar)",
    "selector(:has(a))",
    "((display:grid) and (not (display:inline-grid2)))",
    "(display:none)and (color:red)",
    "(animation-timeline:auto) or (display:block)",
)
_SELECTORS = (
    ":lang(en) .n",
    ".n:not(:hover)",
    ":-webkit-any(.n)",
    ".n:not(:not(.n))",
    ".n:not(#x)",
    ":root:has(.n) .n",
    ".n:defined",
    "[class~=N i]",
    "[CLASS=n]",
    "*.n:where(*)",
    ".n:not(:focus-within)",
    "p:nth-of-type(4)",
    "article>:nth-child(5)",
    "article>p:nth-child(-n+5):nth-child(n+5)",
    ".n:nth-last-child(n)",
    ".n:any-link,.n",
    ".n:is(p,div):not(a)",
    "p:has(+p):nth-child(5)",
    ".n:only-of-type,p.n",
    "main>article:first-child p.n",
    "html body main article p.n:not([id])",
    "h1~.n",
    "h1+p~p.n",
    ":is(main,div) :is(article) >:is(.n)",
    "p[class^=n][class$=n]",
    ":scope .n",
    "article :nth-child(5 of p,h1)",
    ".n:nth-child(even),.n:nth-child(odd)",
    ":not(.zz)>.n",
    ".\\6e ",
    ".\\6e",
    ".n:not(.a,.b):where(:not(i))",
    ".n:is(.n,:unknown-thing)",
    ":where(.n,:unknown(x))",
)
_PLACES = (
    ("mark in its colour by a sheet", ".n{color:yellow}", "<p><mark class=n>SECRET</mark></p>"),
    (
        "grid row of nothing",
        ".o{display:grid;grid-template-rows:0}.n{overflow:hidden;min-height:0;margin:0}",
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "flex of nothing",
        (".o{display:flex}.n{flex:0 0 0;min-width:0;width:0;overflow:hidden;white-space:nowrap}"),
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "column of a table collapsed",
        ".k{visibility:collapse}",
        ("<table><colgroup><col><col class=k></colgroup><tr><td>Boat</td><td>SECRET</td></tr></table>"),
    ),
    (
        "row collapsed",
        ".k{visibility:collapse}",
        "<table><tr><td>Boat</td></tr><tr class=k><td>SECRET</td></tr></table>",
    ),
    ("starting with hyphen", ".-n-x{display:none}", "<p class='-n-x'>SECRET</p>"),
    ("attr function", ".n{opacity:attr(data-o type(<number>))}", "<p class=n data-o=0>SECRET</p>"),
    ("clip by parent radius", ".o{height:0;overflow:clip}", "<div class=o><p>SECRET</p></div>"),
    (
        "negative z of child",
        ".n{position:relative;z-index:-1}.o{background:#fff}",
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "under the next block",
        (".n{margin:0;height:20px}.c{position:relative;margin-top:-20px;height:20px;background:#fff}"),
        "<p class=n>SECRET</p><div class=c></div>",
    ),
    (
        "covered",
        ".o{position:relative}.c{position:absolute;inset:0;background:#fff}",
        "<div class=o><p>SECRET</p><div class=c></div></div>",
    ),
    (
        "covered by generated",
        ".o{position:relative}.o::after{content:'';position:absolute;inset:0;background:#fff}",
        "<div class=o><p>SECRET</p></div>",
    ),
    ("opacities", ".o{opacity:.2}", "<div class=o><div class=o><div class=o><p>SECRET</p></div></div></div>"),
    ("scaled in two", ".o{transform:scale(.15)}", "<div class=o><div class=o><p>SECRET</p></div></div>"),
    ("float nothing", ".n{float:left;width:0;height:0;overflow:hidden}", "<span class=n>SECRET</span>"),
    (
        "absolute right of clipped",
        (".o{overflow:hidden;position:relative;height:30px}.n{position:absolute;left:110%;width:600px;margin:0}"),
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "absolute above clipped",
        (".o{overflow:hidden;position:relative;height:30px}.n{position:absolute;bottom:150%;margin:0}"),
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "translate 100% in clipped",
        ".o{overflow:hidden}.n{transform:translateX(-110%);margin:0}",
        "<div class=o><p class=n>SECRET</p></div>",
    ),
    (
        "white letters in white box in dark",
        ".o{background:#000;color:#fff}.p{background:#fff}",
        "<div class=o><div class=p><p>SECRET</p></div></div>",
    ),
    ("link colour", "a.n{color:#fff;text-decoration:none}", "<p><a class=n href=/x>SECRET</a></p>"),
    ("code colour", "code{color:#f4f4f4;background:#f5f5f5}", "<p><code>SECRET</code></p>"),
    ("th white", "th{color:#fff}", "<table><tr><th>SECRET</th></tr><tr><td>Boat</td></tr></table>"),
    ("heading white", "h3{color:#fff}", "<h3>SECRET</h3><p>Boats leave.</p>"),
    ("list marker", ".n{color:#fefefe;list-style:none}", "<ul><li>Boat</li><li class=n>SECRET</li></ul>"),
    ("caption", "caption{display:none}", "<table><caption>SECRET</caption><tr><td>Boat</td><td>1</td></tr></table>"),
    (
        "figcaption",
        "figcaption{font-size:0}",
        (
            "<figure><img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAA"
            "LAAAAAABAAEAAAIBRAA7' alt=x><figcaption>SECRET</figcaption></figure>"
        ),
    ),
    ("blockquote", "blockquote{opacity:0}", "<blockquote><p>SECRET</p></blockquote>"),
    ("pre", "pre{height:0;overflow:hidden}", "<pre>SECRET</pre>"),
    ("dt", "dd{display:none}", "<dl><dt>Boat</dt><dd>SECRET</dd></dl>"),
    ("button", "button{display:none}", "<button>SECRET</button>"),
)
_MARKUP = (
    (
        "clip-path of an empty shape",
        ("<svg width=0 height=0><clipPath id=e></clipPath></svg><p style='clip-path:url(#e)'>SECRET</p>"),
        "",
    ),
    (
        "svg filter",
        (
            "<svg width=0 height=0><filter id=f><feFlood flood-opacity=0 /></filter></svg"
            "><p style='filter:url(#f)'>SECRET</p>"
        ),
        "",
    ),
    ("mark in its colour", "<p><mark style='color:#ff0'>SECRET</mark></p>", ""),
    ("declarative shadow without slot", "<div><template shadowrootmode=open><b>Open.</b></template>SECRET</div>", ""),
    (
        "declarative shadow style",
        ("<div><template shadowrootmode=open><style>p{display:none}</style><p>SECRET</p></template></div>"),
        "",
    ),
    (
        "declarative shadow slot hidden",
        (
            "<div><template shadowrootmode=open><style>slot{display:none}</style><slot></"
            "slot></template><p>SECRET</p></div>"
        ),
        "",
    ),
    ("progress", "<progress value=.3>SECRET</progress>", ""),
    ("meter", "<meter value=.3>SECRET</meter>", ""),
    ("audio", "<audio controls>SECRET</audio>", ""),
    ("noembed", "<noembed>SECRET</noembed>", ""),
    ("noframes", "<noframes>SECRET</noframes>", ""),
    ("iframe fallback", "<iframe src='about:blank'>SECRET</iframe>", ""),
    ("svg defs", "<svg width=10 height=10><defs><text y=9>SECRET</text></defs></svg>", ""),
    ("svg symbol", "<svg width=10 height=10><symbol id=s><text y=9>SECRET</text></symbol></svg>", ""),
    ("svg title", "<svg width=10 height=10><title>SECRET</title><desc>SECRET</desc></svg>", ""),
    ("svg metadata", "<svg width=10 height=10><metadata>SECRET</metadata></svg>", ""),
    (
        "svg foreign object of no size",
        ("<svg width=0 height=0><foreignObject width=900 height=90><p>SECRET</p></foreignObject></svg>"),
        "",
    ),
    ("svg outside", "<svg width=10 height=10><text x=900 y=900>SECRET</text></svg>", ""),
    (
        "tracker with alt",
        (
            "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAAB"
            "AAEAAAIBRAA7' width=1 height=1 alt='SECRET'>"
        ),
        "",
    ),
    (
        "hidden image with alt",
        (
            "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAAB"
            "AAEAAAIBRAA7' style='display:none' alt='SECRET'>"
        ),
        "",
    ),
    ("two style attributes", "<p style='display:none' style='display:block'>SECRET</p>", ""),
    ("svg style", "<svg width=0 height=0><style>.n{display:none}</style></svg><p class=n>SECRET</p>", ""),
    ("style media", '<p class="n">SECRET</p>', "<style media='(min-width:1px)'>.n{display:none}</style>"),
    ("link data", '<p class="n">SECRET</p>', "<link rel=stylesheet href='data:text/css,.n%7Bdisplay:none%7D'>"),
    (
        "link upper",
        '<p class="n">SECRET</p>',
        ("<LINK REL='Stylesheet' HREF='data:text/css;charset=utf-8;base64,Lm57ZGlzcGxheTpub25lfQ=='>"),
    ),
    (
        "JSON-LD body",
        "",
        (
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":'
            '"NewsArticle","headline":"Ferry","articleBody":"SECRET SECRET SECRET","autho'
            'r":{"name":"A"}}</script>'
        ),
    ),
    (
        "JSON-LD description",
        "",
        (
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":'
            '"NewsArticle","headline":"Ferry","description":"SECRET"}</script>'
        ),
    ),
    (
        "microdata meta",
        ("<div itemscope itemtype='https://schema.org/Article'><meta itemprop=articleBody content='SECRET'></div>"),
        "",
    ),
    ("og description", "", '<meta property="og:description" content="SECRET">'),
    ("next data", "", ('<script id="__NEXT_DATA__" type="application/json">{"props":{"text":"SECRET"}}</script>')),
    ("text/template script", "<script type='text/template'><p>SECRET</p></script>", ""),
    ("xmp hidden", "<xmp hidden>SECRET</xmp>", ""),
    ("details no summary shown", "<details><summary style='display:none'></summary><p>SECRET</p></details>", ""),
    ("details name closed", '<details style="display:none"><summary>More</summary><p>SECRET</p></details>', ""),
    (
        "hidden accordion by class then really hidden",
        '<div class="accordion" style="position:absolute;left:-9999px"><p>SECRET</p></div>',
        "",
    ),
    ("tab words far away", '<div class="tab-content" style="font-size:0"><p>SECRET</p></div>', ""),
)
_NOTE = "<p class=n>SECRET</p>"


def _trick(name: str, body: str, head: str = "") -> Trick:
    return Trick(f"outside: {name}", body.replace("SECRET", SECRET), head.replace("SECRET", SECRET))


OUTSIDE = (
    *(_trick(name, f'<p style="{style}">SECRET</p>') for name, style in _STYLES),
    *(_trick(name, _NOTE, f"<style>{sheet}</style>") for name, sheet in _SHEETS),
    *(_trick(f"media {each}", _NOTE, f"<style>@media {each}{{.n{{display:none}}}}</style>") for each in _MEDIA),
    *(
        _trick(f"supports {each}", _NOTE, f"<style>@supports {each}{{.n{{display:none}}}}</style>")
        for each in _SUPPORTS
    ),
    *(_trick(f"selector {each}", _NOTE, f"<style>{each}{{display:none}}</style>") for each in _SELECTORS),
    *(_trick(name, body, f"<style>{sheet}</style>") for name, sheet, body in _PLACES),
    *(_trick(name, body, head) for name, body, head in _MARKUP),
)
