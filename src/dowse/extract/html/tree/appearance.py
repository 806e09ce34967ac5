"""Visibility of a style: switched off, out of sight; colours and sizes of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from dowse.extract.html.tree.colours import FAINT, is_clear_gradient
from dowse.extract.html.tree.shapes import (
    FAR_AWAY,
    FAR_RIGHT,
    SIDES,
    functions,
    is_clipped_away,
    is_moved_away,
    is_on_edge,
    is_scaled_away,
)
from dowse.extract.html.tree.values import UNITS, evaluate, number, pixels

ComputedStyle = Mapping[str, str]
_OUT_OF_WINDOW = 1000
_INSETS = (
    *("left", "top", "right", "bottom", "inset-inline-start", "inset-inline-end", "inset-block-start"),
    *("inset-block-end", "inset-inline", "inset-block"),
)
_SHIFTS = (
    *("word-spacing", "margin-left", "margin-top", "margin-inline-start", "margin-block-start"),
    *("margin-inline", "margin-block"),
)
_SHORT_SHIFTS = ("margin", "inset")
_EDGES = ("left", "top", "right", "bottom")
WIDTHS = ("width", "max-width", "inline-size", "max-inline-size")
_HEIGHTS = ("height", "max-height", "block-size", "max-block-size")
PROPERTIES = frozenset((*_INSETS, *_SHIFTS, *_SHORT_SHIFTS, *WIDTHS, *_HEIGHTS)) | frozenset(
    "display visibility content-visibility opacity zoom z-index letter-spacing transform -webkit-transform scale"
    " translate rotate clip clip-path -webkit-clip-path mask mask-image -webkit-mask-image -webkit-text-security filter"
    " contain line-height font-size font font-size-adjust word-spacing text-indent mask-size offset offset-path"
    " content -webkit-mask".split()
)
"""Properties that may hide an element, without colours."""
RELEVANT = PROPERTIES | frozenset(
    "color -webkit-text-fill-color background background-color background-image background-clip"
    " color-scheme position -webkit-background-clip overflow overflow-x overflow-y white-space animation"
    " animation-name flex flex-grow animation-fill-mode transition transition-property transition-duration"
    " will-change min-width min-height box-sizing padding padding-top padding-bottom padding-left text-shadow"
    " -webkit-text-stroke -webkit-text-stroke-width mix-blend-mode isolation all initial-value".split()
)
"""Properties that visibility depends on."""
_MASKS = ("mask", "mask-image", "-webkit-mask", "-webkit-mask-image")
_FARTHEST = {"fixed": _OUT_OF_WINDOW, "absolute": FAR_RIGHT}
_CLIPPING = ("overflow", "overflow-x", "overflow-y")
_ROOM = ("flex-grow", "min-width", "min-height", "padding", "padding-bottom", "padding-top", "padding-left")
_CONTAINED = frozenset(("strict", "content", "paint"))
_BOXES_AWAY = -1.5
_WINDOWS = dict.fromkeys(("%", "vh", "vw"), 0.01)
_PADDINGS = ("padding", "padding-bottom", "padding-top")
_NOT_DRAWN = frozenset(("none", "table-column", "table-column-group"))
_TINY = 1.5
# Of a line, less than half is no text.
_SLICE_PX = 4.0
TINY_FONT_PX = 3.0
_COLLAPSED_LETTERS = -10
_BLURRED = 8
_FONT_SIZE = re.compile(r"(?:^|\s)([\d.]{1,9}(?:px|pt|r?em|%|ex|ch|v[wh]|mm|q)?)(?:\s*/|\s)")


_UNFOLDED = r"(?:var\(|calc\([-0.(]|(?:clamp|max)\([-0.]|min\([-.01])"
_FAR = re.compile(rf"{_UNFOLDED}|-\d{{3}}|-\d{{2}}[\d.]*(?:v|c|l|r?em|in|cm)|\d{{4}}|\d{{3}}[%lsdv]|calc\(100%")
_SMALL = re.compile(rf"{_UNFOLDED}|^\W*[0-4]?(?:\.\d+)?(?:px|pt|r?em|%|ch|ex|v\w)?\)?$")
_SMALL_FONT = re.compile(
    rf"{_UNFOLDED}|^(?:0?\.[0-5]\d*(?:r?em)|[0-7]?(?:\.\d+)?(?:px|pt|mm|q|cm|in|pc|$|[lsd]?v\w|cq\w)|[0-4]?\d(?:\.\d+)?%)|e-\d"
)
_SCALED = re.compile(
    r"var\(|^-?[0.]|\s-?[0.]|scale\w{0,2}\((?:[^)]*,)?\s*-?0?\.?[01]|matrix|rotate[xy3]|skew|calc\(|\d{4}|\d{3}v"
)
_ANY = re.compile("")
# Declarations that may hide an element, alone or with others; most cannot.
SIGNS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("display", "visibility", "content-visibility"), re.compile(r"var\(|none|hidden|collapse|column")),
    **dict.fromkeys((*_INSETS, *_SHIFTS, *_SHORT_SHIFTS, "translate"), _FAR),
    **dict.fromkeys(("width", "max-width", "inline-size", "max-inline-size", "height", "max-height"), _SMALL),
    **dict.fromkeys(("block-size", "max-block-size"), _SMALL),
    **dict.fromkeys(("opacity", "zoom"), re.compile(r"\(|^0?(?:\.[0-2]\d*)?$|^[0-2]?\d(?:\.\d+)?%$|^-|e-")),
    "z-index": re.compile(r"var\(|^-"),
    "letter-spacing": re.compile(r"var\(|^-(?:\d{2}|[\d.]+r?em)"),
    **{"content": re.compile(r"^url\("), "offset-path": re.compile("path"), "offset": re.compile("path")},
    **{"font-size-adjust": re.compile("^0$"), "mask-size": re.compile("^0")},
    "text-indent": re.compile(rf"{_FAR.pattern}|1\d\d%"),
    **dict.fromkeys(("transform", "-webkit-transform", "scale"), _SCALED),
    **dict.fromkeys(("clip", "clip-path", "-webkit-clip-path"), re.compile(r"\(")),
    **dict.fromkeys(_MASKS, re.compile(r"var\(|gradient|data:image/svg")),
    **dict.fromkeys(("-webkit-text-security", "rotate"), _ANY),
    "filter": re.compile(r"var\(|opacity|blur|brightness"),
    "contain": re.compile("strict"),
    "padding-top": re.compile(r"\d{3}"),
    "line-height": re.compile("^(?:0|[01]px)$"),
    "font-size": _SMALL_FONT,
    "font": re.compile(r"var\(|(?:^|\s)(?:[0-7]?(?:\.\d+)?(?:px|pt|r?em)?|[0-4]?\d%)\s*(?:/|\s)"),
}
_MOTION = frozenset(
    "transform -webkit-transform will-change transition transition-property transition-duration animation"
    " animation-name".split()
)


def is_sign(name: str, value: str) -> bool:
    """Whether a declaration may hide an element, alone or with others."""
    if name not in SIGNS:
        return False
    return SIGNS[name].search(value) is not None or (name == "font-size" and "(" in value and _is_tiny(value))


@lru_cache(maxsize=500)
def _is_tiny(value: str) -> bool:
    size = evaluate(value)
    return size is not None and size <= TINY_FONT_PX


class Certainty(IntEnum):
    """Whether an element is hidden; doubtful where a script may show it later."""

    NONE = 0
    DOUBTFUL = 1
    HIDDEN = 2


class Verdict(NamedTuple):
    """Whether an element is hidden with all that it holds, and whether its own text is."""

    element: Certainty = Certainty.NONE
    text: Certainty = Certainty.NONE
    is_final: bool = False
    """Whether no script is likely to show it later."""


def judge_display(style: ComputedStyle, *, is_moving: bool = False) -> Certainty:
    """Whether text is switched off in one of the ways in which scripts hide parts of a page until later.

    An element that moves is about to fade in.
    """
    if style.get("display") in _NOT_DRAWN or style.get("content-visibility") == "hidden":
        return Certainty.HIDDEN
    is_faint = "opacity" in style and number(style["opacity"]) < FAINT and not is_moving
    is_flat = _clips(style) and 0 in _sizes(style, _HEIGHTS) and not _is_padded(style)
    return Certainty.DOUBTFUL if is_faint or is_flat or is_scaled_away(style) else Certainty.NONE


def judge_sight(style: ComputedStyle, *, is_placed: bool = True) -> Certainty:
    """Whether an element is out of sight: cut off, far away, masked, or behind the page.

    `is_placed` unless it is known that insets have no effect.
    """
    if PROPERTIES.isdisjoint(style):
        return Certainty.NONE
    if _is_cut_off(style, is_placed=is_placed) or _is_far_away(style, is_placed=is_placed) or _is_unreadable(style):
        return Certainty.HIDDEN
    return Certainty.DOUBTFUL if any(judge(style) for judge in _DOUBTS) else Certainty.NONE


def _is_behind(style: ComputedStyle) -> bool:
    return style.get("position") in ("absolute", "fixed") and number(style.get("z-index", "0")) < 0


def _is_beside(style: ComputedStyle) -> bool:
    """Whether an element lies whole boxes beside or above its own."""
    is_moved = style.get("position") in ("relative", "absolute", "fixed")
    return is_moved and any(name in style and _is_boxes_away(style[name]) for name in ("left", "top"))


def _is_boxes_away(value: str) -> bool:
    return value[0] == "-" and value[-1] == "%" and number(value, 0) <= _BOXES_AWAY


def animations(style: ComputedStyle) -> list[str]:
    """The words of the animations of an element, their names among them."""
    return f"{style.get('animation', '')} {style.get('animation-name', '')}".replace(",", " ").split()


def is_moved(style: ComputedStyle) -> bool:
    """Whether a style speaks of motion, as that of an element that a script lets fade in does."""
    return not _MOTION.isdisjoint(style)


def font_pixels(style: ComputedStyle, around_px: float, root_px: float) -> float | None:
    """The font size; `None` for an unknown one."""
    value = "0" if style.get("font-size-adjust") == "0" else style.get("font-size", "")
    if not value and "font" in style:
        found = _FONT_SIZE.search(style["font"])
        value = found[1] if found else ""
    if not value:
        return None
    relative = {"em": around_px, "%": around_px / 100, "rem": root_px, "ex": around_px / 2, "ch": around_px / 2}
    return evaluate(value, {**UNITS, **relative})


def _is_padded(style: ComputedStyle) -> bool:
    """Whether padding in proportion to the width gives a box its height."""
    return any(style.get(name, "").endswith("%") and number(style[name]) > FAINT for name in _PADDINGS)


def _is_cut_off(style: ComputedStyle, *, is_placed: bool) -> bool:
    if is_clipped_away(style, is_placed=is_placed) or style.get("content", "").startswith("url("):
        return True
    masks = [style[name] for name in _MASKS if name in style]
    if any(map(is_clear_gradient, masks)) or any(map(_is_empty_drawing, masks)) or 0 in _sizes(style, ("mask-size",)):
        return True
    return _is_boxed_in(style)


def _is_empty_drawing(value: str) -> bool:
    """Whether an address holds a whole drawing without a shape."""
    is_whole = "data:image/svg" in value and ")" in value
    return is_whole and re.search("%3c(?!svg|/svg)|<(?!svg|/svg)|base64", value) is None


def _is_boxed_in(style: ComputedStyle) -> bool:
    """Whether a box without room clips the text."""
    if not _clips(style):
        return False
    if style.get("box-sizing") == "border-box" and _is_filled_by_padding(style):
        return True
    if _may_grow(style) or max(_sizes(style, _ROOM), default=0) > TINY_FONT_PX:
        return False
    # An element that opens on a click may have no height either, but it has a width.
    is_narrow = min(_sizes(style, WIDTHS), default=_TINY + 1) <= _TINY
    is_thin = 0 < min((size for size in _sizes(style, _HEIGHTS) if size > 0), default=0) <= _SLICE_PX
    return is_narrow or is_thin or style.get("line-height") in ("0", "0px", "1px")


def _is_filled_by_padding(style: ComputedStyle) -> bool:
    heights = [size for size in _sizes(style, ("height", "max-height")) if size > 0]
    return 0 < min(heights, default=0) <= max(_sizes(style, ("padding-top",)), default=0)


def _may_grow(style: ComputedStyle) -> bool:
    return "flex" in style and not style["flex"].startswith("0 ")


def _clips(style: ComputedStyle) -> bool:
    if any(name in style and not style[name].startswith("visible") for name in _CLIPPING):
        return True
    return "contain" in style and not _CONTAINED.isdisjoint(style["contain"].split())


def _is_far_away(style: ComputedStyle, *, is_placed: bool) -> bool:
    insets = _sizes(style, _INSETS) if is_placed else []
    if min((*insets, *_sizes(style, _SHIFTS), *_short_shifts(style, is_placed=is_placed)), default=0) <= FAR_AWAY:
        return True
    farthest = _FARTHEST.get(style.get("position", ""))
    if farthest is not None and (max(insets, default=0) >= farthest or _is_outside(style)):
        return True
    return is_moved_away(style)


def _short_shifts(style: ComputedStyle, *, is_placed: bool) -> Iterator[float]:
    """The margins and insets above and on the left that a shorthand gives."""
    for name in _SHORT_SHIFTS:
        parts = style[name].split()[:4] if name in style and "(" not in style[name] else []
        if parts and (is_placed or name == "margin"):
            top, left = (pixels(parts[SIDES[len(parts) - 1][at]]) for at in (0, 3))
            yield from (size for size in (top, left) if size is not None)


def _is_outside(style: ComputedStyle) -> bool:
    """Whether an element begins where the window, or the page on its left, ends."""
    if style["position"] == "absolute":
        return style.get("right", "").endswith("vw") and (pixels(style["right"]) or 0) >= _OUT_OF_WINDOW
    return any(_is_window_away(style[name]) for name in _EDGES if name in style)


def _is_window_away(value: str) -> bool:
    if value.startswith("calc(100%"):
        return re.fullmatch(r"calc\(100%( \+ [\w.]+)?\)", value) is not None
    return value.endswith(tuple(_WINDOWS)) and (evaluate(value, _WINDOWS) or 0) >= 1


def _is_unreadable(style: ComputedStyle) -> bool:
    if any(size <= _COLLAPSED_LETTERS for size in _sizes(style, ("letter-spacing",))):
        return True
    if style.get("-webkit-text-security", "none") != "none" or _filter_value(style, "opacity") < FAINT:
        return True
    # Text that begins behind the edge of its box.
    return _is_far_indent(style.get("text-indent", "")) and _clips(style) and style.get("white-space") == "nowrap"


def _is_far_indent(value: str) -> bool:
    return number(value, 0) >= 1 if value.endswith("%") else (pixels(value) or 0) >= _OUT_OF_WINDOW


def _filter_value(style: ComputedStyle, wanted: str) -> float:
    """The amount of a filter; 1 without it."""
    found = [arguments for name, axis, arguments in functions(style, "filter") if name + axis == wanted]
    return (pixels(found[0]) or 0) if found and wanted == "blur" else number(found[0]) if found else 1.0


def _sizes(style: ComputedStyle, names: tuple[str, ...]) -> list[float]:
    """The lengths of these properties, in pixels."""
    return [size for name in names if name in style and (size := pixels(style[name])) is not None]


def opacity_of(style: ComputedStyle) -> float:
    """The opacity of an element, without that of its ancestors."""
    return min(1.0, max(0.0, number(style["opacity"]))) if "opacity" in style else 1.0


_DOUBTS: tuple[Callable[[ComputedStyle], bool], ...] = (
    _is_behind,
    _is_beside,
    is_on_edge,
    lambda style: _filter_value(style, "blur") >= _BLURRED,
    lambda style: "strict" in style.get("contain", ""),
)
