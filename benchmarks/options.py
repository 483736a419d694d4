"""Parts that the command lines share: options, cache, tables, and the description of a run."""

import argparse
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from blog_search_mcp.index.errors import BlogSearchError, UsageError

FAILED, WRONG_USAGE = 1, 2
_ROOT = Path(__file__).parents[1]
_PACKAGES = ("faiss-cpu", "tantivy", "onnxruntime", "numpy", "mcp")


def folder(value: str) -> Path:
    """Return a path, with `~` expanded if the shell did not."""
    return Path(value).expanduser()


def count(value: str) -> int:
    """Parse a positive whole number. Raises ArgumentTypeError."""
    if not (value.isascii() and value.isdigit() and int(value)):
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number from 1.")
    return int(value)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the benchmarks' folder in the user's cache (XDG base directories)."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "blog-search-mcp" / "benchmarks"


def report_failure(error: BlogSearchError) -> int:
    """Print the error on stderr and return the exit status."""
    sys.stderr.write(f"{error}\n")
    return WRONG_USAGE if isinstance(error, UsageError) else FAILED


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Write a table in Markdown; the columns with the indexes `right` are aligned to the right."""
    aligned = set(right)
    rules = ["--:" if number in aligned else "---" for number in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def read_commit() -> str:
    """Return this checkout's commit, with `-dirty` if files were changed; `""` without git."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"]
    try:
        ran = subprocess.run(describe, cwd=_ROOT, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def describe_run(module: str) -> str:
    """Describe this run of `module`: the commit and the command line."""
    command = shlex.join(["python", "-m", module, *sys.argv[1:]])
    return f"Commit `{read_commit() or 'unknown'}`, `{command}`."


def describe_machine() -> str:
    """Describe this machine: processor, system, Python, packages, and current load."""
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
