"""A short temporary directory, and a silent asyncio."""

from tests.support.browser_process import *  # noqa: F403
