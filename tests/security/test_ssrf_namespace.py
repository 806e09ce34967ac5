"""A network of the test's own, in which every address is this machine: what is dialled is seen by who answers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests import realparts
from tests.security.cage.namespace import unavailable

# In the new namespace each address of the world is local, so a server can be 8.8.8.8 and 169.254.169.254 at once.
NETWORK = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo"
UNSHARE = ("unshare", "--map-root-user", "--net", "sh", "-c")

PROBE = """
import asyncio, json, sys
from dowse.core.wire_errors import WireDenied
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard

async def main(hosts):
    reached = []

    async def answer(reader, writer):
        reached.append(writer.get_extra_info("sockname")[0])
        await reader.readuntil(b"\\r\\n\\r\\n")
        writer.write(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 4\\r\\n\\r\\npage")
        writer.close()

    async def names(host, port):
        return hosts[host]

    outcomes = {}
    async with await asyncio.start_server(answer, ["0.0.0.0", "::"], 80):
        for host in hosts:
            client = UntrustedClient(Guard(resolver=names), "dowse/test")
            try:
                fetched = await client.get(f"http://{host}/", timeout_s=30, max_bytes=100)
                outcomes[host] = [fetched.body.decode(), *reached]
            except WireDenied:
                outcomes[host] = ["denied", *reached]
            # The control: the same address answers whoever dials it.
            reached.clear()
            reader, writer = await asyncio.open_connection(hosts[host][0], 80)
            outcomes[host].append(bool(reached) or await asyncio.wait_for(until(reached), 30))
            writer.close()
            reached.clear()
            await client.close()
    print(json.dumps(outcomes))

async def until(reached):
    while not reached:
        await asyncio.sleep(0.005)
    return True

asyncio.run(main(json.loads(sys.argv[1])))
"""

PUBLIC = ("8.8.8.8", "93.184.216.34", "2606:4700::1111")
INSIDE = (
    *("127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254"),
    *("100.100.100.200", "192.0.0.192", "168.63.129.16", "198.18.0.1", "203.0.113.1"),
    *("::1", "fd00:ec2::254", "fc00::1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001:db8::1"),
)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, list[object]]:
    if reason := unavailable():
        realparts.missing(reason)
    hosts = {f"h{number}.example": [address] for number, address in enumerate((*PUBLIC, *INSIDE))}
    command = [*UNSHARE, f'{NETWORK} && exec "$0" -c "$1" "$2"', sys.executable, PROBE, json.dumps(hosts)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    return {address: seen[host] for host, (address,) in hosts.items()}


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_is_reached(address: str, outcomes: dict[str, list[object]]) -> None:
    assert outcomes[address] == ["page", address, True]


@pytest.mark.parametrize("address", INSIDE)
def test_inside_address_is_never_reached(address: str, outcomes: dict[str, list[object]]) -> None:
    assert outcomes[address] == ["denied", True]
