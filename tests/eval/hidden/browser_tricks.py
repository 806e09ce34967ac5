"""Text that a script puts into an empty shell: hidden in ways that only a browser can tell, and visible look-alikes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.eval.hidden.page import PARAGRAPHS, SECRET

TOLD = "The lighthouse keeper sells maps of the shoals on Sunday mornings."
OPENS = "a click opens it"


@dataclass(frozen=True)
class Rendered:
    """A part of a page that a script builds, TEXT standing for its text; `unproven` says why no picture proves it."""

    name: str
    body: str
    style: str = ""
    script: str = ""
    head: str = ""
    unproven: str = ""

    def shell(self, text: str) -> str:
        """The page: an empty shell, and the script that fills it."""
        written = [f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS]
        parts = ["<article><h1>The ferry to the island</h1>", *written[:3], self.body, *written[3:], "</article>"]
        article = json.dumps("".join(parts)).replace("</", "<\\/")
        return (
            "<!doctype html><html lang=en><head><meta charset=utf-8><title>The ferry to the island</title>"
            f"<style>body{{margin:8px;background:#fff}}{self.style}</style>{self.head}</head>"
            f"<body><main id=app></main><script>\napp.innerHTML = {article};\n{self.script}\n</script></body></html>"
        ).replace("TEXT", text)


def _styled(name: str, declarations: str, tag: str = "p") -> Rendered:
    return Rendered(f"class: {name}", f"<{tag} class=n>TEXT</{tag.split()[0]}>", f".n{{{declarations}}}")


def _wrapped(name: str, outer: str, inner: str = "", body: str = "<div class=o><p class=n>TEXT</p></div>") -> Rendered:
    return Rendered(f"around: {name}", body, f".o{{{outer}}}.n{{{inner}}}")


def _scripted(name: str, script: str, style: str = "", body: str = "<p class=n id=n>TEXT</p>") -> Rendered:
    return Rendered(f"script: {name}", body, style, script)


def _shadow(name: str, inner: str, mode: str = "open", light: str = "", script: str = "") -> Rendered:
    start = f"const root = host.attachShadow({{mode: '{mode}'}}); root.innerHTML = `{inner}`;"
    return Rendered(f"shadow: {name}", f"<x-part id=host>{light}</x-part>", script=start + script)


def _framed(name: str, attributes: str, style: str = "", inner: str = "<p>TEXT</p>") -> Rendered:
    return Rendered(f"frame: {name}", f'<iframe {attributes} srcdoc="{inner}"></iframe>', style)


_GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
_LIES = """
window.getComputedStyle = () => ({display: 'block', visibility: 'visible', opacity: '1'});
Element.prototype.checkVisibility = () => true;
Element.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 500, 20);
Range.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 500, 20);
Object.defineProperty(CSSStyleDeclaration.prototype, 'display', {get: () => 'block'});
CSSStyleDeclaration.prototype.getPropertyValue = () => 'block';
"""

_SHEETS = (
    _styled("not displayed", "display:none"),
    _styled("invisible", "visibility:hidden"),
    _styled("transparent", "opacity:0"),
    _styled("content not drawn", "content-visibility:hidden"),
    _styled("clipped by an inset", "clip-path:inset(50%)"),
    _styled("clipped by a polygon", "clip-path:polygon(0 0, 0 0, 0 0)"),
    _styled("clipped by a circle", "clip-path:circle(0)"),
    _styled("clipped by a rectangle", "position:absolute;clip:rect(0 0 0 0)"),
    _styled("mask without paint", "mask-image:linear-gradient(transparent,transparent)"),
    _styled("mask without a size", "mask:linear-gradient(#000,#000) no-repeat;mask-size:0 0"),
    _styled("transparent letters", "color:transparent"),
    _styled("letters without fill", "-webkit-text-fill-color:transparent"),
    _styled("letters of the page's colour", "color:#fff"),
    _styled("in another colour space", "color:oklch(0.995 0.002 90)"),
    _styled("mixed with nothing", "color:color-mix(in srgb, black 2%, transparent)"),
    _styled("on a gradient of one colour", "color:#fefefe;background:linear-gradient(#fff,#fdfdfd)"),
    _styled("on an empty picture", f"color:#fff;background:#fff url({_GIF})"),
    _styled(
        "letters filled with the page's colour",
        "color:transparent;background:linear-gradient(#fff,#fefefe);-webkit-background-clip:text;background-clip:text",
    ),
    _styled("blended away", "mix-blend-mode:lighten;color:#000"),
    _styled("multiplied away", "mix-blend-mode:multiply;color:#fff"),
    _styled("one pixel", "font-size:1px"),
    _styled("no size", "font-size:0"),
    _styled("scaled down", "transform:scale(.01);transform-origin:0 0"),
    _styled("scaled to nothing", "scale:0"),
    _styled("on edge", "transform:rotateY(90deg)"),
    _styled("turned away", "transform:rotateY(180deg);backface-visibility:hidden"),
    _styled("moved away", "transform:translateX(-9999px)"),
    _styled("far to the left", "position:absolute;left:-9999px"),
    _styled("far above", "position:fixed;top:-500vh"),
    _styled("indented away", "text-indent:-999em;overflow:hidden"),
    _styled("pushed out by a margin", "margin-left:-9999px"),
    _styled("no height", "height:0;overflow:hidden"),
    _styled("no width", "width:0;height:1em;white-space:nowrap;overflow:hidden"),
    _styled("piled letters", "letter-spacing:-1em;width:0;overflow:hidden;white-space:nowrap"),
    _styled("dots instead of letters", "-webkit-text-security:disc"),
    _styled("smeared", "filter:blur(60px)"),
    _styled("filtered away", "filter:opacity(0)"),
    _styled("filtered to white", "filter:brightness(0) invert(1)"),
    _styled("under a broad stroke", "-webkit-text-stroke:20px #fff"),
    _styled("clipped by a path", "clip-path:path('M0 0 L0 0 Z')"),
    _styled("clipped by a rectangle of no size", "clip-path:xywh(0 0 0 0)"),
    _styled("mask of an empty picture", f"mask-image:url({_GIF})"),
    _styled("one letter of it", "max-width:1ch;overflow:hidden;white-space:nowrap"),
    _styled("a slice of it", "height:4px;overflow:hidden"),
    _styled("zoomed out", "zoom:.04"),
    _styled("far behind the screen", "transform:perspective(1px) translateZ(-300px)"),
    _styled("contained in no height", "contain:strict"),
)
_AROUND = (
    _wrapped(
        "opacities that multiply",
        "opacity:.2",
        "opacity:.2",
        "<div class=o><div class=o><p class=n>TEXT</p></div></div>",
    ),
    _wrapped("nearly transparent", "opacity:.01"),
    _wrapped("pushed out of a box", "height:40px;overflow:hidden", "padding-top:300px;margin:0"),
    _wrapped(
        "pushed out sideways",
        "width:300px;height:40px;overflow:hidden;position:relative",
        "position:absolute;left:400px;width:600px",
    ),
    _wrapped("dark on dark", "background:#111;color:#131313"),
    _wrapped("size of nothing, inherited", "font-size:0"),
    _wrapped("behind the background of a box", "background:#fff;position:static", "position:relative;z-index:-1"),
    Rendered(
        "around: under an opaque cover",
        "<div class=o><p>TEXT</p><div class=c></div></div>",
        ".o{position:relative}.c{position:absolute;inset:0;background:#fff}",
    ),
    Rendered(
        "around: under the next block",
        "<p class=n>TEXT</p><div class=c></div>",
        ".n{margin:0;height:20px}.c{position:relative;margin-top:-20px;height:20px;background:#fff}",
    ),
    Rendered(
        "around: details without a way to open",
        "<details><summary class=n></summary><p>TEXT</p></details>",
        ".n{display:none}",
    ),
    Rendered(
        "around: under a generated cover",
        "<div class=o><p>TEXT</p></div>",
        ".o{position:relative}.o::after{content:'';position:absolute;inset:0;background:#fff}",
    ),
    Rendered(
        "around: shape without a content",
        "<svg width=0 height=0><clipPath id=e></clipPath></svg><p class=n>TEXT</p>",
        ".n{clip-path:url(#e)}",
    ),
    Rendered(
        "around: open details that draw nothing",
        "<details open><summary>Maps</summary><p>TEXT</p></details>",
        "details::details-content{content-visibility:hidden}",
    ),
    Rendered("around: row of a table", "<table><tr class=n><td>TEXT</td></tr></table>", ".n{visibility:collapse}"),
    Rendered(
        "around: right of a page that does not scroll",
        "<p class=n>TEXT</p>",
        "html{overflow-x:hidden}.n{position:absolute;left:4000px}",
    ),
)
_SELECTORS = (
    Rendered("sheet: variable", "<p class=n>TEXT</p>", ":root{--v:none}.n{display:var(--v)}"),
    Rendered(
        "sheet: registered property",
        "<p class=n>TEXT</p>",
        "@property --c{syntax:'<color>';inherits:false;initial-value:#fff}.n{color:var(--c)}",
    ),
    Rendered("sheet: has", "<p class=n>TEXT</p>", "main:has(h1) .n{display:none}"),
    Rendered(
        "sheet: container",
        "<div class=o><p class=n>TEXT</p></div>",
        ".o{container-type:inline-size}@container (min-width:100px){.n{display:none}}",
    ),
    Rendered("sheet: layer", "<p class=n>TEXT</p>", "@layer a,b;@layer b{.n{display:none}}@layer a{.n{display:block}}"),
    Rendered("sheet: nested", "<p class=n>TEXT</p>", "article{& p{&.n{display:none}}}"),
    Rendered("sheet: scope", "<p class=n>TEXT</p>", "@scope (article){.n{display:none}}"),
    Rendered("sheet: supports", "<p class=n>TEXT</p>", "@supports (display:grid){.n{display:none}}"),
    Rendered(
        "sheet: linked", "<p class=n>TEXT</p>", head='<link rel=stylesheet href="data:text/css,.n{display:none}">'
    ),
    Rendered(
        "sheet: imported",
        "<p class=n>TEXT</p>",
        "",
        head="<style>@import url('data:text/css,.n{display:none}');</style>",
    ),
)
_SCRIPTS = (
    _scripted("rule inserted", "document.styleSheets[0].insertRule('.n{display:none}')"),
    _scripted(
        "adopted sheet",
        "const s = new CSSStyleSheet(); s.replaceSync('.n{display:none}'); document.adoptedStyleSheets = [s];",
    ),
    _scripted(
        "sheet of a blob",
        "const sheet = new Blob(['.n{display:none}'], {type: 'text/css'});"
        "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = URL.createObjectURL(sheet);"
        "document.head.append(l);",
    ),
    _scripted(
        "text that comes later",
        "setTimeout(() => { n.textContent = 'TEXT'; }, 30)",
        ".n{display:none}",
        "<p class=n id=n></p>",
    ),
    _scripted("property of the element", "n.hidden = true"),
    _scripted("variable set later", "setTimeout(() => n.style.setProperty('--v', '0'), 20)", ".n{opacity:var(--v,1)}"),
    _scripted("animation that ends hidden", "", "@keyframes go{to{opacity:0}}.n{animation:go .3s forwards}"),
    _scripted(
        "animation that stands still", "", "@keyframes go{from{opacity:0}to{opacity:1}}.n{animation:go 9s paused}"
    ),
    _scripted(
        "animation that never begins", "", "@keyframes go{from{opacity:0}to{opacity:1}}.n{animation:go 1s 9999s both}"
    ),
    _scripted("animated away by script", "n.animate({opacity: 0}, {duration: 200, fill: 'forwards'})"),
    _scripted(
        "transition to nothing", "n.offsetWidth; n.classList.add('m')", ".n{transition:opacity .3s}.m{opacity:0}"
    ),
    _scripted(
        "page in the dark",
        "document.body.style.background = '#101010'; document.body.style.color = '#eee'; n.style.color = '#121212'",
    ),
    _scripted("lies about its styles", _LIES, ".n{display:none}"),
    _scripted("lies about its boxes", _LIES, ".n{position:absolute;left:-9999px}"),
    _scripted(
        "fields with the names of properties",
        "",
        ".n{opacity:0}",
        "<form class=n><input name=style type=hidden><input name=getBoundingClientRect type=hidden><p>TEXT</p></form>",
    ),
    _scripted("closed dialog", "", "", "<dialog><p>TEXT</p></dialog>"),
    _scripted("closed popover", "", "", "<div popover>TEXT</div>"),
    _scripted("template", "", "", "<template><p>TEXT</p></template>"),
    _scripted("noscript", "", "", "<noscript><p>TEXT</p></noscript>"),
    _scripted("fallback of a canvas", "", "", "<canvas width=1 height=1>TEXT</canvas>"),
)
_SHADOWS = (
    _shadow("class inside", "<style>p{display:none}</style><p>TEXT</p>"),
    _shadow("closed", "<style>p{opacity:0}</style><p>TEXT</p>", "closed"),
    _shadow("closed, in the page's colour", "<style>p{color:#fff}</style><p>TEXT</p>", "closed"),
    _shadow("without a slot", "<b>The pier is open.</b>", light="<p>TEXT</p>"),
    _shadow("slot that is not displayed", "<style>slot{display:none}</style><slot></slot>", light="<p>TEXT</p>"),
    _shadow(
        "slotted text that is moved away",
        "<style>::slotted(p){position:absolute;left:-9999px}</style><slot></slot>",
        light="<p>TEXT</p>",
    ),
    Rendered(
        "shadow: beside a closed root",
        "<div id=h>TEXT</div>",
        script="h.attachShadow({mode: 'closed'}).innerHTML = '<b>Open.</b>'",
    ),
    _shadow("hidden host", "<style>:host{visibility:hidden}</style><p>TEXT</p>"),
    _shadow(
        "adopted sheet",
        "<p>TEXT</p>",
        script="const s = new CSSStyleSheet(); s.replaceSync('p{font-size:0}'); root.adoptedStyleSheets = [s];",
    ),
)
_FRAMES = (
    _framed("not displayed", "class=n", ".n{display:none}"),
    _framed("no size", "width=0 height=0", "iframe{border:0}"),
    _framed("one pixel", "width=1 height=1", "iframe{border:0}"),
    _framed("off the screen", "class=n", ".n{position:absolute;left:-9999px}"),
    _framed("transparent", "class=n", ".n{opacity:0}"),
    _framed("invisible", "class=n", ".n{visibility:hidden}"),
    _framed("hidden text inside", "width=600", "", "<style>p{display:none}</style><p>TEXT</p>"),
    _framed("hidden body inside", "width=600", "", "<style>body{visibility:hidden}</style><p>TEXT</p>"),
    _framed("text in the page's colour", "width=600", "", "<p style='color:#fff'>TEXT</p>"),
    Rendered(
        "frame: under an opaque cover",
        "<div class=o><iframe srcdoc='<p>TEXT</p>' width=600 height=80></iframe><div class=c></div></div>",
        ".o{position:relative}.c{position:absolute;inset:0;background:#fff}",
    ),
    _framed("beyond what it shows", "width=600 height=60 scrolling=no", "", "<p style='margin-top:400px'>TEXT</p>"),
)
BROWSER_TRICKS = (*_SHEETS, *_AROUND, *_SELECTORS, *_SCRIPTS, *_SHADOWS, *_FRAMES)

_SHOWN_STYLES = (
    _styled("little transparency", "opacity:.7"),
    _styled("nine pixels", "font-size:9px"),
    _styled("scaled", "transform:scale(.8)"),
    _styled("large letters scaled down", "font-size:48px;transform:scale(.3);transform-origin:0 0;white-space:nowrap"),
    _styled("upright", "transform:rotate(90deg) translateX(100px);width:300px"),
    _styled("narrow letters", "letter-spacing:-.05em"),
    _styled("hanging indent", "text-indent:-2em;padding-left:2em"),
    _styled("moved a little", "position:relative;left:-4px"),
    _styled("whole inset", "clip-path:inset(0)"),
    _styled("wide polygon", "clip-path:polygon(0 0, 100% 0, 100% 100%, 0 100%)"),
    _styled("mask that fades out", "mask-image:linear-gradient(to right,#000,transparent)"),
    _styled("difference", "mix-blend-mode:difference;color:#fff"),
    _styled("inverted", "filter:invert(1);color:#fff"),
    _styled("light blur", "filter:blur(.4px)"),
    _styled(
        "gradient in the letters", "color:transparent;background:linear-gradient(90deg,red,blue);background-clip:text"
    ),
    _styled("outlined letters", "-webkit-text-fill-color:transparent;-webkit-text-stroke:1px #000"),
    _styled("shadow of letters", "color:transparent;text-shadow:0 0 1px #000"),
    Rendered(
        "class: drawn when it comes into view",
        "<p class=n>TEXT</p>",
        ".n{content-visibility:auto;margin-top:3000px}",
        unproven="it is drawn when the page is scrolled",
    ),
    _styled("grey", "color:#999"),
    _styled("in another colour space", "color:oklch(0.4 0.1 250);background:color(display-p3 1 1 1)"),
    _styled("shown against an attribute", "display:block !important", "p hidden style='display:none'"),
    _styled("beside a float", "overflow:hidden"),
)
_SHOWN_AROUND = (
    _wrapped("visible inside of invisible", "visibility:hidden", "visibility:visible"),
    _wrapped("no size around letters of a size", "font-size:0", "font-size:16px"),
    _wrapped("white on a dark box", "background:#123;padding:4px", "color:#fff"),
    _wrapped("end of a box that scrolls", "height:60px;overflow:auto", "margin-top:0"),
    _wrapped("escapes from a box", "height:0;overflow:hidden", "position:absolute"),
    _wrapped("without a box of its own", "display:contents"),
    _wrapped("written from right to left", "direction:rtl"),
    _wrapped(
        "above a cover",
        "position:relative",
        "position:relative;z-index:2",
        "<div class=o><div style='position:absolute;inset:0;background:#dde'></div><p class=n>TEXT</p></div>",
    ),
    Rendered(
        "around: on a dark neighbour",
        "<div class=o><div class=g></div><p class=n>TEXT</p></div>",
        ".o{position:relative;height:80px}.g{position:absolute;inset:0;background:#024}.n{position:absolute;top:10px;color:#fff}",
    ),
    Rendered(
        "around: cell of a table",
        "<table style='table-layout:fixed;width:700px'><tr><td style='overflow:hidden'>TEXT</td></tr></table>",
    ),
    Rendered(
        "around: below a bar that stays",
        "<div class=b>Bay Times</div><p>TEXT</p>",
        ".b{position:fixed;top:0;left:0;right:0;height:30px;background:#fff}",
    ),
    Rendered(
        "around: page that is fixed while a notice is open",
        "<p style='margin-top:900px'>TEXT</p>",
        "body{position:fixed;overflow:hidden}",
        unproven="it can be scrolled when the notice is closed",
    ),
    Rendered(
        "around: on a generated layer",
        "<div class=o><p class=n>TEXT</p></div>",
        ".o{position:relative;z-index:0}.o::before{content:'';position:absolute;inset:0;background:#013;z-index:-1}.n{color:#fff}",
    ),
    Rendered("around: columns", "<div style='columns:2'><p>TEXT</p></div>"),
)
_SHOWN_SCRIPTS = (
    _scripted("text that comes later", "setTimeout(() => { n.textContent = 'TEXT'; }, 30)", "", "<p id=n></p>"),
    _scripted("rule deleted", "document.styleSheets[0].deleteRule(1)", ".n{display:none}"),
    _scripted("fades in", "", "@keyframes come{from{opacity:0}}.n{animation:come .5s}"),
    _scripted("faded in by script", "n.animate({opacity: [0, 1]}, {duration: 300})"),
    _scripted(
        "transition to visible",
        "n.offsetWidth; n.classList.add('m')",
        ".n{opacity:0;transition:opacity .3s}.m{opacity:1}",
    ),
    _scripted("attribute taken away", "n.removeAttribute('hidden')", "", "<p id=n hidden>TEXT</p>"),
    _scripted("open dialog", "n.showModal()", "", "<dialog id=n><p>TEXT</p></dialog>"),
    _scripted("open popover", "n.showPopover()", "", "<div popover id=n>TEXT</div>"),
    _scripted("open details", "n.open = true", "", "<details id=n><summary>Maps</summary><p>TEXT</p></details>"),
    _scripted("not operable", "n.inert = true"),
)
_SHOWN_PARTS = (
    _shadow("open", "<style>p{color:navy}</style><p>TEXT</p>"),
    _shadow("closed", "<p>TEXT</p>", "closed"),
    _shadow("slotted", "<style>slot{display:block}</style><slot></slot>", light="<p>TEXT</p>"),
    _shadow("fallback of a slot", "<slot><p>TEXT</p></slot>"),
    _framed("in place", "width=700 height=80"),
    _framed("white on dark", "width=700 height=80", "", "<body style='background:#123;color:#fff'><p>TEXT</p>"),
    Rendered(
        "frame: further down in it",
        "<iframe width=700 height=60 srcdoc=\"<p style='margin-top:300px'>TEXT</p>\"></iframe>",
        unproven="the frame is scrolled",
    ),
)
_OPENED = (
    Rendered("opens: details", "<details><summary>Maps</summary><p>TEXT</p></details>", unproven=OPENS),
    Rendered(
        "opens: tab",
        "<div role=tablist><button role=tab>One</button></div><div role=tabpanel class=n><p>TEXT</p></div>",
        ".n{display:none}",
        unproven=OPENS,
    ),
    Rendered(
        "opens: accordion",
        "<h3 class=accordion-head>Maps</h3><div class='accordion-body n'><p>TEXT</p></div>",
        ".n{height:0;overflow:hidden}",
        unproven=OPENS,
    ),
    Rendered(
        "opens: named by its control",
        "<button aria-expanded=false aria-controls=p9>Maps</button><div id=p9 class=n><p>TEXT</p></div>",
        ".n{display:none}",
        unproven=OPENS,
    ),
    Rendered(
        "opens: read more",
        "<div class=n><p style='height:80px'>Maps.</p><p>TEXT</p></div><button>Read more</button>",
        ".n{height:50px;overflow:hidden}",
        unproven=OPENS,
    ),
    Rendered(
        "opens: clamp",
        "<p class=n>Maps.<br>Charts.<br>TEXT</p>",
        ".n{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:1;overflow:hidden}",
        unproven=OPENS,
    ),
    Rendered(
        "opens: slides",
        "<div class=carousel><div class=track><p class=s>Maps.</p><p class=s>TEXT</p></div></div>",
        ".carousel{overflow:hidden;width:500px}.track{display:flex}.s{flex:0 0 100%}",
        unproven=OPENS,
    ),
    Rendered("opens: found by searching", "<div hidden=until-found><p>TEXT</p></div>", unproven=OPENS),
    Rendered(
        "opens: box that scrolls",
        "<div class=o><p class=n>TEXT</p></div>",
        ".o{height:60px;overflow:auto}.n{padding-top:200px}",
        unproven="the box is scrolled",
    ),
)
BROWSER_LOOK_ALIKES = (*_SHOWN_STYLES, *_SHOWN_AROUND, *_SHOWN_SCRIPTS, *_SHOWN_PARTS, *_OPENED)

__all__ = ["BROWSER_LOOK_ALIKES", "BROWSER_TRICKS", "SECRET", "TOLD", "Rendered"]
