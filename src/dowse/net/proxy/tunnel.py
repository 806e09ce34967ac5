"""A tunnel of the browser: TLS or a WebSocket, whose bytes mean nothing to us."""

from __future__ import annotations

import h11

from dowse.core import urls
from dowse.core.errors import WireDenied
from dowse.core.tasks import first_of
from dowse.net.proxy.stream import Line

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def tunnel_url(request: h11.Request) -> str:
    """The URL by which a tunnel is judged; raises `WireDenied` for anything but a host and a port.

    Host and port decide, so a WebSocket at port 80 can be judged as `https` too.
    """
    place = request.target.decode("ascii")
    url = urls.parse(f"https://{place}/")
    # Spelled otherwise, it might mean one place to us and another to whoever reads it next.
    if url is None or place != f"{url.host}:{url.port}":
        raise WireDenied
    return url.href


async def tunnel(early: bytes, client: Line, server: Line) -> None:
    """Pass bytes in both directions until one side has gone; `early` came before the tunnel stood."""
    await client.write(_ESTABLISHED)
    await server.write(early)
    await first_of(client.copy_to(server), server.copy_to(client))
