"""`python -m ingest.standby`: an ingest that has imported everything before it is asked for.

One line comes in, a JSON array of the arguments that `python -m ingest` takes; what that does goes
out. A server that watches its posts keeps one waiting (`server.watch.reingest`), since the imports
take longer than all else that an ingest of one edit does. It ends without a word at the end of its
input, when whoever wanted it is gone, and when nobody has asked for long.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import import_module

TAKEN = "taken"
"""What is written once the line has been read."""

PATIENCE = 600.0
"""Seconds after which nobody is expected to ask any more: whoever writes saves more often, and
what waits holds memory."""

AHEAD = (
    "blog_search_mcp.ingest.cli",
    "blog_search_mcp.ingest.pipeline",
    "blog_search_mcp.ingest.prepare",
)


def main() -> int:
    """Wait, then run one ingest; the exit status."""
    for name in AHEAD:
        import_module(name)
    line = _awaited()
    if not line:
        return 0
    sys.argv[1:] = json.loads(line)
    sys.stdout.write(f"{TAKEN}\n")
    sys.stdout.flush()
    from blog_search_mcp.ingest.__main__ import main as ingest

    return ingest()


def _awaited() -> str:
    """The line, empty if none came."""
    patience = threading.Timer(PATIENCE, os._exit, [0])
    patience.daemon = True
    patience.start()
    try:
        return sys.stdin.readline()
    finally:
        patience.cancel()


if __name__ == "__main__":
    sys.exit(main())
