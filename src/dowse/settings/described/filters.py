"""Parsers of the filters of a description: how many results, which page, of which time, language and domains."""

from __future__ import annotations

import re
from functools import partial
from typing import cast

from dowse.settings.described.model import (
    CountField,
    DateFilter,
    DomainFilter,
    DomainForm,
    PageField,
    Scalar,
    ValueFilter,
    ValueForm,
)
from dowse.settings.described.table import LINE, Table, is_scalar

DATE_FORMS = ("iso", "time", "us", "slashes", "compact", "stamp", "year", "unix")
"""2026-11-19, 2026-11-19T00:00:00Z, 11/19/2026, 2026/11/19, 20261119, 20261119000000, 2026, seconds."""
_CONDITION = re.compile(r"[A-Za-z0-9_:,=.-]{1,40}", re.ASCII)
_OPERATOR = re.compile(r"-?[a-z]{2,20}:", re.ASCII)
_FAR_AWAY = 10_000


def read_count(table: Table) -> CountField:
    count = table.table("count", 'a table such as {field = "count", max = 20}') or Table({})
    found = CountField(count.name_of_field("field", ""), count.whole("max", 10, 1, 1000))
    count.finish()
    return found


def read_page(table: Table) -> PageField | None:
    page = table.table("page", 'a table such as {field = "page", start = 1}')
    if page is None:
        return None
    found = PageField(
        page.name_of_field("field"),
        page.whole("start", 1, 0, 1),
        page.choice("counts", ("pages", "results"), "pages"),
        page.whole("size", 0, 0, 1000),
        page.whole("last", 0, 0, _FAR_AWAY),
    )
    page.finish()
    return found


def read_value(table: Table, key: str, names: tuple[str, ...] = ()) -> ValueFilter | None:
    given = table.table(key, 'a table such as {field = "name"}')
    if given is None:
        return None
    names = ("day", "week", "month", "year") if key == "time_range" else names
    operator = given.text("operator", like=_OPERATOR, takes="an operator such as lang:")
    field = given.name_of_field("field", "" if operator else None)
    prefix = given.text("prefix", like=_CONDITION, takes="what stands before the value, such as language:")
    form: ValueForm = given.choice("form", ("", "lower", "upper", "language"), "")
    values = _named_values(given, names) if names else given.scalars("values")
    is_closed = given.flag("closed") or bool(names)
    given.finish()
    return ValueFilter(field, operator, prefix, values, form, is_closed)


def _named_values(given: Table, names: tuple[str, ...]) -> dict[str, Scalar]:
    """The values of a closed list that dowse knows, such as `day` and `week`."""
    values = {name: value for name in names if (value := given.take(name)) is not None}
    for name, value in values.items():
        if not is_scalar(value):
            raise given.refuse(name, "the value that the API takes")
    if not values:
        raise given.refuse(names[0], "", sentence=f"is missing: a value for at least one of {', '.join(names)}")
    return cast(dict[str, Scalar], values)


def read_dates(table: Table) -> DateFilter | None:
    dates = table.table("dates", 'a table such as {from = "start_date", to = "end_date"}')
    if dates is None:
        return None
    field = dates.name_of_field("field", "")
    text = partial(dates.text, like=LINE, takes="text")
    name = partial(dates.name_of_field, default="")
    start, end = (text("from"), text("to")) if field else (name("from"), name("to"))
    form = dates.choice("form", DATE_FORMS, "iso")
    joint, is_closed, prefix = text("joint", ","), dates.flag("both"), text("prefix")
    dates.finish()
    if not (field or start or end):
        raise dates.refuse("from", "", sentence="is missing: name field, from, or to")
    return DateFilter(field, start, end, form, joint, prefix, not is_closed)


def read_domains(table: Table, key: str, usual: str) -> DomainFilter:
    value = table.take(key)
    takes = 'an operator such as "site:", "none", or a table such as {field = "domains"}'
    if value is None:
        return DomainFilter(operator=usual)
    if isinstance(value, str):
        if value != "none" and not _OPERATOR.fullmatch(value):
            raise table.refuse(key, takes)
        return DomainFilter(operator="" if value == "none" else value)
    given = Table(value, table.at(key), takes)
    form: DomainForm = given.choice("form", ("list", "comma", "pipe", "repeat", "single"), "list")
    field, most = given.name_of_field("field"), given.whole("max", 100, 1, 1000)
    prefix = given.text("prefix", like=_CONDITION, takes="what stands before each domain, such as -")
    found = DomainFilter(field, form, most, prefix)
    given.finish()
    return found
