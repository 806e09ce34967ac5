"""A first description of an API, guessed from the address of one request and from a sample of its answer."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from dowse.core.errors import ConfigError
from dowse.flows.draft_names import bare_name, first_known, guess_beside, members
from dowse.settings.described.model import Description
from dowse.settings.described.parse import parse_description
from dowse.settings.described.table import FIELD, NAME, InvalidDescription, Table

QUERY = "weather"
"""The query of a live request, where the address has none."""
_QUERIES = (
    "q",
    "query",
    "search",
    "term",
    "search_query",
    "searchterm",
    "keyword",
    "keywords",
    "text",
    "question",
    "s",
)
_COUNTS = (
    "count",
    "limit",
    "num",
    "n",
    "size",
    "perpage",
    "pagesize",
    "numresults",
    "maxresults",
    "rows",
    "topk",
    "top",
)
_SECRET = re.compile(r"(?:^|[_.-])(?:api[_-]?key|key|token|secret|password|auth|authorization)$", re.IGNORECASE)
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "url": ("url", "link", "href", "uri", "weburl", "pageurl", "permalink", "sourceurl", "doi"),
    "title": ("title", "name", "headline", "heading", "label"),
    "snippet": (
        "snippet",
        "description",
        "summary",
        "abstract",
        "excerpt",
        "text",
        "content",
        "snippets",
        "highlights",
    ),
    "date": (
        *("date", "published", "publisheddate", "publishedat", "pubdate", "datepublished", "pageage", "age"),
        *("createdat", "created", "seenat", "updatedat", "updated", "lastupdated", "modified", "posted"),
        *("timestamp", "year"),
    ),
    "thumbnail": ("thumbnail", "thumbnailurl", "image", "imageurl"),
}
"""Names that vendors use for a field, the likeliest first; compared in lower case, without signs."""


def _is_prose(value: str) -> bool:
    return bool(value.strip()) and not value.startswith("http")


_IS_LIKELY: Mapping[str, Callable[[str], bool]] = {
    "url": lambda value: bool(re.match(r"https?://\S+$", value)),
    "title": _is_prose,
    "snippet": _is_prose,
    "date": lambda value: bool(re.search(r"\d{4}|\d{10}|ago$", value)),
    "thumbnail": lambda value: value.startswith("http"),
}
_PAGES = ("page", "pagenumber", "pageno", "pageindex")
_IS_DATE = re.compile(r"(?:19|20)\d{2}-\d{2}-\d{2}(?:\D|$)|[1-9]\d{8}(?:\d(?:\d{3})?)?(?:\.\d+)?$")
_LATEST_S = 4_000_000_000
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_DEEPEST, _MOST_ITEMS = 5, 20
_SECOND_LEVEL = ("com", "co", "org", "net", "ac", "gov", "edu")


@dataclass(frozen=True, slots=True)
class Sample:
    """The request that a description is drafted for, as the user gave it."""

    name: str
    url: str
    values: Mapping[str, object]
    """Values that may vary: the body of a POST, else the parameters."""
    is_post: bool = False
    params: Mapping[str, object] = field(default_factory=dict)
    """The parameters of a POST."""
    query: str = ""
    """The parameter that carries the query."""
    count: str = ""
    page: Mapping[str, object] | None = None
    auth: Mapping[str, object] | None = None
    asked: str = QUERY
    notes: tuple[str, ...] = ()

    def without(self, name: str, note: str) -> Sample:
        """This request without one of its values, which became something else."""
        values, params = _left(self.values, name), _left(self.params, name)
        return replace(self, notes=(*self.notes, note), values=values, params=params)


def _left(values: Mapping[str, object], name: str) -> dict[str, object]:
    return {each: value for each, value in values.items() if each != name}


@dataclass(frozen=True, slots=True)
class Draft:
    """A description as TOML, with notes on guesses and on facts to look up."""

    name: str
    toml: str
    notes: tuple[str, ...]
    description: Description


def read_sample(url: str, name: str, body: object = None, auth: Mapping[str, object] | None = None) -> Sample:
    """The parts of a request. A key in it is left out: a description names the variable that holds one."""
    parts = _split(url)
    if not isinstance(body, dict | None):
        raise ConfigError('--body takes a JSON object, such as \'{"query": "weather", "limit": 5}\'.')
    name = name or guess_name(parts.hostname or "")
    if not NAME.fullmatch(name):
        raise ConfigError(f"{name[:80]!r} is no name: it takes lower-case letters, digits and underscores; add --name.")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    address = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    values, params = (given, {}) if body is None else (body, given)
    sample = Sample(name, address, values, body is not None, params, auth=auth)
    return _find_page(_find_count(_find_query(_take_keys(sample))))


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("new takes the address of one request, such as https://api.example.com/search?q=weather.")
    return parts


def guess_name(host: str) -> str:
    """A name out of a host: `api.search.example.com` is `example`."""
    labels = [label for label in host.lower().split(".") if label]
    labels = labels[:-1] or labels
    labels = labels[:-1] if len(labels) > 1 and labels[-1] in _SECOND_LEVEL else labels
    name = re.sub(r"[^a-z0-9]+", "_", labels[-1]).strip("_")[:40]
    return name if NAME.fullmatch(name) else "mine"


def draft(sample: Sample, answer: object) -> Draft:
    """The description of a request and its answer; raises `ConfigError` if no results are found in the answer."""
    path, items = best_list(answer) or _refuse(answer)
    fields = guess_fields(items)
    beside = {name: where for name, where in guess_beside(answer).items() if not where.startswith(path)}
    toml = write(sample, path, fields, beside)
    notes = [*sample.notes, f"results: {path!r} is a list of {len(items)} objects"]
    notes += [f"{name}: {where!r}" for name, where in {**fields, **beside}.items()]
    notes += [f"{name}: nothing looks like it" for name in ("snippet", "date") if name not in fields]
    return Draft(sample.name, toml, (*notes, *_to_look_up(sample)), parse(sample.name, toml))


def _refuse(answer: object) -> NoReturn:
    lists = ", ".join(path for path, _ in find_lists(answer)) or "none"
    raise ConfigError(
        f"The answer has no list of results with an address and a title (lists of objects in it: {lists}). "
        "Write results and fields by hand, as docs/add-a-provider.md shows."
    )


def preliminary(sample: Sample) -> str:
    """A description that sends the request; nothing is known of the answer yet."""
    return write(sample, ".", {"url": "url", "title": "title"})


def parse(name: str, toml: str) -> Description:
    """A drafted description, validated like one of the user's."""
    try:
        return parse_description(name, Table(tomllib.loads(toml)[name], (name,)))
    except InvalidDescription as refused:
        raise ConfigError(f"The request cannot be described: {refused.told}") from None


