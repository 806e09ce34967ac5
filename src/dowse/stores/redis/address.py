"""Redis addresses: server, socket, sentinel or cluster. The setting has validated their shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

Kind = Literal["server", "socket", "sentinel", "cluster"]

_KINDS: dict[str, Kind] = {"": "server", "unix": "socket", "sentinel": "sentinel", "cluster": "cluster"}
_TLS = ("rediss", "valkeys")
_PORT, _SENTINEL_PORT = 6379, 26379


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Endpoint and credentials of a Redis."""

    kind: Kind
    hosts: tuple[tuple[str, int], ...] = ()
    path: str = ""
    service: str = ""
    db: int = 0
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    uses_tls: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> RedisAddress:
    """Parse an address such as `redis://:password@host:6379/0` or `valkeys+sentinel://host1,host2/service/0`."""
    parts = urlsplit(text)
    scheme, _, kind_name = parts.scheme.partition("+")
    kind = _KINDS[kind_name]
    path, service, db = _split_path(kind, unquote(parts.path))
    options = dict(parse_qsl(parts.query))
    return RedisAddress(
        kind=kind,
        hosts=_hosts(parts.netloc.rpartition("@")[2], _SENTINEL_PORT if kind == "sentinel" else _PORT),
        path=path,
        service=service,
        db=int(options.pop("db", "") or db or 0),
        username=unquote(parts.username or "") or None,
        password=unquote(parts.password or "") or None,
        uses_tls=scheme in _TLS,
        options=options,
    )


def _split_path(kind: Kind, path: str) -> tuple[str, str, str]:
    """Path of a socket, service of a sentinel, and number of the database."""
    if kind == "socket":
        return path, "", ""
    service, _, db = path.strip("/").partition("/") if kind == "sentinel" else ("", "", path.strip("/"))
    return "", service, db.strip("/")


def _hosts(text: str, port: int) -> tuple[tuple[str, int], ...]:
    each = [urlsplit(f"//{host}") for host in text.split(",") if host]
    return tuple((host.hostname or "", host.port or port) for host in each)
