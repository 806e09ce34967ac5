"""Decoding of typed results from JSON objects: the inverse of `contracts/output.to_json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import EnumType
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def decode(kind: type[T], value: object) -> T:
    """A result of this type; fields that a newer server adds are ignored. Raises `ValueError` for another shape."""
    return cast("T", _decode(kind, value))


def _decode(kind: object, value: object) -> object:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _decode_list(arguments[0], value)
    if origin is UnionType:
        return None if value is None else _decode(next(each for each in arguments if each is not NoneType), value)
    if is_dataclass(kind) and isinstance(kind, type):
        return _decode_object(kind, value)
    if isinstance(kind, EnumType):
        return kind(value)
    if origin is Literal:
        return _require(value, is_valid=value in arguments)
    return _decode_scalar(kind, value)


def _decode_list(kind: object, value: object) -> tuple[object, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError("a list is expected")
    return tuple(_decode(kind, each) for each in value)


def _decode_object(kind: type[DataclassInstance], value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("an object is expected")
    found = {}
    for each, name, hint in _fields(kind):
        if name in value:
            found[each.name] = _decode(hint, value[name])
        elif each.default is MISSING:
            raise ValueError(f"{name} is missing")
    return kind(**found)


def _decode_scalar(kind: object, value: object) -> object:
    if kind is float and type(value) is int:
        return float(value)
    if kind is str and isinstance(value, str):
        return str(value)
    return _require(value, is_valid=type(value) is kind)


def _require(value: object, *, is_valid: bool) -> object:
    if not is_valid:
        raise ValueError("a value has another type")
    return value


@cache
def _fields(kind: type[DataclassInstance]) -> tuple[tuple[Field[object], str, object], ...]:
    """The fields of a dataclass that JSON has, each with its name there and its type."""
    hints = get_type_hints(kind)
    found = (each for each in fields(kind) if not each.metadata.get("internal"))
    return tuple((each, each.metadata.get("name", each.name), hints[each.name]) for each in found)
