"""Which program measured, and how it was called: what makes a number one that can be had again."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

_ROOT = Path(__file__).parents[1]


def commit() -> str:
    """The commit of this checkout, `-dirty` if files were changed since; empty without git."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    try:
        said = subprocess.run(describe, cwd=_ROOT, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def command(module: str, arguments: Sequence[str]) -> str:
    """The command line that runs `module` with `arguments`, as a shell takes it."""
    return shlex.join(["python", "-m", module, *arguments])
