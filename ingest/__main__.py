"""Run `python -m ingest` and `blog-ingest`: read the settings, ingest, report.

Signals are handled before any library is imported, so that Ctrl-C is answered with a sentence
even while the libraries load.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from blog_search_mcp.ingest import GC_THRESHOLD

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on.\n"

SIGNALLED = 128
"""Plus the signal's number: the exit status that shells give to what a signal ended."""


GRACE = 10
"""Seconds that a stopped run may take to end, for the batch that it embeds. No index suffers by a
kill."""

_IMPORTS = "<frozen importlib._bootstrap>"
"""The file that a frame of Python's import names."""

_START = "popen_spawn_posix.py"
"""The file that a frame of multiprocessing's start of a process names."""

AGAIN = 0.01
"""Seconds after which a stop that Python has dropped, or that came too early, is tried again."""


_received: list[int] = []
"""The signals that this run was stopped by."""


class Stopped(KeyboardInterrupt):
    """The run was stopped by a signal, whose number is the only argument."""


def main() -> int:
    """Run one ingest and return the exit status."""
    gc.set_threshold(GC_THRESHOLD)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as a shell does for what runs in `&`
            signal.signal(number, _stop)
    sys.unraisablehook = _stop_again
    # What multiprocessing's tracker of semaphores, which removes them, prints of a run that ended.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
    try:
        if sys.platform != "win32":  # `setup` starts an ingest with them blocked
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, signal.SIGTERM])
        from blog_search_mcp.index.command_line import run_command

        status = run_command(_run_as_asked)
    except BaseException:  # a library may have made another exception of Stopped
        if not _received:
            raise
        return _report_stop(_received[0])
    return _report_stop(_received[0]) if _received else status


def main_and_exit() -> NoReturn:
    """Run one ingest and end the process with its status.

    Python's own teardown of the libraries takes a tenth of a second, which nobody needs.
    """
    status = main()
    atexit._run_exitfuncs()
    sys.stderr.flush()
    os._exit(status)


def _run_as_asked() -> int:
    from blog_search_mcp.ingest.cli import read_settings, run

    settings = read_settings(sys.argv[1:], os.environ)
    if settings.stops_with_stdin:
        threading.Thread(target=_stop_with_stdin, daemon=True).start()
    return run(settings, sys.stdout, sys.stderr)


def _stop_with_stdin() -> None:
    os.read(0, 1)
    _send_again(signal.SIGTERM)


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise Stopped, but in an import end the process, and while one starts try again later.

    In an import an exception can leave the lock of all imports taken, for which other threads wait,
    and NumPy's `import_array` in other libraries prints it and raises ImportError instead. A
    process that starts prints a traceback if what is written to it ends too early.
    """
    files = set()
    while frame is not None:
        files.add(frame.f_code.co_filename)
        frame = frame.f_back
    if any(file.endswith(_START) for file in files):
        _send_again(number)
        return
    _received.append(number)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)  # a second signal ends the process at once
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: _end(number))
        signal.alarm(GRACE)
    if _IMPORTS in files:
        _end(number)
    raise Stopped(number)


def _end(number: int) -> NoReturn:
    status = _report_stop(number)
    sys.stderr.flush()
    os._exit(status)


def _report_stop(number: int) -> int:
    """Say that the run was stopped; return its exit status."""
    sys.stderr.write(_STOPPED)
    return SIGNALLED + number


def _stop_again(dropped: UnraisableHookArgs) -> None:
    """Send the signal again if Python has dropped what it raised.

    It does where a signal arrives in a callback of a weak reference; each import has some.
    """
    if not isinstance(dropped.exc_value, Stopped):
        sys.__unraisablehook__(dropped)
        return
    [number] = dropped.exc_value.args
    signal.signal(number, _stop)
    _send_again(number)


def _send_again(number: int) -> None:
    # On POSIX one that is sent to the process wakes the main thread where it waits.
    send = signal.raise_signal if sys.platform == "win32" else partial(os.kill, os.getpid())
    threading.Timer(AGAIN, send, [number]).start()


if __name__ == "__main__":
    main_and_exit()
