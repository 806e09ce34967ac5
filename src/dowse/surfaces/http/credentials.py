"""Places of a token in a request: headers, the prefix of the path, the query, and the body."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote_to_bytes

from starlette.types import Scope

from dowse.contracts.endpoint import API_KEY

LONGEST_TOKEN_BYTES = 4096
MAX_KEYED_BODY_BYTES = 64 * 1024
"""The most that is read of a body whose sender is not known yet."""
HEADERS = (b"authorization", b"x-api-key", b"x-subscription-token")
_DROPPED = (*HEADERS, b"cookie")
_PREFIX = "/t/"
# The characters that DOWSE_TOKENS takes: visible ASCII without a comma.
_TOKEN = re.compile(rb"[!-+\--~]+")
_BEARER = re.compile(rb"bearer ([!-+\--~]+)", re.IGNORECASE)
_BASIC = re.compile(rb"basic ([A-Za-z0-9+/=_-]+)", re.IGNORECASE)
_FORM = b"application/x-www-form-urlencoded"


class BadCredential(Exception):
    """A credential that cannot be valid; the reason is for the log."""


def take_path_token(scope: Scope) -> str:
    """Remove the prefix `/t/<token>` from the path of a request, so that nothing can log it; returns the token."""
    if not scope["path"].startswith(_PREFIX):
        return ""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    token, slash, rest = raw.removeprefix(_PREFIX.encode()).partition(b"/")
    scope["raw_path"] = slash + rest if slash else b"/"
    scope["path"] = unquote_to_bytes(scope["raw_path"]).decode("utf-8", "replace")
    # An empty token is a wrong one.
    return unquote_to_bytes(token).decode("latin-1") or " "


def drop_headers(scope: Scope) -> None:
    """Remove the headers that hold tokens, so that nothing behind can pass them on."""
    scope["headers"] = [header for header in scope["headers"] if header[0] not in _DROPPED]


def find_in_headers(scope: Scope) -> Iterator[bytes]:
    """The tokens in the headers of a request. Raises `BadCredential`."""
    for name in HEADERS:
        values = [value for header, value in scope["headers"] if header == name]
        if len(values) > 1:
            raise BadCredential("duplicated")
        for value in values:
            yield _in_authorization(value) if name == b"authorization" else value


def find_in_query(scope: Scope) -> Iterator[bytes]:
    """The tokens in the query of a request."""
    if API_KEY.encode() in scope["query_string"]:
        yield from _find_in_fields(scope["query_string"])


def find_in_body(body: bytes, content_type: str) -> Iterator[bytes]:
    """The tokens in a body that is a JSON object or a form."""
    if API_KEY.encode() not in body:
        return
    if content_type.encode().startswith(_FORM):
        yield from _find_in_fields(body)
        return
    yield from _find_in_json(body)


def _find_in_fields(encoded: bytes) -> Iterator[bytes]:
    fields = parse_qsl(encoded.decode("latin-1"), keep_blank_values=True)
    return (value.encode() for name, value in fields if name == API_KEY)


def _find_in_json(body: bytes) -> Iterator[bytes]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    token = value.get(API_KEY) if isinstance(value, dict) else None
    if isinstance(token, str):
        yield token.encode("utf-8", "replace")


def only_one(found: Iterable[bytes]) -> str:
    """The one token of a request, which may be in several places; empty without one. Raises `BadCredential`."""
    tokens = set(found)
    if len(tokens) > 1:
        raise BadCredential("different")
    for token in tokens:
        if not _TOKEN.fullmatch(token):
            raise BadCredential("malformed")
        if len(token) > LONGEST_TOKEN_BYTES:
            raise BadCredential("oversized")
        return token.decode("ascii")
    return ""


def _in_authorization(value: bytes) -> bytes:
    """The token behind `Bearer`, the password of basic authentication, or the bare value."""
    if bearer := _BEARER.fullmatch(value):
        return bearer[1]
    if basic := _BASIC.fullmatch(value):
        return _password(basic[1])
    return value


def _password(encoded: bytes) -> bytes:
    try:
        _, colon, password = base64.b64decode(encoded, validate=True).partition(b":")
    except binascii.Error:
        raise BadCredential("malformed") from None
    if not colon:
        raise BadCredential("malformed")
    return password
