"""DuckDuckGo adapter: the HTML form of its version without scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from dowse.core.models import Deadline, Query, TimeRange
from dowse.net.clients import Reply
from dowse.net.json_fields import drop_empty
from dowse.providers.html_engines import HtmlEngine
from dowse.settings.providers import DUCKDUCKGO

# Country first, then language; of several for one language or country the first is meant.
REGIONS = (
    "us-en uk-en ca-en au-en ie-en in-en nz-en ph-en sg-en za-en my-en de-de at-de ch-de fr-fr ca-fr be-fr ch-fr es-es "
    "mx-es ar-es cl-es co-es pe-es pt-pt br-pt it-it ch-it nl-nl be-nl se-sv dk-da no-no fi-fi pl-pl cz-cs sk-sk hu-hu "
    "ro-ro bg-bg gr-el hr-hr sl-sl ee-et lv-lv lt-lt ru-ru ua-uk tr-tr il-he xa-ar id-id my-ms th-th vn-vi ph-tl jp-jp "
    "kr-kr cn-zh tw-tzh hk-tzh ct-ca"
).split()
# ISO codes that differ from DuckDuckGo's.
_LANGUAGES = {"ja": "jp", "ko": "kr", "nb": "no", "nn": "no", "zh-tw": "tzh", "zh-hk": "tzh", "zh-hant": "tzh"}
_COUNTRIES = {"gb": "uk"}
_TIMES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m", TimeRange.YEAR: "y"}
_SAFETY = ("-2", "-1", "1")
# `!w` and a backslash send the visitor on to another site instead of showing results.
_SHORTCUTS = re.compile(r"(?<!\S)[!\\]{1,9}(?=\S)")


class DuckDuckGo(HtmlEngine):
    spec = DUCKDUCKGO

    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        if "Sec-Fetch-Site" in headers:
            # A browser sends a form from a page of the same site.
            page = urlsplit(self.endpoint)
            headers = {**headers, "Origin": f"{page.scheme}://{page.netloc}", "Sec-Fetch-Site": "same-origin"}
        return await self.api.post_form(self.endpoint, deadline, headers=headers, form=_form(query))


def _form(query: Query) -> dict[str, str]:
    safety = "" if query.safe_search is None else _SAFETY[min(query.safe_search, 2)]
    optional = {"kl": region(query.language, query.country), "df": _TIMES.get(query.time_range, ""), "kp": safety}
    fields = {"q": _SHORTCUTS.sub("", query.text)}
    return fields | drop_empty(optional)


def region(language: str, country: str) -> str:
    """DuckDuckGo's code for a language, such as `de` or `pt-BR`, and a country; empty without one."""
    tag = language.lower().replace("_", "-")
    base, _, of_language = tag.partition("-")
    language = _LANGUAGES.get(tag) or _LANGUAGES.get(base, base)
    country = (country or of_language).lower()
    country = _COUNTRIES.get(country, country)
    if not language and not country:
        return ""
    fitting = [name for name in REGIONS if language in ("", name.partition("-")[2])]
    nearest = (name for name in fitting if country in ("", name.partition("-")[0]))
    return [*nearest, *fitting, ""][0]


make = DuckDuckGo.make
