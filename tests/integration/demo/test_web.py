"""The search APIs of the demo's web: what they answer, and to which key."""

from __future__ import annotations

import aiohttp
import pytest

from dowse.demo.web import SERPER_KEY, TAVILY_KEY, DemoWeb

QUERY = "python 3.15 release highlights"


@pytest.mark.parametrize(
    ("path", "credential", "body", "refused"),
    [
        ("/serper/search", {"X-API-KEY": SERPER_KEY}, {"q": QUERY, "num": 2}, 403),
        ("/tavily/search", {"Authorization": f"Bearer {TAVILY_KEY}"}, {"query": QUERY, "max_results": 2}, 401),
    ],
)
async def test_a_search_api_answers_its_key_only_and_fails_when_told(
    path: str, credential: dict[str, str], body: dict[str, object], refused: int
) -> None:
    async with DemoWeb() as web, aiohttp.ClientSession() as session:
        url = web.page(path)
        async with session.post(url, json=body) as response:
            assert response.status == refused
        async with session.post(url, json=body, headers=credential) as response:
            answer = await response.json()
            hits = answer.get("organic") or answer["results"]
            assert (response.status, len(hits)) == (200, 2)
        web.failing.add(path.split("/")[1])
        async with session.post(url, json=body, headers=credential) as response:
            assert response.status == 500
