"""The generated parts of docs/providers.md: a table to choose by, and a section for each described provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from dowse.settings import KEYLESS, SEARCHERS, SPECS
from dowse.settings.described.files import read_shipped
from dowse.settings.described.model import Description
from dowse.settings.spec import ProviderSpec

_RETURNS = {
    "snippet": "snippets",
    "passages": "passages of the page",
    "date": "dates",
    "engine": "engines",
    "score": "scores",
    "image": "images",
    "thumbnail": "thumbnails",
    "duration": "durations",
}
_NOTHING = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def choose() -> str:
    """All search providers in their order: what each needs, costs, filters and reads."""
    names = [*SEARCHERS, *(name for name in KEYLESS if name not in SEARCHERS)]
    head = ("Name", "Needs", "A thousand searches", "Free", "Filters", "Reads pages", "Index")
    return table(head, (_row(SPECS[name]) for name in names))


def described() -> str:
    """One section for each description, by vendor."""
    titles: dict[str, list[ProviderSpec]] = {}
    for name in (*SEARCHERS, *KEYLESS):
        if SPECS[name].source:
            titles.setdefault(SPECS[name].title, []).append(SPECS[name])
    return "\n".join(f"### {title}\n\n" + "\n".join(map(_section, specs)) for title, specs in titles.items())


def _row(spec: ProviderSpec) -> Sequence[str]:
    price = spec.prices.get("search", 0.0)
    costs = f"${price * 1000:g}" if price else _NOTHING
    reads = "yes" if "read" in spec.operations else "no"
    return (f"`{spec.name}`", _needs(spec), costs, spec.free or _NOTHING, _filters(spec), reads, spec.index or _NOTHING)


def _needs(spec: ProviderSpec) -> str:
    if not spec.credential:
        return f"`{spec.name.upper()}_ENABLED`" if spec.is_opt_in else "nothing"
    return f"`{spec.credential}`, optional" if spec.is_key_optional else f"`{spec.credential}`"


def _filters(spec: ProviderSpec) -> str:
    """The filters that the API has itself, in few words."""
    words = {
        "time": {"time_range"},
        "dates": {"start_date", "end_date"},
        "language": {"language"},
        "country": {"country"},
        "domains": {"include_domains", "exclude_domains"},
        "safe search": {"safe_search"},
        "pages": {"page"},
    }
    return ", ".join(word for word, names in words.items() if names & spec.limits.filters) or _NOTHING


def _section(spec: ProviderSpec) -> str:
    kinds = read_shipped(spec.source)[spec.name]
    lines = [f"`{spec.name}`{', ' + spec.tier if spec.tier else ''}:", ""]
    lines += [f"- **{word}:** {text}" for word, text in _facts(spec, kinds) if text]
    return "\n".join([*lines, ""])


def _facts(spec: ProviderSpec, kinds: object) -> Iterator[tuple[str, str]]:
    assert isinstance(kinds, dict)
    optional = " (optional: `DOWSE_SEARCH_ORDER` may name it without)" if spec.is_key_optional else ""
    needs = f"`{spec.credential}`{optional}" if spec.credential else "no key"
    yield "Needs", f"{needs} ([documentation]({spec.docs}))" if spec.docs else needs
    yield "Costs", _costs(spec)
    yield "Allows", _allows(spec)
    if "search" in kinds:
        native = ", ".join(f"`{name}`" for name in sorted(spec.limits.filters))
        yield "Filters", f"{native or 'none of its own'}{_operators(spec)}"
    yield "Returns", "; ".join(_returns(kind, each) for kind, each in kinds.items())
    yield "Who gets the query", f"{spec.privacy} {_hosts(kinds.values())}"


def _costs(spec: ProviderSpec) -> str:
    does = {"search": "a search", "read": "a page"}
    prices = [f"${price:g} {does[kind]}" for kind, price in spec.prices.items() if price]
    return "; ".join([", ".join(prices) or "nothing", *([f"free: {spec.free}"] if spec.free else [])])


def _allows(spec: ProviderSpec) -> str:
    limits = f"{spec.limits.max_results} results, queries of {spec.limits.max_query_chars} characters"
    pace = f"pace `{spec.pace}`" if spec.pace != "off" else "no pace"
    budget = [f"budget `{spec.budget}`"] if spec.budget else []
    shared = [f"counted with `{spec.allowance_of}`"] if spec.allowance_of else []
    return ", ".join([limits, pace, *budget, *shared])


def _operators(spec: ProviderSpec) -> str:
    operators = [each for each in (spec.limits.include_operator, spec.limits.exclude_operator) if each]
    missing = {"include_domains", "exclude_domains"} - spec.limits.filters
    return f"; domains by {' and '.join(f'`{each}`' for each in operators)}" if operators and missing else ""


def _returns(kind: str, description: Description) -> str:
    if kind == "read":
        return "pages as Markdown"
    fields = [word for name, word in _RETURNS.items() if name in description.shape.fields]
    beside = {"answers": description.shape.answers, "suggestions": description.shape.suggestions}
    extra = [word for word, paths in beside.items() if paths]
    categories = ", ".join(f"`{each}`" for each in description.categories)
    return f"{', '.join(['titles', 'addresses', *fields, *extra])}; categories {categories}"


def _hosts(descriptions: Iterable[Description]) -> str:
    if all(each.has_own_server for each in descriptions):
        return "Requests go to your own server."
    hosts = dict.fromkeys(urlsplit(each.url).hostname or "" for each in descriptions)
    return f"Requests go to {' and '.join(f'`{host}`' for host in hosts)}."
