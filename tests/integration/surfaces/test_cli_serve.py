"""`dowse serve` as a process without standard input."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["dowse", "kindly"])
def test_without_standard_input_it_explains_itself_and_exits_with_2(module: str) -> None:
    """`dowse serve <&-`, or a service manager that closes it: there is nobody to serve."""
    code = "import sys; from dowse.surfaces.cli import kindly; sys.exit(kindly.serve_main([]))"
    arguments = ["-m", "dowse", "serve"] if module == "dowse" else ["-c", code]
    command = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "started by an MCP client" in ended.stderr
    assert "Traceback" not in ended.stderr
