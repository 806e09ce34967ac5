"""The means by which a page can make its browser connect to a host. Each has a name, which the target is told.

In a page, `%URL%` is the target, `%TLS%` and `%WS%` are the same by https and as a WebSocket, `%PLACE%` is its host
with the port where the wire is watched, `%FILE%` a second file of the page's own, which has the same target, and
`%NEXT%` a page to go to. `%OVER%` is the code that a try runs when it has ended, successful or not; in `%FILE%` it
posts that to the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Means:
    """A page that tries to touch its targets."""

    html: str = ""
    file: str = ""
    headers: tuple[str, ...] = ()
    status: str = "200 OK"
    wire: tuple[str, int] | None = None
    """Where the wire shows the touch (protocol and port), if it is no HTTP request."""
    needs_click: bool = False
    """Whether it waits for a click, on what looks like a button that refuses consent; then it calls `hold()`."""

    @property
    def tells_its_end(self) -> bool:
        """Whether the page learns that a try has ended; of hints, pings or speculation no page hears anything."""
        return _OVER in self.html + self.file


_OVER = "%OVER%"
_ENDS = f'onload="{_OVER}" onerror="{_OVER}"'


def _script(code: str, file: str = "") -> Means:
    return Means(f"<script>{code}</script>", file)


def _promise(code: str) -> Means:
    return _script(f"{code}.catch(() => 0).finally(() => {_OVER})")


def _in_head(html: str) -> Means:
    return _script(f"document.head.insertAdjacentHTML('beforeend', '{html}')")


def _speculation(kind: str, target: str, file: str = "") -> Means:
    rules = f'{{"{kind}": [{{"urls": ["{target}"], "eagerness": "immediate"}}]}}'
    return Means(f'<script type="speculationrules">{rules}</script>', file)


def _ice(server: str, wire: tuple[str, int], window: str = "window") -> Means:
    place = "%PLACE%" if server == "stun" else f"%PLACE%?transport={wire[0]}"
    servers = f"[{{urls: '{server}:{place}', username: 'u', credential: 'c'}}]"
    code = (
        f"{{ const peer = new ({window}).RTCPeerConnection({{iceServers: {servers}}}); peer.createDataChannel('d');"
        "peer.createOffer().then(offer => peer.setLocalDescription(offer)) }"
    )
    return Means(f"<script>{code}</script>", wire=wire)


def _banner(button: str) -> Means:
    return Means(f'<div id="onetrust-banner-sdk" style="position: fixed; inset: 0">{button}</div>', needs_click=True)


BUTTON = "onetrust-reject-all-handler"
_GET = "fetch('%URL%').catch(() => 0).finally(() => %OVER%)"
_IMPORT = "try { importScripts('%URL%') } catch {} finally { %OVER% }"
_SOCKET = "new WebSocket('%WS%').onclose = () => %OVER%"
# Each with a scope of its own, or the last one would take the place of the others.
_REGISTER = "navigator.serviceWorker.register('%FILE%', {scope: '%FILE%'})"
_NEW_FRAME = "document.body.appendChild(document.createElement('iframe')).contentWindow"

# No text comes of them: dowse does not load them at all, from whomever.
PICTURES = {
    "img": Means('<img src="%URL%">'),
    "img srcset": Means('<img srcset="%URL% 1x">'),
    "new Image": _script("new Image().src = '%URL%'"),
    "input image": Means('<input type="image" src="%URL%">'),
    "svg image": Means('<svg width="9" height="9"><image href="%URL%" width="9" height="9"/></svg>'),
    # Not a rule for all, of which only the last would count.
    "css url": Means('<p style="background: url(%URL%)">A picture behind words.</p>'),
    "font": _script("new FontFace('f', 'url(%URL%)').load().catch(() => 0)"),
    "video": Means('<video src="%URL%" autoplay muted></video>'),
    "video poster": Means('<video poster="%URL%"></video>'),
    "audio": Means('<audio src="%URL%" preload="auto"></audio>'),
    "track": Means('<video crossorigin><track default src="%URL%"></video>'),
    "manifest": _in_head("<link rel=manifest href=%URL%>"),
}

# What a browser does behind the page's back, beside HTTP, or in a window of its own: nothing of it is left in the cage.
SILENCED = {
    "preconnect": Means('<link rel="preconnect" href="http://%PLACE%/">', wire=("tcp", 8443)),
    "dns prefetch": Means('<link rel="dns-prefetch" href="//look-up.example">', wire=("udp", 53)),
    "speculative prefetch": _speculation("prefetch", "%URL%"),
    "speculative prerender": _speculation("prerender", "%FILE%", "<script>fetch('%URL%').catch(() => 0)</script>"),
    "ping": _script(
        "document.body.insertAdjacentHTML('beforeend', `<a href='#x' ping='%URL%'>x</a>`);"
        "document.body.lastChild.click()"
    ),
    "stun": _ice("stun", ("udp", 3478)),
    "stun of a frame": _ice("stun", ("udp", 3479), _NEW_FRAME),
    "stun of a popup": _ice("stun", ("udp", 3480), "window.open('about:blank')"),
    "turn": _ice("turn", ("udp", 3481)),
    "turn by tcp": _ice("turn", ("tcp", 3482)),
    "web transport": Means("<script>new WebTransport('https://%PLACE%/')</script>", wire=("udp", 443)),
    "source map": _script("1\n//# sourceMappingURL=%URL%\n"),
    "popup": _script("window.open('%URL%')"),
    "popup by click": _banner(f"""<button id="{BUTTON}" onclick="hold(); window.open('%URL%')">Reject all</button>"""),
    "tab by click": _banner(f'<a id="{BUTTON}" target="_blank" onclick="hold()" href="%URL%">Reject all</a>'),
}

RESOURCES = {
    "favicon": _in_head("<link rel=icon href=%URL%>"),
    "css link": Means(f'<link rel="stylesheet" href="%URL%" {_ENDS}>'),
    "css import": Means(f"<style {_ENDS}>@import url(%URL%);</style>"),
    "script": Means(f'<script src="%URL%" {_ENDS}></script>'),
    "module": Means(f'<script type="module" src="%URL%" {_ENDS}></script>'),
    "dynamic import": _promise("import('%URL%')"),
    "iframe": Means(f'<iframe src="%URL%" {_ENDS}></iframe>'),
    "iframe in srcdoc": Means(f"<iframe srcdoc='<iframe src=\"%URL%\"></iframe>' {_ENDS}></iframe>"),
    "iframe in data": Means(f"""<iframe src="data:text/html,<iframe src='%URL%'></iframe>" {_ENDS}></iframe>"""),
    "iframe redirect": Means(f'<iframe src="/redirect/302?to=%URL%" {_ENDS}></iframe>'),
    # It loads twice: what it holds itself, and what that leads to.
    "iframe refresh": Means(
        "<iframe srcdoc='<meta http-equiv=refresh content=\"0; url=%URL%\">'"
        f' onload="this.again ? {_OVER} : this.again = 1"></iframe>'
    ),
    "object": Means(f'<object data="%URL%" {_ENDS}></object>'),
    "embed": Means(f'<embed src="%URL%" type="text/html" {_ENDS}>'),
    "preload": Means(f'<link rel="preload" as="fetch" crossorigin href="%URL%" {_ENDS}>'),
    "modulepreload": Means(f'<link rel="modulepreload" href="%URL%" {_ENDS}>'),
    "prefetch": Means(f'<link rel="prefetch" href="%URL%" {_ENDS}>'),
    "link header": Means(headers=("Link: <%URL%>; rel=preload; as=fetch; crossorigin",)),
    "csp report": Means(
        "<style>p { color: red }</style>", headers=("Content-Security-Policy: style-src 'self'; report-uri %URL%",)
    ),
}

SCRIPTS = {
    "fetch": _promise("fetch('%URL%').then(r => r.text()).then(text => document.body.append(text))"),
    "fetch by tls": _promise("fetch('%TLS%').then(r => r.text()).then(text => document.body.append(text))"),
    "fetch no-cors": _promise("fetch('%URL%', {mode: 'no-cors'})"),
    "fetch redirect": _promise("fetch('/redirect/307?to=%URL%')"),
    "fetch on leaving": _script(
        "addEventListener('pagehide', () => fetch('%URL%', {keepalive: true, mode: 'no-cors'}));"
        "setTimeout(() => { location = '%NEXT%' }, 100)"
    ),
    "xhr": _script("{ const x = new XMLHttpRequest(); x.onloadend = () => %OVER%; x.open('GET', '%URL%'); x.send() }"),
    "beacon": _script("navigator.sendBeacon('%URL%', 'x')"),
    "event source": _script("new EventSource('%URL%').onerror = () => %OVER%"),
    "web socket": _script(_SOCKET),
    "worker import": _script("new Worker('%FILE%')", _IMPORT),
    "worker fetch": _script("new Worker('%FILE%')", _GET),
    "worker socket": _script("new Worker('%FILE%')", _SOCKET),
    "nested worker": _script(
        "new Worker(URL.createObjectURL(new Blob([`new Worker('${location.origin}%FILE%')`])))", _GET
    ),
    "shared worker": _script("new SharedWorker('%FILE%')", _GET),
    "service worker": _script(_REGISTER, _GET),
    "service worker import": _script(_REGISTER, _IMPORT),
    "audio worklet": _promise("new AudioContext().audioWorklet.addModule('%URL%')"),
}

# Sent when the page is over, and then its proxy may be over too: nobody can say whether a public host is touched.
LATE = {"fetchLater": _script("fetchLater('%URL%', {activateAfter: 0})")}

_REDIRECT = ("Location: %URL%",)

# These take the whole page elsewhere, so each of their pages has one target only.
MOVES = {
    **{f"redirect {code}": Means(status=f"{code} Moved", headers=_REDIRECT) for code in (301, 302, 303, 307, 308)},
    "refresh header": Means(headers=("Refresh: 0; url=%URL%",)),
    "meta refresh": Means('<meta http-equiv="refresh" content="0; url=%URL%">'),
    "location": _script("addEventListener('load', () => { location = '%URL%' })"),
    "location later": _script("setTimeout(() => location.replace('%URL%'), 100)"),
    "form": _script("document.body.innerHTML += '<form method=post action=%URL%></form>'; document.forms[0].submit()"),
    "link": _script("document.body.innerHTML += '<a id=a href=%URL%>x</a>'; a.click()"),
    "frame moves top": Means("<iframe srcdoc='<script>top.location = `%URL%`</script>'></iframe>"),
}  # fmt: skip

# Only a developer's window loads it, so no browser of ours shows that the page means it.
WITHOUT_CONTROL = frozenset({"source map"})

MEANS = {**PICTURES, **SILENCED, **LATE, **RESOURCES, **SCRIPTS, **MOVES}

# What does not get in each other's way is on one page, as a tab costs more than all that is tried in it. Few enough to
# stay below the number of requests that a page has.
_TOGETHER = (
    tuple(PICTURES),
    ("preconnect", "dns prefetch", "speculative prefetch", "speculative prerender", "ping", "source map", "beacon"),
    ("stun", "stun of a frame", "turn", "turn by tcp", "web transport"),
    ("popup", "stun of a popup"),
    ("css link", "css import", "script", "module", "dynamic import"),
    ("favicon", "preload", "modulepreload", "link header", "csp report"),
    ("iframe", "iframe in srcdoc", "iframe in data", "iframe redirect", "iframe refresh", "object", "embed"),
    ("fetch by tls", "fetch no-cors", "fetch redirect", "xhr", "event source", "web socket", "audio worklet"),
    ("worker import", "worker fetch", "worker socket", "nested worker", "shared worker"),
    ("service worker", "service worker import"),
)


def pages(names: Iterable[str]) -> list[tuple[str, ...]]:
    """These means by the pages that they are on; who is in no company has one alone."""
    wanted = dict.fromkeys(names)
    together = [tuple(name for name in page if name in wanted) for page in _TOGETHER]
    alone = [(name,) for name in wanted if not any(name in page for page in _TOGETHER)]
    return [*filter(None, together), *alone]
