"""Stand-ins for what is outside the product: time, and an ear for what it reports."""

from tests.fakes.clock import FakeClock
from tests.fakes.observer import RecordingObserver

__all__ = ["FakeClock", "RecordingObserver"]
