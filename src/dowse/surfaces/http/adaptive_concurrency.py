"""How many calls are worked on at once: as many as find time, which is measured, not guessed from how long they take.

Calls differ by a factor of a thousand, and one that waits for a slow provider costs nothing. So the limit follows
whatever does the work, the event loop and the workers: it grows while they have time to spare. Calls may wait in line
for that, and for calls before them to end, as long as the line moves. When even the line is too long, more comes than
can be done, and waiting would only make everybody late: then this process is overloaded, until hardly anybody has to
be refused any more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LOOK_S = 0.05
# Of what is in use for more than this share of the time, whoever comes has to wait for somebody else.
SATURATED = 0.9
# How long the last one in line may have to wait: what is over by then was a burst. A short line is always worth it.
LONGEST_LINE_S, SHORT_LINE = 0.5, 16
# How many calls end in a second where that was not seen lately: a line of hundreds has done no harm yet.
USUALLY_PER_S, FORGOTTEN_S = 2000.0, 60.0
# Overload has ended when, on average over so many seconds, no more than that share of the calls was refused, or less
# than one in a second. Chance alone brings some at 70 % load, because few are let in at once.
AVERAGED_S, RELIEVED = 1.0, 0.15
# In ordinary times nobody has to wait as long as there are no more calls than this.
START = 8
# Under overload: few enough to be quick, enough to have something to do while one of them waits.
FLOOR = 6
# So many calls can begin in less time than a burst may take, even where others use the CPU.
_GROWTH, _LARGEST_STEP = 1.5, 32
_CAREFUL_GROWTH = 1.15
_SHRINKING = 0.8


@dataclass(frozen=True, slots=True)
class Seen:
    """What happened between two looks."""

    seconds: float
    busy: float
    """The share of the time in which the busiest part had none to spare."""
    in_flight: int
    began: int
    ended: int
    refused: int
    is_short: bool
    """Whether calls had to wait or were refused."""


class CallLimit:
    """Told now and then what happens, it says how many calls may be worked on, and how many may wait."""

    def __init__(self, most: int, usually_per_s: float = USUALLY_PER_S) -> None:
        self._most = float(most)
        self._calls = min(float(START), self._most)
        self._is_saturated = False
        self._usually_per_s = self._ended_per_s = usually_per_s
        self.is_overloaded = False
        # Since the last change of the limit, and since overload began.
        self._seconds, self._busy_s, self._ended = 0.0, 0.0, 0
        self._came, self._refused = 0.0, 0.0

    @property
    def calls(self) -> float:
        """A part of a call counts once it has become a whole one."""
        return self._calls

    def has_time_for(self, waiting: int) -> bool:
        """Whether somebody with so many before them in line is served soon."""
        # Where there is time to spare, the line only waits for the limit to grow.
        return not self._is_saturated or waiting < max(SHORT_LINE, LONGEST_LINE_S * self._ended_per_s)

    def overload(self) -> None:
        """The line has become too long."""
        self.is_overloaded = True
        self._set(self._calls / 2, FLOOR)
        self._seconds, self._busy_s, self._ended = 0.0, 0.0, 0
        self._came, self._refused = 0.0, 0.0

    def look(self, seen: Seen) -> None:
        recent = 1 - math.exp(-seen.seconds / AVERAGED_S)
        self._is_saturated = seen.busy >= SATURATED
        if self._is_saturated:
            self._ended_per_s += recent * (seen.ended / seen.seconds - self._ended_per_s)
        else:
            forgotten = 1 - math.exp(-seen.seconds / FORGOTTEN_S)
            self._ended_per_s += forgotten * (self._usually_per_s - self._ended_per_s)
        if self.is_overloaded:
            self._came += recent * (seen.began + seen.refused - self._came)
            self._refused += recent * (seen.refused - self._refused)
            self._shed(seen)
        elif not self._is_saturated and seen.is_short:
            self._set(min(self._calls * _GROWTH, self._calls + _LARGEST_STEP), START)
        elif self._is_saturated:
            # Nothing is gained by more calls than there are now.
            self._set(min(self._calls, seen.in_flight), START)

    def _shed(self, seen: Seen) -> None:
        """Change once for each generation of calls: those in flight show what the last change has brought.

        If they only wait for others, they show it before they end: by the time that is left.
        """
        if self._refused <= max(RELIEVED * self._came, LOOK_S):
            self.is_overloaded = False
            self._set(self._calls, START)
            return
        self._seconds += seen.seconds
        self._busy_s += seen.busy * seen.seconds
        self._ended += seen.ended
        has_time = self._busy_s < SATURATED * self._seconds
        if self._ended < self._calls and not (has_time and self._seconds >= AVERAGED_S):
            return
        if not has_time:
            self._set(self._calls * _SHRINKING, FLOOR)
        elif seen.is_short:
            self._set(max(self._calls * _CAREFUL_GROWTH, self._calls + 1), FLOOR)
        self._seconds, self._busy_s, self._ended = 0.0, 0.0, 0

    def _set(self, calls: float, least: float) -> None:
        self._calls = min(max(calls, least), self._most)
