"""What looks like a trick and is none: everybody sees it, so it has to stay."""

from __future__ import annotations

from dataclasses import dataclass

_TOLD = "The lighthouse keeper sells maps of the shoals on Sunday mornings."


@dataclass(frozen=True)
class LookAlike:
    """Markup for the middle of a page and for its head; `told` is what has to come out."""

    name: str
    body: str
    head: str = ""
    told: str = _TOLD


def _inline(name: str, style: str) -> LookAlike:
    return LookAlike(f"style: {name}", f'<p style="{style}">{_TOLD}</p>')


def _sheet(name: str, sheet: str, start: str = '<p class="note">', end: str = "</p>") -> LookAlike:
    return LookAlike(f"sheet: {name}", f"{start}{_TOLD}{end}", f"<style>{sheet}</style>")


def _element(name: str, start: str, end: str) -> LookAlike:
    return LookAlike(f"element: {name}", f"{start}{_TOLD}{end}")


def _characters(name: str, told: str) -> LookAlike:
    return LookAlike(f"characters: {name}", f"<p>A sign at the pier reads {told} in large letters.</p>", told=told)


LOOK_ALIKES = (
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
