"""The edge between commands and the shell: every way to end becomes an exit code and at most one message."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

from dowse.core.errors import ConfigError
from dowse.secrets.redact import Redactor
from dowse.surfaces.cli.exits import DONE, FAILED, INTERRUPTED, USAGE
from dowse.telemetry import log


def exit_code(command: Callable[[], int]) -> int:
    """Run a command for a shell."""
    # Until the command knows its settings: whatever goes wrong before is one masked line as well.
    log.configure("error", Redactor())
    if sys.stdout is None:
        # `dowse search … >&-`: nobody wants to see it.
        sys.stdout = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A page may hold characters that the terminal's encoding does not have.
        sys.stdout.reconfigure(errors="replace")
    try:
        code = command()
        sys.stdout.flush()
    except ConfigError as error:
        print(f"dowse: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `dowse search … | head`: who reads has enough. Python would complain again at its own flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception:
        # A bug. Its traceback goes through the log, which masks secrets; Python's own would not.
        log.LOGGER.exception("command crashed")
        return FAILED
    return code
