"""Visibility of a style: switched off, out of sight; colours and sizes of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import NamedTuple

from dowse.extract.html.tree.values import UNITS, Colour, evaluate, number, pixels, read_colour

ComputedStyle = Mapping[str, str]
# Text that is meant to be seen is never pushed that far. Carousels are moved by hundreds of percent.
FAR_AWAY = -900
_FAR_RIGHT = 2000
_OUT_OF_WINDOW = 1000
_INSETS = ("left", "top", "right", "bottom", "inset", "inset-inline-start", "inset-inline-end", "inset-block-start")
_SHIFTS = ("word-spacing", "margin", "margin-left", "margin-top", "margin-inline-start", "margin-block-start")
WIDTHS = ("width", "max-width", "inline-size", "max-inline-size")
_HEIGHTS = ("height", "max-height", "block-size", "max-block-size")
PROPERTIES = frozenset((*_INSETS, *_SHIFTS, *WIDTHS, *_HEIGHTS)) | frozenset(
    "display visibility content-visibility opacity zoom z-index letter-spacing transform -webkit-transform scale"
    " translate rotate clip clip-path -webkit-clip-path mask mask-image -webkit-mask-image -webkit-text-security filter"
    " contain line-height font-size font font-size-adjust word-spacing text-indent mask-size".split()
)
"""Properties that may hide an element, without colours."""
RELEVANT = PROPERTIES | frozenset(
    "color -webkit-text-fill-color background background-color background-image background-clip"
    " color-scheme position -webkit-background-clip overflow overflow-x overflow-y white-space animation"
    " animation-name flex flex-grow animation-fill-mode transition transition-property transition-duration"
    " will-change min-width min-height padding padding-top padding-bottom padding-left text-shadow"
    " -webkit-text-stroke -webkit-text-stroke-width mix-blend-mode isolation all initial-value".split()
)
"""Properties that visibility depends on."""
# Text whose colour differs by less from its background is not visible.
_SAME = 16
_PARTS = re.compile(r"[\w#.%-]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")
_INKS = frozenset(("color", "-webkit-text-fill-color"))
_GROUNDS = frozenset(("background", "background-color"))
_MASKS = ("mask", "mask-image", "-webkit-mask-image")
_FARTHEST = {"fixed": _OUT_OF_WINDOW, "absolute": _FAR_RIGHT}
_CLIPPING = ("overflow", "overflow-x", "overflow-y")
_ROOM = ("flex", "flex-grow", "min-width", "min-height", "padding", "padding-bottom", "padding-top", "padding-left")
_CONTAINED = frozenset(("strict", "content", "paint"))
_PADDINGS = ("padding", "padding-bottom", "padding-top")
_NOT_DRAWN = frozenset(("none", "table-column", "table-column-group"))
_TINY = 1.5
TINY_FONT_PX = 3.0
FAINT = 0.05
_COLLAPSED_LETTERS = -10
_BLURRED = 8
_FAR_SHADOW = 100
_EDGE_DEGREES = 2
_DEGREES = {"deg": 1.0, "rad": 57.3, "grad": 0.9, "turn": 360.0}
_MAX_POINTS = 40
# Which of one to four values counts for the top, the right, the bottom and the left.
_SIDES = ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
_FUNCTION = re.compile(r"(?<![a-z-])([a-z-]+?)(3d|x|y|z)?\(([^()]{0,200})\)")
_RECTANGLE = re.compile(r"rect\(\s{0,9}([01])(?:px)?[\s,]{1,9}([01])(?:px)?[\s,]{1,9}\1(?:px)?[\s,]{1,9}\2(?:px)?")
_CLEAR = r"(?:transparent|#0000|#00000000|rgba\(0,\s?0,\s?0,\s?0\))[^,]{0,20}"
_CLEAR_MASK = re.compile(
    rf"(?:-webkit-)?(?:linear|radial|conic)-gradient\((?:[^,#t]{{0,30}},)?\s*{_CLEAR}(?:,\s*{_CLEAR})*\)"
)
_FONT_SIZE = re.compile(r"(?:^|\s)([\d.]{1,9}(?:px|pt|r?em|%|ex|ch|v[wh])?)(?:\s*/|\s)")


_UNFOLDED = r"(?:var\(|calc\([-0.(]|(?:clamp|max)\([-0.]|min\([-.01])"
_FAR = re.compile(rf"{_UNFOLDED}|-\d{{3}}|-\d{{2}}[\d.]*(?:v|c|l|r?em|in|cm)|\d{{4}}|\d{{3}}v")
_SMALL = re.compile(rf"{_UNFOLDED}|^\W*[01]?(?:\.\d+)?(?:px|pt|r?em|%|ch|ex|v\w)?\)?$")
_SMALL_FONT = re.compile(
    rf"{_UNFOLDED}|^(?:0?\.[0-5]\d*(?:r?em)|[0-7]?(?:\.\d+)?(?:px|pt|$|v\w|cq\w)|[0-4]?\d(?:\.\d+)?%)"
)
_SCALED = re.compile(r"var\(|^-?[0.]|scale\w{0,2}\((?:[^)]*,)?\s*-?0?\.?0|matrix|rotate[xy]|calc\(|\d{4}|\d{3}v")
_ANY = re.compile("")
# Declarations that may hide an element, alone or with others; most cannot.
SIGNS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("display", "visibility", "content-visibility"), re.compile(r"var\(|none|hidden|collapse|column")),
    **dict.fromkeys(("left", "top", "right", "bottom", "inset", "inset-inline-start", "inset-inline-end"), _FAR),
    **dict.fromkeys(("inset-block-start", "margin", "margin-left", "margin-top"), _FAR),
    **dict.fromkeys(("margin-inline-start", "margin-block-start", "translate"), _FAR),
    **dict.fromkeys(("width", "max-width", "inline-size", "max-inline-size", "height", "max-height"), _SMALL),
    **dict.fromkeys(("block-size", "max-block-size"), _SMALL),
    **dict.fromkeys(("opacity", "zoom"), re.compile(r"\(|^0?(?:\.[0-2]\d*)?$|^[0-2]?\d(?:\.\d+)?%$")),
    "z-index": re.compile(r"var\(|^-"),
    "letter-spacing": re.compile(r"var\(|^-(?:\d{2}|[\d.]+r?em)"),
    **{"word-spacing": _FAR, "font-size-adjust": re.compile("^0$"), "mask-size": re.compile("^0")},
    "text-indent": re.compile(rf"{_FAR.pattern}|100%"),
    **dict.fromkeys(("transform", "-webkit-transform", "scale"), _SCALED),
    **dict.fromkeys(("clip", "clip-path", "-webkit-clip-path"), re.compile(r"\(")),
    **dict.fromkeys(("mask", "mask-image", "-webkit-mask-image"), re.compile(r"var\(|gradient")),
    **dict.fromkeys(("-webkit-text-security", "rotate"), _ANY),
    "filter": re.compile(r"var\(|opacity|blur"),
    "contain": re.compile("strict"),
    "line-height": re.compile("^(?:0|[01]px)$"),
    "font-size": _SMALL_FONT,
    "font": re.compile(r"var\(|(?:^|\s)(?:[0-7]?(?:\.\d+)?(?:px|pt|r?em)?|[0-4]?\d%)\s*(?:/|\s)"),
}
_MOTION = frozenset(
    "transform -webkit-transform will-change transition transition-property transition-duration animation"
    " animation-name".split()
)


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
    return Certainty.DOUBTFUL if is_faint or is_flat or _is_scaled_away(style) else Certainty.NONE


def judge_sight(style: ComputedStyle, *, is_placed: bool = True) -> Certainty:
    """Whether an element is out of sight: cut off, far away, masked, or behind the page.

    `is_placed` unless it is known that insets have no effect.
    """
    if PROPERTIES.isdisjoint(style):
        return Certainty.NONE
    if _is_cut_off(style, is_placed=is_placed) or _is_far_away(style, is_placed=is_placed) or _is_unreadable(style):
        return Certainty.HIDDEN
    is_behind = style.get("position") in ("absolute", "fixed") and number(style.get("z-index", "0")) < 0
    is_doubtful = is_behind or _is_on_edge(style) or _filter_value(style, "blur") >= _BLURRED
    return Certainty.DOUBTFUL if is_doubtful or "strict" in style.get("contain", "") else Certainty.NONE


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


def _is_scaled_away(style: ComputedStyle) -> bool:
    if "scale" in style and _is_flat(style["scale"].split()):
        return True
    if "zoom" in style and number(style["zoom"], 1) <= FAINT:
        return True
    return any(map(_flattens, _functions(style, "transform")))


def _is_flat(factors: list[str]) -> bool:
    return any(abs(number(factor.strip(), 1)) <= FAINT for factor in factors[:2])


def _flattens(function: tuple[str, str, str]) -> bool:
    name, axis, arguments = function
    parts = arguments.split(",")
    if name == "scale":
        return axis != "z" and _is_flat(parts)
    if name != "matrix" or len(parts) < 4:
        return False
    # The first two columns, of two or of four rows.
    (a, b), (c, d) = (
        (number(parts[at].strip(), 1), number(parts[at + 1].strip(), 1)) for at in (0, 4 if len(parts) > 6 else 2)
    )
    return abs(a * d - b * c) <= FAINT * FAINT


def _is_on_edge(style: ComputedStyle) -> bool:
    turns = [f"{axis} {arguments}" for name, axis, arguments in _functions(style, "transform") if name == "rotate"]
    return any(map(_is_turned_away, (*turns, style.get("rotate", ""))))


def _is_turned_away(turn: str) -> bool:
    axis, _, angle = turn.partition(" ")
    degrees = evaluate(angle, _DEGREES) if axis in ("x", "y") else None
    return degrees is not None and abs(abs(degrees) % 180 - 90) < _EDGE_DEGREES


def _is_cut_off(style: ComputedStyle, *, is_placed: bool) -> bool:
    if is_placed and _RECTANGLE.search(style.get("clip", "")) is not None:
        return True
    if any(map(_is_empty_shape, _functions(style, "clip-path"))):
        return True
    if any(_CLEAR_MASK.search(style.get(name, "")) for name in _MASKS) or 0 in _sizes(style, ("mask-size",)):
        return True
    return _is_boxed_in(style)


def _is_boxed_in(style: ComputedStyle) -> bool:
    """Whether a box without room clips the text."""
    if not _clips(style) or "flex" in style or max(_sizes(style, _ROOM), default=0) > TINY_FONT_PX:
        return False
    # An element that opens on a click may have no height either, but it has a width.
    lines = [_TINY] if style.get("line-height") in ("0", "0px", "1px") else []
    heights = [size for size in _sizes(style, _HEIGHTS) if size > 0]
    return min((*_sizes(style, WIDTHS), *heights, *lines), default=_TINY + 1) <= _TINY


def _is_empty_shape(function: tuple[str, str, str]) -> bool:
    name, _, arguments = function
    judge = _SHAPES.get(name)
    return judge is not None and judge(arguments)


def _is_no_circle(arguments: str) -> bool:
    return arguments.lstrip()[:1] == "0" and number(arguments.split()[0].rstrip("px%"), 1) == 0


def _is_no_polygon(arguments: str) -> bool:
    corners = [part.split()[:2] for part in arguments.split(",")[:_MAX_POINTS]]
    is_outside = any(all(len(each) > at and _is_beyond(each[at]) for each in corners) for at in (0, 1))
    return is_outside or _area(corners) == 0


def _is_beyond(place: str) -> bool:
    return place.endswith("%") and number(place) >= 1


def _is_no_rectangle(arguments: str) -> bool:
    return re.search("[1-9]", arguments) is None


def _is_no_inset(arguments: str) -> bool:
    sides = [_share(side) for side in arguments.partition("round")[0].split()[:4]] or [0.0]
    top, right, bottom, left = (sides[at] for at in _SIDES[len(sides) - 1])
    return top + bottom >= 1 or left + right >= 1


_SHAPES: dict[str, Callable[[str], bool]] = {
    "circle": _is_no_circle,
    "ellipse": _is_no_circle,
    "polygon": _is_no_polygon,
    "rect": _is_no_rectangle,
    "xywh": _is_no_rectangle,
    "inset": _is_no_inset,
}


def _share(side: str) -> float:
    """The part of a box that an inset takes."""
    if side.endswith("%"):
        return number(side)
    return 1.0 if (pixels(side) or 0) >= -FAR_AWAY else 0.0


def _area(points: list[list[str]]) -> float | None:
    """The area of a polygon; `None` if a coordinate is no plain number."""
    try:
        corners = [(float(x.rstrip("px%")), float(y.rstrip("px%"))) for x, y in points]
    except ValueError:
        return None
    following = [*corners[1:], *corners[:1]]
    return sum(one[0] * two[1] - two[0] * one[1] for one, two in zip(corners, following, strict=True))


def _clips(style: ComputedStyle) -> bool:
    if any(name in style and not style[name].startswith("visible") for name in _CLIPPING):
        return True
    return "contain" in style and not _CONTAINED.isdisjoint(style["contain"].split())


def _is_far_away(style: ComputedStyle, *, is_placed: bool) -> bool:
    insets = _sizes(style, _INSETS) if is_placed else []
    if min((*insets, *_sizes(style, _SHIFTS)), default=0) <= FAR_AWAY:
        return True
    farthest = _FARTHEST.get(style.get("position", ""))
    if farthest is not None and max(insets, default=0) >= farthest:
        return True
    return _is_moved_away(style)


def _is_moved_away(style: ComputedStyle) -> bool:
    moves = [arguments for name, _, arguments in _functions(style, "transform") if name == "translate"]
    return any(
        _is_far_move(part) for move in (*moves, style.get("translate", "")) for part in re.split(r"[\s,]+", move)
    )


def _is_far_move(part: str) -> bool:
    if part.endswith("%"):
        return abs(number(part)) >= 10
    distance = pixels(part)
    return distance is not None and not FAR_AWAY < distance < _FAR_RIGHT


def _is_unreadable(style: ComputedStyle) -> bool:
    if any(size <= _COLLAPSED_LETTERS for size in _sizes(style, ("letter-spacing",))):
        return True
    if style.get("-webkit-text-security", "none") != "none" or _filter_value(style, "opacity") < FAINT:
        return True
    # Text that begins behind the edge of its box.
    return style.get("text-indent") == "100%" and _clips(style) and style.get("white-space") == "nowrap"


def _filter_value(style: ComputedStyle, wanted: str) -> float:
    """The amount of a filter; 1 without it."""
    found = [arguments for name, axis, arguments in _functions(style, "filter") if name + axis == wanted]
    return (pixels(found[0]) or 0) if found and wanted == "blur" else number(found[0]) if found else 1.0


def _functions(style: ComputedStyle, name: str) -> list[tuple[str, str, str]]:
    value = style.get(name) or style.get(f"-webkit-{name}", "")
    return _FUNCTION.findall(value) if "(" in value else []


def _sizes(style: ComputedStyle, names: tuple[str, ...]) -> list[float]:
    """The lengths of these properties, in pixels."""
    return [size for name in names if name in style and (size := pixels(style[name])) is not None]


def opacity_of(style: ComputedStyle) -> float:
    """The opacity of an element, without that of its ancestors."""
    return min(1.0, max(0.0, number(style["opacity"]))) if "opacity" in style else 1.0


def is_same_colour(text: Colour, ground: Colour) -> bool:
    """Whether text of one colour is invisible on a background of the other."""
    return all(abs(one - other) * text[3] < _SAME for one, other in zip(text[:3], ground[:3], strict=True))


def ground_colour(style: Mapping[str, str]) -> Colour | None:
    """The background colour; `None` without one."""
    value = style.get("background-color") or style.get("background")
    if not value:
        return None
    whole = read_colour(value)
    return whole or next((colour for part in _PARTS.findall(value)[:9] if (colour := read_colour(part))), None)


def is_relief(value: str, ground: Colour) -> bool:
    """Whether a shadow or an outline of letters is seen on a background; one far away, or blurred, is not."""
    parts = _PARTS.findall(value)[:_MAX_POINTS]
    if any(abs(pixels(part) or 0) >= _FAR_SHADOW for part in parts):
        return False
    colours = [colour for part in parts if (colour := read_colour(part)) is not None]
    return bool(colours) and not all(is_same_colour(colour, ground) for colour in colours)


def has_picture(style: Mapping[str, str]) -> bool:
    """Whether a picture or a gradient is the background."""
    value = style.get("background", "") + style.get("background-image", "")
    return "(" in value and ("url(" in value or "gradient(" in value or "image" in value)


def is_camouflage(style: Mapping[str, str]) -> bool:
    """Whether declarations give text the colour of its background, or none."""
    if _INKS.isdisjoint(style):
        return False
    text = ink_of(style)
    colour = read_colour(text)
    behind = ground_colour(style)
    if colour is None or behind is None:
        return (colour is not None and colour[3] < FAINT) or (
            "var(" in text and behind is None and _GROUNDS & style.keys() != set()
        )
    return is_same_colour(colour, behind)


def ink_of(style: Mapping[str, str]) -> str:
    return style.get("-webkit-text-fill-color") or style.get("color", "")
