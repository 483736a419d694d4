"""One run of the suite: a server's address in, which scenarios passed out."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BASELINE = Path(__file__).with_name("blog-server.yml")
"""The expected failures, each with its reason."""
LEAST_NODE = 22
"""The suite uses `fs.globSync`, which Node.js has since 22."""
PATIENCE = 300.0
"""Seconds; a run takes about 3."""

_SCENARIO = re.compile(r"^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)


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
    """What the server made of all scenarios."""

    scenarios: frozenset[str]
    passed: frozenset[str]
    as_expected: bool
    """Whether nothing else failed than what is expected, and all of that did."""
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


def run(suite: Suite, url: str, results: Path) -> Outcome:
    """Put every scenario, the pending ones too, to the server at `url`."""
    command: list[str | Path] = [suite.node, suite.script, "server", "--url", url, "--suite", "all"]
    command += ["--expected-failures", BASELINE, "-o", results]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE)
    output = done.stdout + done.stderr
    lines = _SCENARIO.findall(output)
    scenarios = frozenset(name for name, _, _ in lines)
    passed = frozenset(name for name, _, failed in lines if failed == "0")
    return Outcome(scenarios, passed, done.returncode == 0, output)
