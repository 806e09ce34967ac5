"""Worker process: `python -m dowse.worker.jobs JOBS ANSWERS` does one job after another, from one pipe to another.

It holds no secret and opens no connection. It may hang, crash or run out of memory; the pool replaces it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dowse.core.errors import PageUnreadable
from dowse.core.models import Text, fields_of
from dowse.core.text import MOST_TEXT_CHARS
from dowse.worker import protocol

# The address space is far larger than the memory: it also counts files that are mapped and never touched.
_ADDRESS_SPACE_BYTES = 1024 * 1024 * 1024
# Of a worker's memory: code of libraries and the stack, which its limit does not count.
_CODE_BYTES = 32 * 1024 * 1024
# A worker that holds more after a job gives the freed part back to the system, which takes 50 ms at most.
_MUCH_BYTES = 96 * 1024 * 1024
_STATM = Path("/proc/self/statm")
_OOM_SCORE, _OOM_FIRST = Path("/proc/self/oom_score_adj"), "1000"
# The pool kills a late worker long before; this timer ends a worker after its pool was killed during a job.
_GRACE_S = 2.0
# A page is a tree of so many objects that the garbage collector would go over it again and again while it grows. It
# runs after the answer instead, and earlier only before the memory is full.
_MANY_OBJECTS = 20_000
_TOO_MANY_OBJECTS = 1_000_000

Job = Mapping[str, object]


def main(arguments: list[str]) -> None:
    """Answer jobs until the pipe of jobs is closed, which also happens when the parent dies."""
    _limit_resources()
    gc.set_threshold(_TOO_MANY_OBJECTS)
    jobs, answers = (int(argument) for argument in arguments)
    with contextlib.suppress(BrokenPipeError), os.fdopen(jobs, "rb") as source, os.fdopen(answers, "wb") as sink:
        while (frame := protocol.read_frame(source)) is not None:
            for part in _answer(frame):
                sink.write(part)
            sink.flush()
            _collect_garbage()
            _trim_heap()


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _set_limit(resource.RLIMIT_AS, _ADDRESS_SPACE_BYTES)
    # Where the memory of a container is full all the same, it is a worker that ends, and not the server.
    with contextlib.suppress(OSError):
        _OOM_SCORE.write_text(_OOM_FIRST, encoding="ascii")


def _limit_memory(memory_bytes: int) -> None:
    """Bound private and writable memory: allocations beyond it fail, and end the job or the process."""
    _set_limit(resource.RLIMIT_DATA, memory_bytes - _CODE_BYTES)


def _set_limit(kind: int, value: int) -> None:
    # macOS has the limits but refuses to set them.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (value, value))


def _collect_garbage() -> None:
    """Free the garbage of jobs; objects still in use, mostly of libraries, are exempt from later collections."""
    if gc.get_count()[0] > _MANY_OBJECTS:
        gc.collect()
        gc.freeze()


def _trim_heap() -> None:
    """Return freed memory to the system: the allocator keeps hundreds of megabytes of a large page."""
    with contextlib.suppress(OSError, IndexError, AttributeError):  # only Linux tells, and only glibc trims
        resident_pages = int(_STATM.read_text(encoding="ascii").split()[1])
        if resident_pages * resource.getpagesize() > _MUCH_BYTES:
            import ctypes

            ctypes.CDLL(None).malloc_trim(0)


def _answer(frame: bytes) -> tuple[bytes, bytes]:
    job, data = protocol.split_frame(frame)
    # No handler: the signal ends the process even while native code holds the interpreter.
    signal.setitimer(signal.ITIMER_REAL, float(str(job["limit_s"])) + _GRACE_S)
    _limit_memory(int(str(job["memory_bytes"])))
    try:
        text = _JOBS[str(job["mode"])](job, data)
        payload = text.markdown.encode()
    except PageUnreadable as verdict:
        return protocol.encode_head(protocol.encode_verdict(verdict), 0), b""
    except Exception as error:  # the boundary of a job: any failure that a page provokes is answered
        return protocol.encode_head({"ok": False, "error": type(error).__name__}, 0), b""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    header: protocol.Header = {
        "ok": True,
        "title": text.title,
        "word_count": len(text.markdown.split()),
        "is_cut": text.is_cut,
        "is_thin": text.is_thin,
        "facts": fields_of(text.facts),
        **({"sheets": text.sheets} if text.sheets else {}),
        **({"warnings": text.warnings} if text.warnings else {}),
    }
    return protocol.encode_head(header, len(payload)), payload


# Each job imports its libraries itself: stripping, the second attempt, must not wait for those of the first.


def _convert(job: Job, data: bytes) -> Text:
    from dowse.extract.convert import to_text
    from dowse.extract.formats.kinds import ReadingLimits

    limits = ReadingLimits.within(float(str(job["limit_s"])), pdf_pages=int(str(job["pdf_pages"])))
    return _truncate(to_text(protocol.decode_body(job, data), limits, with_images=job["with_images"] is True))


def _strip(job: Job, data: bytes) -> Text:
    from dowse.extract.strip import to_stripped_text

    return _truncate(to_stripped_text(protocol.decode_body(job, data)))


def _render_fragments(job: Job, data: bytes) -> Text:
    from dowse.extract.html.render import to_texts

    return to_texts(protocol.decode_body(job, data))


def _digest(job: Job, data: bytes) -> Text:
    from dowse.rank.digest import digest

    sources = protocol.decode_sources(job["pages"], data)
    digests = digest(
        str(job["question"]),
        sources,
        int(str(job["max_tokens"])),
        share=float(str(job["share"])),
    )
    return Text(protocol.encode_digests(digests, sources, job["pages"]))


def _explain(job: Job, data: bytes) -> Text:
    from dowse.extract.explain import to_explanation

    return to_explanation(protocol.decode_body(job, data))


def _read_listing(job: Job, data: bytes) -> Text:
    from dowse.core.listings import encode
    from dowse.extract.serp.reading import to_listing

    return Text(encode(to_listing(str(job["engine"]), protocol.decode_body(job, data), str(job["query"]))))


def _score(job: Job, data: bytes) -> Text:
    from dowse.rank.rerank import score_documents

    documents = protocol.split_texts(job["sizes"], data)
    scores = score_documents(str(job["question"]), documents)
    return Text(protocol.encode_scores(scores))


_JOBS: Mapping[str, Callable[[Job, bytes], Text]] = {
    protocol.CONVERT: _convert,
    protocol.STRIP: _strip,
    protocol.FRAGMENTS: _render_fragments,
    protocol.DIGEST: _digest,
    protocol.EXPLAIN: _explain,
    protocol.LISTING: _read_listing,
    protocol.SCORES: _score,
}


def _truncate(text: Text) -> Text:
    """Cut an overlong text here, so that the server does not have to hold it."""
    if len(text.markdown) <= MOST_TEXT_CHARS:
        return text
    from dowse.document.clean import beginning

    return replace(text, markdown=beginning(text.markdown, MOST_TEXT_CHARS), is_cut=True)


if __name__ == "__main__":
    main(sys.argv[1:])
