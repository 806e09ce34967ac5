"""The command line in this process."""

from tests.support.command_line import *  # noqa: F403
