"""Reranking hundreds of short documents takes tens of milliseconds at most."""

from __future__ import annotations

import pytest

from benchmarks.rerank import CPU_BOUND_MS, cpu_ms, flow_cpu_ms
from tests.realparts import missing
from tools.passages.data import squad_file


@pytest.mark.promise("rerank-cost")
async def test_reranking_300_documents_costs_little_cpu() -> None:
    file = squad_file()
    if not file.is_file():
        missing(f"{file} is missing; name the folder that holds passages in DOWSE_EVAL_DATA")
    assert cpu_ms(file) <= CPU_BOUND_MS
    assert await flow_cpu_ms(file) <= CPU_BOUND_MS
