"""Run Python in a separate process, in the repository's root unless another folder is given."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.paths import ROOT


def run_python(
    *arguments: object,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    given: str | None = None,
    timeout: float | None = 120,
) -> subprocess.CompletedProcess[str]:
    """Run Python to its end with `given` on stdin; return its status and output."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=env,
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=timeout,
    )


def output_of(
    program: str, *arguments: object, env: Mapping[str, str] | None = None, given: str | None = None
) -> str:
    """Run the source of a program and assert that it succeeds; return its stdout."""
    ran = run_python("-c", program, *arguments, env=env, given=given)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def start_python(*arguments: object, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start Python with text pipes on its stdin and stdout."""
    command, pipe = [sys.executable, *map(str, arguments)], subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=env, stdin=pipe, stdout=pipe, encoding="utf-8")
