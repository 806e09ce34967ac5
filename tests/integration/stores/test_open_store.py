"""Stores on this machine load their libraries on first use."""

from __future__ import annotations

import subprocess
import sys

NOTHING_LOADED = """
import sys
from dowse.core.runtime import SystemClock
from dowse.stores import open_store
for address in ("memory:", "sqlite:///state.db"):
    open_store(address, SystemClock())
print(sorted({"sqlite3", "redis", "cryptography"} & set(sys.modules)))
"""


def test_stores_on_this_machine_load_no_library_before_they_are_used() -> None:
    run = subprocess.run([sys.executable, "-c", NOTHING_LOADED], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")
