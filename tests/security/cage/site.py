"""What the public hosts of the world serve: the attack pages, what these need, and pages that never have enough."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.security.cage.means import MEANS, MOVES
from tests.security.cage.world import Request, answer

# Enough text for a reader to see that the page is there, so that nobody waits for more.
PROSE = "Otters hold hands while they sleep so that the river does not carry one of them away from the others. " * 3
_CHUNK = b"x" * 65_536
# So much that a reader takes it for further text.
_MORE = "The river goes on and on, and so does this page. "
EACH = "*"
# Less than any proxy waits on a line.
_SIGN_OF_LIFE_S = 5.0

_GREEDY = {
    "many requests": "for (let n = 0; n < 1000; n++) fetch('/count/one?' + n).catch(() => 0)",
    "many bytes": "(async () => { for (let n = 0; n < 4; n++) await (await fetch('/bulk/' + n)).arrayBuffer() })()",
}


@dataclass(slots=True)
class Attack:
    """An attack page that was served: what it tries, and whether it says that every try has ended."""

    names: tuple[str, ...]
    targets: tuple[str, ...]
    is_over: bool = False
    is_finished: bool = False
    """Whether it stayed open until `keep` let it go."""

    @property
    def moves(self) -> bool:
        """Whether it ends by leading to another page of the web."""
        return self.names[0] in MOVES and self.targets[0].startswith("http")

    @property
    def tells_its_end(self) -> bool:
        """Whether it says that its tries are over; of other schemes than those of the web it does not hear."""
        is_web = all(target.startswith("http") for target in self.targets)
        return is_web and all(MEANS[name].tells_its_end for name in self.names)

    @property
    def busy(self) -> str:
        """The code that keeps the page from being read before its tries are over."""
        first = MEANS[self.names[0]]
        if self.moves or "%NEXT%" in first.html:
            # A request that is under way when a page is left would keep the next one busy as well.
            return "grow(50)"
        # What is clicked on is a page that rests; it holds on from there.
        return "" if first.needs_click else "hold()"


class Site:
    """Attack pages, whose means and targets are in their address. What was served is counted.

    A page that does not lead on waits, and its text grows, until `keep` returns for it.
    """

    def __init__(self, keep: Callable[[Attack], Awaitable[bool]]) -> None:
        self._keep = keep
        self.attacks: list[Attack] = []
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
        self.served[request.host] += 1
        match kind:
            case "means":
                attack = _attack(request.path)
                self.attacks.append(attack)
                _answer_attack(writer, attack, len(self.attacks) - 1)
            case "file":
                name, page, number = map(unquote, rest.split("/"))
                file = _fill(MEANS[name].file, Try(name, targets[0], page, int(number)))
                answer(writer, file, f"Content-Type: text/{'html' if file.startswith('<') else 'javascript'}")
            case "redirect":
                answer(writer, "", f"Location: {targets[0]}", status=f"{name} Moved")
            case "over":
                self.attacks[int(rest)].is_over = True
                answer(writer, "")
            case "hold":
                await self._hold(self.attacks[int(rest)], writer)
            case "next":
                answer(writer, _page("the next page", _start(rest, "hold()")))
            case "greedy":
                answer(writer, _page(name, f"<script>{_GREEDY[name]}</script>"))
            case "bulk":
                await self._pour(writer)
            case "touch":
                answer(writer, _page("the second host"))
            case _:
                answer(writer, "", status="404 Not Found")

    async def _hold(self, attack: Attack, writer: asyncio.StreamWriter) -> None:
        """Answer slowly until the page may go: a line on which nothing is said would be cut."""
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n\r\n")
        keeping = asyncio.ensure_future(self._keep(attack))
        try:
            while not (await asyncio.wait([keeping], timeout=_SIGN_OF_LIFE_S))[0]:
                writer.write(b" ")
                await writer.drain()
            attack.is_finished = keeping.result()
        finally:
            keeping.cancel()

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


def stays(url: str) -> bool:
    """Whether this is an attack page that neither tells its end nor moves: it has to be told when to go."""
    if "/means/" not in url:
        return False
    attack = _attack(url)
    return not (attack.moves or attack.tells_its_end)


def _attack(url: str) -> Attack:
    parts = urlsplit(url)
    names = parts.path.removeprefix("/means/").split("/")
    return Attack(tuple(map(unquote, names)), tuple(parse_qs(parts.query)["to"]))


def _answer_attack(writer: asyncio.StreamWriter, attack: Attack, page: int) -> None:
    """Serve a page with every means of the attack on every target."""
    pairs = [(name, target) for name in attack.names for target in attack.targets]
    tries = [Try(name, target, str(page), number) for number, (name, target) in enumerate(pairs)]
    headers = [_fill(header, each) for each in tries for header in MEANS[each.name].headers]
    telling = [each.number for each in tries if MEANS[each.name].tells_its_end]
    start = _start(str(page), attack.busy, telling)
    attacks = [_fill(MEANS[each.name].html, each) for each in tries]
    answer(writer, _page("/".join(attack.names), start, *attacks), *headers, status=MEANS[attack.names[0]].status)


def _start(page: str, busy: str, telling: Sequence[int] = ()) -> str:
    """The script with which a page begins: it stays busy, and says when each try that tells its end has ended."""
    return f"""<script>
      const grow = (every) => setInterval(() => document.body.append('{_MORE}'), every);
      const held = async () => (await fetch('/hold/{page}')).text();
      const hold = (growing = grow(200)) => held().finally(() => clearInterval(growing));
      const left = new Set({list(telling)});
      const over = (number) => left.delete(number) && !left.size && fetch('/over/{page}');
      new BroadcastChannel('{page}').onmessage = (event) => over(event.data);
      {busy}
    </script>"""


@dataclass(frozen=True, slots=True)
class Try:
    """One means on one target, by its number on a page."""

    name: str
    target: str
    page: str
    number: int


def _page(name: str, *scripts: str) -> str:
    start = f"<!doctype html><title>{name}</title><h1>The page of {name}</h1><p>{PROSE}</p>"
    return "\n".join([start, *scripts])


def _fill(template: str, one: Try) -> str:
    """A template of a means, pointed at one target."""
    target = one.target.replace(EACH, quote(one.name))
    wire, parts = MEANS[one.name].wire, urlsplit(target)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    is_file = template == MEANS[one.name].file
    words = {
        "%FILE%": f"/file/{quote(one.name)}/{one.page}/{one.number}?to={quote(target, safe='')}",
        "%NEXT%": f"/next/{one.page}",
        "%OVER%": f"new BroadcastChannel('{one.page}').postMessage({one.number})" if is_file else f"over({one.number})",
        "%URL%": target,
        "%TLS%": target.replace("http:", "https:"),
        "%WS%": target.replace("http:", "ws:"),
        "%PLACE%": f"{host}:{wire[1] if wire else 80}",
    }
    for word, meaning in words.items():
        template = template.replace(word, meaning)
    return template
