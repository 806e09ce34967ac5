"""A network of the test's own, in which every address is this machine: it can be a public host and a private one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping

# A second interface besides loopback, which leads nowhere: without any, a page's WebRTC would think itself offline and
# not even try. It takes no address by itself, so that nothing is heard on the wire but what somebody says.
_NETWORK = " && ".join(
    (
        "ip link set lo up",
        "ip link add near type veth peer name far",
        "ip link set near addrgenmode none",
        "ip link set far addrgenmode none",
        "ip addr add 198.51.100.9/24 dev near",
        "ip link set near up",
        "ip link set far up",
        "ip route add local 0.0.0.0/0 dev lo",
        "ip -6 route add local ::/0 dev lo",
    )
)
LOOPBACK = "ip link set lo up"
"""A network with nothing but loopback, from which nothing outside can be reached."""
_UNSHARE = ("unshare", "--map-root-user", "--net", "sh", "-c")


def unavailable() -> str:
    """Why there can be no such network here; empty if there can."""
    if sys.platform != "linux" or not (shutil.which("unshare") and shutil.which("ip")):
        return "needs Linux with unshare and ip"
    tried = subprocess.run([*_UNSHARE, _NETWORK], capture_output=True, text=True, timeout=60)
    return f"network namespaces are not permitted here: {tried.stderr.strip()}" if tried.returncode else ""


def run_inside(
    module: str,
    *arguments: str,
    folder: str,
    environment: Mapping[str, str],
    timeout_s: float,
    network: str = _NETWORK,
) -> subprocess.CompletedProcess[str]:
    """Run a module of this repository in a new network, from its root or with it on the path."""
    command = [*_UNSHARE, f'{network} && exec "$0" -m "$@"', sys.executable, module, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=timeout_s)
