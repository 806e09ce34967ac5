"""What became of a page, by what the server, the proxy or the browser said about its document."""

from __future__ import annotations

from dowse.core.errors import PageUnreadable, WireFailed, WireTimeout
from dowse.core.models import Onward, Status
from dowse.fetch.browser.page import DOWNLOAD, Document
from dowse.fetch.media import MediaType
from dowse.fetch.statuses import check_status, unreadable
from dowse.net.guard import HostNotFound
from dowse.net.proxy.page_policy import Exhausted, PageBudget

# Our proxy's answer to a plain request that it does not serve.
_NOT_SERVED = 502
_NET_ERRORS = {
    "ERR_NAME_NOT_RESOLVED": HostNotFound(),
    "ERR_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_CONNECTION_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_TOO_MANY_REDIRECTS": WireFailed("too many redirects"),
    "ERR_EMPTY_RESPONSE": WireFailed("the answer broke off or was malformed"),
    "ERR_CONNECTION_REFUSED": WireFailed("no connection"),
}
# Said without having shown what the server wrote about it.
_STATUSES_OF_ERRORS = {"ERR_INVALID_AUTH_CREDENTIALS": 401, "ERR_UNEXPECTED_PROXY_AUTH": 407}
_FINE = 200
_HTML = ("text/html", "application/xhtml+xml")


def check_arrived(document: Document, leash: PageBudget) -> None:
    """Raise `PageUnreadable` if nothing came, or nothing that can be read."""
    if document.error or document.status == _NOT_SERVED:
        _check_served(document, leash)
    if 200 <= document.status < 300 and not MediaType(document.media_type, "").is_text:
        raise PageUnreadable(Status.UNSUPPORTED, document.media_type)
    if document.error == DOWNLOAD:
        raise PageUnreadable(Status.UNSUPPORTED, f"a download ({document.media_type})")
    if document.error:
        check_answer(document)
        name = document.error.removeprefix("net::")
        check_status(_STATUSES_OF_ERRORS.get(name, _FINE))
        raise _failed(name)


def check_answer(document: Document) -> None:
    """Raise `PageUnreadable` if the server said that this is not the page."""
    # What a script wrote into an empty window has no status.
    if document.status:
        check_status(document.status)


def is_html(document: Document) -> bool:
    return document.media_type in ("", *_HTML)


def _check_served(document: Document, leash: PageBudget) -> None:
    if refusal := leash.refusal(document.url):
        raise unreadable(refusal)
    if leash.is_exhausted:
        # From then on the proxy does not even listen to what is asked for.
        raise unreadable(Exhausted())


def _failed(name: str) -> PageUnreadable:
    known = _NET_ERRORS.get(name)
    return unreadable(known) if known else PageUnreadable(Status.ERROR, f"the browser says {name}", Onward.APIS)
