"""Who makes the parts: this process, or workers beside it. The judge stays here and answers in the order of the input."""

from __future__ import annotations

import gc
import os
import signal
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from trucostats.errors import DatasetError
from trucostats.workers import Workers, forked, load, own_pipes, send

if TYPE_CHECKING:
    from trucostats.derived import Derivation, Derived
    from trucostats.known import KnownHands, RecordedRejects
    from trucostats.parts import Job, Part, Question

_ASKS: Final = "asks"
_DONE: Final = "done"
_FAILED: Final = "failed"


class Judge:
    """The one authority on what is new; it hears the shares one after another."""

    def __init__(self, known: KnownHands, recorded: RecordedRejects) -> None:
        self._known = known
        self._recorded = recorded
        self._turn = 0
        self._closed = False
        self._cause: BaseException | None = None
        self._moved = threading.Condition()

    @contextmanager
    def turn_of(self, number: int) -> Iterator[None]:
        """Wait until all shares before this one have been judged."""
        with self._moved:
            self._moved.wait_for(lambda: self._closed or self._turn == number)
            if self._closed:
                raise self._cause or DatasetError("the ingest was stopped")
        yield
        with self._moved:
            self._turn += 1
            self._moved.notify_all()

    def answer(self, question: Question) -> Any:
        """Return verdicts for the keys of hands, or a mask for the digests of rejects."""
        return self._known.judge(*question) if isinstance(question, tuple) else self._recorded.fresh(question)

    def close(self, cause: BaseException | None = None) -> None:
        """Send home whoever waits; the first cause is what they all are told."""
        with self._moved:
            self._closed = True
            self._cause = self._cause or cause
            self._moved.notify_all()


def make_here(job: Job, judge: Judge) -> Part:
    """Make a part in this process."""
    from trucostats.batch import without_gc  # noqa: PLC0415
    from trucostats.parts import kept_memory, make_part  # noqa: PLC0415

    with without_gc(), kept_memory():
        work = make_part(job)
        question = next(work)
        with judge.turn_of(job.share.number):
            question = work.send(judge.answer(question))
        try:
            work.send(judge.answer(question))
        except StopIteration as end:
            part: Part = end.value
            return part
    raise RuntimeError("a part asks twice")


class Crew:
    """Some workers, of which `ready` begin to get ready at once; `make` gives a job to the next that is free."""

    def __init__(self, jobs: int, ready: int) -> None:
        self._judge: Judge | None = None
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="trucostats")
        self._own = threading.local()
        self._workers = Workers(min(jobs, ready))

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        self._close()
        if failed is not None:
            self._workers.kill()
        self._threads.shutdown(cancel_futures=True)
        self._workers.close()

    def make(self, job: Job, judge: Judge) -> Future[Part]:
        """Have a part made."""
        self._judge = judge
        return self._threads.submit(self._make, job, judge)

    def _make(self, job: Job, judge: Judge) -> Part:
        with self._at_work() as (sink, source):
            send(sink, job)
            job.share.segments.clear()
            question = _receive(source)
            with judge.turn_of(job.share.number):
                send(sink, judge.answer(question))
                question = _receive(source)
            send(sink, judge.answer(question))
            part: Part = _receive(source)
        return part

    def derive(self, derivation: Derivation) -> Future[Derived]:
        """Have the derived tables written, by whoever is done with his parts first."""
        return self._threads.submit(self._derive, derivation)

    def _derive(self, derivation: Derivation) -> Derived:
        with self._at_work() as (sink, source):
            send(sink, derivation)
            derived: Derived = _receive(source)
        return derived

    @contextmanager
    def _at_work(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Give the pipes to this thread's worker; nobody waits for a judge if the work fails."""
        worker = None
        try:
            worker = self._own.worker = getattr(self._own, "worker", None) or self._workers.start()
            yield worker.sink, worker.source
        except (EOFError, BrokenPipeError) as error:
            code = worker.wait() if worker else self._workers.code()
            failure = DatasetError(
                f"a worker process ended unexpectedly (code {code}); what was stored before is whole: run again, "
                "with fewer jobs if memory is short"
            )
            self._close(failure)
            raise failure from error
        except BaseException as error:
            self._close(error)
            raise

    def _close(self, cause: BaseException | None = None) -> None:
        if self._judge:
            self._judge.close(cause)


def _receive(source: IO[bytes]) -> Any:
    kind, message = load(source)
    if kind == _FAILED:
        raise message
    return message


def serve() -> None:
    """Make parts as a worker: jobs come in, questions and parts go out. Ends the process when no more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipes = own_pipes()

    import pyarrow as pa  # noqa: PLC0415

    from trucostats.parts import get_ready, kept_memory  # noqa: PLC0415

    pa.set_cpu_count(1)
    get_ready()
    gc.freeze()
    gc.disable()  # a part only grows until it is written; the collector would look through it again and again
    source, sink = pipes or forked()
    with kept_memory(), suppress(EOFError, BrokenPipeError):
        while True:
            _serve_one(source, sink, load(source))
            gc.collect()
    # All is written; taking the interpreter down in good order would keep the ingest waiting.
    os._exit(0)


def _serve_one(source: IO[bytes], sink: IO[bytes], job: Job | Derivation) -> None:
    from trucostats.parts import Job, make_part  # noqa: PLC0415

    try:
        if not isinstance(job, Job):
            send(sink, (_DONE, job.run()))
            return
        work = make_part(job)
        message = next(work)
        while True:
            send(sink, (_ASKS, message))
            message = work.send(load(source))
    except StopIteration as end:
        send(sink, (_DONE, end.value))
    except (EOFError, BrokenPipeError):
        raise
    except OSError as error:
        send(sink, (_FAILED, OSError(error.errno, str(error)) if error.errno else OSError(str(error))))
    except Exception:
        send(sink, (_FAILED, RuntimeError(traceback.format_exc())))
