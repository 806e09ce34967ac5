"""Parser of one description: every key of the format, its values, and the conflicts between keys."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TypeVar

from dowse.core.models import Category
from dowse.settings.described import filters
from dowse.settings.described.model import (
    SEARCH_FIELDS,
    AnswerShape,
    Description,
    ErrorRule,
    FollowUp,
    KeyPlace,
    Pick,
    QueryField,
    Variant,
)
from dowse.settings.described.table import (
    FIELD,
    HEADER,
    NAME,
    VARIABLE,
    InvalidDescription,
    Table,
)
from dowse.settings.types import budget, duration, pace

KINDS = ("search", "read")
TRANSFORMS = ("inverted_abstract", "joined_parts")
READ_FIELDS = ("text", "title", "plain")
FILTERS = (
    *("time_range", "start_date", "end_date", "language", "country", "location", "safe_search"),
    *("include_domains", "exclude_domains", "page"),
)
FAILURES = ("auth", "quota", "rate", "bad_request", "empty", "blocked", "unavailable", "not_read")
_REFUSED_HEADERS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "cookie", "authorization"}
)
_SECRET = re.compile(r"(?:^|[_.-])(?:api[_-]?key|key|token|secret|password|authorization)$", re.IGNORECASE)
_PUBLIC = re.compile(r"[a-z]{3,12}", re.ASCII)
_PREFIX = re.compile(r"[\x21-\x7e]{1,20} ?", re.ASCII)
_FILTER = re.compile("|".join(FILTERS))
_TITLE = re.compile(r"[^\x00-\x1f\x7f<>`|*\[\]]{1,60}")
_PROSE = re.compile(r"[^\x00-\x1f\x7f]{1,400}")
_LINK = re.compile(r"https://[^\s\x00-\x20\x7f\"'<>`\\]{4,300}")
_QUERY = 'a table such as {field = "q"}'
V = TypeVar("V")
_CATEGORY_NAMES = tuple(category.value for category in Category)


def parse_description(name: str, table: Table) -> Description:
    """One table of a file as a description; raises `InvalidDescription` with the first key that is wrong."""
    table.know("extends")
    kind = table.choice("kind", KINDS, "search")
    name = table.text("name", name, like=NAME, takes="lower-case letters, digits and underscores, at most 40")
    method = table.choice("method", ("GET", "POST"), "GET")
    table.demand(
        method == "POST" or "body" not in table, "body", 'needs method = "POST"; constants of a GET are params'
    )
    query = table.read("query", _query, _QUERY)
    table.demand(query, "query", f"is missing: it takes {_QUERY}")
    description = Description(
        name=name,
        kind=kind,
        title=table.text("title", name, like=_TITLE, takes="the name of the vendor, at most 60 characters"),
        method=method,
        url=table.address("url"),
        has_own_server=table.flag("own_server"),
        auth=table.read("auth", partial(_auth, name=name), 'a table such as {in = "header", name = "X-API-Key"}'),
        headers=_headers(table),
        params=_without_secrets(table, "params", table.scalars("params")),
        body=_without_secrets(table, "body", table.nested("body")),
        query=query or QueryField(()),
    )
    description = _with_facts(table, {"search": _with_search, "read": _with_page}[kind](table, description))
    table.finish()
    _check_whole(description, table)
    return description


def _auth(auth: Table, name: str) -> KeyPlace:
    place = auth.choice("in", ("header", "query", "body", "basic"))
    takes = "the name of the header or parameter that carries the key"
    like = HEADER if place == "header" else FIELD
    sent_as = "" if place == "basic" else auth.text("name", None, like=like, takes=takes)
    if sent_as.lower() in _REFUSED_HEADERS - {"authorization"}:
        raise auth.refuse("name", f"another header than {sent_as}, which belongs to the request itself")
    prefix = auth.text("prefix", like=_PREFIX, takes='the part before the key, such as "Bearer "')
    public = auth.text("public", like=_PUBLIC, takes="the key that the vendor publishes for all")
    auth.demand(not public or "env" not in auth, "public", "cannot stand beside env: a published key needs no variable")
    variable = auth.text("env", f"{name.upper()}_API_KEY", like=VARIABLE, takes="the name of an environment variable")
    return KeyPlace(place, sent_as, prefix, "" if public else variable, auth.flag("optional"), public)


def _headers(table: Table) -> dict[str, str]:
    headers = table.scalars("headers")
    for name, value in headers.items():
        if not _is_free_header(name):
            takes = "headers that are neither a key, which belongs to auth, nor part of the request itself"
            raise InvalidDescription((*table.path, "headers", name), takes)
        if not str(value).isascii():
            raise InvalidDescription((*table.path, "headers", name), "a text of ASCII characters")
    return {name: str(value) for name, value in headers.items()}


def _is_free_header(name: str) -> bool:
    return bool(HEADER.fullmatch(name)) and name.lower() not in _REFUSED_HEADERS and not _SECRET.search(name)


def _without_secrets(table: Table, key: str, constants: dict[str, V]) -> dict[str, V]:
    """A key in a file would be shown by commands and logs, which know the variables of keys only."""
    secret = next((name for name, value in constants.items() if isinstance(value, str) and _SECRET.search(name)), "")
    if secret:
        raise InvalidDescription((*table.path, key, secret), "no keys: auth names the variable that holds one")
    return constants


def _query(query: Table) -> QueryField:
    takes = "the name of the parameter for the query, or a list of names; one that ends with [] takes a list"
    fields = query.texts("field", like=FIELD, takes=takes)
    query.demand(fields, "field", f"is missing: it takes {takes}")
    return QueryField(fields, query.whole("max_chars", 2048, 10, 100_000))


def _with_search(table: Table, description: Description) -> Description:
    takes = f"names out of {', '.join(_CATEGORY_NAMES)}"
    named = table.texts("categories", like=NAME, takes=takes)
    if unknown := [name for name in named if name not in _CATEGORY_NAMES]:
        raise table.refuse("categories", takes, sentence=f"names {unknown[0]!r}, but it takes {takes}")
    shape = _shape(table, AnswerShape())
    variants = table.read("category", partial(_variants, shape=shape), "a table for each category") or {}
    usual = tuple(map(Category, named)) or (Category.GENERAL,)
    return replace(
        description,
        count=filters.read_count(table),
        page=filters.read_page(table),
        time_range=filters.read_value(table, "time_range", ("day", "week", "month", "year")),
        dates=filters.read_dates(table),
        language=filters.read_value(table, "language"),
        country=filters.read_value(table, "country"),
        location=filters.read_value(table, "location"),
        safe_search=filters.read_value(table, "safe_search", ("off", "moderate", "strict")),
        include_domains=filters.read_domains(table, "include_domains", "site:"),
        exclude_domains=filters.read_domains(table, "exclude_domains", "-site:"),
        categories=tuple(dict.fromkeys([*usual, *variants])),
        shape=shape,
        variants=variants,
        then=table.read("then", _then),
    )


def _with_page(table: Table, description: Description) -> Description:
    fields = _fields(table, READ_FIELDS, required=("text",))
    return replace(description, shape=AnswerShape(results=table.way("results", ()), fields=fields), categories=())


def _shape(table: Table, known: AnswerShape) -> AnswerShape:
    """The shape of an answer; a category inherits from the whole description."""
    is_known = "results" in table or known.fields
    table.demand(is_known, "results", "is missing: it takes the path to the list, such as web.results")
    fields = dict(known.fields) | _fields(table, SEARCH_FIELDS, () if known.fields else ("url", "title"))
    return AnswerShape(
        results=table.way_to_list("results", known.results),
        fields=fields,
        answers=table.ways("answers") or known.answers,
        suggestions=table.ways("suggestions") or known.suggestions,
        is_optional=table.flag("results_optional") or known.is_optional,
    )


def _fields(table: Table, known: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Pick]:
    takes = 'a table of paths by field, such as {url = "link", title = "title"}'
    table.demand("fields" in table or not required, "fields", f"is missing: it takes {takes}")
    return table.read("fields", partial(_picks, known=known, required=required), takes) or {}


def _picks(fields: Table, known: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Pick]:
    fields.know(*known)
    for name in required:
        fields.demand(name in fields, name, "is missing: it takes the path to it in one result")
    return {name: _pick(fields, name) for name in known if name in fields}


def _pick(fields: Table, name: str) -> Pick:
    pick = fields.read(name, _described_pick) if fields.holds_table(name) else Pick(fields.ways(name))
    takes = 'a path, a list of paths, or a table such as {path = "id", prefix = "https://example.com/"}'
    if pick is None or not pick.paths:
        raise fields.refuse(name, takes)
    return pick


def _described_pick(table: Table) -> Pick:
    prefix = table.text("prefix", takes="a text")
    return Pick(table.ways("path"), prefix, table.choice("transform", ("", *TRANSFORMS), ""))


def _variants(changed: Table, shape: AnswerShape) -> dict[Category, Variant]:
    read = {name: changed.read(name, partial(_variant, shape=shape)) for name in _CATEGORY_NAMES}
    return {Category(name): variant for name, variant in read.items() if variant}


def _variant(table: Table, shape: AnswerShape) -> Variant:
    return Variant(
        url=table.relative_address("url"),
        params=_without_secrets(table, "params", table.scalars("params")),
        body=_without_secrets(table, "body", table.nested("body")),
        lacks=frozenset(table.texts("lacks", like=_FILTER, takes=f"names out of {', '.join(FILTERS)}")),
        shape=_shape(table, shape),
    )


def _then(then: Table) -> FollowUp:
    params = _without_secrets(then, "params", then.scalars("params"))
    return FollowUp(then.way_to_list("ids"), then.relative_address("url", None), then.name_of_field("field"), params)


def _with_facts(table: Table, description: Description) -> Description:
    """Errors, prices, paces and the sentences of the documentation."""
    prose = partial(table.text, like=_PROSE, takes="a sentence of at most 400 characters")
    return replace(
        description,
        errors=tuple(map(_error, table.tables("errors"))),
        price=table.dollars("price"),
        allowance=table.checked("allowance", budget, "", "a budget such as 100calls/day") or None,
        allowance_of=table.text("allowance_of", like=NAME, takes="the name of a provider"),
        pace=table.checked("pace", pace, "off", "a pace such as 1/s, 100/m or 2 at once"),
        timeout=table.checked("timeout", duration, "15s", "a duration such as 15s"),
        is_opt_in=table.flag("opt_in"),
        tier=table.text("tier", like=_TITLE, takes="the words for a service without a key"),
        nicknames=table.texts("nicknames", like=NAME, takes="names"),
        index=table.text("index", like=NAME, takes="the name of the owner of the index, such as bing"),
        docs=table.text("docs", like=_LINK, takes="the address of the vendor's documentation"),
        privacy=prose("privacy"),
        free=prose("free"),
    )


def _error(table: Table) -> ErrorRule:
    rule = ErrorRule(
        kind=table.choice("as", FAILURES),
        statuses=table.statuses("status"),
        contains=table.text("contains", takes="a word of the message").lower(),
        path=table.way("path", ()),
        codes=table.codes("is"),
        good_codes=table.codes("is_not"),
        retry_after=table.way("retry_after", ()),
        retry_header=table.text("retry_after_header", like=HEADER, takes="the name of a header").lower(),
    )
    table.finish()
    compares = rule.codes + rule.good_codes
    table.demand(rule.path or not compares, "path", "is missing: is and is_not compare the value at its end")
    conditions = (rule.statuses, rule.contains, rule.path)
    table.demand(any(conditions), "status", "is missing: name status, contains or path")
    return rule


def _check_whole(description: Description, table: Table) -> None:
    """Conditions that concern several keys."""
    auth, page, has_body = description.auth, description.page, description.method == "POST"
    table.demand(has_body or _place(auth) != "body", "auth", 'has in = "body", which needs method = "POST"')
    is_paged = page is None or description.count.field or page.size
    table.demand(is_paged, "page", "needs count.field, or size, the number of results on a page")
    has_one = not (description.has_own_server and auth)
    table.demand(has_one, "own_server", "cannot stand beside auth: it would get the key")
    table.demand(not (description.variants and description.then), "then", "cannot stand beside category")


def _place(auth: KeyPlace | None) -> str:
    return auth.place if auth else ""
