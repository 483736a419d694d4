"""`python -m tests.conformance FOLDER [--write FILE]`: run the suite that npm installed there.

Prints a table of all scenarios; the status is 1 if anything else failed than what is expected.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.conformance.servers import SERVERS
from tests.conformance.suite import NoSuite, Outcome, installed, run

HERE = Path(__file__).parent
MARKED = re.compile(r"(<!-- conformance -->\n).*?(<!-- /conformance -->)", re.DOTALL)


def baseline(server: str) -> Path:
    """The file of a server's expected failures."""
    return HERE / f"{server}.yml"


def report(version: str, outcomes: dict[str, Outcome]) -> str:
    """Write what passed as Markdown, scenarios alike on a line."""
    scenarios = outcomes["blog-server"].scenarios
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(scenarios):
        alike[_cells(outcomes, name)].append(name)
    lines = [
        f"@modelcontextprotocol/conformance {version}, {len(scenarios)} server scenarios:",
        "",
        *(
            f"- {name}: {len(each.passed)} pass with {each.checks} checks, "
            f"{len(each.expected)} fail as expected"
            for name, each in outcomes.items()
        ),
        "",
        f"| scenarios | {' | '.join(outcomes)} |",
        f"|---|{'---|' * len(outcomes)}",
        *(f"| {', '.join(names)} | {cells} |" for cells, names in alike.items()),
    ]
    return "\n".join(lines) + "\n"


def _cells(outcomes: dict[str, Outcome], name: str) -> str:
    return " | ".join(
        "passes" if name in each.passed else each.expected.get(name, "**fails**")
        for each in outcomes.values()
    )


def main() -> int:
    """Run both; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("folder", type=Path, help="where npm installed the suite")
    parser.add_argument("--write", type=Path, help="put the table into this file, between marks")
    options = parser.parse_args()
    try:
        suite = installed(options.folder)
    except NoSuite as error:
        sys.stderr.write(f"{error}\n")
        return 2
    outcomes: dict[str, Outcome] = {}
    for name, server in SERVERS.items():
        with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as url:
            outcomes[name] = run(suite, url, baseline(name), Path(folder) / "results")
    said = report(suite.version, outcomes)
    sys.stdout.write(said)
    if options.write:
        text = options.write.read_text("utf-8")
        options.write.write_text(MARKED.sub(rf"\1{said}\2", text), "utf-8")
    failed = [each.output for each in outcomes.values() if not each.as_expected]
    sys.stderr.writelines(failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
