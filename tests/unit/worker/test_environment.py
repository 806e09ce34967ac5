"""What a worker process starts with."""

from __future__ import annotations

from dowse.settings import sources


def test_numpy_starts_no_threads_in_a_worker() -> None:
    """On a machine of many cores their stacks alone would be more than the memory that a worker may have."""
    assert sources.subprocess_environment().items() >= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}.items()
