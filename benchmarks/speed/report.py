"""Figures in; the Markdown of docs/performance.md out."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.markdown import table
from benchmarks.speed.figure import Figure


@dataclass(frozen=True, slots=True)
class Report:
    """One run of the harness."""

    commit: str
    command: str
    machine: Machine
    chunks: int
    """That the index held."""
    posts: int
    dimension: int
    figures: Sequence[Figure]


def as_markdown(report: Report) -> str:
    """The table with what it was measured by."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield f"Commit `{report.commit or 'unknown'}`, `{report.command}`."
    yield f"{report.machine}."
    yield (
        f"{report.posts:,} posts, {report.chunks:,} chunks, vectors of {report.dimension} numbers "
        "that cost nothing to make, unless a row says otherwise."
    )
    yield _table(report.figures)


def _table(figures: Sequence[Figure]) -> str:
    numbers = ("Median", "p95", "Floor", "In floors")
    header = ("What", *numbers, "Floor of", "To reach", "Met", "Runs", "Row", "Note")
    return table(header, [tuple(_cells(figure)) for figure in figures], range(1, 5))


def _cells(figure: Figure) -> Iterator[str]:
    yield figure.what
    yield f"{_number(figure.median)} {figure.unit}"
    yield _number(figure.p95)
    yield _number(figure.floor.value) if figure.floor.value else "–"
    yield f"{figure.ratio:.2f}" if figure.ratio else "–"
    yield figure.floor.what
    yield figure.bound.shown(figure.unit) if figure.bound else "–"
    yield "–" if figure.bound is None else "yes" if figure.is_met else "no"
    yield f"{figure.runs}"
    yield f"`{figure.row}`"
    yield figure.note


def _number(value: float) -> str:
    """Three digits that say something, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


_PACKAGES = ("faiss-cpu", "tantivy", "onnxruntime", "numpy", "mcp")


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine at one moment."""

    processor: str
    cores: int
    system: str
    python: str
    packages: str
    load: float
    """Processes that wanted to run, mean of the last minute; 0 where the system does not say."""

    def __str__(self) -> str:
        """One sentence."""
        return (
            f"{self.processor}, {self.cores} cores, {self.system}, Python {self.python}, "
            f"{self.packages}; load {self.load:.1f}"
        )


def this_machine() -> Machine:
    """The one this runs on, now."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        system=platform.system(),
        python=platform.python_version(),
        packages=", ".join(f"{name} {version(name)}" for name in _PACKAGES),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()
