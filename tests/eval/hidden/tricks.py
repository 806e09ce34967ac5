"""Ways to put text into a page that its readers do not see."""

from __future__ import annotations

from dataclasses import dataclass

from tests.eval.hidden.page import SECRET

_TELLING = "harbour ledger"


@dataclass(frozen=True)
class Trick:
    """Markup for the middle of a page and for its head; `secret` is what must not come out."""

    name: str
    body: str
    head: str = ""
    secret: str = _TELLING


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

TRICKS = (*STYLES, *SHEETS, *ELEMENTS, *CHARACTERS)
