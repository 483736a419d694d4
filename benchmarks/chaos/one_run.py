"""One ingest of a folder in a process of its own, watched: a folder in, what it left behind out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blog_search_mcp.index.errors import ContentError

PWNED = "pwned_by_front_matter"
"""What a loader that runs the front matter of the hard inputs leaves in a temporary folder."""
SECRET = "canary-b7e1f0c2"
"""A word in the ingest's environment that no post holds."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished ingest."""

    status: int
    report: dict[str, Any]
    """What `blog-ingest --json` printed."""
    memory: float
    """MB, the most it held at once."""
    pwned: bool


def ingest_once(content: Path, work: Path) -> Run:
    """Ingest into `work`/index with the embedded model. Raises ContentError if it fails."""
    scratch = work / "scratch"
    scratch.mkdir()
    asked = ("--index", str(work / "index"), "--embedder", "embedded", "--json")
    with (work / "report.json").open("w+") as out, (work / "said.txt").open("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "blog_search_mcp.ingest", str(content), *asked],
            env={**os.environ, "TMPDIR": str(scratch), "BLOG_SEARCH_SECRET": SECRET},
            stdout=out,
            stderr=err,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise ContentError(f"The ingest failed: {err.read()[-500:]}")
        places = (scratch, Path(tempfile.gettempdir()), Path("/tmp"), content, Path.cwd())
        return Run(
            status=process.returncode,
            report=json.load(out),
            memory=usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2),
            pwned=any((place / PWNED).exists() for place in places),
        )
