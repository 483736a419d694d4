"""Which program measured and how it was called, so that a number can be measured again."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_ROOT = Path(__file__).parents[1]


def read_commit() -> str:
    """Return this checkout's commit, `-dirty` if files were changed; empty without git."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    try:
        ran = subprocess.run(describe, cwd=_ROOT, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def command_line(module: str, arguments: Sequence[str]) -> str:
    """Return the command line that runs `module` with `arguments`, as a shell takes it."""
    return shlex.join(["python", "-m", module, *arguments])


def as_json(measured: DataclassInstance) -> str:
    """Write every number, rounded to four digits after the point."""
    return json.dumps(_rounded(asdict(measured)), ensure_ascii=False, indent=2)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
