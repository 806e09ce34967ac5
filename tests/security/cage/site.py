"""What the public hosts of the world serve: the attack pages, what these need, and pages that never have enough."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.security.cage.means import MEANS
from tests.security.cage.world import Request, answer

# Enough text for a reader to see that the page is there, so that nobody waits for more.
PROSE = "Otters hold hands while they sleep so that the river does not carry one of them away from the others. " * 3
_CHUNK = b"x" * 65_536
EACH = "*"

_GREEDY = {
    "many requests": "for (let n = 0; n < 1000; n++) fetch('/count/one?' + n).catch(() => 0)",
    "many bytes": "(async () => { for (let n = 0; n < 4; n++) await (await fetch('/bulk/' + n)).arrayBuffer() })()",
}


class Site:
    """Attack pages, whose means and targets are in their address. What was served is counted.

    `keep` waits until all of a page's means have touched the second host, or have had their time.
    """

    def __init__(self, keep: Callable[[Sequence[str]], Awaitable[object]]) -> None:
        self._keep = keep
        self.served: Counter[str] = Counter()
        self.bytes = 0

    def forget(self) -> None:
        """Count from zero."""
        self.served.clear()
        self.bytes = 0

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(request.path)
        kind, _, rest = parts.path.lstrip("/").partition("/")
        name, targets = unquote(rest), parse_qs(parts.query).get("to", [])
        names = [unquote(part) for part in rest.split("/")]
        self.served[request.host] += 1
        match kind:
            case "means":
                tries = [(each, target) for each in names for target in targets]
                headers = [_fill(header, each, target) for each, target in tries for header in MEANS[each].headers]
                attacks = [_fill(MEANS[each].html, each, target) for each, target in tries]
                hold = f"<script>fetch('/hold/{rest}')</script>"
                answer(writer, _page(name, *attacks, hold), *headers, status=MEANS[names[0]].status)
            case "file":
                file = _fill(MEANS[name].file, name, targets[0])
                answer(writer, file, f"Content-Type: text/{'html' if file.startswith('<') else 'javascript'}")
            case "redirect":
                answer(writer, "", f"Location: {targets[0]}", status=f"{name} Moved")
            case "hold":
                # The page stays busy while its attacks run.
                await self._keep(names)
                answer(writer, "")
            case "greedy":
                answer(writer, _page(name, f"<script>{_GREEDY[name]}</script>"))
            case "bulk":
                await self._pour(writer)
            case "touch":
                answer(writer, _page("the second host"))
            case _:
                answer(writer, "", status="404 Not Found")

    async def _pour(self, writer: asyncio.StreamWriter) -> None:
        """25 MB, or as much as is taken."""
        # Little is on its way at a time, so that what was sent is what was taken.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, len(_CHUNK))
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {400 * len(_CHUNK)}\r\n\r\n".encode())
        for _ in range(400):
            writer.write(_CHUNK)
            await writer.drain()
            self.bytes += len(_CHUNK)


def address(names: str | Sequence[str], *urls: str, host: str = "page.example") -> str:
    """Where the page is that tries to get these URLs by some means."""
    path = quote(names) if isinstance(names, str) else "/".join(map(quote, names))
    return f"http://{host}/means/{path}?" + "&".join(f"to={quote(url, safe='')}" for url in urls)


def touch(name: str, origin: str) -> str:
    """The URL by which a host learns that it was touched, and by what; `EACH` is whichever means it is got by."""
    return f"{origin}/touch/{quote(name, safe=EACH)}"


def _page(name: str, *scripts: str) -> str:
    start = f"<!doctype html><title>{name}</title><h1>The page of {name}</h1><p>{PROSE}</p>"
    return "\n".join([start, *scripts])


def _fill(template: str, name: str, target: str) -> str:
    """A template of a means, pointed at one target."""
    target = target.replace(EACH, quote(name))
    wire, parts = MEANS[name].wire, urlsplit(target)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    words = {
        "%FILE%": f"/file/{quote(name)}?to={quote(target, safe='')}",
        "%URL%": target,
        "%TLS%": target.replace("http:", "https:"),
        "%WS%": target.replace("http:", "ws:"),
        "%PLACE%": f"{host}:{wire[1] if wire else 80}",
    }
    for word, meaning in words.items():
        template = template.replace(word, meaning)
    return template
