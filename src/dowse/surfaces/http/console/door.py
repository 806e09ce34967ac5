"""Admission to the console: its open paths, the cookie of a session, and the requests for which the cookie counts."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from dowse.auth.sessions import Sessions
from dowse.core.protocols import Door
from dowse.surfaces.http.doors import DoorMatch
from dowse.surfaces.http.replies import CONSOLE_LOGIN, CONSOLE_PAGES

COOKIE, TLS_COOKIE = "dowse_session", "__Host-dowse_session"
"""Browsers take the second one over TLS only, and only from this very host."""
LOGOUT = "/console/logout"
STATIC = "/console/static/"
MARK = "x-dowse-console"
"""A header that scripts of the console send: a page elsewhere could send it only after asking, which is refused."""


class ConsoleDoor:
    """Finds the token of a session where a cookie counts: for pages of the console, and for its own REST calls."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def is_open(self, scope: Scope) -> bool:
        path: str = scope["path"]
        return path in (CONSOLE_LOGIN, LOGOUT) or path.startswith(STATIC)

    def is_page(self, scope: Scope) -> bool:
        return scope["path"] in CONSOLE_PAGES and scope["method"] in ("GET", "HEAD")

    async def find_token(self, scope: Scope, match: DoorMatch | None) -> str:
        """The token of the session; empty without one, and wherever the cookie does not count."""
        headers = Headers(scope=scope)
        is_call = match is not None and match.wire.door is Door.REST and MARK in headers and is_same_origin(headers)
        if not is_call and not self.is_page(scope):
            return ""
        value = _read_cookie(headers.get("cookie", ""))
        return await self._sessions.open(value) if value else ""

    def redirect(self) -> Response:
        """To the login page."""
        return RedirectResponse(CONSOLE_LOGIN, 303, {"Cache-Control": "no-store"})


def is_same_origin(headers: Headers) -> bool:
    """Whether a request comes from a page of this server, as far as the browser says."""
    # Browsers leave the first out over plain HTTP elsewhere than on loopback, and the second out of most GETs.
    site, origin = headers.get("sec-fetch-site", "same-origin"), headers.get("origin")
    return site == "same-origin" and (origin is None or origin.partition("://")[2] == headers.get("host"))


def is_own_form(headers: Headers) -> bool:
    """Whether a form was sent by a page of this server: every browser names the origin of a form."""
    return "origin" in headers and is_same_origin(headers)


def _read_cookie(header: str) -> str:
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return ""
    found = cookies.get(TLS_COOKIE) or cookies.get(COOKIE)
    return found.value if found else ""
