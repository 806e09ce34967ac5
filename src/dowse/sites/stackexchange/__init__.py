"""Stack Exchange: questions with answers and comments on all sites of the network, and a search over them."""

from __future__ import annotations

import re
from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import PageUnreadable
from dowse.core.models import Deadline, Status, Text
from dowse.core.urls import Url
from dowse.sites.site import TIMEOUT_S, LoaderKit, Site, request_deadline
from dowse.sites.stackexchange.api import NAME, PostAddress, QuestionRequest, StackApi, StackExchangeSearch
from dowse.sites.stackexchange.page import add_markdown, arrange_answers, compose_question, list_html

# Names of the sites with a domain of their own in the API; the others go by their subdomain.
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


class StackExchangeLoader:
    """Implements `protocols.SiteLoader`."""

    name = NAME
    timeout_s = TIMEOUT_S

    def __init__(self, kit: LoaderKit) -> None:
        self._api = StackApi(kit)
        self._extractor = kit.extractor
        self._max_chars = kit.settings.stackexchange_max_chars

    def accepts(self, url: Url) -> bool:
        return find_address(url) is not None

    async def read(self, url: str, deadline: Deadline) -> Text:
        parsed = urls.parse(url)
        address = find_address(parsed) if parsed else None
        if address is None:
            raise PageUnreadable(Status.ERROR, "not a question of Stack Exchange")
        found = await QuestionRequest(self._api, address, request_deadline(deadline), self._max_chars).load()
        found = arrange_answers(found, address, self._max_chars)
        base, html = f"https://{address.host}/", list_html(found)
        markdown = await self._extractor.render(html, url=base, timeout_s=deadline.remaining_s()) if html else ()
        return compose_question(add_markdown(found, markdown), address, self._max_chars)


def find_address(url: Url) -> PostAddress | None:
    """The post that a URL names; `None` for a URL of anything but a question, an answer or a comment."""
    site = _find_site(url.name)
    if not site or not url.is_page:
        return None
    host, fragment = url.name.removeprefix("www."), _FRAGMENT.fullmatch(url.href.partition("#")[2])
    answer, comment, post = (int(number or 0) for number in fragment.groups()) if fragment else (0, 0, 0)
    if found := _QUESTION.fullmatch(url.path):
        question = int(found[1])
        # A comment belongs to the question or to an answer: the number of its post tells which.
        commented = post if post != question else 0
        return PostAddress(host, site, question, answer or commented or int(found[2] or 0), comment)
    return _find_short_address(url.path, PostAddress(host, site, 0, answer, comment))


def _find_short_address(path: str, address: PostAddress) -> PostAddress | None:
    """The post of a short path such as `/a/1` or `/q/1`; the other numbers come from the fragment."""
    found = _SHORT.fullmatch(path)
    if found is None:
        return None
    number = int(found[2])
    return replace(address, answer=number) if found[1] == "a" else replace(address, question=number)


def _find_site(host: str) -> str:
    """The `api_site_parameter` of a host; empty for a host outside the network."""
    host = host.removeprefix("www.")
    if host in _SITES:
        return _SITES[host]
    found = _NETWORK.fullmatch(host)
    if found is None or found[2] in _NO_SITES or (found[1] and found[3]):
        return ""
    return f"{found[2]}.meta" if found[1] or found[3] else found[2]


SITE = Site(loader=StackExchangeLoader, search=StackExchangeSearch)
