"""The commit, the machine and the command line of a measurement, so that it can be repeated."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_PACKAGES = ("faiss-cpu", "tantivy", "onnxruntime", "numpy", "mcp")


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


def describe_machine() -> str:
    """Describe the machine this runs on, its packages, and how much else it does now."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    processor = " ".join(models[0].split()) if models else platform.processor()
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return (
        f"{processor or platform.machine()}, {os.cpu_count() or 1} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {packages}; load {load:.1f}"
    )
