"""One run of the suite: a server's address and its expected failures in, an outcome out."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

LEAST_NODE = 22
"""The suite uses `fs.globSync`, which Node.js has since 22."""
PATIENCE = 300.0
"""Seconds; a run takes about 3."""

_SCENARIO = re.compile(r"^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)
_EXPECTED = re.compile(r"^  - ([a-z0-9-]+) # (.+)$", re.MULTILINE)


class NoSuite(Exception):
    """The suite cannot be run here."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The installed suite."""

    node: Path
    script: Path
    version: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one server made of all scenarios."""

    scenarios: tuple[str, ...]
    passed: tuple[str, ...]
    expected: dict[str, str]
    """Failures and warnings that were expected, with their reasons."""
    checks: int
    """That succeeded, all scenarios together."""
    as_expected: bool
    """Whether nothing else failed and each expected failure did."""
    output: str


def installed(folder: Path) -> Suite:
    """Find what npm installed into `folder`. Raises NoSuite."""
    package = folder / "node_modules/@modelcontextprotocol/conformance"
    script = package / "dist/index.js"
    if not script.exists():
        raise NoSuite(f"The conformance suite is not in {folder}: run make conformance.")
    version = re.search(r'"version": "([^"]+)"', (package / "package.json").read_text("utf-8"))
    assert version is not None
    return Suite(_node(folder), script, version[1])


def _node(folder: Path) -> Path:
    others = [Path(found)] if (found := shutil.which("node")) else []
    for node in (folder / "node_modules/node/bin/node", *others):
        if node.exists() and _major(node) >= LEAST_NODE:
            return node
    raise NoSuite(f"The conformance suite needs Node.js {LEAST_NODE} or newer.")


def _major(node: Path) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.removeprefix("v").partition(".")[0])


def reasons(baseline: Path) -> dict[str, str]:
    """Read the expected failures of `baseline`, each with the reason that stands beside it."""
    return dict(_EXPECTED.findall(baseline.read_text("utf-8")))


def run(suite: Suite, url: str, baseline: Path, results: Path) -> Outcome:
    """Put every scenario, the pending ones too, to the server at `url`."""
    command: list[str | Path] = [suite.node, suite.script, "server", "--url", url, "--suite", "all"]
    command += ["--expected-failures", baseline, "-o", results]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE)
    return outcome(done.stdout + done.stderr, reasons(baseline), done.returncode == 0)


def outcome(output: str, expected: dict[str, str], as_expected: bool) -> Outcome:
    """Read what the suite printed."""
    lines = _SCENARIO.findall(output)
    return Outcome(
        scenarios=tuple(name for name, _, _ in lines),
        passed=tuple(name for name, _, failed in lines if failed == "0" and name not in expected),
        expected=expected,
        checks=sum(int(passed) for _, passed, _ in lines),
        as_expected=as_expected,
        output=output,
    )
