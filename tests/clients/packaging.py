"""uv, with the cache and the package registry of the machine."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

from tests.realparts import missing

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
# The home is the user's own, which tests do not have otherwise: uv keeps its cache there.
MACHINE = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir}
_NO_NETWORK = re.compile(r"error sending request|dns error|failed to fetch", re.IGNORECASE)


def uv(*arguments: str | Path) -> str:
    run = subprocess.run([UV, *arguments], cwd=ROOT, env=MACHINE, capture_output=True, text=True)
    if run.returncode and _NO_NETWORK.search(run.stderr):
        missing(f"No package registry can be reached; connect to one to test the installation: {run.stderr[-300:]}")
    assert run.returncode == 0, run.stderr
    return run.stdout


def build_wheel(place: Path) -> Path:
    """The wheel of this repository as it is now."""
    uv("build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", place, ROOT)
    (built,) = place.glob("*.whl")
    return built
