"""A validated description of one JSON API; docs/add-a-provider.md explains each key."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from dowse.core.models import Category

Scalar = str | int | float | bool
JsonPath = tuple[str, ...]
"""Steps to a value: the name of a field, the index of an item, or `[]` for each item of a list."""


SEARCH_FIELDS = ("url", "title", "snippet", "passages", "date", "engine", "score", "image", "thumbnail", "duration")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a request carries the key (`header`, `query`, `body` or `basic`), and the variable that holds it."""

    place: str
    name: str
    prefix: str
    variable: str = ""
    is_optional: bool = False
    public: str = ""
    """A key that the vendor publishes for general use, in place of one of the user's."""


@dataclass(frozen=True, slots=True)
class Pick:
    """How a value is read: the first path that leads to something, a constant before it, and a named transform."""

    paths: tuple[JsonPath, ...] = ()
    prefix: str = ""
    transform: str = ""


@dataclass(frozen=True, slots=True)
class QueryField:
    """The parameters that carry the query, or the address of a page."""

    fields: tuple[str, ...]
    max_chars: int = 2048


@dataclass(frozen=True, slots=True)
class CountField:
    """The parameter for the number of results; without one the API always sends up to `most`."""

    field: str = ""
    most: int = 10


@dataclass(frozen=True, slots=True)
class PageField:
    """The parameter for a further page: its number from `start`, or the number of results before it.

    `size` is the length of a page where the API sets it; `last` is the largest value that the parameter takes.
    """

    field: str
    start: int = 1
    counts: str = "pages"
    size: int = 0
    last: int = 0

    def value(self, number: int, size: int) -> int:
        """The value for the page after so many others, each of this size."""
        return self.start + number * self._step(size)

    def pages(self, size: int) -> int:
        """The number of pages that the API has."""
        return (self.last - self.start) // self._step(size) + 1

    def _step(self, size: int) -> int:
        return 1 if self.counts == "pages" else size


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """A filter with one value: a parameter, or an operator in the query. `values` translate; others go as they are.

    With a `prefix` it is one of several conditions in a parameter, separated by commas.

    `is_closed` if the API knows the listed values only; any other one is reported as left out.
    """

    field: str = ""
    operator: str = ""
    prefix: str = ""
    values: Mapping[str, Scalar] = dataclasses.field(default_factory=dict)
    form: str = ""
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class DateFilter:
    """Dates as two parameters, or together in one; `is_open` if one date may be sent without the other."""

    field: str = ""
    start: str = ""
    end: str = ""
    form: str = "iso"
    joint: str = ","
    prefix: str = ""
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class DomainFilter:
    """Domains as a native parameter, or as an operator in the query; neither if the API cannot filter by domain."""

    field: str = ""
    form: str = "list"
    most: int = 100
    prefix: str = ""
    operator: str = ""


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """A failure particular to an API: by status, a word of the body, or a code inside the answer."""

    kind: str
    statuses: tuple[int, ...] = ()
    contains: str = ""
    path: JsonPath = ()
    codes: tuple[Scalar, ...] = ()
    good_codes: tuple[Scalar, ...] = ()
    retry_after: JsonPath = ()
    retry_header: str = ""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A second request with the ids that the first one found; its results are by id."""

    ids: JsonPath
    url: str
    field: str
    params: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShape:
    """Where an answer holds its results and their fields."""

    results: JsonPath = ()
    fields: Mapping[str, Pick] = dataclasses.field(default_factory=dict)
    answers: tuple[JsonPath, ...] = ()
    suggestions: tuple[JsonPath, ...] = ()
    is_optional: bool = False
    """Whether an answer without the list is an answer without results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Changes for a category: the address relative to that of the API, further constants, the shape of the answer."""

    url: str = ""
    params: Mapping[str, Scalar] = dataclasses.field(default_factory=dict)
    body: Mapping[str, object] = dataclasses.field(default_factory=dict)
    lacks: frozenset[str] = frozenset()
    """Filters that the API does not have for this category."""
    shape: AnswerShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One JSON API of a provider; its `kind` is `search` or `read`, its `method` `GET` or `POST`."""

    name: str
    kind: str
    title: str
    url: str
    method: str
    has_own_server: bool = False
    auth: KeyPlace | None = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    params: Mapping[str, Scalar] = dataclasses.field(default_factory=dict)
    body: Mapping[str, object] = dataclasses.field(default_factory=dict)
    query: QueryField
    count: CountField = CountField()
    page: PageField | None = None
    time_range: ValueFilter | None = None
    dates: DateFilter | None = None
    language: ValueFilter | None = None
    country: ValueFilter | None = None
    location: ValueFilter | None = None
    safe_search: ValueFilter | None = None
    include_domains: DomainFilter = DomainFilter(operator="site:")
    exclude_domains: DomainFilter = DomainFilter(operator="-site:")
    categories: tuple[Category, ...] = (Category.GENERAL,)
    shape: AnswerShape = AnswerShape()
    variants: Mapping[Category, Variant] = dataclasses.field(default_factory=dict)
    then: FollowUp | None = None
    errors: tuple[ErrorRule, ...] = ()
    price: float = 0.0
    allowance: str | None = None
    allowance_of: str = ""
    pace: str = "off"
    timeout: str = "15s"
    is_opt_in: bool = False
    tier: str = ""
    nicknames: tuple[str, ...] = ()
    index: str = ""
    docs: str = ""
    privacy: str = ""
    free: str = ""

    @property
    def key_variable(self) -> str:
        return self.auth.variable if self.auth else ""

    @property
    def is_key_optional(self) -> bool:
        return self.auth is not None and self.auth.is_optional

    @property
    def filters(self) -> frozenset[str]:
        """The filters that the API has."""
        dates = self.dates or DateFilter()
        taken = {
            "time_range": self.time_range,
            "start_date": dates.field or dates.start,
            "end_date": dates.field or dates.end,
            "language": self.language,
            "country": self.country,
            "location": self.location,
            "safe_search": self.safe_search,
            "include_domains": self.include_domains.field,
            "exclude_domains": self.exclude_domains.field,
            "page": self.page,
        }
        return frozenset(name for name, parameter in taken.items() if parameter)

    def shape_of(self, category: Category) -> AnswerShape:
        variant = self.variants.get(category)
        return variant.shape if variant else self.shape
