"""An event loop in a thread of its own, so that synchronous code can call asynchronous code anywhere.

A notebook has a running loop in its main thread, in which no other can run.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# No closing takes longer: processes are killed, and connections dropped.
_CLOSING_S = 10.0


class Closed(RuntimeError):
    """A call of a client that is closed."""


class LateExecutor(ThreadPoolExecutor):
    """An executor that works in the calling thread once the interpreter ends.

    Finalizers run after the executors of the program have been shut down, and closing waits for ended processes.
    """

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        try:
            return super().submit(work, *args, **kwargs)
        except RuntimeError:
            future = Future[T]()
            future.set_result(work(*args, **kwargs))
            return future


class LoopThread:
    """Runs coroutines of any thread in its loop; `close` is awaited there at the end, when all of them have ended."""

    def __init__(self, close: Callable[[], Awaitable[None]]) -> None:
        self._close = close
        self._process = os.getpid()
        self._calls: set[asyncio.Task[object]] = set()
        self._is_ready = threading.Event()
        # Calls scheduled before the end is requested are run; later ones are refused. A finalizer may interrupt.
        self._scheduling = threading.RLock()
        self._is_serving = self._is_stopping = False
        # A daemon: the interpreter does not wait for it, and its end is requested by a finalizer.
        self._thread = threading.Thread(target=self._main, name="dowse", daemon=True)
        self._thread.start()
        self._is_ready.wait()
        if not self._is_serving:
            raise RuntimeError("the event loop of the client could not be started")

    @property
    def is_here(self) -> bool:
        """Whether the thread belongs to this process: a fork has no other threads than its own."""
        return self._process == os.getpid()

    def run(self, work: Coroutine[None, None, T]) -> T:
        """The result of a coroutine. It is cancelled when the caller is interrupted, as by Ctrl-C."""
        with self._scheduling:
            if self._is_stopping or not self.is_here:
                work.close()
                raise Closed("the client is closed" if self.is_here else "the client belongs to the parent process")
            future = asyncio.run_coroutine_threadsafe(self._track(work), self._loop)
        try:
            return future.result()
        except CancelledError:
            raise Closed("the client was closed during the call") from None
        finally:
            future.cancel()

    def stop(self) -> None:
        """Cancel all calls, close, and wait for the end; may be called several times."""
        with self._scheduling:
            if self.is_here and not self._is_stopping:
                self._is_stopping = True
                self._loop.call_soon_threadsafe(self._stop.set)
        # The garbage collector may run in this very thread.
        if self.is_here and threading.current_thread() is not self._thread:
            self._thread.join(_CLOSING_S)

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            # Also without a loop, for want of file descriptors: the caller is waiting.
            self._is_ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_default_executor(LateExecutor())
        self._is_serving = True
        self._is_ready.set()
        await self._stop.wait()
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        await self._close()

    async def _track(self, work: Coroutine[None, None, T]) -> T:
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            return await work
        finally:
            self._calls.discard(task)
