"""Connections of the proxy, one at a time."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest

from dowse.core.wire_errors import WireFailed, WireTimeout
from dowse.net.proxy.stream import dial


@pytest.mark.parametrize("failure", [WireTimeout("no answer in time"), WireFailed("no connection")])
async def test_who_takes_no_connection_is_told_from_who_does_not_answer(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def connect(loop: object, sock: object, address: tuple[str, int]) -> None:
        if isinstance(failure, WireTimeout):
            await asyncio.Event().wait()
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", connect)

    with pytest.raises(type(failure), match=str(failure)):
        async with dial([ip_address("93.184.216.34")] * 2, 80, 0.01, [].append):
            pass
