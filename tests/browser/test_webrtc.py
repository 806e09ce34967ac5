"""A page that uses WebRTC opens no port of multicast DNS."""

from __future__ import annotations

import pytest

from dowse.core.runtime import SystemClock
from dowse.fetch.browser import command_line
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from tests import realparts
from tests.browser.conftest import TIMEOUT_S
from tests.processes import chromiums, udp_ports

pytestmark = pytest.mark.promise("hidden-browser-mdns")

FEATURE = "WebRtcHideLocalIpsWithMdns"
MDNS = 5353
# Resolves to the candidates when the browser has gathered all of them; the connection stays open.
GATHER = """
(async () => {
  const connection = (globalThis.kept = new RTCPeerConnection());
  connection.createDataChannel('x');
  const found = [];
  const gathered = new Promise((resolve) => {
    connection.onicecandidate = ({candidate}) => (candidate ? found.push(candidate.candidate) : resolve());
  });
  await connection.setLocalDescription(await connection.createOffer());
  await gathered;
  return found;
})()
"""


async def gather() -> tuple[list[str], set[int]]:
    """The candidates that a WebRTC page learns, and the UDP ports of the browser while it is open."""
    pool = BrowserPool(Launcher(SystemClock()), SystemClock())
    try:
        async with pool.tab("127.0.0.1:1", TIMEOUT_S) as tab:
            await tab.session.call("Page.navigate", url="data:text/html,<p>call")
            answer = await tab.session.call(
                "Runtime.evaluate", expression=GATHER, awaitPromise=True, returnByValue=True
            )
            return answer["result"]["value"], udp_ports(chromiums())
    finally:
        await pool.close()


async def test_a_webrtc_page_binds_no_port_of_mdns_and_learns_no_address() -> None:
    realparts.require("chromium")
    candidates, ports = await gather()
    assert MDNS not in ports
    assert candidates == []


async def test_control_without_the_flag_the_port_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    realparts.require("chromium")
    monkeypatch.setattr(command_line, "_OFF", tuple(name for name in command_line._OFF if name != FEATURE))
    _, ports = await gather()
    assert MDNS in ports
