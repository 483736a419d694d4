"""Our console scripts: where this Python keeps them, and command lines that work in any folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

SERVER = "blog-server"
"""The console script that clients start."""
PACKAGE = "blog-search-mcp"
"""The same program by the distribution's name, as `uvx blog-search-mcp@0.1.0` wants it."""


def command(script: str, *arguments: object) -> str:
    """Write a command line of ours that works in any folder: the script beside this Python."""
    return shlex.join([script_path(script), *map(str, arguments)])


def script_path(script: str) -> str:
    """Name one of our console scripts by its path, or by its name alone if it is not installed."""
    beside = (Path(sys.executable).with_name(script + ending) for ending in ("", ".exe"))
    return next((str(path) for path in beside if path.exists()), script)
