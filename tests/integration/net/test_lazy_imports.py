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


def test_no_description_is_parsed_by_a_start_without_a_file_of_the_users() -> None:
    program = (
        "import sys\nfrom dowse.settings.sources import load\nload({}, {'BRAVE_API_KEY': 'k', 'HOME': '/none'})\n"
        "print([name for name in sys.modules if name.startswith('dowse.settings.described.')])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "described.specs" in done.stdout
    assert not any(f"described.{name}" in done.stdout for name in ("files", "parse", "table", "model"))
