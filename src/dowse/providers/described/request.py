"""The request of a described API: each parameter in its place, and none without a value."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import quote, urlencode, urljoin, urlsplit

from dowse.core.models import Query
from dowse.net.json_fields import as_mapping, elements
from dowse.settings.described.model import (
    DateFilter,
    Description,
    DomainFilter,
    KeyPlace,
    PageField,
    Scalar,
    ValueFilter,
)

_SAFETY = ("off", "moderate", "strict")
# One domain is alone in its parameter.
_JOINTS = {"comma": ",", "pipe": "|", "single": ","}
_FIRST_DAY = date(1970, 1, 1)
_FORMS = {
    "iso": "%Y-%m-%d",
    "time": "%Y-%m-%dT00:00:00Z",
    "us": "%m/%d/%Y",
    "slashes": "%Y/%m/%d",
    "compact": "%Y%m%d",
    "stamp": "%Y%m%d000000",
    "year": "%Y",
}


@dataclass(slots=True)
class Request:
    """A request while it is composed. `skipped` results come before the wanted ones on the same page."""

    method: str
    url: str
    headers: dict[str, str]
    params: list[tuple[str, str]] = field(default_factory=list)
    body: dict[str, object] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    skipped: int = 0

    @property
    def address(self) -> str:
        if not self.params:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(self.params, quote_via=quote)}"

    def put(self, name: str, value: object) -> None:
        """Set a parameter: a nested field of a body, or a part of the query. `name[]` takes a list."""
        put = self._put_param if self.method == "GET" else self._put_field
        put(name.removesuffix("[]"), [value] if name.endswith("[]") and not isinstance(value, list) else value)

    def _put_param(self, name: str, value: object) -> None:
        self.params += [(name, _text(item)) for item in (value if isinstance(value, list) else [value])]

    def _put_field(self, name: str, value: object) -> None:
        *parents, last = name.split(".")
        place = self.body
        for parent in parents:
            place = _inside(place, parent)
        place[last] = value

    def join(self, name: str, value: str, joint: str) -> None:
        """Add to a parameter that takes several conditions."""
        at = next((at for at, (known, _) in enumerate(self.params) if known == name), None)
        if at is None:
            self.put(name, value)
        else:
            self.params[at] = (name, f"{self.params[at][1]}{joint}{value}")


def search_request(description: Description, endpoint: str, key: str, query: Query, today: date) -> Request:
    """The request for a query that fits the limits of the API already."""
    variant = description.variants.get(query.category)
    url = urljoin(endpoint, variant.url) if variant and variant.url else endpoint
    if variant:
        params, body = {**description.params, **variant.params}, {**description.body, **variant.body}
        description = replace(description, params=params, body=body)
    request = start_request(description, url, key)
    _put_count(request, description, query)
    _put_filters(request, description, query, today)
    text = " ".join([query.text, *request.words])
    for name in description.query.fields:
        request.put(name, text)
    return request


def read_request(description: Description, endpoint: str, key: str, url: str) -> Request:
    """The request for a page."""
    request = start_request(description, endpoint, key)
    for name in description.query.fields:
        request.put(name, url)
    return request


def start_request(description: Description, url: str, key: str) -> Request:
    """The constants of a description, and its key in its place."""
    request = Request(description.method, url, dict(description.headers))
    _put_all(request, description.params, description.body)
    auth = description.auth
    if auth and (known := key or auth.public):
        _put_key(request, auth, known)
    return request


def _put_key(request: Request, auth: KeyPlace, key: str) -> None:
    written = f"{auth.prefix}{key}"
    match auth.place:
        case "header":
            request.headers[auth.name] = written
        case "basic":
            request.headers["Authorization"] = f"Basic {base64.b64encode(key.encode()).decode('ascii')}"
        case "query":
            request.params.append((auth.name, written))
        case "body":
            request.put(auth.name, written)


def follow_request(description: Description, endpoint: str, key: str, ids: Iterable[str]) -> Request:
    """The second request of an API that finds ids first."""
    assert description.then, "only descriptions with a second request get here"
    bare = replace(description, params=description.then.params, body={}, method="GET")
    request = start_request(bare, urljoin(endpoint, description.then.url), key)
    request.put(description.then.field, ",".join(ids))
    return request


def own_server_url(server: str, description: Description) -> str:
    """The address of the API on a server of the user's own."""
    return server.rstrip("/") + urlsplit(description.url).path


def _put_all(request: Request, params: Mapping[str, Scalar], body: Mapping[str, object]) -> None:
    """Constants: parameters of the query in any case, fields of the body besides."""
    request.params += [(name, _text(value)) for name, value in params.items()]
    for name, value in body.items():
        request.put(name, value)


def _put_count(request: Request, description: Description, query: Query) -> None:
    page = description.page or PageField("")
    size = page.size or query.num_results
    if description.count.field:
        request.put(description.count.field, size)
    if page.field and query.page > 1:
        number, request.skipped = divmod(query.earlier, size)
        request.put(page.field, page.value(number, size))