def find_lists(
    value: object, path: str = "", depth: int = _DEEPEST
) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    """The lists of objects in an answer, each with its path."""
    items = _objects(value)
    if items:
        yield path or ".", items
        # Some wrap the results: a list of one channel, which holds them.
        value, path = items[0], f"{path}.0" if path else "0"
    for below, inner in members(value, path) if depth else ():
        yield from find_lists(inner, below, depth - 1)


def _objects(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def best_list(answer: object) -> tuple[str, list[Mapping[str, object]]] | None:
    """The list that looks most like results: items with an address, a title and more; the first of equals."""
    judged = [(path, items, guess_fields(items)) for path, items in find_lists(answer)]
    usable = [each for each in judged if {"url", "title"} <= each[2].keys()]
    if not usable:
        return None
    path, items, _ = max(usable, key=lambda each: (len(each[2]), len(each[1])))
    return path, items


def guess_fields(items: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """The path of each field that the items seem to have."""
    values = _values(items[:_MOST_ITEMS])
    guessed: dict[str, str] = {}
    for name in _KNOWN:
        left = {path: texts for path, texts in values.items() if path not in guessed.values()}
        if where := _guess_field(name, left):
            guessed[name] = where
    return guessed


def _guess_field(name: str, values: Mapping[str, Sequence[str]]) -> str:
    likely = [path for path, texts in values.items() if _fits(name, texts)]
    # An address is recognised under any name, and so is a date.
    alike = {"url": likely, "date": [path for path in likely if _are_dates(path, values[path])]}
    return first_known(likely, _KNOWN[name]) or next(iter(alike.get(name, ())), "")


def _are_dates(path: str, texts: Sequence[str]) -> bool:
    """Whether these are dates or Unix times by themselves; an id may look like one."""
    return not bare_name(path).endswith("id") and sum(map(_is_date, texts)) * 2 > len(texts)


def _is_date(text: str) -> bool:
    is_like_one = bool(_IS_DATE.match(text))
    return is_like_one and ("-" in text or float(text) < _LATEST_S or len(text) == len("1766016000000"))


def write(sample: Sample, results: str, fields: Mapping[str, str], beside: Mapping[str, str] | None = None) -> str:
    """A description as TOML."""
    constants = {"params": sample.params, "body": sample.values} if sample.is_post else {"params": sample.values}
    keys: dict[str, object] = {
        "title": sample.name.replace("_", " ").capitalize(),
        "url": sample.url,
        "method": "POST" if sample.is_post else None,
        "auth": sample.auth,
        "query": {"field": sample.query},
        "count": {"field": sample.count, "max": 20} if sample.count else None,
        "page": sample.page,
        **constants,
        "results": results,
        "fields": fields,
        **(beside or {}),
    }
    lines = [f"{name} = {_toml(value)}" for name, value in keys.items() if value]
    return "\n".join([f"[{sample.name}]", *lines, ""])


def _take_keys(sample: Sample) -> Sample:
    """Without the value of a parameter that looks like a key; it goes into a variable instead."""
    places = {
        **dict.fromkeys(sample.values, "body" if sample.is_post else "query"),
        **dict.fromkeys(sample.params, "query"),
    }
    for name in filter(_SECRET.search, places):
        note = f"{name} looks like a key, so its value is left out: put it into {sample.name.upper()}_API_KEY"
        auth = sample.auth or {"in": places[name], "name": name}
        sample = replace(sample.without(name, note), auth=auth)
    return sample


def _find_query(sample: Sample) -> Sample:
    name = _find_name(sample, _QUERIES, lambda value: isinstance(value, str))
    if name:
        asked = str(sample.values[name]).strip() or QUERY
        return replace(sample.without(name, f"query: {name!r}"), query=name, asked=asked)
    usual = "query" if sample.is_post else "q"
    return replace(sample.without("", f"query: no parameter looks like it, so {usual!r} is taken"), query=usual)


def _find_count(sample: Sample) -> Sample:
    name = _find_name(sample, _COUNTS, lambda value: str(value).isdecimal())
    return replace(sample.without(name, f"count: {name!r}, at most 20"), count=name) if name else sample


def _find_page(sample: Sample) -> Sample:
    """The parameter for further pages; its value in the sample is that of the first one."""
    name = _find_name(sample, _PAGES, lambda value: str(value) in ("0", "1"))
    if not (name and sample.count):
        return sample
    start = int(str(sample.values[name]))
    return replace(sample.without(name, f"page: {name!r}, the first is {start}"), page={"field": name, "start": start})


def _find_name(sample: Sample, known: Sequence[str], fits: Callable[[object], bool]) -> str:
    """The parameter with the likeliest of these names."""
    return first_known([name for name, value in sample.values.items() if fits(value) and FIELD.fullmatch(name)], known)


def _to_look_up(sample: Sample) -> Iterator[str]:
    if sample.count:
        yield "look up in the vendor's documentation: how large count.max may be"
    yield "look up, too: filters, pages, price, pace and the codes of errors (docs/add-a-provider.md has all keys)"


def _values(items: Sequence[Mapping[str, object]]) -> dict[str, list[str]]:
    """The texts of the items by path."""
    values: dict[str, list[str]] = {}
    for item in items:
        for path, text in _texts(item):
            values.setdefault(path, []).append(text)
    return {path: texts for path, texts in values.items() if len(texts) * 2 >= len(items)}


def _texts(value: object, path: str = "", depth: int = 2) -> Iterator[tuple[str, str]]:
    """The texts and numbers of an item, each with its path; of a list of texts the first."""
    if isinstance(value, list):
        yield from ((f"{path}[]", each) for each in value[:1] if isinstance(each, str))
    elif isinstance(value, str | int | float):
        yield path, str(value)
    for below, inner in members(value, path) if depth else ():
        yield from _texts(inner, below, depth - 1)


def _fits(name: str, texts: Sequence[str]) -> bool:
    """Whether most of these values could be this field."""
    return sum(map(_IS_LIKELY[name], texts)) * 2 > len(texts)


def _toml(value: object) -> str:
    """A value as TOML writes it on one line; a text of JSON is one of TOML, too."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(str(name))} = {_toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _toml_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
