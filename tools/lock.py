"""Compiles the lock files: exact versions with hashes for every platform, no index address in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
_DEV = ["pyproject.toml", "requirements/build.in", "--group", "dev"]
# Output file -> what it is compiled from.
LOCKS = {
    "run.txt": ["pyproject.toml", "requirements/build.in"],
    "dev.txt": _DEV,
    # Beside the tests, in the same environment: what both need has one version.
    "bench.txt": [*_DEV, "--group", "bench", "--constraints", "requirements/dev.txt"],
    # SDKs of other vendors, which tests/slow/clients runs in an environment of their own.
    "clients.txt": ["requirements/clients.in"],
    # An environment of its own: what runs the notebook of the documentation, with dowse.
    "notebook.txt": ["pyproject.toml", "requirements/notebook.in", "--constraints", "requirements/dev.txt"],
    "uv.txt": ["requirements/uv.in"],
}


def main() -> None:
    for name, sources in LOCKS.items():
        command = [str(UV), "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--upgrade"]
        command += ["--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate"]
        subprocess.run([*command, *sources, "-o", f"requirements/{name}"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
