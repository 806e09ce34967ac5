"""Arguments of a tool as fields of a form, from the table that also gives the JSON schema."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from dowse.contracts.arguments import Param

_DATE = r"^\d{4}-\d{2}-\d{2}$"


def render_field(param: Param, prefix: str, *, is_long: bool = False) -> str:
    """A labelled field; scripts read the kind and the default of the argument from its attributes."""
    name = f"{prefix}-{param.name}"
    about = f'<small id="{name}-about">{escape(param.about)}</small>' if param.about else ""
    common = {
        "id": name,
        "name": param.name,
        "data-kind": param.kind,
        "data-default": _text(param.default),
        **({"aria-describedby": f"{name}-about"} if about else {}),
    }
    title = escape(param.name.replace("_", " "))
    if param.kind == "boolean":
        box = _tag("input", {**common, "type": "checkbox"}, ("checked",) if param.default is True else ())
        return f'<div class="field check"><label for="{name}">{box}<span>{title}</span></label>{about}</div>'
    control = _long(common) if is_long else _select(param, common) if param.choices else _input(param, common)
    return f'<div class="field"><label for="{name}">{title}</label>{control}{about}</div>'


def _select(param: Param, common: dict[str, str]) -> str:
    choices = list(map(str, param.choices))
    if not param.default:
        choices = ["", *(choice for choice in choices if choice)]
    return _tag("select", common) + "".join(_option(choice, _text(param.default)) for choice in choices) + "</select>"


def _option(choice: str, default: str) -> str:
    return _tag("option", {"value": choice}, ("selected",) if choice == default else ()) + f"{escape(choice)}</option>"


def _input(param: Param, common: dict[str, str]) -> str:
    if param.kind in ("integer", "number"):
        bounds = {"min": param.minimum, "max": param.maximum}
        limits = {name: str(value) for name, value in bounds.items() if value is not None}
        return _tag("input", {**common, "type": "number", "placeholder": _text(param.default), **limits})
    kind = "date" if param.pattern == _DATE else "text"
    hint = {"placeholder": "python.org, docs.python.org"} if param.kind == "array" else {}
    return _tag("input", {**common, "type": kind, "autocomplete": "off", **hint})


def _long(common: dict[str, str]) -> str:
    return _tag("textarea", {**common, "rows": "6", "data-lines": "1"}, ("required",)) + "</textarea>"


def _tag(name: str, attributes: dict[str, str], flags: Iterable[str] = ()) -> str:
    given = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{given}{''.join(f' {flag}' for flag in flags)}>"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
