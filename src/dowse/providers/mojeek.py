"""Mojeek adapter: its page of results, with news and images."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from dowse.core.models import Category, Deadline, Query, TimeRange
from dowse.net.clients import Reply
from dowse.net.json_fields import drop_empty
from dowse.providers.html_engines import HtmlEngine
from dowse.settings.providers import MOJEEK

_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 31, TimeRange.YEAR: 366}
_FORMATS = {Category.NEWS: "news", Category.IMAGES: "images"}


class Mojeek(HtmlEngine):
    spec = MOJEEK

    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        params = _params(query, deadline.clock.today())
        return await self.api.get_reply(self.endpoint, deadline, headers=headers, params=params)


def _params(query: Query, today: date) -> dict[str, str]:
    language, _, of_language = query.language.lower().replace("_", "-").partition("-")
    optional = {
        "lb": _code(language),
        "arc": _code(query.country.lower() or of_language),
        "since": _since(query, today),
        "safe": "" if query.safe_search is None else str(min(query.safe_search, 1)),
        "fmt": _FORMATS.get(query.category, ""),
    }
    return {"q": query.text} | drop_empty(optional)


def _code(name: str) -> str:
    """A code of two letters; any other value, such as `all`, means none."""
    return name if len(name) == 2 else ""


def _since(query: Query, today: date) -> str:
    """The first day, in Mojeek's format."""
    if query.start_date:
        return query.start_date[:10].replace("-", "")
    days = _DAYS.get(query.time_range)
    return f"{today - timedelta(days=days):%Y%m%d}" if days else ""


make = Mojeek.make