def pages_exceeded(description: Description, query: Query) -> int:
    """The number of pages that the API has, if the query asks for a further one; else 0."""
    page = description.page
    if not page or not page.last:
        return 0
    size = page.size or query.num_results
    return page.pages(size) if page.value(query.earlier // size, size) > page.last else 0


def _put_filters(request: Request, description: Description, query: Query, today: date) -> None:
    dates = _used_dates(description, query)
    for name, taken, given in _given_values(description, query):
        # A parameter for both takes the exact dates.
        if not (dates and dates.field == taken.field):
            _put_value(request, taken, given, name)
    if dates:
        _put_dates(request, dates, query, today)
    _put_domains(request, description.include_domains, query.include_domains, "include_domains")
    _put_domains(request, description.exclude_domains, query.exclude_domains, "exclude_domains")


def _used_dates(description: Description, query: Query) -> DateFilter | None:
    return description.dates if query.start_date or query.end_date else None


def _given_values(description: Description, query: Query) -> Iterator[tuple[str, ValueFilter, str]]:
    """The filters with one value that the query uses and the API has."""
    safety = "" if query.safe_search is None else _SAFETY[query.safe_search]
    values = {
        "time_range": (description.time_range, query.time_range.value),
        "language": (description.language, query.language),
        "country": (description.country, query.country),
        "location": (description.location, query.location),
        "safe_search": (description.safe_search, safety),
    }
    for name, (taken, given) in values.items():
        if taken and given:
            yield name, taken, given


def _put_value(request: Request, taken: ValueFilter, given: str, name: str) -> None:
    value = _translate(taken, given)
    if value is None:
        request.warnings.append(f"cannot filter by this {name}, so it was left out.")
    elif taken.operator:
        request.words.append(f"{taken.operator}{value}")
    elif taken.prefix:
        request.join(taken.field, f"{taken.prefix}{value}", ",")
    else:
        request.put(taken.field, value)


def _translate(taken: ValueFilter, given: str) -> Scalar | None:
    """The value as the API writes it; `None` if it does not know it."""
    language = given.partition("-")[0]
    listed = [taken.values[name] for name in (given, given.lower(), language) if name in taken.values]
    forms = {"lower": given.lower(), "upper": given.upper(), "language": language}
    unlisted = [] if taken.is_closed else [forms.get(taken.form, given)]
    return next(iter([*listed, *unlisted]), None)


def _put_dates(request: Request, dates: DateFilter, query: Query, today: date) -> None:
    first, last = _bounds(dates, query, today)
    named = [(name, value) for name, value in ((dates.start, first), (dates.end, last)) if name and value]
    if not dates.field:
        for name, value in named:
            request.put(name, value)
    elif named:
        conditions = dates.joint.join(f"{name}{value}" for name, value in named)
        request.join(dates.field, f"{dates.prefix}{conditions}", dates.joint)
    else:
        # A range such as 2026-01-01:2026-02-01; one end may be missing.
        request.put(dates.field, f"{dates.prefix}{first}{dates.joint}{last}")


def _bounds(dates: DateFilter, query: Query, today: date) -> tuple[str, str]:
    """Both dates as the API takes them; a missing one is far away where it wants both."""
    first, last = ("", "") if dates.is_open else (_FIRST_DAY.isoformat(), today.isoformat())
    return _write_date(query.start_date or first, dates.form), _write_date(query.end_date or last, dates.form)


def _write_date(day: str, form: str) -> str:
    return format_date(date.fromisoformat(day), form) if day else ""


def _put_domains(request: Request, taken: DomainFilter, domains: tuple[str, ...], name: str) -> None:
    """Native filters only: operators are part of the text already."""
    if not taken.field or not domains:
        return
    kept = [f"{taken.prefix}{domain}" for domain in _first_domains(request, taken, domains, name)]
    form = "comma" if (taken.form, request.method) == ("list", "GET") else taken.form
    joint = _JOINTS.get(form)
    # One parameter may hold the wanted and the unwanted domains.
    request.put(taken.field, joint.join(kept) if joint else [*elements(request.body.get(taken.field)), *kept])


def _first_domains(request: Request, taken: DomainFilter, domains: tuple[str, ...], name: str) -> tuple[str, ...]:
    most = 1 if taken.form == "single" else taken.most
    if len(domains) > most:
        request.warnings.append(f"takes at most {most} {name}, so {len(domains) - most} were left out.")
    return domains[:most]


def _inside(place: dict[str, object], name: str) -> dict[str, object]:
    """The table at a name, a copy of a constant one; a new one where there is none."""
    inner = dict(as_mapping(place.get(name)))
    place[name] = inner
    return inner


def format_date(day: date, form: str) -> str:
    """A date as an API takes it."""
    if form == "unix":
        return str((day - _FIRST_DAY).days * 86_400)
    return day.strftime(_FORMS[form])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
