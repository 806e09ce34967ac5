from __future__ import annotations

import subprocess
import sys


def test_no_http_library_is_loaded_until_something_is_fetched() -> None:
    """stdio clients start the server for every conversation: what a start imports is paid each time."""
    program = (
        "import sys, dowse.net.clients, dowse.net.guard, dowse.net.proxy.server, dowse.fetch.direct\n"
        "print([name for name in ('aiohttp', 'yarl', 'brotli', 'h11') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
