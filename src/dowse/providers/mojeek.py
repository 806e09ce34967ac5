"""Mojeek: an engine with an index of its own, asked by its page.

Parameters as in searxng/searxng's engine `mojeek`: `lb` and `arc` are language and country, `since` is a day, `fmt`
chooses pictures or news. A first page with a number is taken for a robot's, so none is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from dowse.core.models import Category, Deadline, Query, TimeRange
from dowse.net.clients import Reply
from dowse.providers.html_engine import HtmlEngine
from dowse.providers.limits import Limits

_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 31, TimeRange.YEAR: 366}
_FORMATS = {Category.NEWS: "news", Category.IMAGES: "images"}


class Mojeek(HtmlEngine):
    name = "mojeek"
    title = "Mojeek"
    limits = Limits(
        max_results=10,
        max_query_chars=500,
        filters=frozenset({"language", "country", "time_range", "start_date", "safe_search"}),
        categories=frozenset({Category.GENERAL, *_FORMATS}),
    )

    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        params = _params(query, self._clock.today())
        return await self._api.get_reply(self._endpoint, deadline, headers=headers, params=params)


def _params(query: Query, today: date) -> dict[str, str]:
    language, _, of_language = query.language.lower().replace("_", "-").partition("-")
    optional = {
        "lb": _code(language),
        "arc": _code(query.country.lower() or of_language),
        "since": _since(query, today),
        "safe": "" if query.safe_search is None else str(min(query.safe_search, 1)),
        "fmt": _FORMATS.get(query.category, ""),
    }
    return {"q": query.text} | {name: value for name, value in optional.items() if value}


def _code(name: str) -> str:
    """A code of two letters; `all` and whatever else people write means none in particular."""
    return name if len(name) == 2 else ""


def _since(query: Query, today: date) -> str:
    """The first day that counts, as Mojeek writes it."""
    if query.start_date:
        return query.start_date[:10].replace("-", "")
    days = _DAYS.get(query.time_range)
    return f"{today - timedelta(days=days):%Y%m%d}" if days else ""
