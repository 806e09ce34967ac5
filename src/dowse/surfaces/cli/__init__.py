"""The command line, one file per command."""

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes of every command."""
