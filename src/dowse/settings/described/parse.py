"""Parser of one description: every key of the format, its values, and contradictions between keys."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from dowse.core.models import Category
from dowse.settings.described import filters
from dowse.settings.described.model import (
    AnswerShape,
    Description,
    ErrorRule,
    FollowUp,
    KeyPlace,
    Kind,
    Method,
    Pick,
    Place,
    QueryField,
    Scalar,
    Variant,
)
from dowse.settings.described.table import (
    FIELD,
    HEADER,
    NAME,
    VARIABLE,
    InvalidDescription,
    Table,
    as_list,
    parse_path,
)
from dowse.settings.types import budget, duration, pace

KINDS: tuple[Kind, ...] = ("search", "read")
TRANSFORMS = ("inverted_abstract", "joined_parts", "first_line")
SEARCH_FIELDS = ("url", "title", "snippet", "passages", "date", "engine", "score", "image", "thumbnail", "duration")
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
_OPEN_FILTERS = ("time_range", "language", "country", "location")
_CATEGORY_NAMES = tuple(category.value for category in Category)


def parse_description(name: str, table: Table) -> Description:
    """One table of a file as a description; raises `InvalidDescription` with the first key that is wrong."""
    kind: Kind = table.choice("kind", KINDS, "search")
    name = table.text("name", name, like=NAME, takes="lower-case letters, digits and underscores, at most 40")
    title = table.text("title", name, like=_TITLE, takes="the name of the vendor, at most 60 characters")
    method: Method = table.choice("method", ("GET", "POST"), "GET")
    request = Description(
        name=name,
        kind=kind,
        title=title,
        method=method,
        url=table.address("url"),
        has_own_server=table.flag("own_server"),
        auth=_auth(table, name),
        headers=_headers(table),
        params=_constants(table, "params"),
        body=_body(table, method),
        query=_query(table),
        shape=AnswerShape(),
    )
    description = _add_facts(_add_search(request, table) if kind == "search" else _add_read(request, table), table)
    table.finish()
    _check_whole(description, table)
    return description


def _auth(table: Table, name: str) -> KeyPlace | None:
    takes = 'a table such as {in = "header", name = "X-API-Key"}'
    auth = table.table("auth", takes)
    if auth is None:
        return None
    place: Place = auth.choice("in", ("header", "query", "body", "basic"))
    sent_as = "" if place == "basic" else _name_of_key(auth, HEADER if place == "header" else FIELD)
    prefix = auth.text("prefix", like=_PREFIX, takes='what stands before the key, such as "Bearer "')
    public = auth.text("public", like=_PUBLIC, takes="the key that the vendor publishes for everybody")
    if public and "env" in auth:
        raise auth.refuse("public", "", sentence="cannot stand beside env: a published key is nobody's own")
    variable = auth.text("env", f"{name.upper()}_API_KEY", like=VARIABLE, takes="the name of an environment variable")
    is_optional = auth.flag("optional")
    auth.finish()
    return KeyPlace(place, sent_as, prefix, "" if public else variable, is_optional, public)


def _name_of_key(auth: Table, like: re.Pattern[str]) -> str:
    name = auth.text("name", None, like=like, takes="the name of the header or parameter that carries the key")
    if name.lower() in _REFUSED_HEADERS - {"authorization"}:
        raise auth.refuse("name", f"another header than {name}, which belongs to the request itself")
    return name


def _headers(table: Table) -> dict[str, str]:
    headers = table.scalars("headers")
    for name, value in headers.items():
        if objection := _object_to_header(name, value):
            raise InvalidDescription((*table.path, "headers", name), objection)
    return {name: str(value) for name, value in headers.items()}


def _object_to_header(name: str, value: object) -> str:
    if not HEADER.fullmatch(name) or name.lower() in _REFUSED_HEADERS or _SECRET.search(name):
        return "headers that are neither a key, which belongs to auth, nor part of the request itself"
    return "" if isinstance(value, str) and value.isascii() else "a text of ASCII characters"


def _constants(table: Table, key: str) -> dict[str, Scalar]:
    constants = table.scalars(key)
    for name, value in constants.items():
        _refuse_secret(table, key, name, value)
    return constants


def _body(table: Table, method: str) -> dict[str, object]:
    if "body" in table and method == "GET":
        raise table.refuse("body", "", sentence='needs method = "POST"; constants of a GET are params')
    body = table.nested("body")
    for name, value in body.items():
        _refuse_secret(table, "body", name, value)
    return body


def _refuse_secret(table: Table, key: str, name: str, value: object) -> None:
    """A key in a file would be shown by commands and logs, which know the variables of keys only."""
    if isinstance(value, str) and _SECRET.search(name):
        takes = "no keys: auth names the variable that holds one"
        raise InvalidDescription((*table.path, key, name), takes)


def _query(table: Table) -> QueryField:
    query = table.table("query", 'a table such as {field = "q"}')
    if query is None:
        raise table.refuse("query", "", sentence='is missing: it takes a table such as {field = "q"}')
    takes = "the name of the parameter for the query, or a list of names; one that ends with [] takes a list"
    fields = query.texts("field", like=FIELD, takes=takes)
    if not fields:
        raise query.refuse("field", takes)
    most = query.whole("max_chars", 2048, 10, 100_000)
    query.finish()
    return QueryField(fields, most)


def _add_search(request: Description, table: Table) -> Description:
    """Add the filters, and the shape of the answer."""
    time_range, language, country, location = (filters.read_value(table, name) for name in _OPEN_FILTERS)
    safety = filters.read_value(table, "safe_search", ("off", "moderate", "strict"))
    named = table.texts("categories", like=NAME, takes=f"names out of {', '.join(_CATEGORY_NAMES)}")
    shape = _shape(table, AnswerShape())
    filtering = replace(
        request,
        count=filters.read_count(table),
        page=filters.read_page(table),
        time_range=time_range,
        language=language,
        country=country,
        location=location,
        safe_search=safety,
        dates=filters.read_dates(table),
        include_domains=filters.read_domains(table, "include_domains", "site:"),
        exclude_domains=filters.read_domains(table, "exclude_domains", "-site:"),
    )
    then, variants = _then(table), _variants(table, shape)
    return replace(filtering, shape=shape, then=then, variants=variants, categories=_categories(table, named, variants))


def _add_read(request: Description, table: Table) -> Description:
    fields = _fields(table, READ_FIELDS, required=("text",))
    return replace(request, shape=AnswerShape(results=table.way("results", ()), fields=fields), categories=())


def _shape(table: Table, known: AnswerShape) -> AnswerShape:
    """The shape of an answer; a category inherits missing parts from the whole description."""
    if "results" not in table and not known.fields:
        raise table.refuse("results", "", sentence="is missing: it takes the path to the list, such as web.results")
    required = () if known.fields else ("url", "title")
    fields = dict(known.fields) | _fields(table, SEARCH_FIELDS, required)
    return AnswerShape(
        results=table.way("results", known.results),
        fields=fields,
        answers=table.ways("answers") or known.answers,
        suggestions=table.ways("suggestions") or known.suggestions,
        is_optional=table.flag("results_optional") or known.is_optional,
    )


def _fields(table: Table, known: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Pick]:
    takes = 'a table of paths by field, such as {url = "link", title = "title"}'
    fields = table.table("fields", takes)
    if fields is None:
        if required:
            raise table.refuse("fields", "", sentence=f"is missing: it takes {takes}")
        return {}
    picks = {name: _pick(fields, name) for name in known}
    if missing := next((name for name in required if not picks[name]), ""):
        raise fields.refuse(missing, "", sentence="is missing: it takes the path to it in one result")
    fields.finish()
    return {name: pick for name, pick in picks.items() if pick}


def _pick(fields: Table, name: str) -> Pick | None:
    value = fields.take(name)
    takes = 'a path, a list of paths, or a table such as {path = "id", prefix = "https://example.com/"}'
    if value is None:
        return None
    if isinstance(value, dict):
        return _transformed_pick(Table(value, fields.at(name)), takes)
    parsed = [parse_path(item) for item in as_list(value)]
    paths = tuple(steps for steps in parsed if steps is not None)
    if not paths or len(paths) != len(parsed):
        raise fields.refuse(name, takes)
    return Pick(paths)


def _transformed_pick(table: Table, takes: str) -> Pick:
    paths = table.ways("path")
    prefix = table.text("prefix", takes="a text")
    transform = table.choice("transform", ("", *TRANSFORMS), "")
    table.finish()
    if not paths:
        raise table.refuse("path", takes)
    return Pick(paths, prefix, transform)


def _variants(table: Table, shape: AnswerShape) -> dict[Category, Variant]:
    """The categories that change the request or the shape of the answer."""
    changed = table.table("category", "a table for each category, such as [brave.category.news]")
    if changed is None:
        return {}
    tables = {name: variant for name in _CATEGORY_NAMES if (variant := changed.table(name))}
    variants = {Category(name): _variant(variant, shape) for name, variant in tables.items()}
    changed.finish()
    return variants


def _categories(table: Table, named: tuple[str, ...], variants: Iterable[Category]) -> tuple[Category, ...]:
    if unknown := next((name for name in named if name not in _CATEGORY_NAMES), ""):
        takes = f"names out of {', '.join(_CATEGORY_NAMES)}"
        raise table.refuse("categories", takes, sentence=f"names {unknown!r}, but it takes {takes}")
    usual = tuple(map(Category, named)) or (Category.GENERAL,)
    return tuple(dict.fromkeys([*usual, *variants]))


def _variant(table: Table, shape: AnswerShape) -> Variant:
    variant = Variant(
        url=table.relative_address("url"),
        params=_constants(table, "params"),
        body=table.nested("body"),
        lacks=frozenset(table.texts("lacks", like=_FILTER, takes=f"names out of {', '.join(FILTERS)}")),
        shape=_shape(table, shape),
    )
    table.finish()
    return variant


def _then(table: Table) -> FollowUp | None:
    then = table.table("then")
    if then is None:
        return None
    url = then.relative_address("url", None)
    found = FollowUp(then.way("ids"), url, then.name_of_field("field"), _constants(then, "params"))
    then.finish()
    return found


def _add_facts(description: Description, table: Table) -> Description:
    """Add errors, prices, paces and the sentences of the documentation."""
    prose = partial(table.text, like=_PROSE, takes="a sentence of at most 400 characters")
    allowance = table.checked("allowance", budget, "", "a budget such as 100calls/day")
    return replace(
        description,
        errors=tuple(map(_error, table.tables("errors"))),
        price=table.dollars("price"),
        allowance=allowance or None,
        allowance_of=table.text("allowance_of", like=NAME, takes="the name of a provider"),
        pace=table.checked("pace", pace, "off", "a pace such as 1/s, 100/m or 2 at once"),
        timeout=table.checked("timeout", duration, "15s", "a duration such as 15s"),
        is_opt_in=table.flag("opt_in"),
        tier=table.text("tier", like=_TITLE, takes="the words for a service without a key"),
        nicknames=table.texts("nicknames", like=NAME, takes="names"),
        index=table.text("index", like=NAME, takes="the name of who owns the index, such as bing"),
        docs=table.checked("docs", _check_link, "", "the address of the vendor's documentation"),
        privacy=prose("privacy"),
        free=prose("free"),
    )


def _check_link(value: str) -> None:
    if value and (not value.startswith("https://") or any(sign in value for sign in "\"'<>` \\")):
        raise ValueError


def _error(table: Table) -> ErrorRule:
    kind = table.choice("as", FAILURES)
    statuses = table.statuses("status")
    contains = table.text("contains", takes="a word of the message")
    path = table.way("path", ())
    codes, good = table.codes("is"), table.codes("is_not")
    header = table.text("retry_after_header", like=HEADER, takes="the name of a header")
    retry = table.way("retry_after", ())
    table.finish()
    if (codes or good) and not path:
        raise table.refuse("path", "", sentence="is missing: is and is_not compare what it leads to")
    if not (statuses or contains or path):
        raise table.refuse("status", "", sentence="is missing: name status, contains or path")
    return ErrorRule(kind, statuses, contains.lower(), path, codes, good, retry, header.lower())


def _check_whole(description: Description, table: Table) -> None:
    """What each key cannot know by itself."""
    auth, page, count = description.auth, description.page, description.count
    has_body = description.method == "POST"
    conflicts = {
        "auth": ('has in = "body", which needs method = "POST"', auth and auth.place == "body" and not has_body),
        "page": (
            "needs count.field, or size, the number of results on a page",
            page and not (count.field or page.size),
        ),
        "own_server": ("cannot stand beside auth: it would get the key", description.has_own_server and auth),
        "then": ("cannot stand beside category", description.variants and description.then),
    }
    for key, (sentence, is_wrong) in conflicts.items():
        if is_wrong:
            raise table.refuse(key, "", sentence=sentence)
