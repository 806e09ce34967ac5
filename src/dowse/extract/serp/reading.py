"""Reads the page of a search engine; only a page without results is judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain
from urllib.parse import unquote_plus

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.core.errors import PageUnreadable
from dowse.core.listings import Listing, Outcome
from dowse.core.models import Body, Status
from dowse.core.reasons import FailureReason
from dowse.extract import verdict
from dowse.extract.decode import decode
from dowse.extract.html.render import to_markdown
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.serp import engines
from dowse.extract.serp.engines import PageReading, ResultPage, sift
from dowse.extract.verdict.outline import make_verdict, scan
from dowse.extract.verdict.wording import either, names, normal

READERS: Mapping[str, Callable[[ResultPage], PageReading]] = {
    "searxng": engines.read_searxng,
    "duckduckgo": engines.read_duckduckgo,
    "mojeek": engines.read_mojeek,
}
# No interstitial is longer.
_MOST_CHARS = 200_000
# Attributes with text of the engine; others hold marks of vendors.
_SPOKEN = frozenset({"value", "content", "title", "alt", "placeholder", "aria-label", "label"})
_ADDRESSES = frozenset({"href", "src", "action", "data-src"})
# Puzzles: on pages with results they may belong to a form.
_PUZZLES = (
    ".g-recaptcha, .h-captcha, .cf-turnstile, .frc-captcha, .mtcaptcha, .geetest_holder, #px-captcha, "
    ".anomaly-modal__modal, form[id*='captcha'], form[action*='captcha'], iframe[src*='captcha']"
)
# Messages of limiters, as the name or the whole text of a page.
_REFUSAL = either(
    r"(?:(?:http |error )?(?:403|429)\W{0,5})?(?:too many requests|forbidden|access (?:was )?denied|you are blocked)",
    r"(?:you are being )?rate[- ]limit(?:ed| exceeded)?|(?:http |error )?(?:403|429)",
)


def to_listing(engine: str, body: Body, query: str) -> Listing:
    """Read a page; `engine` is one of `READERS`."""
    markup = decode(body.data, body.charset)
    found = READERS[engine](ResultPage(markup, body.url))
    rows, odd_links = sift(found.rows)
    if rows or found.answers:
        outcome, detail = Outcome.RESULTS, ""
    elif odd_links:
        outcome, detail = Outcome.UNKNOWN, "no link of its results leads to the web"
    elif found.is_empty:
        outcome, detail = Outcome.EMPTY, ""
    else:
        outcome, detail = judge(markup, body.url, query, is_own=found.is_own)
    return Listing(outcome, rows, detail, found.failed_engines, found.answers, found.suggestions, odd_links)


def judge(markup: str, url: str, query: str, *, is_own: bool) -> tuple[Outcome, str]:
    """Judge a page without results. It `is_own` if the engine's search form is on it.

    Echoes of the query, such as "are you a robot", are no sign; but a page of another site has no echoes, and may ask
    just this.
    """
    markup = markup[:_MOST_CHARS]
    seen = [without_echoes(markup, query)] if is_own else [without_echoes(markup, query), markup]
    found = [each for each in (_verdict(page, url) for page in seen) if each is not None]
    wall = next(filter(_is_wall, found), None)
    if wall is not None:
        return Outcome.BLOCKED, wall.detail
    return Outcome.UNKNOWN, found[0].detail if found else ""


def without_echoes(markup: str, query: str) -> str:
    """The page without the query in its text and in the parameters of its links."""
    words = query.split()
    if not words:
        return markup
    written = r"[\s+]{1,9}".join(map(re.escape, words))
    echo = re.compile(rf"(?<!\w){written}(?!\w)", re.IGNORECASE)
    parser = LexborHTMLParser(cap_markup(markup))
    # An empty document has no root.
    for node in list(parser.root.traverse(include_text=True)) if parser.root else ():
        if node.tag == "-text":
            text = node.text_content or ""
            if echo.search(text):
                node.replace_with(echo.sub(" ", text))
        else:
            _take_echoes_out(node, echo)
    return parser.html or ""


def _take_echoes_out(node: LexborNode, echo: re.Pattern[str]) -> None:
    for name, value in node.attributes.items():
        without = _without_echo(name, value or "", echo)
        if without != (value or ""):
            node.attrs[name] = without


def _without_echo(name: str, value: str, echo: re.Pattern[str]) -> str:
    """The value of an attribute without the query, in its text or in the parameters of its address."""
    if name in _SPOKEN:
        return echo.sub(" ", value)
    before, mark, parameters = value.partition("?")
    sent = unquote_plus(parameters)
    return before + mark + echo.sub(" ", sent) if name in _ADDRESSES and echo.search(sent) else value


def _is_wall(found: PageUnreadable) -> bool:
    return found.status in (Status.BLOCKED, Status.LOGIN_REQUIRED)


def _check(markup: str, url: str, markdown: str) -> PageUnreadable | None:
    try:
        verdict.check_page(markup, url, markdown)
    except PageUnreadable as unreadable:
        return unreadable
    return None


def _verdict(markup: str, url: str) -> PageUnreadable | None:
    """The verdict on any page, with stricter signs than for a page to read."""
    markdown = to_markdown(markup, url)
    found = _check(markup, url, markdown)
    if found is not None and _is_wall(found):
        return found
    if LexborHTMLParser(cap_markup(markup)).css_first(_PUZZLES) is not None:
        return make_verdict(Status.BLOCKED, FailureReason.CHALLENGE_PAGE, ["captcha"])
    shape = scan(markup)
    said = list(chain.from_iterable(map(names, (shape.title, *shape.headings, normal(markdown)))))
    if any(map(_REFUSAL.fullmatch, said)):
        return make_verdict(Status.BLOCKED, FailureReason.ACCESS_DENIED, ["name"])
    return found
