"""Processes beside this one, each at two pipes, and the messages that go through them.

They are not `multiprocessing`: they do not import the caller's script again, and end by themselves when this process is gone.
On Linux one process gets ready and the workers are its forks: what they load is loaded once, whatever their number, and most of
it is memory they share. Elsewhere every worker is started and gets ready by itself.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Final

if sys.platform != "win32":
    import fcntl

_LENGTH: Final = struct.Struct("<Q")
_ORDER: Final = struct.Struct("<cq")
_FORK, _WAIT = b"f", b"w"
# Linear algebra would start threads that nobody needs. Memory given back to the system between two batches is fetched again,
# page by page, for the next: measured with two workers, 5 % of the time.
_SETTINGS: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
}
_START: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from trucostats.crew import serve; serve()"
_FORKS: Final = sys.platform == "linux"
_STANDARD: Final = 3  # standard streams


@dataclass(frozen=True, slots=True)
class Worker:
    """A process and the pipes to it; `wait` returns its exit code once it has ended."""

    sink: IO[bytes]
    source: IO[bytes]
    kill: Callable[[], None]
    wait: Callable[[], int]


class Workers:
    """Starts workers; the first things they need begin to load at once, so that they get ready while the caller does."""

    def __init__(self, ready: int) -> None:
        """Begin with `ready` workers, or with the one process that all of them come from."""
        self._started: list[Worker] = []
        self._nursery = _Nursery() if _FORKS else None
        self._waiting = [] if _FORKS else [self._alone() for _ in range(ready)]

    def start(self) -> Worker:
        """Return a worker that no one else has. Raises `EOFError` if it cannot start: `code` then tells why."""
        if self._nursery:
            worker = self._nursery.fork()
            self._started.append(worker)
            return worker
        return self._waiting.pop() if self._waiting else self._alone()

    def code(self) -> int:
        """Return the exit code of the process that the workers come from, which has ended."""
        return self._nursery.process.wait() if self._nursery else 0

    def _alone(self) -> Worker:
        process = _process([], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        worker = Worker(process.stdin, process.stdout, process.kill, process.wait)
        self._started.append(worker)
        return worker

    def kill(self) -> None:
        """Stop all at once."""
        for worker in self._started:
            worker.kill()
        if self._nursery:
            self._nursery.process.kill()

    def close(self) -> None:
        """Let all end what they do, and wait for it."""
        for worker in self._started:
            with worker.source, suppress(BrokenPipeError):
                worker.sink.close()
            worker.wait()
        if self._nursery:
            self._nursery.close()


class _Nursery:
    """The process that gets ready once and forks the workers, as this side sees it."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            # Not a number of a standard stream, which it has if the caller closed one.
            number = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, _STANDARD)
        try:
            self.process = _process([str(number)], stdin=subprocess.DEVNULL, pass_fds=[number])
        finally:
            os.close(number)
        self._one_at_a_time = threading.Lock()

    def fork(self) -> Worker:
        """Have a worker forked, as soon as the nursery is ready."""
        with ExitStack() as theirs, ExitStack() as ours:
            theirs_in, sink = _pipe(theirs, ours)
            source, theirs_out = _pipe(ours, theirs)
            pid = self._ask(_FORK, 0, [theirs_in, theirs_out])
            ours.pop_all()

        def kill() -> None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        @cache  # a process can be waited for once
        def wait() -> int:
            try:
                return self._ask(_WAIT, pid)
            except EOFError:
                return self.process.wait()

        return Worker(os.fdopen(sink, "wb"), os.fdopen(source, "rb"), kill, wait)

    def _ask(self, order: bytes, number: int, pipes: list[int] | None = None) -> int:
        with self._one_at_a_time:
            try:
                socket.send_fds(self._line, [_ORDER.pack(order, number)], pipes or [])
                answer = self._line.recv(_ORDER.size)
            except OSError as error:
                raise EOFError from error
        if len(answer) < _ORDER.size:
            raise EOFError
        return int(_ORDER.unpack(answer)[1])

    def close(self) -> None:
        """Let it end."""
        self._line.close()
        self.process.wait()


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """Return the ends of a pipe, each closed with who has it."""
    ends = os.pipe()
    for stack, end in zip((reader, writer), ends, strict=True):
        stack.callback(os.close, end)
    return ends


def _process(arguments: list[str], **streams: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _START, json.dumps(sys.path), *arguments]
    if sys.platform != "win32":
        streams["process_group"] = 0  # who interrupts the ingest by a key means this process; the others end with it
    return subprocess.Popen(command, env=_SETTINGS | os.environ, **streams)


def own_pipes() -> tuple[IO[bytes], IO[bytes]] | None:
    """Return the pipes of a worker, in it, and keep from them whatever a library prints.

    None if this process is no worker itself, but one that workers are forked from.
    """
    if not sys.argv[2:]:
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        sys.stdout = sys.stderr
        return source, sink
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the caller may ignore it, and then nobody could wait for a fork
    while (number := os.open(os.devnull, os.O_RDWR)) < _STANDARD:
        pass  # a standard stream that the caller closed; a pipe must not take its place
    os.close(number)
    sys.stdout = sys.stderr
    return None


def forked() -> tuple[IO[bytes], IO[bytes]]:
    """Fork a worker for every order, and return the pipes in it; ends the process when no more can come."""
    line = socket.socket(fileno=int(sys.argv[2]))
    while True:
        order, pipes, _, _ = socket.recv_fds(line, _ORDER.size, 2)
        if len(order) < _ORDER.size:
            os._exit(0)
        kind, number = _ORDER.unpack(order)
        if kind == _WAIT:
            answer = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        else:
            with warnings.catch_warnings():
                # The one other thread is the housekeeper of jemalloc, which knows about forks.
                warnings.simplefilter("ignore", DeprecationWarning)
                answer = os.fork()
            if answer == 0:
                line.close()
                return os.fdopen(pipes[0], "rb"), os.fdopen(pipes[1], "wb")
            for pipe in pipes:
                os.close(pipe)
        try:
            line.sendall(_ORDER.pack(kind, answer))
        except OSError:  # who asked is gone
            os._exit(0)


def send(sink: IO[bytes], message: Any) -> None:
    """Write a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    sink.write(_LENGTH.pack(len(data)))
    sink.write(data)
    sink.flush()


def load(source: IO[bytes]) -> Any:
    """Read a message. Raises `EOFError` when no more can come."""
    # Not pickle.load: it looks ahead, and would wait for a message that nobody sends.
    head = source.read(_LENGTH.size)
    data = source.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
    if not data or len(data) < _LENGTH.unpack(head)[0]:
        raise EOFError
    return pickle.loads(data)
