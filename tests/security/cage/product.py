"""The product as the driver uses it: the real browser, pool and proxy, with the names of the world."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dowse.core.errors import PageUnreadable
from dowse.core.runtime import SystemClock
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import SettlePatience
from dowse.net.guard import Guard, NameResolver

# They make attacks possible, not impossible: an http page that may have service workers as if it were https, and the
# world's own certificate.
_FLAGS = "--unsafely-treat-insecure-origin-as-secure=http://page.example --ignore-certificate-errors"
# A page is read when its tries are over, however long they take on a busy machine.
_TIMEOUT_S = 150
_PATIENCE = SettlePatience(longest_s=120)
_MAX_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a page: a status of the contract, and its HTML."""

    status: str
    text: str = ""


Read = Callable[[str], Awaitable[Outcome]]


class Product:
    """Reads pages as dowse does."""

    def __init__(self, pool: BrowserPool, names: NameResolver) -> None:
        self._pool = pool
        self._names = names

    def reader(self, *allow_private: str) -> Read:
        """One for an operator who has opened these pairs."""
        guard = Guard(allow_private, self._names)
        fetcher = BrowserFetcher(self._pool, guard, user_agent="dowse/test", max_bytes=_MAX_BYTES, patience=_PATIENCE)

        async def read(url: str) -> Outcome:
            try:
                body = await fetcher.fetch(url, timeout_s=_TIMEOUT_S)
            except PageUnreadable as error:
                return Outcome(error.status)
            return Outcome("ok", body.data.decode())

        return read


@asynccontextmanager
async def product(names: NameResolver, folder: Path, *, max_pages: int) -> AsyncIterator[Product]:
    """A pool with one browser, which is found under a name of the test's own."""
    wrapper = folder / "chromium"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("chromium")} "$@" {_FLAGS}\n')
    wrapper.chmod(0o755)
    clock = SystemClock()
    pool = BrowserPool(Launcher(clock, path=str(wrapper)), clock, max_pages=max_pages)
    try:
        yield Product(pool, names)
    finally:
        await pool.close()
