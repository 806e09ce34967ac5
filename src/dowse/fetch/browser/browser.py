"""What the pool needs from a browser, be it a process of ours or one elsewhere."""

from __future__ import annotations

from typing import Protocol

from dowse.fetch.browser.cdp import Connection


class Browser(Protocol):
    """A browser that answers."""

    @property
    def connection(self) -> Connection: ...

    @property
    def user_agent(self) -> str:
        """How it names itself to sites."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether it is elsewhere: out of our cage, and not ours to end."""
        ...

    def memory_bytes(self) -> int:
        """What it holds by now, 0 if unknown; may take some milliseconds."""
        ...

    def kill(self) -> None:
        """End it, or our connection to it, at once. What is open in it fails; may be called again."""
        ...

    async def reap(self) -> None:
        """Wait until nothing is left of a browser that was killed, or that has ended by itself."""
        ...


class Launch(Protocol):
    """Gives a browser that answers; raises `BrowserUnavailable`."""

    async def __call__(self) -> Browser: ...
