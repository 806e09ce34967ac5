"""`python -m dowse.worker.jobs JOBS ANSWERS`: converts one body after another, from one pipe to another.

It holds no secret and opens no connection; it may hang, crash or run out of memory, and is replaced.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace

from dowse.core.errors import PageUnreadable
from dowse.core.models import MOST_TEXT_CHARS, Body, Text, fields_of
from dowse.worker import protocol

_MEMORY_BYTES = 1024 * 1024 * 1024
# The pool kills a late worker long before; this ends one whose pool was killed during a job.
_GRACE_S = 2.0
# A page is a tree of so many objects that the collector would go over it again and again while it grows. It comes
# after the answer instead, and earlier only for what would otherwise fill the memory.
_MANY_OBJECTS = 20_000
_TOO_MANY_OBJECTS = 1_000_000


def main(arguments: list[str]) -> None:
    """Answer jobs until the pipe they come from is closed, which is also how the parent's death shows."""
    _limit_resources()
    gc.set_threshold(_TOO_MANY_OBJECTS)
    jobs, answers = (int(argument) for argument in arguments)
    with contextlib.suppress(BrokenPipeError), os.fdopen(jobs, "rb") as source, os.fdopen(answers, "wb") as sink:
        while (frame := protocol.read(source)) is not None:
            for part in _answer(frame):
                sink.write(part)
            sink.flush()
            _collect_garbage()


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS knows the limit but refuses to set it.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _collect_garbage() -> None:
    """Free what jobs have left; what is still in use, libraries above all, is not looked at again."""
    if gc.get_count()[0] > _MANY_OBJECTS:
        gc.collect()
        gc.freeze()


def _answer(frame: bytes) -> tuple[bytes, bytes]:
    job, data = protocol.split(frame)
    # Not caught by anybody: the signal ends the process even while native code holds the interpreter.
    signal.setitimer(signal.ITIMER_REAL, float(str(job["limit_s"])) + _GRACE_S)
    try:
        text = _done(job, data)
        payload = text.markdown.encode()
    except PageUnreadable as verdict:
        return protocol.head(protocol.verdict_header(verdict), 0), b""
    except Exception as error:  # the boundary of a job: whatever a page provokes is answered
        return protocol.head({"ok": False, "error": type(error).__name__}, 0), b""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    header: protocol.Header = {
        "ok": True,
        "title": text.title,
        "word_count": len(text.markdown.split()),
        "is_cut": text.is_cut,
        "is_thin": text.is_thin,
        "facts": fields_of(text.facts),
    }
    return protocol.head(header, len(payload)), payload


def _done(job: Mapping[str, object], data: bytes) -> Text:
    # Imported by need: the stripper's second attempt must not wait for the libraries of the first.
    if job["mode"] == protocol.DIGEST:
        from dowse.rank.digest import digest
        from dowse.worker.digests import from_job, to_answer

        question, sources = str(job["question"]), from_job(job["pages"], data)
        digests = digest(question, sources, int(str(job["max_tokens"])), is_semantic=job["is_semantic"] is True)
        return Text(to_answer(digests, sources, job["pages"]))
    body = Body(str(job["url"]), data, str(job["media_type"]), str(job["charset"]))
    if job["mode"] == protocol.FRAGMENTS:
        from dowse.extract.html.fragments import to_texts

        return to_texts(body)
    if job["mode"] == protocol.EXPLAIN:
        from dowse.extract.explain import to_explanation

        return to_explanation(body)
    if job["mode"] == protocol.LISTING:
        from dowse.core.listings import encode
        from dowse.extract.serp.reading import to_listing

        return Text(encode(to_listing(str(job["engine"]), body, str(job["query"]))))
    return _bounded(_converted(body, job))


def _converted(body: Body, job: Mapping[str, object]) -> Text:
    if job["mode"] == protocol.STRIP:
        from dowse.extract.strip import to_stripped_text

        return to_stripped_text(body)
    from dowse.extract.convert import to_text
    from dowse.extract.formats.kinds import Limits

    limits = Limits.within(float(str(job["limit_s"])), pdf_pages=int(str(job["pdf_pages"])))
    return to_text(body, limits, with_images=job["with_images"] is True)


def _bounded(text: Text) -> Text:
    """No more than anybody reads: whoever asked would have to hold the rest."""
    if len(text.markdown) <= MOST_TEXT_CHARS:
        return text
    from dowse.extract.tidy import beginning

    return replace(text, markdown=beginning(text.markdown, MOST_TEXT_CHARS), is_cut=True)


if __name__ == "__main__":
    main(sys.argv[1:])
