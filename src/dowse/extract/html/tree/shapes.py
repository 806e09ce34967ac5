"""Transforms and clips that leave nothing of an element: far away, on edge, scaled or cut to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from dowse.extract.html.tree.colours import FAINT
from dowse.extract.html.tree.values import evaluate, number, pixels

# Text that is meant to be seen is never pushed that far. Carousels are moved by hundreds of percent.
FAR_AWAY = -900
FAR_RIGHT = 2000
_EDGE_DEGREES = 2
_DEGREES = {"deg": 1.0, "rad": 57.3, "grad": 0.9, "turn": 360.0}
_MAX_POINTS = 40
# Which of one to four values counts for the top, the right, the bottom and the left.
SIDES = ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
_FUNCTION = re.compile(r"(?<![a-z-])(matrix|[a-z-]+?)(3d|x|y|z)?\(([^()]{0,200})\)")
_RECTANGLE = re.compile(r"rect\(([^()]{0,60})\)")
_COORDINATE = re.compile(r"-?\d{1,6}(?:\.\d{1,6})?")
_CENTRE = re.compile(r"\bat\s+(\S+)(?:\s+(\S+))?")
Style = Mapping[str, str]


def functions(style: Style, name: str) -> list[tuple[str, str, str]]:
    """The functions in a value: name, axis, arguments."""
    value = style.get(name) or style.get(f"-webkit-{name}", "")
    return _FUNCTION.findall(value) if "(" in value else []


def is_scaled_away(style: Style) -> bool:
    """Whether an element is scaled to nothing."""
    if "scale" in style and _is_flat(style["scale"].split()):
        return True
    if "zoom" in style and number(style["zoom"], 1) <= FAINT:
        return True
    return any(map(_flattens, functions(style, "transform")))


def scale_of(style: Style) -> float:
    """By how much an element is made smaller; 1 for one that is not."""
    factors = [
        arguments.split(",") for name, axis, arguments in functions(style, "transform") if name == "scale" != axis
    ]
    factors += [style["scale"].split()] if "scale" in style else []
    smallest = [min(abs(number(each.strip(), 1)) for each in group[:2]) for group in factors]
    return min((1.0, *smallest))


def is_on_edge(style: Style) -> bool:
    """Whether an element is turned so that only its edge is seen, or skewed to a line."""
    turns = [(name, f"{axis} {arguments}") for name, axis, arguments in functions(style, "transform")]
    if any(name == "skew" and _is_right_angle(turn.split(" ", 1)[1]) for name, turn in turns):
        return True
    return any(
        _is_turned_away(turn) for name, turn in (*turns, ("rotate", style.get("rotate", ""))) if name == "rotate"
    )


def is_moved_away(style: Style) -> bool:
    """Whether transforms or a path move an element far off the page."""
    found = functions(style, "transform")
    moves = [arguments for name, _, arguments in found if name == "translate"]
    moves += [_moves_of_matrix(arguments) for name, _, arguments in found if name == "matrix"]
    if any(_is_far_move(part) for move in (*moves, style.get("translate", "")) for part in re.split(r"[\s,]+", move)):
        return True
    return _begins_far_away(style.get("offset-path", "") + style.get("offset", ""))


def _begins_far_away(path: str) -> bool:
    start = _COORDINATE.findall(path)[:2] if "path(" in path else []
    return any(float(each) <= FAR_AWAY for each in start)


def is_clipped_away(style: Style, *, is_placed: bool) -> bool:
    """Whether a clip leaves nothing; `clip` has an effect on elements that are placed only."""
    found = _RECTANGLE.search(style["clip"]) if is_placed and "clip" in style else None
    return (found is not None and _is_no_clip(found[1])) or any(map(_is_empty_shape, functions(style, "clip-path")))


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


def _moves_of_matrix(arguments: str) -> str:
    parts = arguments.split(",")
    return ",".join(each.strip() for each in (parts[12:14] if len(parts) > 6 else parts[4:6]))


def _is_turned_away(turn: str) -> bool:
    """Whether a turn, `y 90deg`, `0 1 0 90deg` or `3d 0,1,0,90deg`, ends on edge."""
    parts = re.split(r"[\s,]+", turn.removeprefix("3d ").strip())
    if len(parts) == 2:
        return parts[0] in ("x", "y") and _is_right_angle(parts[1])
    return len(parts) == 4 and number(parts[2]) == 0 and _is_right_angle(parts[3])


def _is_right_angle(angle: str) -> bool:
    degrees = evaluate(angle.split(",")[0].strip(), _DEGREES)
    return degrees is not None and abs(abs(degrees) % 180 - 90) < _EDGE_DEGREES


def _is_far_move(part: str) -> bool:
    if part.endswith("%"):
        return abs(number(part)) >= 10
    distance = pixels(part)
    return distance is not None and not FAR_AWAY < distance < FAR_RIGHT


def _is_no_clip(arguments: str) -> bool:
    """Whether the rectangle of `clip` is empty, or far away; `auto` is an edge of the box."""
    sides = [None if part == "auto" else pixels(part) for part in re.split(r"[\s,]+", arguments.strip())]
    if len(sides) != 4:
        return False
    top, right, bottom, left = sides
    return any(
        (end is not None and end <= (start or 0)) or (start or 0) >= -FAR_AWAY
        for start, end in ((top, bottom), (left, right))
    )


def _is_empty_shape(function: tuple[str, str, str]) -> bool:
    name, _, arguments = function
    judge = _SHAPES.get(name)
    return judge is not None and judge(arguments)


def _is_no_circle(arguments: str) -> bool:
    centre = _CENTRE.search(arguments)
    if centre and any((pixels(each or "0") or 0) <= FAR_AWAY // 2 for each in centre.groups()):
        return True
    return arguments.lstrip()[:1] == "0" and number(arguments.split()[0].rstrip("px%"), 1) == 0


def _is_no_polygon(arguments: str) -> bool:
    corners = [part.split()[:2] for part in arguments.split(",")[:_MAX_POINTS]]
    is_outside = any(all(len(each) > at and _is_beyond(each[at]) for each in corners) for at in (0, 1))
    return is_outside or _area(corners) == 0


def _is_beyond(place: str) -> bool:
    return place.endswith("%") and number(place) >= 1


def _is_no_rectangle(arguments: str) -> bool:
    return re.search("[1-9]", arguments) is None


def _is_no_path(arguments: str) -> bool:
    """Whether a path has fewer than three different points, of straight lines with absolute places."""
    if re.search("[acqstv-z]", arguments):
        return False
    numbers = _COORDINATE.findall(arguments)[: 2 * _MAX_POINTS]
    return len(set(zip(numbers[::2], numbers[1::2], strict=False))) < 3 and "h" not in arguments


def _is_no_inset(arguments: str) -> bool:
    sides = [_share(side) for side in arguments.partition("round")[0].split()[:4]] or [0.0]
    top, right, bottom, left = (sides[at] for at in SIDES[len(sides) - 1])
    return top + bottom >= 1 or left + right >= 1


_SHAPES: dict[str, Callable[[str], bool]] = {
    "circle": _is_no_circle,
    "ellipse": _is_no_circle,
    "polygon": _is_no_polygon,
    "rect": _is_no_rectangle,
    "xywh": _is_no_rectangle,
    "inset": _is_no_inset,
    "path": _is_no_path,
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
