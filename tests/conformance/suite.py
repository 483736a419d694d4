"""One run of the suite: a server's address in, which scenarios passed out."""

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

_PASSED = re.compile(r"^[✓✗] ([a-z0-9-]+): \d+ passed, 0 failed$", re.MULTILINE)


class NoSuite(Exception):
    """The suite cannot be run here."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the server made of all scenarios."""

    passed: frozenset[str]
    as_expected: bool
    """Whether nothing else failed than what is expected, and all of that did."""
    output: str


def run(folder: Path, url: str, results: Path) -> Outcome:
    """Put every scenario of the suite that npm installed into `folder` to the server at `url`.

    Raises NoSuite.
    """
    script = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if not script.exists():
        raise NoSuite(f"The conformance suite is not in {folder}: run make conformance.")
    command: list[str | Path] = [_node(folder), script, "server", "--url", url, "--suite", "all"]
    command += ["--expected-failures", BASELINE, "-o", results]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE)
    output = done.stdout + done.stderr
    return Outcome(frozenset(_PASSED.findall(output)), done.returncode == 0, output)


def _node(folder: Path) -> str:
    for node in (str(folder / "node_modules/node/bin/node"), shutil.which("node") or ""):
        if Path(node).is_file():
            said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
            if int(said.stdout.removeprefix("v").partition(".")[0]) >= LEAST_NODE:
                return node
    raise NoSuite(f"The conformance suite needs Node.js {LEAST_NODE} or newer.")
