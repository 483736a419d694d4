"""MCP's own suite passes but for what is listed with a reason, and the list is what is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.conformance.__main__ import baseline, report
from tests.conformance.servers import SERVERS
from tests.conformance.suite import NoSuite, Outcome, Suite, installed, outcome, reasons, run
from tests.support.paths import ROOT

PRINTED = """
=== SUMMARY ===
✓ tools-list: 1 passed, 0 failed
✓ ping: 1 passed, 0 failed
✗ tools-call-image: 0 passed, 1 failed
✓ server-sse-polling: 2 passed, 0 failed

Total: 4 passed, 1 failed
"""


@pytest.fixture(scope="module")
def suite() -> Suite:
    try:
        return installed(ROOT / ".conformance")
    except NoSuite as error:
        pytest.skip(f"MCP's conformance suite is not there (make conformance): {error}")


@pytest.mark.parametrize("server", SERVERS)
def test_every_scenario_passes_or_fails_for_a_reason(
    server: str, suite: Suite, tmp_path: Path
) -> None:
    with SERVERS[server](tmp_path) as url:
        found = run(suite, url, baseline(server), tmp_path / "results")
    assert found.as_expected, found.output
    assert {*found.passed, *found.expected} == set(found.scenarios)


@pytest.mark.parametrize("server", SERVERS)
def test_every_expected_failure_has_a_reason(server: str) -> None:
    listed = yaml.safe_load(baseline(server).read_text("utf-8"))
    assert listed == {"server": list(reasons(baseline(server)))}


def test_a_scenario_that_only_warned_does_not_count_as_passed() -> None:
    expected = {"tools-call-image": "no tool", "server-sse-polling": "it warns"}
    assert outcome(PRINTED, expected, as_expected=True) == Outcome(
        scenarios=("tools-list", "ping", "tools-call-image", "server-sse-polling"),
        passed=("tools-list", "ping"),
        expected=expected,
        checks=4,
        as_expected=True,
        output=PRINTED,
    )


def test_what_fails_without_a_reason_is_named_in_the_table() -> None:
    found = outcome(PRINTED, {"server-sse-polling": "it warns"}, as_expected=False)
    assert report("1.2.3", {"blog-server": found}).splitlines() == [
        "@modelcontextprotocol/conformance 1.2.3, 4 server scenarios:",
        "",
        "- blog-server: 2 pass with 4 checks, 1 fail as expected",
        "",
        "| scenarios | blog-server |",
        "|---|---|",
        "| ping, tools-list | passes |",
        "| server-sse-polling | it warns |",
        "| tools-call-image | **fails** |",
    ]


def test_the_written_table_is_that_of_the_lists() -> None:
    text = (ROOT / "docs/conformance.md").read_text("utf-8")
    rows = re.findall(r"^\| ([a-z0-9, -]+) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    assert rows[0] == ("scenarios", *SERVERS)
    for column, server in enumerate(SERVERS, 1):
        written = {name: row[column] for row in rows[1:] for name in row[0].split(", ")}
        assert {name: cell for name, cell in written.items() if cell != "passes"} == reasons(
            baseline(server)
        )


def test_the_suite_is_pinned_without_an_address() -> None:
    folder = ROOT / "tests/conformance"
    asked = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = (folder / "package-lock.json").read_text("utf-8")
    packages = json.loads(locked)["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked
    assert "resolved" not in locked
