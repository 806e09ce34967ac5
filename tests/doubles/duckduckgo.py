"""Double of DuckDuckGo's page for slow browsers: a form that is posted, a table, and a challenge with HTTP 202."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import parse_qsl, quote

from aiohttp import web

from tests.doubles.html_engines import HtmlEngineDouble, html_page
from tests.doubles.listings import Listing, Wanted
from tests.doubles.seen import SeenRequest

PER_PAGE = 10
LONGEST_QUERY = 499

_RULES: dict[str, re.Pattern[str]] = {
    "q": re.compile(r".*\S.*", re.DOTALL),
    "kl": re.compile(r"[a-z]{2}-[a-z]{2,3}"),
    "df": re.compile(r"[dwmy]"),
    "kp": re.compile(r"1|-1|-2"),
}
_FORM = "application/x-www-form-urlencoded"
_PAGE = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="content-type" content="text/html; charset=UTF-8">
<title>{query} at DuckDuckGo</title><link rel="stylesheet" href="/dist/l.css" type="text/css" /></head><body>
<div class="header">DuckDuckGo</div>
<form action="/lite/" method="post"><input class='query' type="text" size="40" name="q" value="{query}" >
<input class='submit' type="submit" value="Search" /></form>
{content}</body></html>"""
_RESULT = """<tr><td valign="top">{place}.&nbsp;</td><td>
<a rel="nofollow" href="//duckduckgo.com/l/?uddg={wrapped}&amp;rut=0f4c" class='result-link'>{title}</a></td></tr>
<tr><td>&nbsp;&nbsp;&nbsp;</td><td class='result-snippet'>{snippet}</td></tr>
<tr><td>&nbsp;&nbsp;&nbsp;</td><td><span class='link-text'>{shown}</span>{date}</td></tr>
<tr><td>&nbsp;</td><td>&nbsp;</td></tr>"""
_AD = """<tr class="result-sponsored"><td valign="top">1.&nbsp;</td><td>
<a rel="nofollow" href="https://duckduckgo.com/y.js?ad_domain=shop.example" class='result-link'>{query} for less</a>
</td></tr>
<tr class="result-sponsored"><td>&nbsp;</td><td class='result-snippet'>Sponsored: all about {query}.</td></tr>"""
_NOTHING = '<table border="0"><tr><td valign="top">&nbsp;</td><td>No more results.</td></tr></table>'
_CHALLENGE = """<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=lite&amp;cc=botnet" method="POST">
<div class="anomaly-modal__mask"><div class="anomaly-modal__modal" data-testid="anomaly-modal">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
<div class="anomaly-modal__description">
Please complete the following challenge to confirm this search was made by a human.</div>
<div class="anomaly-modal__instructions">Select all squares containing a duck:</div>
<button class="btn btn--primary anomaly-modal__submit" type="submit">Submit</button></div></div></form>"""


class DuckDuckGo(HtmlEngineDouble):
    name = "duckduckgo"
    operation = "lite/"
    variable = "DUCKDUCKGO_URL"

    def results(self, seen: SeenRequest) -> web.Response:
        if seen.method != "POST" or seen.headers.get("content-type", "") != _FORM:
            return self.challenge()
        form = dict(parse_qsl(seen.body.decode(), keep_blank_values=True))
        query = form.get("q", "")
        if not all(name in _RULES and _RULES[name].fullmatch(value) for name, value in form.items()) or not query:
            return self.error(400, "Bad Request")
        if len(query) > LONGEST_QUERY:
            return self.error(403, "Forbidden")
        if query.startswith(("!", "\\")):
            return web.Response(status=303, headers={"Location": "https://elsewhere.example/"})
        return html_page(_PAGE.format(query=escape(query), content=_table(query, self._found_for(query))))

    def challenge(self) -> web.Response:
        return html_page(_PAGE.format(query="", content=_CHALLENGE), 202)

    def _found_for(self, query: str) -> list[Listing]:
        return self.listings(Wanted.from_operators(query))[:PER_PAGE]


def _table(query: str, found: list[Listing]) -> str:
    if not found:
        return _NOTHING
    rows = [_row(listing, place) for place, listing in enumerate(found, 2)]
    return f'<table border="0">{_AD.format(query=escape(query))}{"".join(rows)}</table>'


def _row(listing: Listing, place: int) -> str:
    stamp = f"<span class='timestamp'>{listing.published[:10]}T00:00:00.0000000</span>" if listing.published else ""
    return _RESULT.format(
        place=place,
        wrapped=quote(listing.url, safe=""),
        title=escape(listing.title),
        snippet=escape(listing.snippet),
        shown=escape(listing.url.partition("//")[2]),
        date=stamp,
    )
