"""What several processes agree on at any moment: who was let through, who is at work, whose breaker is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dowse.core.allowances import Pace, Rate

FAILURES_TO_OPEN = 5
"""After so many in a row a breaker opens, wherever it is kept."""

LONGEST_S = 600.0
"""No breaker is open, no probe is out and no place is held for longer, whatever was said."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """How a shared breaker stands for whoever asks: whether they may call, as the probe or as one of many."""

    admits: bool
    is_probe: bool = False
    failures: int = 0
    opens_for_s: float = 0.0
    """How long until a probe may go out; 0 while closed, and while another process probes."""
    is_limited: bool = False
    """Whether the last failure was a rate limit."""


class Coordinator(Protocol):
    """Kept by one server on its own time: what clocks of its clients show does not count. Raises `StoreFailed`."""

    async def look(self) -> None:
        """See whether it can be asked and written to."""
        ...

    async def admit(self, key: str, rate: Rate) -> float:
        """Count one call in the window of a key and return 0, or count nothing and return the seconds until one may."""
        ...

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float:
        """The same for a call to a provider, which holds a place until it leaves, and at most so long.

        Where all places are taken nobody knows for how long: then the seconds until it is worth asking again.
        """
        ...

    async def leave(self, provider: str, ticket: str) -> None:
        """Give the place of a ticket back, if it is still held."""
        ...

    async def consult(self, circuit: str, owner: str, probe_s: float) -> Circuit:
        """Ask to call; who becomes the probe is it for so long, in case nothing is ever heard of them again."""
        ...

    async def failed(self, circuit: str, owner: str, opens_for_s: float, *, at_once: bool, is_limited: bool) -> Circuit:
        """A call failed: the breaker opens for so long, at once or after five in a row, over all processes."""
        ...

    async def succeeded(self, circuit: str, owner: str) -> Circuit:
        """A call succeeded: failures in a row are forgotten, and if it was the probe the breaker closes."""
        ...

    async def released(self, circuit: str, owner: str) -> None:
        """A call ended without a verdict: if it was the probe, somebody else may be."""
        ...
