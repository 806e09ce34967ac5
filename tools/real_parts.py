"""Makes sure that the real programs are there which the tests run dowse against; `make test` starts with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A program, found by its command, and the Debian package that brings it."""

    command: str
    package: str
    used_for: str

    def is_there(self) -> bool:
        return shutil.which(self.command) is not None

    @property
    def advice(self) -> str:
        """One sentence that says what to install."""
        return f"{self.command} is missing, which {self.used_for}; install it with: apt-get install {self.package}"


PARTS = {
    "bash": Part("bash", "bash", "completes commands in tests/integration"),
    "chromium": Part("chromium", "chromium", "is the browser of tests/browser and tests/security"),
    "fish": Part("fish", "fish", "completes commands in tests/integration"),
    "ip": Part("ip", "iproute2", "builds the network of tests/security"),
    "microsocks": Part("microsocks", "microsocks", "is the SOCKS5 proxy of tests/security"),
    "nginx": Part("nginx", "nginx", "is the balancer of tests/clients"),
    "searx": Part("searx-run", "searx", "is the real SearXNG of tests/slow"),
    "tinyproxy": Part("tinyproxy", "tinyproxy", "is the HTTP proxy of tests/security"),
    "zsh": Part("zsh", "zsh", "completes commands in tests/integration"),
}


def main() -> int:
    missing = _missing()
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _install([part.package for part in missing])
        missing = _missing()
    for part in missing:
        print(f"real_parts: {part.advice}", file=sys.stderr)
    # On somebody's machine the tests that need a part are skipped; in CI nothing may go untested.
    return 1 if missing and os.environ.get("CI") == "true" else 0


def _missing() -> list[Part]:
    return [part for part in PARTS.values() if not part.is_there()]


def _install(packages: Sequence[str]) -> None:
    """Install, and only if that fails fetch the package lists first: they are seldom stale and slow to get."""
    install = ["install", "--yes", "-qq", "--no-install-recommends", *packages]
    if not _apt(install) and _apt(["update", "-qq"]):
        _apt(install)


def _apt(arguments: Sequence[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run = subprocess.run(["apt-get", *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    if run.returncode:
        # What it says about a success, a newcomer would only wonder about.
        sys.stderr.write(run.stderr.decode(errors="replace"))
    return run.returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
