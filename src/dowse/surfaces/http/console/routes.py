"""Pages, login, logout and static files of the console."""

from __future__ import annotations

import mimetypes
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from dowse.app import App
from dowse.auth.sessions import LONGEST_TOKEN_BYTES, SESSION_S
from dowse.contracts.endpoint import parse_fields
from dowse.core.errors import RequestRefused
from dowse.core.models import LOCAL, Principal
from dowse.surfaces.http import credentials
from dowse.surfaces.http.auth import origin
from dowse.surfaces.http.body import read_body
from dowse.surfaces.http.console.door import COOKIE, LOGOUT, STATIC, TLS_COOKIE, is_own_form
from dowse.surfaces.http.console.pages import Pages, Visitor, read_static, version
from dowse.surfaces.http.credentials import BadCredential
from dowse.surfaces.http.replies import CONSOLE_LOGIN, log_refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: browsers would then send `Origin: null` with the forms of the console.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGE_HEADERS = {**_HEADERS, "Cache-Control": "no-store"}
_FOREVER = "public, max-age=31536000, immutable"
_LONGEST_FORM = 8 * 1024
_NO_TOKEN = "This token is not accepted: it is wrong, or has expired."
_NO_RIGHT = "This token may not use the console: it needs the scope tools or console, and the contract dowse."
_TOO_LONG = "This token is too long for a cookie of a browser."
_FORGED = "The form was sent by a page that is not of this server."


class Console:
    """The console of an application."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._pages = Pages(app.services, needs_login=app.authenticator is not None)

    async def serve(self, request: Request) -> Response:
        path = request.url.path
        if path.startswith(STATIC):
            return _send_static(request)
        if path == LOGOUT:
            return _log_out(request)
        if path == CONSOLE_LOGIN:
            return await self._log_in(request)
        return self._show(request)

    def _show(self, request: Request) -> Response:
        visitor = _visitor(request.scope)
        path = request.url.path
        if not visitor.may_see(path):
            return _redirect(visitor.home)
        return _send_page(self._pages.render(path, visitor, origin(request.scope)))

    async def _log_in(self, request: Request) -> Response:
        authenticator = self._app.authenticator
        if authenticator is None:
            return _redirect("/")
        if request.method != "POST":
            return _send_page(self._pages.render_login())
        if not is_own_form(request.headers):
            return self._refuse(request, _FORGED, 403)
        token = await _read_token(request)
        principal = await authenticator.authenticate(token) if token else None
        if principal is None:
            return self._refuse(request, _NO_TOKEN, 401)
        if not _may_enter(principal):
            return self._refuse(request, _NO_RIGHT, 403)
        if len(token) > LONGEST_TOKEN_BYTES:
            return self._refuse(request, _TOO_LONG, 400)
        reply = _redirect("/")
        _set_cookie(reply, request, await self._app.sessions.seal(token), SESSION_S)
        return reply

    def _refuse(self, request: Request, sentence: str, status: int) -> Response:
        log_refusal(request.scope, status, "login")
        return _send_page(self._pages.render_login(sentence), status)


def _log_out(request: Request) -> Response:
    if not is_own_form(request.headers):
        log_refusal(request.scope, 403, "logout")
        return _redirect("/")
    reply = _redirect(CONSOLE_LOGIN)
    _set_cookie(reply, request, "", 0)
    return reply


def _visitor(scope: Scope) -> Visitor:
    principal: Principal = scope["state"].get("principal", LOCAL)
    scopes = principal.scopes
    return Visitor(
        principal.name,
        may_search=scopes is None or "tools" in scopes,
        may_watch=scopes is None or "console" in scopes,
    )


def _may_enter(principal: Principal) -> bool:
    has_scope = principal.scopes is None or bool(principal.scopes & {"tools", "console"})
    return has_scope and (principal.contracts is None or "dowse" in principal.contracts)


async def _read_token(request: Request) -> str:
    """The token of the login form; empty for none, and for a text that can be no token."""
    try:
        body = await read_body(request.headers, request.receive, _LONGEST_FORM)
        fields = parse_fields((body or b"").decode())
        return credentials.only_one([fields.get("token", ("",))[0].strip().encode() or b" "])
    except (RequestRefused, ValueError, BadCredential):
        return ""


def _set_cookie(reply: Response, request: Request, value: str, for_s: int) -> None:
    # Behind a proxy that is not trusted, the browser's own word on the scheme.
    is_tls = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    name = TLS_COOKIE if is_tls else COOKIE
    reply.set_cookie(name, value, max_age=for_s, path="/", secure=is_tls, httponly=True, samesite="strict")


def _redirect(path: str) -> Response:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, _PAGE_HEADERS)


def _send_page(html: str, status: int = 200) -> Response:
    return Response(html, status, _PAGE_HEADERS, "text/html; charset=utf-8")


def _send_static(request: Request) -> Response:
    name = request.path_params["name"]
    data = read_static(name)
    if data is None:
        return Response("not found\n", 404, _PAGE_HEADERS, "text/plain")
    # Scripts import each other without the version in the address.
    headers = {**_HEADERS, "Cache-Control": _FOREVER if request.url.query == version() else "no-cache"}
    headers["ETag"] = tag = f'"{version()}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, 200, headers, mimetypes.guess_type(name)[0])
