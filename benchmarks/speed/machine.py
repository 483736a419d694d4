"""Which machine measured, and how busy it was: what a figure in seconds cannot be read without."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

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
