"""MCP's own suite passes but for what is listed with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.__main__ import POSTS
from tests.conformance.suite import NoSuite, run
from tests.support.paths import ROOT
from tests.support.served import indexed, served


def test_every_scenario_passes_or_fails_for_a_reason(tmp_path: Path) -> None:
    with served(indexed(tmp_path, POSTS)) as url:
        try:
            outcome = run(ROOT / ".conformance", url, tmp_path / "results")
        except NoSuite as error:
            pytest.skip(f"MCP's conformance suite is not there (make conformance): {error}")
    assert outcome.as_expected, outcome.output
    assert {"server-initialize", "tools-list", "resources-list"} <= outcome.passed


def test_the_suite_is_pinned_without_an_address() -> None:
    folder = ROOT / "tests/conformance"
    asked = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = (folder / "package-lock.json").read_text("utf-8")
    packages = json.loads(locked)["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked
    assert "resolved" not in locked
