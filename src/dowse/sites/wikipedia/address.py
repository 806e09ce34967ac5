"""What a URL of Wikipedia asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from dowse.core.urls import Url

_HOST = re.compile(r"((?!www\.)[a-z]{2,3}(?:-[a-z]{1,9}){0,2}|simple)(?:\.m)?\.wikipedia\.org")
# Languages with several scripts or spellings have a path for each: /zh-hant/…, /sr-el/…
_WITH_VARIANTS = frozenset({"crh", "gan", "kk", "ku", "sh", "shi", "sr", "tg", "uz", "zh"})
_NO_TITLE = re.compile(r"[#<>\[\]{}|\x00-\x1f\x7f\ufffd]")
_TITLE_BYTES = 255
# Views of a page that are not the page.
_OTHER_VIEWS = frozenset({"diff", "direction", "veaction", "search", "section"})


@dataclass(frozen=True, slots=True)
class Address:
    """What a URL asks for, in the API's words: a title, the number of a page, or that of a revision."""

    language: str
    asked: Mapping[str, str]
    variant: str = ""


def address_in(url: Url) -> Address | None:
    """The page that a URL names; `None` where it names none, or asks for something other than to read it."""
    host = _HOST.fullmatch(url.name)
    if not host or not url.is_page:
        return None
    try:
        query = dict(parse_qsl(url.query, max_num_fields=50))
    except ValueError:
        return None
    if query.get("action", "view") != "view" or not _OTHER_VIEWS.isdisjoint(query):
        return None
    first, _, rest = url.path.removeprefix("/").partition("/")
    variants = [variant for variant in (first, query.get("variant", "")) if _is_variant(variant, host[1])]
    title = rest if first in ("wiki", *variants) else ""
    if not title and url.path not in ("/", "/w/index.php", "/wiki/"):
        return None
    asked = _asked(unquote(title) or query.get("title", ""), query)
    return Address(host[1], asked, variants[0] if variants else "") if asked else None


def _is_variant(segment: str, language: str) -> bool:
    return language in _WITH_VARIANTS and re.fullmatch(rf"{language}(-[a-z]{{2,8}})?", segment) is not None


def _asked(title: str, query: Mapping[str, str]) -> dict[str, str]:
    """The revision counts before the page's number, and that before its title, as on the site itself."""
    for name, parameter in (("oldid", "revids"), ("curid", "pageids")):
        if name in query:
            number = query[name]
            return {parameter: number} if number.isascii() and number.isdigit() and len(number) < 19 else {}
    if _NO_TITLE.search(title):
        return {}
    title = " ".join(title.replace("_", " ").split())
    return {"titles": title} if title and len(title.encode()) <= _TITLE_BYTES else {}
