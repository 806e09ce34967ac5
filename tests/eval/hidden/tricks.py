"""Ways to put text into a page that its readers do not see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.eval.hidden.page import SECRET

_TELLING = "harbour ledger"


@dataclass(frozen=True)
class Trick:
    """Markup for the middle of a page and for its head; `secret` is what must not come out.

    `sheets` are the style sheets that the page links, by their path.
    """

    name: str
    body: str
    head: str = ""
    secret: str = _TELLING
    sheets: Mapping[str, str] = field(default_factory=dict)


def _inline(name: str, style: str, tag: str = "p") -> Trick:
    return Trick(f"style: {name}", f'<{tag} style="{style}">{SECRET}</{tag}>')


def _sheet(name: str, sheet: str, tag: str = 'p class="note"') -> Trick:
    return Trick(f"sheet: {name}", f"<{tag}>{SECRET}</{tag.split(' ')[0]}>", f"<style>{sheet}</style>")


def _element(name: str, markup: str) -> Trick:
    return Trick(f"element: {name}", markup.replace("SECRET", SECRET))


def _in_tag_characters(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


def _in_zero_widths(text: str) -> str:
    bits = "".join(f"{ord(character):08b}" for character in text)
    return bits.replace("0", "\u200b").replace("1", "\u200c")


def _in_variation_selectors(text: str) -> str:
    return "".join(chr(0xE0100 + ord(character) - 16) for character in text)


def _between_letters(mark: str) -> str:
    return mark.join(SECRET)


STYLES = (
    _inline("not displayed", "display:none"),
    _inline("not displayed, in capitals and with blanks", "DISPLAY : NONE ;"),
    _inline("not displayed, important", "display: none !important"),
    _inline("not displayed, shown before", "display:block;display:none"),
    _inline("not displayed, with a comment in it", "dis/**/play:none;display/* */:/* */none"),
    _inline("not displayed, with an escape", r"dis\70 lay:none"),
    _inline("not displayed, in entities", "display&#58;&#x6e;one"),
    _inline("invisible", "visibility:hidden"),
    _inline("collapsed", "visibility: collapse", "div"),
    _inline("transparent", "opacity:0"),
    _inline("nearly transparent", "opacity: 0.01"),
    _inline("transparent by a filter", "filter: opacity(0%)"),
    _inline("content not drawn", "content-visibility:hidden"),
    _inline("no size", "font-size:0"),
    _inline("one pixel", "font-size: 1px", "span"),
    _inline("tiny in another unit", "font-size:.05em"),
    _inline("far to the left", "position:absolute;left:-9999px"),
    _inline("far above", "position: fixed; top: -5000px"),
    _inline("far to the right", "position:absolute;right:-2000em"),
    _inline("indented away", "text-indent:-9999px"),
    _inline("margin", "margin-left:-10000px"),
    _inline("moved away", "transform:translateX(-9999px)"),
    _inline("scaled to nothing", "transform: scale(0)"),
    _inline("on edge", "transform:rotateY(90deg)"),
    _inline("clipped", "position:absolute;clip:rect(0 0 0 0)"),
    _inline("clipped to a pixel", "position:absolute; clip: rect(1px, 1px, 1px, 1px);"),
    _inline("clip path", "clip-path:inset(50%)"),
    _inline("clip path around nothing", "clip-path: circle(0)"),
    _inline("box of a pixel", "width:1px;height:1px;overflow:hidden"),
    _inline("no height", "max-height:0;overflow:hidden"),
    _inline("behind", "position:absolute;z-index:-1"),
    _inline("white on white", "color:#fff;background:white"),
    _inline("nearly white on white", "color: rgb(254, 254, 254); background-color: #ffffff"),
    _inline("the same in other colour spaces", "color:hsl(0, 100%, 50%);background-color:#f00"),
    _inline("transparent letters", "color:transparent"),
    _inline("letters without opacity", "color: rgba(0, 0, 0, 0)"),
)

SHEETS = (
    _sheet("class", ".note{display:none}"),
    _sheet("tag and class", "p.note { display : none }"),
    _sheet("identifier", "#n7{display:none}", 'p id="n7"'),
    _sheet("attribute", "[data-note]{display:none}", 'p data-note="1"'),
    _sheet("one of several selectors", "h6, .note , .other{visibility:hidden}"),
    _sheet("inside of the body", "body .note{display:none}"),
    _sheet("for screens", "@media screen{.note{display:none}}"),
    _sheet("for wide screens", "@media (min-width: 600px){.note{display:none}}"),
    _sheet("two classes", ".note.small{display:none}", 'p class="small note"'),
    _sheet("escaped", r".note{d\69splay:none}"),
    _sheet("with comments", ".note/* x */{/* y */display:/* z */none}"),
    _sheet("more specific than what shows it", "p.note{display:none}.note{display:block}"),
    _sheet("later than what shows it", ".note{display:block}.note{display:none}"),
    _sheet("off the screen", ".note{position:absolute;left:-9999px}"),
    _sheet("camouflage", ".note{color:#fefefe;background:#fff}"),
    _sheet("clipped", ".note{clip:rect(0,0,0,0);position:absolute}"),
    _sheet("tiny", ".note{font-size:0}"),
    _sheet("an element of its own", "x-note{display:none}", "x-note"),
)

ELEMENTS = (
    _element("hidden", "<p hidden>SECRET</p>"),
    _element("hidden, with a value", '<div hidden="hidden"><p>SECRET</p></div>'),
    _element("hidden around others", "<section hidden><div><ul><li>SECRET</li></ul></div></section>"),
    _element("not for screen readers", '<div aria-hidden="true">SECRET</div>'),
    _element("for screen readers only", '<span class="sr-only">SECRET</span>'),
    _element("closed dialog", "<dialog><p>SECRET</p></dialog>"),
    _element("closed popover", "<div popover id=p1>SECRET</div>"),
    _element("comment", "<!-- SECRET -->"),
    _element("comment that ends early", "<!--> --><!-- <p>SECRET</p> -->"),
    _element("unknown declaration", "<!SECRET><?note SECRET?>"),
    _element("CDATA", "<![CDATA[ SECRET ]]>".replace("]]>", ">")),
    _element("template", "<template><p>SECRET</p></template>"),
    _element("noscript", "<noscript><p>SECRET</p></noscript>"),
    _element("script", '<script type="text/plain">SECRET</script>'),
    _element("style", "<style>/* SECRET */</style>"),
    _element("hidden field", '<input type="hidden" value="SECRET">'),
    _element("text field", "<textarea>SECRET</textarea>"),
    _element("choice", "<select><option>SECRET</option></select>"),
    _element("attributes", '<p title="SECRET" data-note="SECRET" aria-label="SECRET">The pier is open.</p>'),
    _element("title of a link", '<p>See <a href="/pier" title="SECRET">the pier</a>.</p>'),
    _element("meta", '<meta name="note" content="SECRET">'),
    _element("fallback of an object", '<object data="map.svg">SECRET</object>'),
    _element("fallback of a canvas", "<canvas>SECRET</canvas>"),
    _element("fallback of a video", '<video src="a.mp4">SECRET</video>'),
    _element("frame", "<iframe>SECRET</iframe>"),
    _element("drawing", "<svg><title>SECRET</title><desc>SECRET</desc><metadata>SECRET</metadata></svg>"),
    _element(
        "formula", "<math><semantics><mi>x</mi><annotation encoding='text/plain'>SECRET</annotation></semantics></math>"
    ),
    _element("phantom", "<math><mi>x</mi><mphantom><mtext>SECRET</mtext></mphantom></math>"),
    _element("ruby in parentheses", "<p>The <ruby>pier<rp>SECRET</rp><rt>quay</rt></ruby> is open.</p>"),
    _element("suggestions", "<datalist><option value='SECRET'>SECRET</option></datalist>"),
)

CHARACTERS = (
    Trick("characters: tags", f"<p>The pier is open{_in_tag_characters(SECRET)}.</p>", secret=_in_tag_characters("a")),
    Trick("characters: zero widths", f"<p>The pier{_in_zero_widths(SECRET)} is open.</p>", secret="\u200b"),
    Trick("characters: other zero widths", f"<p>The{_in_zero_widths(SECRET)} pier is open.</p>", secret="\u200c"),
    Trick(
        "characters: variation selectors",
        f"<p>The pier 😀{_in_variation_selectors(SECRET)} is open.</p>",
        secret=_in_variation_selectors("a"),
    ),
    Trick("characters: few variation selectors", "<p>Open 😀\ufe00\ufe01\ufe02\ufe03.</p>", secret="\ufe01"),
    Trick("characters: bidi override", f"<p>\u202e{SECRET[::-1]}\u202c</p>", secret="\u202e"),
    Trick("characters: isolates", f"<p>\u2067{SECRET}\u2069</p>", secret="\u2067"),
    Trick("characters: soft hyphens", f"<p>{_between_letters(chr(0xAD))}</p>", secret="\u00ad"),
    Trick("characters: word joiners", f"<p>{_between_letters(chr(0x2060))}</p>", secret="\u2060"),
    Trick("characters: byte order marks", f"<p>{_between_letters(chr(0xFEFF))}</p>", secret="\ufeff"),
    Trick("characters: Hangul fillers", f"<p>The pier{chr(0x3164) * 40} is open.</p>", secret="\u3164"),
    Trick("characters: musical controls", f"<p>The pier{chr(0x1D173) * 20} is open.</p>", secret="\U0001d173"),
    Trick("characters: in entities", "<p>The pier &#xE0041;&#xE0042;&#x200B; is open.</p>", secret="\U000e0041"),
)

VARIABLES = (
    _sheet("variable", ":root{--gone:none}.note{display:var(--gone)}"),
    _sheet("variable of the element", ".note{--d:none;display:var(--d)}"),
    _sheet("fallback of a variable", ".note{display:var(--unset, none)}"),
    _sheet("fallback in a fallback", ".note{display:var(--a, var(--b, none))}"),
    _sheet("chain of variables", ":root{--a:var(--b);--b:var(--c);--c:0}.note{opacity:var(--a)}"),
    _sheet("variable that an ancestor changes", ":root{--show:block}article{--show:none}.note{display:var(--show)}"),
    _sheet(
        "variable in a length", ":root{--far:-9999px}.note{position:absolute;left:calc(var(--far))}", 'p class="note"'
    ),
    _sheet("variables as colours", ":root{--ink:#fefefe;--paper:#fff}.note{color:var(--ink);background:var(--paper)}"),
    _sheet("cycle with a fallback", ".note{--a:var(--b);--b:var(--a);display:var(--a,none)}"),
    Trick(
        "variable in a style attribute",
        f'<section style="--tone:0"><p class="note">{SECRET}</p></section>',
        "<style>.note{opacity:var(--tone)}</style>",
    ),
    _sheet(
        "registered variable",
        "@property --o{syntax:'<number>';inherits:false;initial-value:0}.note{opacity:var(--o)}",
    ),
    _sheet("variable in a colour function", ":root{--rgb:255,255,255}.note{color:rgb(var(--rgb))}"),
)


def _placed(name: str, sheet: str, markup: str) -> Trick:
    return Trick(f"place: {name}", markup.replace("SECRET", SECRET), f"<style>{sheet}</style>")


SELECTORS = (
    _placed("descendant", ".box .note{display:none}", '<div class="box"><p class="note">SECRET</p></div>'),
    _placed("child", ".box > p{display:none}", '<div class="box"><p>SECRET</p></div>'),
    _placed("next sibling", "h3 + p{display:none}", "<h3>Timetable</h3><p>SECRET</p><p>The pier is open.</p>"),
    _placed("later sibling", ".mark ~ .aside{display:none}", '<i class="mark"></i><b>x</b><p class="aside">SECRET</p>'),
    _placed(
        "long chain",
        "html body main article div.box>p span{font-size:0}",
        '<div class="box"><p><span>SECRET</span></p></div>',
    ),
    _placed("is", ":is(.a,.b) :is(em,.note){display:none}", '<div class="b"><p class="note">SECRET</p></div>'),
    _placed("where", ":where(.note){display:none}", '<p class="note">SECRET</p>'),
    _placed("not", "p.extra:not(.shown){display:none}", '<p class="extra">SECRET</p>'),
    _placed(
        "not with a list", ".box p:not(.a, .b){visibility:hidden}", '<div class="box"><p class="c">SECRET</p></div>'
    ),
    _placed("attribute that begins", '[class^="sys-"]{display:none}', '<p class="sys-note">SECRET</p>'),
    _placed("attribute that contains", "p[data-k*=tern]{display:none}", '<p data-k="internal">SECRET</p>'),
    _placed("attribute that ends", "[id$='-ai']{opacity:0}", '<p id="for-ai">SECRET</p>'),
    _placed("word of an attribute", "[data-t~=low]{display:none}", '<p data-t="very low">SECRET</p>'),
    _placed("attribute with a hyphen", "p[lang|=x]{display:none}", '<p lang="x-none">SECRET</p>'),
    _placed("attribute in any case", "[data-k=ABC i]{display:none}", '<p data-k="abc">SECRET</p>'),
    _placed("nested", ".box{color:#222; .note{display:none}}", '<div class="box"><p class="note">SECRET</p></div>'),
    _placed("nested with an ampersand", ".note{&.x{display:none}}", '<p class="note x">SECRET</p>'),
    _placed("nested twice", "article{.box{& > p{opacity:0}}}", '<div class="box"><p>SECRET</p></div>'),
    _placed("nested condition", ".note{@media screen{display:none}}", '<p class="note">SECRET</p>'),
    _placed("after a nested rule", ".note{&:hover{color:red} display:none}", '<p class="note">SECRET</p>'),
    _placed("last child", ".box p:last-child{display:none}", '<div class="box"><p>The pier.</p><p>SECRET</p></div>'),
    _placed("third child", "ul.l li:nth-child(3){display:none}", '<ul class="l"><li>a<li>b<li>SECRET</ul>'),
    _placed("every other", ".r p:nth-child(2n){visibility:hidden}", '<div class="r"><p>a</p><p>SECRET</p></div>'),
    _placed("first of its type", ".r em:first-of-type{display:none}", '<p class="r">Open. <em>SECRET</em></p>'),
    _placed("has", ".box:has(.flag){display:none}", '<div class="box"><i class="flag"></i><p>SECRET</p></div>'),
    _placed("escaped name", r".n\6fte,.md\:gone{display:none}", '<p class="md:gone">SECRET</p>'),
    _placed("root", ":root .note{display:none}", '<p class="note">SECRET</p>'),
    _placed("brace in a string", '.q::before{content:"{"}.note{display:none}', '<p class="note">SECRET</p>'),
    _placed("comment marks of HTML", "<!-- .note{display:none} -->", '<p class="note">SECRET</p>'),
    _placed("everything", ".box *{display:none}", '<div class="box"><p>SECRET</p></div>'),
)

CONDITIONS = (
    _sheet("supported", "@supports (display:grid){.note{display:none}}"),
    _sheet("not supported", "@supports not (display:nonsense){.note{display:none}}"),
    _sheet("supported both", "@supports (display:flex) and (not (foo:bar)){.note{opacity:0}}"),
    _sheet("layer", "@layer base{.note{display:none}}"),
    _sheet("later layer", "@layer a,b;@layer b{.note{display:none}}@layer a{.note{display:block}}"),
    _sheet(
        "important in the first layer",
        "@layer a{.note{display:none!important}}#n{display:block!important}",
        'p class="note" id="n"',
    ),
    _sheet("range of widths", "@media (400px <= width <= 4000px){.note{display:none}}"),
    _sheet("width in em", "@media only screen and (min-width:40em){.note{display:none}}"),
    _sheet("not print", "@media not print{.note{display:none}}"),
    _sheet("with a mouse", "@media (hover:hover) and (pointer:fine){.note{display:none}}"),
    _sheet("one of several media", "@media print, (min-width:300px){.note{display:none}}"),
    _sheet("light scheme", "@media (prefers-color-scheme:light){.note{color:#fff;background:#fff}}"),
    _sheet("scope", "@scope (article){.note{display:none}}"),
    _sheet("conditions in conditions", "@layer x{@supports (gap:1px){@media screen{.note{display:none}}}}"),
    Trick(
        "sheet in an address",
        f'<p class="note">{SECRET}</p>',
        '<link rel="stylesheet" href="data:text/css,.note%7Bdisplay%3Anone%7D">',
    ),
    Trick(
        "sheet in an address, in base 64",
        f'<p class="note">{SECRET}</p>',
        '<link rel=stylesheet href="data:text/css;base64,Lm5vdGV7ZGlzcGxheTpub25lfQ==">',
    ),
    Trick("sheet in the body", f'<style>.note{{display:none}}</style><p class="note">{SECRET}</p>'),
    _sheet("end of an animation", "@keyframes go{to{opacity:0}}.note{animation:go 1ms forwards}"),
    _sheet("animation without keyframes", ".note{opacity:0;animation:nothing 1s}"),
    _sheet("transition that nothing starts", ".note{opacity:0;transition:opacity 1s}"),
)

COLOURS = (
    _sheet("white on the page", ".note{color:#fff}"),
    _inline("white on the page", "color:white"),
    _inline("nearly white on the page", "color:#fdfdfd"),
    _sheet("colour of the body", "body{background:#123456}p{color:#fff}.note{color:#123456}"),
    _placed(
        "background of an ancestor",
        ".box{background:#102030}.note{color:#112131}",
        '<div class="box"><p class="note">SECRET</p></div>',
    ),
    _placed("inherited text colour", ".box{color:#fff}", '<div class="box"><div><p>SECRET</p></div></div>'),
    _placed("background in the text's colour", "body{color:#333}.note{background:#333}", '<p class="note">SECRET</p>'),
    _placed("two classes", ".ink{color:#eee}.paper{background:#efefef}", '<p class="ink paper">SECRET</p>'),
    _inline("colour in percent", "color:rgb(100% 100% 100%)"),
    _inline("hue, whiteness, blackness", "color:hwb(0 100% 0%)"),
    _inline("lightness", "color:oklch(1 0 0)"),
    _inline("few per cent of ink", "color:rgb(0 0 0 / 2%)"),
    _inline("eight digits", "color:#00000005"),
    _inline("fill", "-webkit-text-fill-color:#fff"),
    _inline("named colour", "color:ghostwhite;background:white"),
    _inline("mixed colour", "color:color-mix(in srgb, white 99%, black)"),
    _element("font", '<p><font color="#ffffff">SECRET</font></p>'),
    _element("cell", '<table bgcolor="#ffffff"><tr><td><font color="white">SECRET</font></td></tr></table>'),
    _placed(
        "ink by opacity",
        ".a{opacity:.2}.b{opacity:.2}",
        '<div class="a"><div class="a"><p class="b">SECRET</p></div></div>',
    ),
    _inline("same by currentcolor", "background-color:currentcolor"),
)

SHAPES = (
    _sheet("tiny letters", ".note{font-size:1px}"),
    _sheet("letters of two pixels", ".note{font-size:2px}"),
    _sheet("font shorthand", ".note{font:0/0 a}"),
    _placed("tiny by inheritance", ".box{font-size:.5px}.box p{font-size:1em}", '<div class="box"><p>SECRET</p></div>'),
    _placed("size in two rules", ".w{width:0}.h{overflow:hidden}.n{white-space:nowrap}", '<p class="w h n">SECRET</p>'),
    _inline("logical sizes", "inline-size:0;block-size:0;overflow:hidden"),
    _inline("no height, clipped", "height:0;overflow:clip"),
    _inline("no height, scrolled", "height:0;overflow-y:auto"),
    _inline("scaled by its property", "scale:0"),
    _inline("scaled to a thousandth", "transform:scale(.001)"),
    _inline("scaled in one direction", "transform:scaleY(0)"),
    _inline("zoomed away", "zoom:0.01"),
    _inline("inset from all sides", "position:absolute;clip-path:inset(100%)"),
    _inline("inset from one side", "clip-path:inset(0 0 100% 0)"),
    _inline("inset from right to left", "clip-path:inset(0 100% 0 0)"),
    _inline("polygon without area", "clip-path:polygon(0 0,0 0,0 0,0 0)"),
    _inline(
        "masked",
        "-webkit-mask-image:linear-gradient(transparent,transparent);mask-image:linear-gradient(transparent,transparent)",
    ),
    _inline("placed by inset", "position:fixed;inset:-9999px auto auto -9999px"),
    _inline("to the right of the window", "position:fixed;left:200vw"),
    _inline("below the window", "position:fixed;top:150vh"),
    _inline("moved by translate", "translate:-9999px 0"),
    _inline("moved by several windows", "transform:translateX(-300vw)"),
    _inline("logical margin", "margin-inline-start:-9999px"),
    _inline("indented behind its edge", "text-indent:100%;white-space:nowrap;overflow:hidden;width:300px"),
    _inline("letters on top of each other", "letter-spacing:-999px"),
    _inline("letters as dots", "-webkit-text-security:disc"),
    _inline("blurred", "filter:blur(60px)"),
    _sheet("drawn later", ".note{content-visibility:hidden}"),
    _placed("in a closed box", ".box{height:1px;overflow:hidden}", '<div class="box"><p>SECRET</p></div>'),
    _inline("turned on edge by its property", "rotate:y 90deg"),
    _inline("contained in nothing", "contain:strict"),
)

COMBINED = (
    _placed(
        "variable, nesting and a layer",
        "@layer t{:root{--v:hidden}.box{& .note{visibility:var(--v)}}}",
        '<div class="box"><p class="note">SECRET</p></div>',
    ),
    _placed(
        "inherited variable as colour under a sibling",
        "article{--paper:#fff}.x + div{color:var(--paper)}",
        '<hr class="x"><div><p>SECRET</p></div>',
    ),
    _placed(
        "shown and hidden again",
        ".note{display:none}.box .note{display:block}@media screen{article .box p.note{display:none}}",
        '<div class="box"><p class="note">SECRET</p></div>',
    ),
    _placed(
        "utility classes",
        ".absolute{position:absolute}.w-px{width:1px}.h-px{height:1px}.overflow-hidden{overflow:hidden}.p-0{padding:0}",
        '<div class="absolute w-px h-px overflow-hidden p-0">SECRET</div>',
    ),
    _placed(
        "off the screen in two classes",
        ".abs{position:absolute}.away{left:-624.9375rem}",
        '<span class="abs away">SECRET</span>',
    ),
    _placed(
        "in a list of navigation",
        "li.k{height:0;overflow:hidden;list-style:none}",
        '<ul><li>Tickets<li class="k">SECRET<li>Boats</ul>',
    ),
    _placed(
        "conditions and attributes",
        "@supports selector(:is(a)){[data-role=meta i]:not([data-open]){opacity:0;pointer-events:none}}",
        '<div data-role="Meta"><p>SECRET</p></div>',
    ),
    _placed(
        "small print of a cell",
        "table.t td:last-child{font-size:0;color:#fff}",
        '<table class="t"><tr><td>Boat</td><td>SECRET</td></tr></table>',
    ),
    _placed(
        "important against a style",
        ".note{display:none!important}",
        '<p class="note" style="display:block">SECRET</p>',
    ),
    _placed(
        "hidden attribute that a sheet confirms",
        "[hidden]{display:none!important}.note{display:block}",
        '<p class="note" hidden>SECRET</p>',
    ),
    _placed(
        "word in the middle of a sentence",
        ".k{position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)}",
        '<p>The pier is open <span class="k">SECRET</span> until noon.</p>',
    ),
    _placed(
        "screen-reader class under another name",
        ".u-vh:not(:focus):not(:active){clip:rect(0 0 0 0);clip-path:inset(50%);height:1px;overflow:hidden;"
        "position:absolute;white-space:nowrap;width:1px}",
        '<p class="u-vh">SECRET</p>',
    ),
)


def _linked(name: str, sheet: str, markup: str = '<p class="note">SECRET</p>', link: str = "/site.css") -> Trick:
    return Trick(
        f"linked: {name}",
        markup.replace("SECRET", SECRET),
        f'<link rel="stylesheet" href="{link}">',
        sheets={link: sheet},
    )


LINKED = (
    _linked("class", ".note{display:none}"),
    _linked("white on white", ".note{color:#fff}"),
    _linked("variable", ":root{--x:0}.note{opacity:var(--x)}"),
    _linked("descendant", ".box p{position:absolute;left:-9999px}", '<div class="box"><p>SECRET</p></div>'),
    _linked("tiny", ".note{font-size:1px}"),
    Trick(
        "linked: imported by the page",
        f'<p class="note">{SECRET}</p>',
        "<style>@import url(/print.css) print;@import '/extra.css';</style>",
        sheets={"/extra.css": ".note{display:none}", "/print.css": ""},
    ),
)

CALCULATED = tuple(
    _sheet(f"calculated: {name}", f".note{{{declarations}}}")
    for name, declarations in (
        ("opacity", "opacity:calc(2 - 2)"),
        ("smallest size", "font-size:min(1px,2rem)"),
        ("clamped size", "font-size:clamp(0rem,.1vw,2px)"),
        ("size of the window", "font-size:.08vw"),
        ("position", "position:absolute;top:calc(-100vh - 200%)"),
        ("lines away", "position:absolute;top:-300lh"),
        ("containers away", "position:fixed;left:-200cqw"),
        ("angle", "transform:rotateY(100grad)"),
        ("solid matrix", "transform:matrix3d(0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,1)"),
        ("outside of its box", "clip-path:polygon(100% 0,200% 0,200% 90%)"),
        ("mask without a size", "mask:linear-gradient(#000,#000) no-repeat;mask-size:0 0"),
        ("column", "display:table-column"),
        ("adjusted to nothing", "font-size-adjust:0"),
        ("environment", "display:env(keyboard-inset-none,none)"),
        ("variable without a value", "--d:initial;display:var(--d,none)"),
        ("same shadow", "color:#fff;text-shadow:1px 1px 0 #fffffe"),
        ("shadow far away", "color:#fff;text-shadow:-4000px 0 0 #000"),
        ("same outline", "color:#fff;-webkit-text-stroke:2px white"),
        ("multiplied", "color:#fff;mix-blend-mode:multiply"),
        ("from another colour", "color:rgb(from #fff r g b)"),
        ("colour of fields", "color:field"),
    )
)
MATCHED = tuple(
    _sheet(f"matched: {name}", sheet)
    for name, sheet in (
        ("before a paragraph", "p:has(+ p):not(:has(i)).note{display:none}"),
        ("among paragraphs", ".note:nth-child(n of .note){display:none}"),
        ("not editable", ".note:read-only{display:none}"),
        ("direction", ".note:dir(ltr){display:none}"),
        ("any namespace", "*|p.note{display:none}"),
        ("pixel ratio", "@media (-webkit-min-device-pixel-ratio:.5){.note{display:none}}"),
        ("inches", "@media (min-width:2in){.note{display:none}}"),
        ("calculated width", "@media (min-width:calc(20em + 2px)){.note{display:none}}"),
        ("line of a container", "body{container-type:inline-size}@container (inline-size>9em){.note{display:none}}"),
    )
)
_BULK = f"<p>{SECRET}</p>" * 120
BULK = (
    *(
        Trick(f"bulk: {name}", f'<div style="{style}">{_BULK}</div>')
        for name, style in (
            ("display", "display:none"),
            ("far away", "position:absolute;left:-9999px"),
            ("white", "color:#fff;background:#fff"),
            ("tiny", "font-size:0"),
            ("faint", "opacity:0"),
        )
    ),
    Trick("bulk: attribute", f"<div hidden>{_BULK}</div>"),
)
_SPEND = "u:not(.a,.b,.c,.d,.e):nth-last-child(2n+9999){display:none}"
SPENT = tuple(
    Trick(
        f"spent: {name}",
        f"<div>{'<u>x</u>' * 2_000}</div>{body.replace('SECRET', SECRET)}",
        f"<style>{_SPEND}{sheet}</style>",
    )
    for name, sheet, body in (
        ("tag", "x-n{display:none}", "<x-n>SECRET</x-n>"),
        ("attribute", "[data-q]{display:none}", "<p data-q=1>SECRET</p>"),
        ("inherited white", ".w{color:#fff}", "<div class=w><p>SECRET</p></div>"),
        ("descendant", ".w p{display:none}", "<div class=w><p>SECRET</p></div>"),
    )
)
NO_FORMULAS = (
    _element("formula: class", '<p class="katex-mathml" style="display:none">SECRET</p>'),
    _element("formula: element", '<mjx-assistive-mml style="display:none">SECRET</mjx-assistive-mml>'),
)

TRICKS = (
    *STYLES,
    *SHEETS,
    *ELEMENTS,
    *CHARACTERS,
    *VARIABLES,
    *SELECTORS,
    *CONDITIONS,
    *COLOURS,
    *SHAPES,
    *COMBINED,
    *LINKED,
    *CALCULATED,
    *MATCHED,
    *BULK,
    *SPENT,
    *NO_FORMULAS,
)
