"""Start `blog-search-mcp`. Signals end it at once, even while it is still importing."""

import gc
import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from blog_search_mcp.ingest import STOPPED
from blog_search_mcp.ingest.signals import end_on_signals


def main() -> NoReturn:
    """Run the command of this process and end it with its exit status.

    Python's own teardown takes up to a quarter of a second once the libraries are loaded.
    """
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # finding plugins takes 25 of 440 ms
    gc.set_threshold(200_000)  # collecting while importing takes 60 of 640 ms to a first answer
    end_on_signals(STOPPED if sys.argv[1:2] == ["ingest"] else "")
    from blog_search_mcp.cli import run

    if isinstance(sys.stdout, TextIOWrapper):  # for letters that its encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the output has closed it
        status = 1
    os._exit(status)


if __name__ == "__main__":
    main()
