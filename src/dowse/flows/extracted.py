"""Text by the bytes it was made from: a page that comes back as it was is not converted twice."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from dowse import EXTRACTION, __version__
from dowse.cache.entries import CacheEntries, Codec
from dowse.core.digests import Digest, Source
from dowse.core.models import Body, Text
from dowse.core.protocols import Extractor
from dowse.core.runtime import Background

KIND = "extract"
"""Under which a cache knows texts by their bytes."""

# Hashing more than this is for a thread.
_LARGE_BYTES = 200_000
# Writing down a longer text would hold up the event loop, in a thread too: it takes the interpreter's lock.
_LONGEST_CHARS = 1_000_000


class RememberingExtractor:
    """Implements `protocols.Extractor`: asks another one only about bytes that are new."""

    def __init__(self, extractor: Extractor, cache: CacheEntries, kept_s: float) -> None:
        self._extractor = extractor
        self._cache = cache
        self._kept_s = kept_s
        self._codec = Codec(Text)
        self._keeping = Background()

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        """The text of a body, kept behind the answer's back if the page allows it. A failure is not kept."""
        if not body.may_be_kept or self._kept_s <= 0:
            return await self._extractor.extract(body, timeout_s=timeout_s)
        now = asyncio.get_running_loop().time
        end = now() + timeout_s
        name = await asyncio.to_thread(_name, body) if len(body.data) > _LARGE_BYTES else _name(body)
        text = await self._recall(name)
        if text is None:
            text = await self._extractor.extract(body, timeout_s=end - now())
            if text.may_be_kept and len(text.markdown) <= _LONGEST_CHARS:
                self._keeping.start(self._keep(name, text))
        return text

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        return await self._extractor.render(fragments, url=url, timeout_s=timeout_s, without=without)

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float
    ) -> tuple[Digest, ...]:
        return await self._extractor.digest(question, sources, max_tokens, timeout_s=timeout_s)

    async def close(self) -> None:
        """Wait until everything is kept. The extractor behind it is somebody else's to close."""
        await self._keeping.finish()

    async def _recall(self, name: str) -> Text | None:
        kept = await self._cache.get(KIND, name)
        return self._codec.decode(kept.value) if kept else None

    async def _keep(self, name: str, text: Text) -> None:
        data = self._codec.encode(text)
        if data is not None:
            await self._cache.put(KIND, name, data, self._kept_s)


def _name(body: Body) -> str:
    """A hash of all that the text depends on, the version of the converter included."""
    hashed = hashlib.blake2b(digest_size=32)
    for part in (__version__, str(EXTRACTION), body.url, body.media_type, body.charset):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    hashed.update(body.data)
    return hashed.hexdigest()
