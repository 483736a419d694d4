"""`python -m ingest` and `blog-ingest`: read the settings, ingest, report.

Only the standard library is imported before the signals are taken, so that Ctrl-C is
answered in a sentence even while the libraries load.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

SIGNALLED = 128
"""Plus the signal's number: the exit status that shells give to what a signal ended."""


class Stopped(KeyboardInterrupt):
    """A signal asked for the end; its number is the only argument."""


NEW_OBJECTS = 20_000
"""Between two looks for garbage. A page is tens of thousands of tokens that live until it is
chunked; at Python's own 700 the looks take a sixth of the time."""


def main() -> int:
    """Run one ingest; the exit status."""
    gc.set_threshold(NEW_OBJECTS)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as a shell does for what runs in `&`
            signal.signal(number, _stop)
    try:
        from blog_search_mcp.ingest.cli import read_settings, run

        return run(read_settings(sys.argv[1:], os.environ), sys.stdout, sys.stderr)
    except Stopped as stopped:
        sys.stderr.write(
            "Stopped; the index is whole and finished embeddings are kept. Run again to go on.\n"
        )
        return SIGNALLED + int(stopped.args[0])


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)  # who asks twice does not want to wait
    raise Stopped(number)


if __name__ == "__main__":
    sys.exit(main())
