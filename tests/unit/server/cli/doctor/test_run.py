from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.commands import command, reinstall_command
from blog_search_mcp.server.cli.doctor.packages import Environment, check_packages, read_environment
from blog_search_mcp.server.cli.doctor.results import CheckResult, as_json, as_lines, exit_status
from blog_search_mcp.server.cli.doctor.run import run_checks
from blog_search_mcp.server.cli.install.clients import Machine
from blog_search_mcp.server.settings import Settings
from tests.support.python import run_python

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

NOW = datetime.now(UTC)
SOUP = "# Soup\n\nBoil an onion.\n"
FINE = CheckResult("index", "ok", "It is there.")
SLOW = CheckResult("Ollama", "warning", "It is old.", "ollama --update")
GONE = CheckResult("posts", "problem", "They are gone.", "blog-ingest posts")


def test_a_result_is_a_line_and_its_remedy_the_next() -> None:
    assert as_lines([FINE, SLOW, GONE]) == [
        "ok       index   It is there.",
        "warning  Ollama  It is old.",
        "                 → ollama --update",
        "problem  posts   They are gone.",
        "                 → blog-ingest posts",
        "1 problem, 1 warning.",
    ]
    assert as_lines([FINE])[-1] == "All is well."


def test_json_has_the_same_results_and_the_worst_state() -> None:
    report = json.loads(as_json([FINE, GONE, SLOW]))
    assert report["state"] == "problem"
    assert [tuple(each.values()) for each in report["findings"]] == [
        ("index", "ok", "It is there.", None),
        ("posts", "problem", "They are gone.", "blog-ingest posts"),
        ("Ollama", "warning", "It is old.", "ollama --update"),
    ]
    assert list(report["findings"][0]) == ["subject", "state", "said", "mend"]


@pytest.mark.parametrize(
    ("results", "status"), [([], 0), ([FINE], 0), ([FINE, SLOW], 0), ([GONE, FINE], 1)]
)
def test_only_a_problem_is_a_failure(results: list[CheckResult], status: int) -> None:
    assert exit_status(results) == status


def test_a_command_can_be_pasted_whatever_the_folder_is_called() -> None:
    words = shlex.split(command("blog-ingest", "my posts", "--index", "it's"))
    assert Path(words[0]).name == "blog-ingest"
    assert words[1:] == ["my posts", "--index", "it's"]


THERE = Environment("3.12.1", ">=3.11", "0.1.0", {"mcp": "<3,>=2.3"}, {"mcp": "2.3.0"})


def test_packages_that_are_as_required_are_counted() -> None:
    assert check_packages(THERE) == [
        CheckResult("Python", "ok", "3.12.1."),
        CheckResult(
            "packages", "ok", "blog-search-mcp 0.1.0, with the versions it needs of 1 package."
        ),
    ]


@pytest.mark.parametrize(
    ("facts", "result"),
    [
        (
            replace(THERE, python="3.10.2"),
            CheckResult(
                "Python",
                "problem",
                "3.10.2 is not >=3.11.",
                reinstall_command(),
            ),
        ),
        (
            replace(THERE, found={"mcp": "1.9.0"}),
            CheckResult(
                "packages",
                "problem",
                "mcp 1.9.0 is not <3,>=2.3.",
                reinstall_command(),
            ),
        ),
        (
            replace(THERE, found={"mcp": None}),
            CheckResult(
                "packages",
                "problem",
                "mcp is missing.",
                reinstall_command(),
            ),
        ),
        (
            Environment("3.12.1", "", "", {}, {}),
            CheckResult(
                "packages",
                "warning",
                "blog-search-mcp is not installed in this Python, so versions are not compared.",
                f"{sys.executable} -m pip install -e .",
            ),
        ),
    ],
)
def test_a_version_that_does_not_fit_is_named(facts: Environment, result: CheckResult) -> None:
    [wrong] = [each for each in check_packages(facts) if each.state != "ok"]
    assert wrong == result


def test_the_installed_packages_are_those_of_the_project() -> None:
    found = read_environment()
    assert {"mcp", "faiss-cpu", "tantivy"} <= found.found.keys()
    assert not {"pytest", "mypy"} & found.found.keys()
    assert None not in found.found.values()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    return tmp_path / "home"


def test_the_checks_go_from_python_to_the_clients(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    found = run_checks(Settings(made.index, ""), Machine(home, home, "linux", {}), NOW)
    subjects = [each.subject for each in found]
    assert subjects == ["Python", "packages", "index", "posts", "Ollama", "tools", "clients"]


def test_each_of_several_indexes_is_checked(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    gone = Settings(home / "gone", "")
    settings = Settings(made.index, "", others=(gone,))
    found = run_checks(settings, Machine(home, home, "linux", {}), NOW)[2:]
    subjects = [(each.subject, each.state) for each in found]
    assert subjects == [
        ("index", "ok"),
        ("posts", "ok"),
        ("index", "problem"),
        ("Ollama", "ok"),
        ("tools", "ok"),
        ("clients", "warning"),
    ]
    assert found[2].remedy == command("blog-ingest", "CONTENT", "--index", home / "gone")
    assert found[5].remedy == command(
        "blog-server", "install", "claude-code", "--index", made.index, "--index", home / "gone"
    )


def test_a_warning_or_problem_has_a_remedy_and_nothing_else_has(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    made.content.rename(made.content.with_name("moved"))
    found = run_checks(Settings(made.index, "ftp://box"), Machine(home, home, "linux", {}), NOW)
    assert len([each for each in found if each.remedy]) == 3
    assert [each.state != "ok" for each in found] == [each.remedy is not None for each in found]


MISSING = """
import sys
from importlib import metadata
version = metadata.version
def partly(name):
    if name == "numpy":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = partly
for name in ("numpy", "faiss", "pydantic"):
    sys.modules[name] = None
from blog_search_mcp.server.__main__ import main
main()
"""


def run_doctor(home: Path, *start: str) -> subprocess.CompletedProcess[str]:
    homes = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CONFIG_HOME"), str(home))
    arguments = ("doctor", "--index", home / "none", "--json")
    return run_python(*start, *arguments, env=os.environ | homes)


def test_the_command_prints_json_and_fails_without_an_index(home: Path) -> None:
    ran = run_doctor(home, "-m", "blog_search_mcp.server")
    assert (ran.returncode, ran.stderr) == (1, "")
    report = json.loads(ran.stdout)
    states = [each["state"] for each in report["findings"] if each["subject"] == "index"]
    assert (report["state"], states) == ("problem", ["problem"])


def test_a_missing_package_is_a_result_and_no_traceback(home: Path) -> None:
    ran = run_doctor(home, "-c", MISSING)
    assert (ran.returncode, ran.stderr) == (1, "")
    sentences = [each["said"] for each in json.loads(ran.stdout)["findings"]]
    assert sentences[1:] == ["numpy is missing."]


def test_a_folder_whose_name_is_not_utf8_is_reported(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    homes = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CONFIG_HOME"), str(folder))
    doctor = ("-m", "blog_search_mcp.server", "doctor", "--json")
    ran = run_python(*doctor, cwd=folder, env=os.environ | homes)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "caf\\udce9" in ran.stdout
