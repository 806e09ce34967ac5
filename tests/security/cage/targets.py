"""Whom no page may touch, where none may lead, and what the operator may open of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tests.security.cage.means import MOVES, pages
from tests.security.cage.site import EACH, address, touch

OUTSIDE = "http://second.example"

INSIDE = (
    "http://127.0.0.1",
    "http://127.0.0.1:8080",
    "http://[::1]",
    "http://10.0.0.7",
    "http://192.168.1.1:8080",
    "http://169.254.169.254",
    "http://[fd00::7]",
    "http://inside.example",
)
SPELLINGS = (
    "http://localhost",
    "http://localhost.",
    "http://metadata.google.internal",
    "http://mixed.example",
    "http://2130706433",
    "http://0x7f.1",
    "http://0177.0.0.1",
    "http://127.0.0.1.",
    "http://0",
    "http://[::ffff:127.0.0.1]",
    "http://[64:ff9b::7f00:1]",
)
_FOR_THE_WHOLE_PAGE = ("http://127.0.0.1", "http://169.254.169.254")

SCHEMES = {
    "file:///etc/passwd": "root:x:0:0",
    "chrome://version": "--remote-debugging-pipe",
    "view-source:http://second.example/touch/view": "&lt;title&gt;",
    "data:text/html,<script>document.write(`data-${1}-secret`)</script>": "data-1-secret",
}
"""Where no page may lead, and what it would show there."""

# What the operator has opened: two places of the house, and two that stay closed all the same.
OWN_PORT = 8000
LIST = ("wiki.corp:80", "127.0.0.1:8080", "169.254.169.254:80", f"127.0.0.1:{OWN_PORT}")
_WIKI, _SERVICE, _CLOSED, _OWN = (f"http://{pair.removesuffix(':80')}" for pair in LIST)

OF_STRANGERS = (
    *("fetch", "fetch redirect", "beacon", "event source", "web socket", "worker fetch", "service worker"),
    *("script", "css import", "iframe", "iframe redirect", "object", "popup by click"),
)
MOVES_OF_STRANGERS = ("location", "location later", "meta refresh", "refresh header", "form", "link", "frame moves top")


def attacks(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each attack by one of these means: its name, and the address of its page."""
    for page in pages(name for name in names if name not in MOVES):
        further = SPELLINGS if "fetch" in page else ()
        at = address(page, *(touch(EACH, origin) for origin in (*INSIDE, *further, OUTSIDE)))
        yield from ((name, at) for name in page)
    for name in (name for name in names if name in MOVES):
        for origin in (*_FOR_THE_WHOLE_PAGE, OUTSIDE):
            yield f"{name} to {origin}", address(name, touch(name, origin))


def scheme_attacks() -> Iterator[tuple[str, str]]:
    """Pages that lead to what is no page of the web."""
    for url in SCHEMES:
        for name in ("redirect 302", "location", "meta refresh", "popup by click"):
            yield f"{name} to {url}", address(name, url)
        yield f"iframe to {url}", address("iframe", *SCHEMES)


def attacks_on_the_list(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Public pages that try to use what the operator has opened, by one of these means."""
    for page in pages(name for name in OF_STRANGERS if name in names):
        at = address(page, *(touch(EACH, origin) for origin in (_WIKI, _SERVICE, OUTSIDE)))
        yield from ((name, at) for name in page)
    for name in (name for name in MOVES_OF_STRANGERS if name in names):
        yield name, address(name, touch(name, _WIKI))
    # The page goes to itself, and that leads inside.
    yield "by itself", address("location", f"http://page.example/redirect/302?to={touch('by itself', _WIKI)}")
    # A page of the house hands over to a public one.
    public = address("fetch no-cors", touch("fetch no-cors", _WIKI))
    yield "fetch no-cors", address("location later", public, host="wiki.corp")


def uses_of_the_list() -> Iterator[tuple[str, str]]:
    """What may be done with it, and what may not although it is on it."""
    yield "asked for", touch("asked for", _WIKI)
    yield "redirect", address("redirect 302", touch("redirect", _WIKI))
    targets = (_SERVICE, _CLOSED, _OWN, "http://10.0.0.7")
    yield "xhr", address("xhr", *(touch("xhr", origin) for origin in targets), host="wiki.corp")
    yield "metadata", touch("metadata", _CLOSED)
    yield "redirect to metadata", address("redirect 302", touch("metadata", _CLOSED))
    yield "own listener", touch("own listener", _OWN)
    yield "redirect to own listener", address("redirect 302", touch("own listener", _OWN))
