"""What judging text loads into the process of the server."""

from __future__ import annotations

import subprocess
import sys


def test_judging_text_imports_no_parser() -> None:
    """It runs where the credentials are."""
    code = "import sys, dowse.extract.verdict; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert {name.partition(".")[0] for name in loaded} & {"selectolax"} == set()
