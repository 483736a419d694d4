"""Start `blog-search-mcp`. Signals end it at once, even while it is still importing."""

import gc
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

from blog_search_mcp.ingest import STOPPED
from blog_search_mcp.ingest.signals import end_on_signals


def main() -> NoReturn:
    """Run this process's command; end with its exit status, without Python's slow teardown."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # finding plugins takes 25 of 440 ms
    gc.set_threshold(200_000)  # collecting while importing takes 60 of 640 ms to a first answer
    for name, mode in zip(("stdin", "stdout", "stderr"), "rww", strict=True):
        if getattr(sys, name) is None:  # closed by the program that started this one
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    end_on_signals(STOPPED if sys.argv[1:2] == ["ingest"] else "")
    from blog_search_mcp.cli import run

    if isinstance(sys.stdout, TextIOWrapper):  # for letters that its encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:  # of output, or of a current folder that is gone
        status = 1
        with suppress(OSError):  # a reader who has closed the output wants no more
            sys.stderr.write("" if isinstance(error, BrokenPipeError) else f"{error}\n")
    os._exit(status)  # Python's own teardown takes up to a quarter of a second


if __name__ == "__main__":
    main()
