"""What a status or a failure of the wire means for a page, and who may try next. The table is in docs/reading.md."""

from __future__ import annotations

from dowse.core.errors import PageUnreadable, WireDenied, WireError, WireTimeout, WireTooLarge
from dowse.core.models import Onward, Status
from dowse.net.clients import TooManyRedirects
from dowse.net.guard import HostNotFound

_BY_STATUS = {
    401: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    402: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    403: (Status.BLOCKED, Onward.ANYBODY),
    404: (Status.NOT_FOUND, Onward.NOBODY),
    407: (Status.LOGIN_REQUIRED, Onward.NOBODY),
    408: (Status.ERROR, Onward.APIS),
    410: (Status.NOT_FOUND, Onward.NOBODY),
    429: (Status.BLOCKED, Onward.ANYBODY),
    451: (Status.BLOCKED, Onward.NOBODY),
    503: (Status.BLOCKED, Onward.ANYBODY),
}
# Any other 4xx refuses the request rather than the page, and other clients make other requests.
_OTHER_4XX = (Status.ERROR, Onward.ANYBODY)
_OTHERS = (Status.ERROR, Onward.APIS)
# The first that fits; any other failure of the wire is nobody's fault but the line's.
_BY_WIRE_ERROR: tuple[tuple[type[WireError], Status, Onward], ...] = (
    (WireDenied, Status.DENIED, Onward.NOBODY),
    (WireTooLarge, Status.TOO_LARGE, Onward.NOBODY),
    (WireTimeout, Status.TIMEOUT, Onward.APIS),
    (HostNotFound, Status.ERROR, Onward.NOBODY),
    # Sites that set a cookie by a redirect to themselves go on for ever; a browser gets out of it.
    (TooManyRedirects, Status.ERROR, Onward.ANYBODY),
    (WireError, Status.ERROR, Onward.APIS),
)


def check_status(code: int) -> None:
    """Raise `PageUnreadable` for every answer that is not the page."""
    if 200 <= code < 300:
        return
    status, onward = _BY_STATUS.get(code, _OTHER_4XX if 400 <= code < 500 else _OTHERS)
    raise PageUnreadable(status, f"HTTP {code}", onward)


def unreadable(error: WireError) -> PageUnreadable:
    """What became of a page that did not come at all."""
    status, onward = next((status, onward) for kind, status, onward in _BY_WIRE_ERROR if isinstance(error, kind))
    return PageUnreadable(status, str(error), onward)
