"""Questions on Stack Overflow and its neighbours: https://api.stackexchange.com/docs/advanced-search, one request."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from pydantic import SecretStr

from dowse.core.allowances import Rate
from dowse.core.models import Deadline, Hit, Query
from dowse.net.json_api import Api, Json, first_hits, hit, items, string, strings, whole
from dowse.sites.answer import Answer
from dowse.sites.period import day_of, period_of
from dowse.sites.stackexchange import failures as failures
from dowse.sites.words import keywords, without_tags

_LONGEST_QUERY = 240
_MOST = 50
_DEFAULT = "stackoverflow"
# Of what a question is about if it has one of these words; all others are for Stack Overflow.
_SITES = {
    "askubuntu": re.compile(r"(?i)\b(?:ubuntu|apt-get|snapd)\b"),
    "serverfault": re.compile(r"(?i)\b(?:active directory|dhcp|haproxy|iptables|postfix|sysadmin|vlan)\b"),
    "unix": re.compile(r"(?i)\b(?:archlinux|debian|fedora|linux|posix|systemd|zsh)\b"),
    "superuser": re.compile(r"(?i)\b(?:excel|macos|outlook|powershell|windows)\b"),
}


class StackExchange:
    """Implements `OpenApi`."""

    name = failures.NAME
    title = "Stack Exchange"
    # Whoever asks faster is banned for a while: https://api.stackexchange.com/docs/throttle.
    rate = Rate(30, 1.0)

    def __init__(self, api: Api, base_url: str, key: SecretStr | None = None) -> None:
        self._api = replace(api, own_failure=lambda reply: failures.failure(reply, api.redactor))
        self._base = base_url.rstrip("/")
        self._key = key

    def address(self, _query: Query) -> str:
        return f"{self._base}/search/advanced"

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        period = period_of(query, deadline.clock.today())
        optional = {
            "fromdate": str(period.starts_at or ""),
            "todate": str(period.ends_at or ""),
            "key": self._key.get_secret_value() if self._key else "",
        }
        params = {
            "q": keywords(query.text, max_chars=_LONGEST_QUERY),
            "site": site_of(query),
            "sort": "relevance",
            "order": "desc",
            "pagesize": str(min(query.num_results, _MOST)),
            "filter": "withbody",
        } | {name: value for name, value in optional.items() if value}
        body = await self._api.get(self.address(query), deadline, headers={}, params=params)
        pause_s = max(failures.backoff_s(body), failures.quota_pause_s(body, deadline.clock))
        return Answer(first_hits(map(_hit, items(self.name, body, "items")), query.num_results), pause_s)


def site_of(query: Query) -> str:
    """The site that is asked: the one a domain names, else the one whose words the query has."""
    for domain in query.include_domains:
        site = domain.lower().removeprefix("www.").removesuffix(".com").removesuffix(".stackexchange")
        if site in (_DEFAULT, *_SITES) or domain.lower().endswith(".stackexchange.com"):
            return site
    return next((site for site, words in _SITES.items() if words.search(query.text)), _DEFAULT)


def _hit(item: Json) -> Hit | None:
    answers = whole(item, "answer_count")
    facts = f"{answers} answer{'' if answers == 1 else 's'}" + (
        ", one accepted" if "accepted_answer_id" in item else ""
    )
    tags = ", ".join(strings(item.get("tags"))[:5])
    snippet = f"{facts}; {tags}. {without_tags(string(item, 'body'))}"
    created = day_of(whole(item, "creation_date"))
    return hit(
        unescape(string(item, "title")), string(item, "link"), snippet, engine=StackExchange.name, published=created
    )
