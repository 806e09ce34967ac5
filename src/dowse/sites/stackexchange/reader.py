"""Questions on Stack Overflow and every other site of Stack Exchange, read whole: answers, comments, notices."""

from __future__ import annotations

import re

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Deadline, Status, Text
from dowse.core.urls import Url
from dowse.sites.kit import TIMEOUT_S, Kit, asking
from dowse.sites.stackexchange.api import Address, Inquiry, StackApi
from dowse.sites.stackexchange.failures import NAME
from dowse.sites.stackexchange.page import arranged, converted, html_of, to_page

# What the API calls the sites with a domain of their own; the others it calls by their subdomain.
_OWN_DOMAINS = ("stackoverflow", "serverfault", "superuser", "askubuntu")
_LANGUAGES = ("es", "ja", "pt", "ru")
_SITES = {
    **{f"{name}.com": name for name in (*_OWN_DOMAINS, "stackapps")},
    **{f"meta.{name}.com": f"meta.{name}" for name in _OWN_DOMAINS},
    **{f"{language}.stackoverflow.com": f"{language}.stackoverflow" for language in _LANGUAGES},
    **{f"{language}.meta.stackoverflow.com": f"{language}.meta.stackoverflow" for language in _LANGUAGES},
    **{f"meta.{language}.stackoverflow.com": f"{language}.meta.stackoverflow" for language in _LANGUAGES},
    "mathoverflow.net": "mathoverflow.net",
    "meta.mathoverflow.net": "meta.mathoverflow.net",
    "meta.stackexchange.com": "meta",
}
_NETWORK = re.compile(r"(meta\.)?([a-z0-9-]{1,63})(\.meta)?\.stackexchange\.com")
_NO_SITES = frozenset(["api", "area51", "blog", "chat", "data", "elections", "meta", "openid", "www"])
_QUESTION = re.compile(r"/questions/(\d{1,10})(?:/[^/]*(?:/(\d{1,10}))?)?/?")
_SHORT = re.compile(r"/([aq])/(\d{1,10})(?:/\d{1,10})?/?")
_FRAGMENT = re.compile(r"(?:answer-)?(\d{1,10})|comment(\d{1,10})_(\d{1,10})")


class StackExchange:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: Kit) -> None:
        self._api = StackApi(kit)
        self._extractor = kit.extractor
        self._max_chars = kit.settings.stackexchange_max_chars

    def accepts(self, url: Url) -> bool:
        return address_of(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        address = address_of(parsed) if parsed else None
        if address is None:
            raise PageUnreadable(Status.ERROR, "not a question of Stack Exchange")
        found = await Inquiry(self._api, address, asking(deadline), self._max_chars).conversation()
        found = arranged(found, address, self._max_chars)
        base, html = f"https://{address.host}/", html_of(found)
        markdown = await self._extractor.render(html, url=base, timeout_s=deadline.remaining_s()) if html else ()
        return to_page(converted(found, markdown), address, self._max_chars)


def address_of(url: Url) -> Address | None:
    """What a URL leads to; `None` for everything that is not a question, an answer or a comment."""
    site = _site_of(url.name)
    if not site or not url.is_page:
        return None
    host, fragment = url.name.removeprefix("www."), _FRAGMENT.fullmatch(url.href.partition("#")[2])
    answer, comment, post = (int(number or 0) for number in fragment.groups()) if fragment else (0, 0, 0)
    if found := _QUESTION.fullmatch(url.path):
        question = int(found[1])
        # A comment belongs to the question or to an answer; the link tells by the number only.
        answer = answer or (post if post != question else 0) or int(found[2] or 0)
        return Address(host, site, question, answer, comment)
    if found := _SHORT.fullmatch(url.path):
        number = int(found[2])
        return (
            Address(host, site, 0, number, comment) if found[1] == "a" else Address(host, site, number, answer, comment)
        )
    return None


def _site_of(host: str) -> str:
    """The `api_site_parameter` of a host; empty for one that is no site of the network."""
    host = host.removeprefix("www.")
    if host in _SITES:
        return _SITES[host]
    found = _NETWORK.fullmatch(host)
    if found is None or found[2] in _NO_SITES or (found[1] and found[3]):
        return ""
    return f"{found[2]}.meta" if found[1] or found[3] else found[2]
