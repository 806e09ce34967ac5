"""Parsers of the filters of a description: how many results, which page, of which time, language and domains."""

from __future__ import annotations

import re
from functools import partial

from dowse.settings.described.model import CountField, DateFilter, DomainFilter, PageField, Scalar, ValueFilter
from dowse.settings.described.table import Table

DATE_FORMS = ("iso", "time", "us", "slashes", "compact", "stamp", "year", "unix")
"""2026-11-19, 2026-11-19T00:00:00Z, 11/19/2026, 2026/11/19, 20261119, 20261119000000, 2026, seconds."""
_CONDITION = re.compile(r"[A-Za-z0-9_:,=.-]{1,40}", re.ASCII)
_OPERATOR = re.compile(r"-?[a-z]{2,20}:", re.ASCII)
_OPERATOR_OR_NONE = re.compile(r"none|-?[a-z]{2,20}:", re.ASCII)
_FAR_AWAY = 10_000


def read_count(table: Table) -> CountField:
    return table.read("count", _count, 'a table such as {field = "count", max = 20}') or CountField()


def _count(count: Table) -> CountField:
    return CountField(count.name_of_field("field", ""), count.whole("max", 10, 1, 1000))


def read_page(table: Table) -> PageField | None:
    return table.read("page", _page, 'a table such as {field = "page", start = 1}')


def _page(page: Table) -> PageField:
    return PageField(
        page.name_of_field("field"),
        page.whole("start", 1, 0, 1),
        page.choice("counts", ("pages", "results"), "pages"),
        page.whole("size", 0, 0, 1000),
        page.whole("last", 0, 0, _FAR_AWAY),
    )


def read_value(table: Table, key: str, names: tuple[str, ...] = ()) -> ValueFilter | None:
    """A filter with one value; `names` are the known ones of a closed list."""
    return table.read(key, partial(_value, names=names), 'a table such as {field = "name"}')


def _value(given: Table, names: tuple[str, ...]) -> ValueFilter:
    operator = given.text("operator", like=_OPERATOR, takes="an operator such as lang:")
    return ValueFilter(
        given.name_of_field("field", "" if operator else None),
        operator,
        given.text("prefix", like=_CONDITION, takes="the part before the value, such as language:"),
        _named_values(given, names) if names else given.scalars("values"),
        given.choice("form", ("", "lower", "upper", "language"), ""),
        given.flag("closed") or bool(names),
    )


def _named_values(given: Table, names: tuple[str, ...]) -> dict[str, Scalar]:
    """The values of a closed list that dowse knows, such as `day` and `week`."""
    values = {name: value for name in names for value in given.codes(name)}
    given.demand(values, names[0], f"is missing: a value for at least one of {', '.join(names)}")
    return values


def read_dates(table: Table) -> DateFilter | None:
    return table.read("dates", _dates, 'a table such as {from = "start_date", to = "end_date"}')


def _dates(dates: Table) -> DateFilter:
    field = dates.name_of_field("field", "")
    name = dates.text if field else partial(dates.name_of_field, default="")
    found = DateFilter(
        field,
        name("from"),
        name("to"),
        dates.choice("form", DATE_FORMS, "iso"),
        dates.text("joint", ","),
        dates.text("prefix"),
        not dates.flag("both"),
    )
    dates.demand(found.field or found.start or found.end, "from", "is missing: name field, from, or to")
    return found


def read_domains(table: Table, key: str, usual: str) -> DomainFilter:
    if table.holds_table(key):
        return table.read(key, _domains) or DomainFilter()
    takes = 'an operator such as "site:", "none", or a table such as {field = "domains"}'
    operator = table.text(key, usual, like=_OPERATOR_OR_NONE, takes=takes)
    return DomainFilter(operator="" if operator == "none" else operator)


def _domains(given: Table) -> DomainFilter:
    form = given.choice("form", ("list", "comma", "pipe", "repeat", "single"), "list")
    field, most = given.name_of_field("field"), given.whole("max", 100, 1, 1000)
    return DomainFilter(field, form, most, given.text("prefix", like=_CONDITION, takes="the part before each domain"))
