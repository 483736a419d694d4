"""The console scripts of this program, by absolute path."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

SERVER = "blog-server"
"""The console script that clients start."""
PACKAGE = "blog-search-mcp"
"""The same program by the distribution's name, as `uvx blog-search-mcp@0.1.0` wants it."""


def command(script: str, *arguments: object) -> str:
    """Return a shell command line for one of our scripts that works in any folder."""
    return shlex.join([script_path(script), *map(str, arguments)])


def script_path(script: str) -> str:
    """Return the path of the script beside this Python, or its name if it is not installed."""
    beside = (Path(sys.executable).with_name(script + ending) for ending in ("", ".exe"))
    return next((str(path) for path in beside if path.exists()), script)
